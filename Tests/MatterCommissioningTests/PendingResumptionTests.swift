import MatterBase
import MatterState
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork

@Suite("Pending nodes", .virtualTime)
struct PendingResumptionTests {
    private func pending(
        _ id: UInt64, at addresses: [PeerAddress], discriminator: UInt16? = nil, vendorID: UInt16 = FakeDevice.vendorID,
        secondsLeft: Int64 = 60
    ) throws -> PendingNode {
        PendingNode(
            nodeID: NodeID(id), name: nil, room: nil, receipt: NOCReceipt(rawValue: "old"), noc: [1],
            addresses: addresses,
            fingerprint: try SetupFingerprint.salted(Commissionee.passcode),
            discriminator: try discriminator.map { number throws in try SetupDiscriminator(long: number) },
            failSafeEnds: TestFabric.unixTime + secondsLeft, vendorID: vendorID, productID: FakeDevice.productID)
    }

    /// A device that has our certificate, and a journal that says so, as they are after a crash.
    private func crashed(_ workshop: Workshop, _ lamp: Commissionee) async throws {
        let reached = Seen()
        lamp.on("CommissioningComplete") { _ in
            reached.note("complete", [])
            return .acknowledgement
        }
        let request = try workshop.request(lamp.device.address)
        let task = inBackground { try await workshop.commission(request) }
        try await eventually { reached.has("complete") }
        task.cancel()
        _ = try? await task.value
        lamp.on("CommissioningComplete") { _ in nil }
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7)])
    }

    @Test("a commissioning that was cut short is completed by the next try of the same code, as the same node")
    func resumption() async throws {
        let (first, lamp) = (try Workshop(), try await Commissionee())
        try await crashed(first, lamp)
        await first.end()
        let next = try Workshop(state: first.state, fabric: first.fabric)
        let before = lamp.log.count
        let node = try await next.commission(next.request(lamp.device.address))
        #expect(node.wasPending && node.nodeID == NodeID(7) && node.address == lamp.device.address)
        #expect(node.information.vendorID == FakeDevice.vendorID && node.endpoints.count == 1)
        #expect(Array(lamp.log[before...]) == ["*CommissioningComplete"] && lamp.isComplete)
        #expect(next.progress.began == [.case, .complete, .post] && next.progress.notes.count == 1)
        #expect(next.issuer.log == [])
        await next.end()
        await lamp.end()
    }

    @Test("terms that were accepted before a commissioning was cut short are not asked for again")
    func acceptedTerms() async throws {
        let lamp = try await Commissionee { $0.attributes.merge(FakeDevice.terms(minimum: 2)) { $1 } }
        let first = try Workshop()
        let reached = Seen()
        lamp.on("CommissioningComplete") { _ in
            reached.note("complete", [])
            return .acknowledgement
        }
        var request = try first.request(lamp.device.address)
        request.terms = { _ in TermsAcknowledgement(version: 2, response: 1) }
        let task = inBackground { [request] in try await first.commission(request) }
        try await eventually { reached.has("complete") }
        task.cancel()
        _ = try? await task.value
        await first.end()
        lamp.on("CommissioningComplete") { _ in nil }
        let next = try Workshop(state: first.state, fabric: first.fabric)
        let node = try await next.commission(next.request(lamp.device.address))
        #expect(node.wasPending && lamp.isComplete)
        #expect(lamp.log.count { $0 == "SetTCAcknowledgements" } == 1)
        await next.end()
        await lamp.end()
    }

    @Test("a node that was cut short is also found where discovery says")
    func movedNode() async throws {
        let (first, lamp) = (try Workshop(), try await Commissionee())
        try await crashed(first, lamp)
        await first.end()
        var record = try #require(try first.journal.node(NodeID(7)))
        record.addresses = [Blackhole().address]
        try first.journal.record(record)
        let network = FakeDiscovery([], nodes: [lamp.device.address])
        let next = try Workshop(state: first.state, fabric: first.fabric, discovery: network)
        let node = try await next.commission(next.request())
        #expect(node.wasPending && node.address == lamp.device.address)
        await next.end()
        await lamp.end()
    }

    @Test("a device that refuses to complete stays pending")
    func refusedCompletion() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        try await crashed(workshop, lamp)
        lamp.on("CommissioningComplete") { _ in
            .outcome(.response(command: 5, fields: .structure([TLVElement(0, .uint(2))])))
        }
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error?.code == .deviceRefused && error?.stage == .complete)
        guard case .pending(7, _) = error?.aftermath else { return #expect(Bool(false)) }
        #expect(try workshop.journal.all().count == 1)
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that has forgotten a pending node is commissioned again, and the issuer is told")
    func forgotten() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        try workshop.journal.record(try pending(99, at: [lamp.device.address]))
        let node = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(!node.wasPending && node.nodeID == NodeID(7))
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7)])
        // Only when the device has taken another certificate: another host may have said that it has forgotten.
        #expect(workshop.issuer.log == ["prepare", "issue", "abandon"])
        #expect(workshop.progress.notes.contains { $0.contains("forgotten node 99") })
        await workshop.end()
        await lamp.end()
    }

    @Test("another device that happens to answer says nothing about a pending node elsewhere")
    func elsewhere() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let other = Blackhole()
        try workshop.journal.record(try pending(99, at: [other.address], vendorID: 0x1234))
        let node = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(node.nodeID == NodeID(7))
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7), NodeID(99)])
        #expect(workshop.issuer.log == ["prepare", "issue"])
        await workshop.end()
        await lamp.end()
    }

    @Test("a pending node of a device that has a new certificate is history")
    func predecessor() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        try workshop.journal.record(try pending(99, at: [Blackhole().address], secondsLeft: -1))
        _ = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7)])
        #expect(workshop.issuer.log == ["prepare", "issue", "abandon"])
        await workshop.end()
        await lamp.end()
    }

    @Test("a pending node of another code is left alone")
    func otherCode() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        try workshop.journal.record(try pending(99, at: [lamp.device.address], discriminator: 1))
        let request = try workshop.request(lamp.device.address) {
            $0.code.discriminator = try SetupDiscriminator(long: 3840)
        }
        _ = try await workshop.commission(request)
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7), NodeID(99)])
        #expect(workshop.progress.began.first == .discover && workshop.progress.notes == [])
        await workshop.end()
        await lamp.end()
    }

    @Test("a pending node that was silent at first, and is closed to new administrators, is completed after all")
    func lateAnswer() async throws {
        let (first, lamp) = (try Workshop(), try await Commissionee())
        try await crashed(first, lamp)
        await first.end()
        var next = try Workshop(state: first.state, fabric: first.fabric)
        next.environment.patience.pendingNode = .seconds(1)
        await lamp.device.change {
            $0.ignoredHandshakes = .max
            $0.passcode = nil
        }
        let workshop = next
        let request = try workshop.request(lamp.device.address)
        let task = inBackground { try await workshop.commission(request) }
        try await eventually { workshop.progress.notes.contains { $0.contains("does not answer") } }
        await lamp.device.change { $0.ignoredHandshakes = 0 }
        let node = try await task.value
        #expect(node.wasPending && node.nodeID == NodeID(7) && lamp.isComplete)
        #expect(workshop.progress.failed.contains(.pase))
        await next.end()
        await lamp.end()
    }

    @Test("a pending node that is silent is looked for, then the code is tried")
    func silent() async throws {
        let (workshop, dead) = (try Workshop(), Blackhole())
        try workshop.journal.record(try pending(99, at: [dead.address]))
        let error = await #expect(throws: SessionError.self) {
            _ = try await workshop.commission(workshop.request(dead.address), within: .seconds(2))
        }
        #expect(error?.code == .silent)
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(99)])
        #expect(workshop.progress.notes.contains { $0.contains("its fail-safe expires within 60 s") })
        await workshop.end()
    }
}
