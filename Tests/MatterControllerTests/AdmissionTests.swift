import MatterTestKit
import Testing

@testable import MatterController

/// Nodes that a process may not reach.
@Suite("Admission of nodes") struct AdmissionTests {
    private struct Refused: Error {}

    @Test("no link is set up to a node that is not admitted, and one that is gets its link")
    func links() async throws {
        let state = try TemporaryState()
        var options = Controller.Options(state: state.directory, logger: .silent)
        options.admits = { node in if node.name == "door" { throw Refused() } }
        let pool = LinkPool(FabricContext(options))
        var door = NodeRecord(nodeID: NodeID(7))
        door.name = "door"
        await #expect(throws: Refused.self) { try await pool.link(to: door) }
        // The other one fails for the lack of a fabric alone.
        await #expect(throws: RecordError.self) { try await pool.link(to: NodeRecord(nodeID: NodeID(8))) }
    }
}
