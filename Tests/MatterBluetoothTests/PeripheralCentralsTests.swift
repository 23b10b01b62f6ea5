import TestSupport
import Testing

@testable import MatterNetwork

@Suite("PeripheralCentrals", .ownDaemons) struct PeripheralCentralsTests {
    private let phone = DBusPath("/org/bluez/hci0/dev_00_00_00_22_22_22")
    private let laptop = DBusPath("/org/bluez/hci0/dev_00_00_00_33_33_33")

    /// A central that has written and subscribed; its connection has the number 1.
    private func served(_ central: DBusPath) -> PeripheralCentrals {
        var centrals = PeripheralCentrals()
        _ = centrals.written(by: central)
        _ = centrals.subscribed()
        return centrals
    }

    /// The number of a new connection, and whether its subscription is known and in doubt.
    private func begun(_ write: PeripheralCentrals.Write) -> (number: Int, isSubscribed: Bool, inDoubt: Bool)? {
        guard case .new(let connection, let inDoubt) = write else { return nil }
        return (connection.number, connection.isSubscribed, inDoubt)
    }

    @Test("a central that writes and then subscribes")
    func usual() throws {
        var centrals = PeripheralCentrals()
        let first = try #require(begun(centrals.written(by: phone)))
        #expect(first == (1, false, false))
        #expect(centrals.subscribed() == 1)
        #expect(centrals.written(by: phone) == .known)
        #expect(centrals.unsubscribed() == 1)
        #expect(centrals.current == nil)
    }

    @Test("a central that subscribes before it writes is subscribed from the start")
    func early() throws {
        var centrals = PeripheralCentrals()
        #expect(centrals.subscribed() == nil)
        #expect(try #require(begun(centrals.written(by: phone))) == (1, true, false))
    }

    @Test("the subscription of a central that was killed is not its successor's: that one waits for its own")
    func successor() throws {
        var centrals = served(phone)
        #expect(try #require(begun(centrals.written(by: laptop))) == (2, false, true))
        #expect(centrals.subscribed() == 2)
        #expect(centrals.settled(2) == false, "nothing is told twice")
    }

    @Test("a late end of the earlier subscription leaves the successor alone, before and after it subscribes")
    func lateEnd() {
        var centrals = served(phone)
        _ = centrals.written(by: laptop)
        #expect(centrals.unsubscribed() == nil)
        #expect(centrals.current?.number == 2)
        #expect(centrals.settled(2) == false, "there is no subscriber")
        #expect(centrals.subscribed() == 2)
        // Now it is the end of its own.
        #expect(centrals.unsubscribed() == 2)
    }

    @Test("a daemon that counts does not tell a second subscription: it is clear once the first one has ended")
    func counted() {
        var centrals = served(phone)
        _ = centrals.written(by: laptop)
        #expect(centrals.settled(2) == true)
        #expect(centrals.settled(2) == false)
        #expect(centrals.unsubscribed() == 2)
    }

    @Test("the word that all is settled comes too late for a connection that has ended")
    func settledLate() {
        var centrals = served(phone)
        _ = centrals.written(by: laptop)
        #expect(centrals.end(2, laptop) == true)
        _ = centrals.written(by: laptop)
        #expect(centrals.settled(2) == false)
        #expect(centrals.current?.isSubscribed == false)
    }

    @Test("a lost link ends the connection of its central, and no other")
    func lost() throws {
        var centrals = served(phone)
        #expect(centrals.lost(laptop) == nil)
        #expect(centrals.lost(phone) == 1)
        // The central is back before the first connection was let go.
        #expect(try #require(begun(centrals.written(by: phone))) == (2, false, false))
        #expect(centrals.end(1, phone) == false, "the link is the second connection's now")
        #expect(centrals.current?.number == 2)
    }

    @Test("a connection that ends here lets its link go, also after another central has taken its place")
    func ended() {
        var centrals = served(phone)
        _ = centrals.written(by: laptop)
        #expect(centrals.end(1, phone) == true)
        #expect(centrals.current?.number == 2)
        #expect(centrals.end(2, laptop) == true)
        #expect(centrals.current == nil)
    }
}
