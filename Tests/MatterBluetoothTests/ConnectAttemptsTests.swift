import TestSupport
import Testing

@testable import MatterNetwork

@Suite("ConnectAttempts", .ownDaemons) struct ConnectAttemptsTests {
    private static let name = "C8:5A:11:22:33:44 on hci0"

    private static func bluez(_ name: String, _ words: String) -> ConnectAttempts.Failure {
        .refused(DBusError(.answered("org.bluez.Error.\(name)"), words))
    }

    private static let abort = bluez("Failed", "le-connection-abort-by-local")

    /// The decision on the same failure each time, and the error at the end.
    private func play(
        _ failure: ConnectAttempts.Failure, isPaired: Bool = false
    ) -> (steps: [ConnectAttempts.Next], error: BluetoothError?) {
        var attempts = ConnectAttempts(name: Self.name, isPaired: isPaired)
        var steps: [ConnectAttempts.Next] = []
        while true {
            let next = attempts.failed(failure)
            if case .giveUp(let error) = next { return (steps, error) }
            steps.append(next)
        }
    }

    private static let retry = ConnectAttempts.Next.retry(after: .milliseconds(500))

    @Test(
        "noise of the radio: four attempts, half a second apart",
        arguments: [
            abort, bluez("Failed", "le-connection-timeout"), bluez("InProgress", "Operation already in progress"),
            .refused(DBusError(.timedOut)), .linkLost, .unresolved(.seconds(15)),
        ])
    func noise(_ failure: ConnectAttempts.Failure) {
        let played = play(failure)
        #expect(played.steps == [Self.retry, Self.retry, Self.retry])
        #expect(played.error?.reason.contains("4 attempts") == true)
        #expect(played.error?.reason.contains(Self.name) == true)
    }

    @Test("the words of the last failure are the error's, and the host's own abort has another cure")
    func words() {
        #expect(play(Self.abort).error?.cause == .abortedHere)
        #expect(play(Self.abort).error?.reason.contains("le-connection-abort-by-local") == true)
        #expect(play(.linkLost).error?.cause == nil)
        #expect(play(.unresolved(.seconds(15))).error?.code == .servicesUnresolved)
    }

    @Test("services that are not whole: the device is forgotten once, and then it is a stale cache")
    func stale() {
        #expect(play(.noCharacteristics).steps == [.forget])
        #expect(play(.noCharacteristics).error?.code == .staleCache)
        #expect(play(.noCharacteristics).error?.details == ["C8:5A:11:22:33:44"])
        #expect(play(.noService).steps == [.forget])
        #expect(play(.noService).error?.code == .noService)
        #expect(play(.gone).error?.code == .deviceGone)
    }

    @Test("a device that the host has paired with is never forgotten")
    func paired() {
        for failure in [.noCharacteristics, .noService, .gone, Self.bluez("Failed", "br-connection-page-timeout")] {
            #expect(!play(failure, isPaired: true).steps.contains(.forget))
        }
        let missing = Self.bluez("Failed", "le-connection-key-missing")
        #expect(play(missing, isPaired: true).error?.code == .bonded)
        #expect(play(missing).steps == [.forget, Self.retry, Self.retry])
    }

    @Test("a device that was taken for one of classic Bluetooth is forgotten first")
    func classic() {
        #expect(play(Self.bluez("Failed", "br-connection-page-timeout")).steps == [.forget, Self.retry, Self.retry])
    }

    @Test("what no attempt can cure ends them at once")
    func hopeless() {
        for (failure, code) in [
            (DBusError(.answered("org.freedesktop.DBus.Error.AccessDenied"), "no"), BluetoothError.Code.notPermitted),
            (DBusError(.answered("org.freedesktop.DBus.Error.ServiceUnknown"), "no"), .disconnected),
            (DBusError(.disconnected), .disconnected),
        ] {
            let played = play(.refused(failure))
            #expect(played.steps.isEmpty && played.error?.code == code)
        }
    }

    @Test("without time for more attempts the error has the last reason and says so")
    func outOfTime() {
        var attempts = ConnectAttempts(name: Self.name, isPaired: false)
        #expect(attempts.failed(Self.abort) == Self.retry)
        let error = attempts.outOfTime(Self.abort)
        #expect(error.code == .connectFailed && error.reason.hasSuffix("there is no time for more attempts"))
    }
}
