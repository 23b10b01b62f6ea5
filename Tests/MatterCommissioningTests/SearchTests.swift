import MatterBase
import MatterModel
import MatterState
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork

/// Finding the device that a setup code belongs to.
@Suite("Search for a device", .virtualTime)
struct SearchTests {
    private func request(
        _ workshop: Workshop, _ change: (inout CommissioningRequest) throws -> Void = { _ in }
    ) throws -> CommissioningRequest {
        try workshop.request {
            $0.code.discriminator = try SetupDiscriminator(long: 3840)
            $0.readsEndpoints = false
            try change(&$0)
        }
    }

    private func failure(
        _ workshop: Workshop, within time: Duration, _ change: (inout CommissioningRequest) throws -> Void = { _ in }
    ) async throws -> CommissioningError {
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await workshop.commission(request(workshop, change), within: time)
        }
        return try #require(error)
    }

    @Test("the device that advertises the discriminator is the one, others are left alone")
    func discriminator() async throws {
        let (lamp, other) = (try await Commissionee(), try await Commissionee())
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [other.device.address], discriminator: 3841),
            .init(instance: "B", addresses: [lamp.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let node = try await workshop.commission(request(workshop))
        #expect(node.address == lamp.device.address && workshop.progress.began.starts(with: [.discover, .pase]))
        #expect(await other.device.handshakes.isEmpty)
        await workshop.end()
        await lamp.end()
        await other.end()
    }

    @Test("of several devices with one discriminator the passcode finds the right one")
    func passcode() async throws {
        let (lamp, other) = (try await Commissionee(), try await Commissionee(passcode: 20_202_022))
        let closed = try await Commissionee(passcode: nil)
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [other.device.address]),
            .init(instance: "B", addresses: [closed.device.address]),
            .init(delay: .milliseconds(500), instance: "C", addresses: [lamp.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        #expect(try await workshop.commission(request(workshop)).address == lamp.device.address)
        #expect(await other.device.handshakes.count == 1)
        #expect(await closed.device.handshakes.count == 1)
        await workshop.end()
        for device in [lamp, other, closed] { await device.end() }
    }

    @Test("if none of them wants the passcode, all that were tried are named")
    func noneFits() async throws {
        let (one, other) = (try await Commissionee(passcode: 20_202_022), try await Commissionee(passcode: 20_202_023))
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [one.device.address]),
            .init(instance: "B", addresses: [other.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let start = testTime.now
        let error = try await failure(workshop, within: .seconds(120))
        #expect(error.code == .wrongPasscode && .testNow - start < .seconds(40))
        #expect(error.reason.contains("\(one.device.address)") && error.reason.contains("\(other.device.address)"))
        #expect(await one.device.handshakes.count == 1)
        await workshop.end()
        await one.end()
        await other.end()
    }

    @Test("a device that has several records is named once")
    func namedOnce() async throws {
        let other = try await Commissionee(passcode: 20_202_022)
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [other.device.address]),
            .init(instance: "B", addresses: [other.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let error = try await failure(workshop, within: .seconds(120))
        #expect(error.reason == "wrong setup code: the device at \(other.device.address) rejected it")
        await workshop.end()
        await other.end()
    }

    @Test("a device that refused counts more than one that is silent")
    func refusalAndSilence() async throws {
        let (other, dead) = (try await Commissionee(passcode: 20_202_022), Blackhole())
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [other.device.address]), .init(instance: "B", addresses: [dead.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let error = try await failure(workshop, within: .seconds(3))
        #expect(error.code == .wrongPasscode && error.reason.contains("\(other.device.address)"))
        await workshop.end()
        await other.end()
    }

    @Test("records of devices that are gone cost seconds, not their whole turn, and their silence no second attempt")
    func staleRecords() async throws {
        let (lamp, other) = (try await Commissionee(), try await Commissionee(passcode: 20_202_022))
        let dead = [Blackhole(), Blackhole()]
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [dead[0].address]), .init(instance: "B", addresses: [other.device.address]),
            .init(instance: "C", addresses: [dead[1].address]),
            .init(delay: .milliseconds(100), instance: "D", addresses: [lamp.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let start = testTime.now
        #expect(try await workshop.commission(request(workshop)).address == lamp.device.address)
        // Two turns of 20 s would be more.
        #expect(.testNow - start < .seconds(20))
        #expect(await other.device.handshakes.count == 1)
        #expect(await lamp.device.handshakes.count == 2, "PASE and CASE")
        await workshop.end()
        await lamp.end()
        await other.end()
    }

    @Test("a refusal is believed soon where the others are only records")
    func refusalBesideStaleRecord() async throws {
        let (other, dead) = (try await Commissionee(passcode: 20_202_022), Blackhole())
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [dead.address]), .init(instance: "B", addresses: [other.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        let start = testTime.now
        let error = try await failure(workshop, within: .seconds(120))
        #expect(error.code == .wrongPasscode && .testNow - start < .seconds(20), "\(error)")
        #expect(await other.device.handshakes.count == 1)
        await workshop.end()
        await other.end()
    }

    @Test("four hundred made-up devices that fit the code do not hide the one that answers")
    func flood() async throws {
        let (lamp, dead) = (try await Commissionee(), Blackhole())
        var announcements = (0..<400).map { FakeDiscovery.Announcement(instance: "F\($0)", addresses: [dead.address]) }
        announcements.append(.init(instance: "L", addresses: [lamp.device.address]))
        let workshop = try Workshop(discovery: FakeDiscovery(announcements))
        #expect(try await workshop.commission(request(workshop), within: .seconds(110)).nodeID == NodeID(7))
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that is advertised as open and says that it is closed is tried until it opens")
    func reopening() async throws {
        let lamp = try await Commissionee(passcode: nil)
        let network = FakeDiscovery([.init(instance: "A", addresses: [lamp.device.address])])
        let workshop = try Workshop(discovery: network)
        let task = inBackground { try await workshop.commission(request(workshop), within: .seconds(60)) }
        try await eventually { workshop.progress.notes.contains { $0.contains("not open for commissioning") } }
        await lamp.device.change { $0.passcode = Commissionee.passcode }
        #expect(try await task.value.nodeID == NodeID(7))
        await workshop.end()
        await lamp.end()
        let closed = try await Commissionee(passcode: nil)
        let other = try Workshop(
            discovery: FakeDiscovery([.init(instance: "A", addresses: [closed.device.address])]))
        #expect(try await failure(other, within: .seconds(8)).code == .windowClosed)
        await other.end()
        await closed.end()
    }

    @Test("a node with the same passcode is a note, and the search goes on for the device that is wanted")
    func sameCode() async throws {
        let (first, wanted) = (try await Commissionee(), try await Commissionee())
        let workshop = try Workshop(
            discovery: FakeDiscovery([.init(instance: "A", addresses: [first.device.address])]))
        _ = try await workshop.commission(request(workshop))
        let done = try #require(try workshop.journal.all().first)
        try workshop.journal.complete(done)
        await first.device.change { $0.passcode = nil }
        let later = try Workshop(
            state: workshop.state, fabric: workshop.fabric,
            discovery: FakeDiscovery(
                [.init(delay: .seconds(13), instance: "B", addresses: [wanted.device.address])],
                nodes: [first.device.address]))
        let node = try await later.commission(request(later), within: .seconds(90))
        #expect(node.address == wanted.device.address)
        #expect(
            later.progress.notes.first == "this code is that of node 7; still looking for another device with it",
            "\(later.progress.notes)")
        await workshop.end()
        await later.end()
        await first.end()
        await wanted.end()
    }

    @Test("a node of another product than the code's is not the device of the code")
    func otherProduct() async throws {
        let first = try await Commissionee()
        let workshop = try Workshop(
            discovery: FakeDiscovery([.init(instance: "A", addresses: [first.device.address])]))
        _ = try await workshop.commission(request(workshop))
        try workshop.journal.complete(try #require(try workshop.journal.all().first))
        await first.device.change { $0.passcode = nil }
        let later = try Workshop(
            state: workshop.state, fabric: workshop.fabric,
            discovery: FakeDiscovery([], nodes: [first.device.address]))
        let error = try await failure(later, within: .seconds(12)) { $0.productID = 0x7777 }
        #expect(error.code == .nothingDiscovered)
        #expect(!later.progress.notes.contains { $0.contains("already") })
        await workshop.end()
        await later.end()
        await first.end()
    }

    @Test("an address that a device gains later is tried as well")
    func laterAddress() async throws {
        let (lamp, dead) = (try await Commissionee(), Blackhole())
        let network = FakeDiscovery([
            .init(instance: "A", addresses: [dead.address]),
            .init(delay: .milliseconds(200), instance: "A", addresses: [dead.address, lamp.device.address]),
        ])
        let workshop = try Workshop(discovery: network)
        #expect(try await workshop.commission(request(workshop)).address == lamp.device.address)
        await workshop.end()
        await lamp.end()
    }

    @Test("a device of another vendor than the code's is not the one")
    func vendor() async throws {
        let other = try await Commissionee()
        let network = FakeDiscovery([.init(instance: "A", addresses: [other.device.address], vendorID: 0x1234)])
        let workshop = try Workshop(discovery: network)
        let error = try await failure(workshop, within: .seconds(1)) { $0.vendorID = 0xFFF1 }
        #expect(error.code == .nothingDiscovered && error.reason.contains("3840"))
        #expect(await other.device.handshakes.isEmpty)
        await workshop.end()
        await other.end()
    }

    @Test("nothing found: the hint says what to do, also for a device that only speaks Bluetooth")
    func nothing() async throws {
        let workshop = try Workshop(discovery: FakeDiscovery([]))
        let plain = try await failure(workshop, within: .milliseconds(400))
        #expect(plain.code == .nothingDiscovered && plain.stage == .discover && plain.aftermath == .untouched)
        #expect(plain.hint == .step("discover.nothing-found"))
        let bluetooth = try await failure(workshop, within: .milliseconds(400)) { $0.capabilities = .ble }
        #expect(bluetooth.hint == .step("discover.other-transport", "ble"))
        let neither = try await failure(try Workshop(), within: .seconds(1))
        #expect(neither.code == .nothingDiscovered)
        await workshop.end()
    }

    @Test("a search that is interrupted ends at once and has changed nothing")
    func interruption() async throws {
        let dead = Blackhole()
        let workshop = try Workshop(discovery: FakeDiscovery([.init(instance: "A", addresses: [dead.address])]))
        let request = try request(workshop)
        let task = inBackground { try await workshop.commission(request, within: .seconds(120)) }
        try await eventually { dead.received > 0 }
        let start = testTime.now
        task.cancel()
        let error = await #expect(throws: CommissioningError.self) { _ = try await task.value }
        #expect(error?.code == .interrupted && error?.aftermath == .untouched && .testNow - start < .seconds(20))
        await workshop.end()
    }
}
