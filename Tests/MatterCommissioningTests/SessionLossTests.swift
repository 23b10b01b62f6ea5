import MatterBase
import MatterModel
import MatterState
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork

/// Devices that forget the session in the middle of a commissioning, as a restart makes them.
@Suite("Lost sessions", .virtualTime)
struct SessionLossTests {
    /// Far less than the budget, and ample time for a slow machine.
    private static let bound = Duration.seconds(40)

    private func quickWorkshop() throws -> Workshop {
        var workshop = try Workshop()
        workshop.environment.patience.rescue = .milliseconds(500)
        workshop.environment.patience.anotherSession = .seconds(15)
        workshop.environment.patience.saving = .milliseconds(500)
        return workshop
    }

    /// Lets the device lose its sessions at a command, once, and what else a test wants.
    private func restart(
        _ lamp: Commissionee, at command: String, _ also: @escaping @Sendable (LoopbackDevice) async -> Void = { _ in }
    ) -> Seen {
        let seen = Seen()
        lamp.on(command) { context in
            guard !seen.has(command) else { return nil }
            seen.note(command, [])
            await context.device.restart()
            await also(context.device)
            return .nothing
        }
        return seen
    }

    private func commission(_ workshop: Workshop, _ lamp: Commissionee) async throws -> CommissionedNode {
        try await workshop.commission(workshop.request(lamp.device.address), within: .seconds(300))
    }

    private func failure(_ workshop: Workshop, _ lamp: Commissionee) async throws -> CommissioningError {
        try #require(
            await #expect(throws: CommissioningError.self) { _ = try await commission(workshop, lamp) })
    }

    @Test(
        "before there is a certificate, silence ends the commissioning long before its budget does",
        arguments: ["ArmFailSafe", "AttestationRequest", "CSRRequest", "AddTrustedRootCertificate"])
    func beforeNOC(command: String) async throws {
        let (workshop, lamp) = (try quickWorkshop(), try await Commissionee())
        let seen = restart(lamp, at: command)
        let start = testTime.now
        let error = try await failure(workshop, lamp)
        #expect(seen.has(command) && .testNow - start < Self.bound)
        #expect(error.code == .noAnswer && error.reason.contains("\(lamp.device.address)"), "\(error)")
        #expect(error.reason.contains("not acknowledged, last heard"), "\(error)")
        #expect(error.aftermath == .rollsBack(within: .seconds(60)))
        #expect(try workshop.journal.all() == [])
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that lost its session with AddNOC and kept the certificate is completed over CASE")
    func keptCertificate() async throws {
        let (workshop, lamp) = (try quickWorkshop(), try await Commissionee())
        _ = restart(lamp, at: "AddNOC")
        let node = try await commission(workshop, lamp)
        #expect(node.nodeID == NodeID(7) && lamp.isComplete)
        #expect(lamp.log.count { $0 == "AddNOC" } == 1 && lamp.log.last == "*CommissioningComplete")
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that lost its session and the certificate has forgotten everything, and so have we")
    func lostCertificate() async throws {
        let (workshop, lamp) = (try quickWorkshop(), try await Commissionee())
        _ = restart(lamp, at: "AddNOC") { await $0.change { $0.fabrics = [] } }
        let start = testTime.now
        let error = try await failure(workshop, lamp)
        #expect(error.code == .forgotten && error.aftermath == .forgotten, "\(error)")
        #expect(.testNow - start < Self.bound && error.hint != nil)
        #expect(try workshop.journal.all() == [] && workshop.issuer.log == ["prepare", "issue", "abandon"])
        await workshop.end()
        await lamp.end()
    }

    @Test("CommissioningComplete that was lost with its session is sent again on another one")
    func completedAnew() async throws {
        let (workshop, lamp) = (try quickWorkshop(), try await Commissionee())
        _ = restart(lamp, at: "CommissioningComplete")
        let start = testTime.now
        let node = try await commission(workshop, lamp)
        #expect(node.nodeID == NodeID(7) && !node.wasPending && .testNow - start < Self.bound)
        #expect(lamp.log.count { $0 == "*CommissioningComplete" } == 2)
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that forgot the fabric before it was completed is not a node, and not pending either")
    func forgottenAtCompletion() async throws {
        let (workshop, lamp) = (try quickWorkshop(), try await Commissionee())
        _ = restart(lamp, at: "CommissioningComplete") { await $0.change { $0.fabrics = [] } }
        let error = try await failure(workshop, lamp)
        #expect(error.code == .forgotten && error.stage == .complete, "\(error)")
        #expect(try workshop.journal.all() == [] && workshop.issuer.log.last == "abandon")
        await workshop.end()
        await lamp.end()
    }

    @Test("one that is gone for good at its completion is pending, and that is known in time")
    func goneAtCompletion() async throws {
        var workshop = try quickWorkshop()
        workshop.environment.patience.anotherSession = .seconds(2)
        let lamp = try await Commissionee()
        _ = restart(lamp, at: "CommissioningComplete") { await $0.shutDown() }
        let start = testTime.now
        let error = try await failure(workshop, lamp)
        #expect(error.code == .goneAfterNOC && .testNow - start < Self.bound, "\(error)")
        guard case .pending(7, _) = error.aftermath else { return #expect(Bool(false), "\(error.aftermath)") }
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7)])
        await workshop.end()
    }

    @Test(
        "in the flow, silence on the PASE session from AddNOC on leads to CASE", arguments: ["AddNOC", "ArmFailSafe"])
    func flow(command: String) throws {
        let journey = try Journey.run { $0.silentCommands = [command] }
        #expect(journey.error == nil && journey.result?.nodeID == NodeID(7))
        let silence = try #require(journey.log.lastIndex(of: command))
        #expect(journey.log[(silence + 1)...].starts(with: ["[operational-discovery]", "connect 7"]), "\(journey.log)")
    }
}
