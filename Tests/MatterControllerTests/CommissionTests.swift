import MatterCommissioning
import MatterController
import MatterCredentials
import MatterCrypto
import MatterInteraction
import MatterSession
import MatterSessionTests
import MatterSetupPayload
import MatterTLV
import MatterTransport
import Testing

@testable import MatterCommissioningTests

/// From nothing to a node that can be controlled.
@Suite("Commissioning onto a fabric", .realTime)
struct CommissionTests {
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private func controller(_ lamp: Commissionee) -> Controller {
        Controller(
            Controller.Options(
                state: state.directory, addresses: [lamp.device.address], logger: .silent,
                unixTime: { TestFabric.unixTime }))
    }

    private func request(_ lamp: Commissionee, name: String? = nil) throws -> CommissioningRequest {
        var request = CommissioningRequest(passcode: try SetupPasscode(Commissionee.passcode))
        request.addresses = [lamp.device.address]
        request.name = name
        return request
    }

    private func commission(
        _ controller: Controller, _ request: CommissioningRequest, issuer: (any NOCIssuer)? = nil
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        try await controller.commission(
            request,
            Controller.CommissionOptions(
                attest: { _ throws(CommissioningError) in AttestationSummary(verdict: "test", authority: nil) },
                progress: { _ in }, issuer: issuer),
            deadline: .now + .seconds(60))
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
        let task = Task { try await commission(controller, request) }
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
        #expect(try await controller.fabric().name == "home")
        let kept = try await controller.node("lamp")
        #expect(kept == node && kept.addresses == [lamp.device.address] && kept.vendorID == FakeDevice.vendorID)
        #expect(kept.endpoints.map(\.number) == [1] && kept.commissionedAt == TestFabric.unixTime)
        #expect(kept.reliability == .quick)
        #expect(try journal().all() == [])
        #expect(try journal().commissioned(passcode: Commissionee.passcode, discriminator: nil).count == 1)
        let link = try await controller.link(to: kept)
        let path = ConcreteAttributePath(endpoint: 0, cluster: 0x28, attribute: 2)
        let read = try await link.read([AttributePath(path)], deadline: .now + .seconds(60))
        #expect(read.attribute(path)?.value == .uint(UInt64(FakeDevice.vendorID)))
        await controller.close()
        await lamp.end()
    }

    @Test("a name that is taken or is none is found out before the device hears of us")
    func names() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        _ = try await controller.fabricOrNew()
        try await controller.nodes().save(NodeRecord(nodeID: NodeID(9), name: "lamp"))
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

    @Test("unless somebody else has it now")
    func pendingNameTaken() async throws {
        let lamp = try await Commissionee()
        try await crash(lamp, name: "lamp")
        let controller = controller(lamp)
        try await controller.nodes().save(NodeRecord(nodeID: NodeID(9), name: "lamp"))
        let (node, _) = try await commission(controller, request(lamp))
        #expect(node.nodeID == NodeID(1) && node.name == nil)
        await controller.close()
        await lamp.end()
    }

    @Test("an issuer that could not be told is told by the next try, and the node is there meanwhile")
    func confirmation() async throws {
        let lamp = try await Commissionee()
        let controller = controller(lamp)
        let fabric = try await controller.fabricOrNew()
        let local = LocalFabric(
            authority: try controller.fabrics.authority(of: fabric), credentials: try await controller.credentials())
        let issuer = RecordingIssuer(try local.issuer(adminVendorID: VendorID(0xFFF1)) { TestFabric.validity })
        issuer.fail(at: "confirm")
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await commission(controller, request(lamp, name: "lamp"), issuer: issuer)
        }
        #expect(error?.code == .issuerFailed && error?.stage == .post)
        let node = try await controller.node("lamp")
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
}
