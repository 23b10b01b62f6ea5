import Foundation
import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// From nothing to a node that can be controlled.
@Suite("Commissioning onto a fabric", .virtualTime)
struct CommissionTests {
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private func controller(_ lamp: Commissionee) -> Controller {
        var options = Controller.Options(
            state: state.directory, addresses: [lamp.device.address], logger: .silent,
            unixTime: { TestFabric.unixTime })
        options.time = testTime
        options.links = TestNetwork.links()
        return Controller(options)
    }

    private func request(
        _ lamp: Commissionee, name: String? = nil, id: UInt64? = nil, passcode: UInt32 = Commissionee.passcode
    ) throws -> CommissioningRequest {
        var request = CommissioningRequest(SetupCode(passcode: try SetupPasscode(passcode)))
        request.requestedNodeID = id.map { NodeID($0) }
        request.addresses = [lamp.device.address]
        request.name = name
        return request
    }

    private func commission(
        _ controller: Controller, _ request: CommissioningRequest, issuer: (any NOCIssuer)? = nil
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        try await controller.commissioning.commission(
            [request],
            CommissioningService.CommissionOptions(
                trust: TrustPolicy(enforcement: .skip), issuer: issuer.map { .custom($0) } ?? .ofFabric),
            deadline: .testNow + .seconds(60))
    }

    private func journal() -> CommissioningJournal { CommissioningJournal(state.directory, fabric: "home") }

    /// Commissions until the device has completed but we do not know.
    private func crash(_ lamp: Commissionee, name: String) async throws {
        let reached = Seen()
        lamp.on("CommissioningComplete") { _ in
            reached.note("complete", [])
            return .acknowledgement
        }
        let (controller, request) = (controller(lamp), try request(lamp, name: name))
        let task = inBackground { try await commission(controller, request) }
        try await eventually { reached.has("complete") }
        task.cancel()
        _ = try? await task.value
        await controller.close()
        lamp.on("CommissioningComplete") { _ in
            .outcome(.response(command: 5, fields: .structure([TLVElement(0, .uint(3))])))
        }
    }

    @Test("the first device makes the fabric and is its first node, which can be controlled at once")
    func first() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        let (node, result) = try await commission(controller, request(lamp, name: "lamp"))
        #expect(node.nodeID == NodeID(1) && !result.wasPending)
        #expect(try controller.context.fabric().name == "home")
        let kept = try controller.nodes.record(of: "lamp")
        #expect(kept == node && kept.addresses == [lamp.device.address] && kept.vendorID == FakeDevice.vendorID)
        #expect(kept.endpoints.map(\.number) == [1] && kept.commissionedAt == TestFabric.unixTime)
        #expect(kept.reliability == .quick)
        #expect(try journal().all() == [])
        #expect(try journal().commissioned(SetupCode(passcode: SetupPasscode(Commissionee.passcode))).count == 1)
        let link = try await controller.links.link(to: kept)
        let path = ConcreteAttributePath(endpoint: 0, cluster: 0x28, attribute: 2)
        let read = try await link.read([AttributePath(path)], deadline: .testNow + .seconds(60))
        #expect(read.attribute(path)?.value == .uint(UInt64(FakeDevice.vendorID)))
        await controller.close()
        await lamp.end()
    }

    @Test("a name that is taken or is none is found out before the device hears of us")
    func names() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await controller.context.fabricOrNew()
        try await controller.context.nodes().save(NodeRecord(nodeID: NodeID(9), name: "lamp"))
        for (name, code) in [("lamp", RecordError.Code.nameTaken), ("12", .invalidName)] {
            let error = await #expect(throws: RecordError.self) {
                _ = try await commission(controller, request(lamp, name: name))
            }
            #expect(error?.code == code)
        }
        #expect(await lamp.device.handshakes.isEmpty)
        await controller.close()
        await lamp.end()
    }

    @Test("a node that is taken up again has the name that it was meant to have")
    func pendingName() async throws {
        let lamp = try await Commissionee()
        try await crash(lamp, name: "lamp")
        let controller = controller(lamp)
        let (node, result) = try await commission(controller, request(lamp))
        #expect(result.wasPending && node.nodeID == NodeID(1) && node.name == "lamp")
        #expect(node.vendorID == FakeDevice.vendorID)
        #expect(try journal().all() == [])
        await controller.close()
        await lamp.end()
    }

    @Test("unless another node has it now")
    func pendingNameTaken() async throws {
        let lamp = try await Commissionee()
        try await crash(lamp, name: "lamp")
        let controller = controller(lamp)
        try await controller.context.nodes().save(NodeRecord(nodeID: NodeID(9), name: "lamp"))
        let (node, _) = try await commission(controller, request(lamp))
        #expect(node.nodeID == NodeID(1) && node.name == nil)
        await controller.close()
        await lamp.end()
    }

    @Test("an issuer that could not be told is told by the next try, and the node is there meanwhile")
    func confirmation() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        let fabric = try await controller.context.fabricOrNew()
        let local = LocalFabric(
            authority: try controller.fabrics.authority(of: fabric), credentials: try controller.context.credentials())
        let issuer = RecordingIssuer(try local.issuer(adminVendorID: VendorID(0xFFF1)) { TestFabric.validity })
        issuer.fail(at: "confirm")
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await commission(controller, request(lamp, name: "lamp"), issuer: issuer)
        }
        #expect(error?.code == .issuerFailed && error?.stage == .post)
        let node = try controller.nodes.record(of: "lamp")
        #expect(try journal().all().map(\.nodeID) == [node.nodeID])
        issuer.fail(at: "")
        let (again, result) = try await commission(controller, request(lamp, name: "lamp"), issuer: issuer)
        #expect(result.wasPending && again.nodeID == node.nodeID && again.name == "lamp")
        #expect(issuer.log == ["prepare", "issue", "confirm", "confirm"])
        #expect(try journal().all() == [])
        await controller.close()
        await lamp.end()
    }

    @Test("a fabric without its authority's key commissions nothing")
    func noAuthority() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        let fabric = try LocalFabric.create(validity: TestFabric.validity)
        let imported = try LocalFabric(
            importing: fabric.credentials.chain, keys: [fabric.credentials.key], ipk: fabric.credentials.ipkEpochKey,
            at: .now(TestFabric.now))
        _ = try await controller.fabrics.add(imported, name: "home", vendorID: VendorID(0xFFF1))
        let error = await #expect(throws: ControllerError.self) {
            _ = try await commission(controller, request(lamp))
        }
        #expect(error?.code == .noIssuer && error?.hint != nil)
        #expect(await lamp.device.handshakes.isEmpty)
        await controller.close()
        await lamp.end()
    }

    // MARK: One id, one device

    /// An issuer that gives every device the same id.
    private struct FixedIssuer: NOCIssuer {
        let authority: LocalCertificateAuthority
        let id: NodeID
        let abandoned = Seen()

        func prepare() async throws -> FabricParameters? { try await authority.prepare() }

        func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
            var context = context
            context.requestedNodeID = id
            return try await authority.issue(csr, context: context)
        }

        func abandon(_ receipt: NOCReceipt) async { abandoned.note("abandoned", []) }
    }

    @Test("an id from an issuer that is ours, another node's or a pending one's is refused, and the device rolls back")
    func foreignIDs() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        let fabric = try await controller.context.fabricOrNew()
        let local = LocalFabric(
            authority: try controller.fabrics.authority(of: fabric), credentials: try controller.context.credentials())
        let authority = try local.issuer(adminVendorID: VendorID(0xFFF1)) { TestFabric.validity }
        try await controller.context.nodes().save(NodeRecord(nodeID: NodeID(5), name: "fan"))
        // Even a damaged record says that the id is taken.
        try state.directory.write("fabrics/home/pending/0000000000000006.json", Array("{}".utf8))
        for id in [fabric.nodeID, NodeID(5), NodeID(6)] {
            let issuer = FixedIssuer(authority: authority, id: id)
            let error = await #expect(throws: CommissioningError.self) {
                _ = try await commission(controller, request(lamp), issuer: issuer)
            }
            #expect(error?.code == .issuedCertificateInvalid && error?.stage == .issueNOC, "\(id)")
            #expect(error?.aftermath == .rolledBack && issuer.abandoned.has("abandoned"))
        }
        #expect(try controller.context.nodes().all().map(\.nodeID) == [NodeID(5)])
        let (node, _) = try await commission(
            controller, request(lamp), issuer: FixedIssuer(authority: authority, id: NodeID(7)))
        #expect(node.nodeID == NodeID(7) && node.certificate?.count == 16)
        await controller.close()
        await lamp.end()
    }

    /// The second one waits for a lock of the first.
    @Test(
        "an id that the user wants is reserved from the beginning, and free again when it comes to nothing", .realTime)
    func requestedID() async throws {
        let (lamp, other) = (try await Commissionee(), try await Commissionee())
        let (first, second) = (controller(lamp), controller(other))
        _ = try await first.context.fabricOrNew()
        let reached = Seen()
        lamp.on("CSRRequest") { _ in
            reached.note("armed", [])
            return .acknowledgement
        }
        let (mine, theirs) = (try request(lamp, id: 7), try request(other, id: 7))
        let task = inBackground { try await commission(first, mine) }
        try await eventually { reached.has("armed") }
        let error = await #expect(throws: RecordError.self) { _ = try await commission(second, theirs) }
        #expect(error?.code == .nodeExists)
        #expect(await other.device.handshakes.isEmpty)
        task.cancel()
        _ = try? await task.value
        #expect(try await commission(second, theirs).node.nodeID == NodeID(7))
        await first.close()
        await second.close()
        await lamp.end()
        await other.end()
    }

    // MARK: Failures at the end

    @Test("a record that cannot be written at the end: the device is named, and the next try completes it")
    func unwritableNode() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await controller.context.fabricOrNew()
        let nodes = state.directory.path + "/fabrics/home/nodes"
        lamp.on("CommissioningComplete") { _ in
            try? Data().write(to: URL(fileURLWithPath: nodes))
            return nil
        }
        let error = await #expect(throws: InterruptedCommissioning.self) {
            _ = try await commission(controller, request(lamp))
        }
        #expect(error?.aftermath == .unfinished(nodeID: 1) && error?.underlying is StoreError)
        #expect(try journal().all().map(\.nodeID) == [NodeID(1)])
        lamp.on("CommissioningComplete") { _ in nil }
        try FileManager.default.removeItem(atPath: nodes)
        let (node, result) = try await commission(controller, request(lamp))
        #expect(result.wasPending && node.nodeID == NodeID(1))
        await controller.close()
        await lamp.end()
    }

    @Test("a journal that cannot be written before AddNOC: the device has rolled back, and that is told")
    func unwritableJournal() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await controller.context.fabricOrNew()
        let pending = state.directory.path + "/fabrics/home/pending"
        lamp.on("CSRRequest") { _ in
            try? Data().write(to: URL(fileURLWithPath: pending))
            return nil
        }
        let error = await #expect(throws: InterruptedCommissioning.self) {
            _ = try await commission(controller, request(lamp))
        }
        #expect(error?.aftermath == .rolledBack && error?.underlying is StoreError)
        await controller.close()
        await lamp.end()
    }

    @Test("a name that was given away meanwhile: the node is kept without one, and that is told")
    func nameGivenAway() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await controller.context.fabricOrNew()
        let directory = state.directory
        lamp.on("CommissioningComplete") { _ in
            try? await NodeStore(directory, fabric: "home").save(NodeRecord(nodeID: NodeID(9), name: "lamp"))
            return nil
        }
        let error = await #expect(throws: InterruptedCommissioning.self) {
            _ = try await commission(controller, request(lamp, name: "lamp"))
        }
        #expect(error?.aftermath == .commissioned(nodeID: 1))
        #expect((error?.underlying as? RecordError)?.code == .nameTaken)
        let node = try #require(try controller.context.nodes().node(NodeID(1)))
        #expect(node.name == nil && node.endpoints.count == 1)
        #expect(try journal().all() == [])
        await controller.close()
        await lamp.end()
    }

    @Test("the same command once more says which node it made")
    func again() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await commission(controller, request(lamp, name: "lamp"))
        let before = await lamp.device.handshakes.count
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await commission(controller, request(lamp, name: "lamp"))
        }
        #expect(error?.code == .alreadyOnFabric && error?.reason.contains("as node 1 'lamp'") == true)
        #expect(await lamp.device.handshakes.count == before)
        await controller.close()
        await lamp.end()
    }

    @Test("a pending node is said to be one, by id and by name")
    func pendingIsNamed() async throws {
        let lamp = try await Commissionee()
        try await crash(lamp, name: "lamp")
        let controller = controller(lamp)
        for text in ["lamp", "1"] {
            let error = #expect(throws: RecordError.self) { _ = try controller.nodes.record(of: text) }
            #expect(error?.code == .pendingNode && error?.reason == "node 1 'lamp' is still being commissioned")
        }
        let unknown = #expect(throws: RecordError.self) { _ = try controller.nodes.record(of: "2") }
        #expect(unknown?.code == .unknownNode)
        // Its name is promised.
        let other = try request(lamp, name: "lamp", passcode: 20_202_022)
        let error = await #expect(throws: RecordError.self) { _ = try await commission(controller, other) }
        #expect(error?.code == .nameTaken)
        await controller.close()
        await lamp.end()
    }
}
