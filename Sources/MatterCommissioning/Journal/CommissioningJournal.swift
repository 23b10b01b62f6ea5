package import MatterCredentials
import MatterSession
package import MatterSetupPayload
package import MatterStore

/// The pending nodes of one fabric: `pending/ID.json` in the fabric's folder.
package struct CommissioningJournal: Sendable {
    private let state: StateDirectory
    private let fabric: String

    package init(_ state: StateDirectory, fabric: String) {
        self.state = state
        self.fabric = fabric
    }

    private var folder: String { "\(FabricStore.folder(of: fabric))/pending" }

    private func record(of id: NodeID) -> String { "\(folder)/\(id).json" }

    package func all() throws -> [PendingNode] {
        try state.records(in: folder).compactMap { file in
            try state.read(file).map { try PendingNode(decoding: $0, file) }
        }
    }

    /// The pending nodes whose records are sound, and what is wrong with the other records.
    package func sound() throws -> (nodes: [PendingNode], faults: [any Error]) { try sound(in: folder) }

    private func sound(in folder: String) throws -> (nodes: [PendingNode], faults: [any Error]) {
        var nodes: [PendingNode] = []
        var faults: [any Error] = []
        for file in try state.records(in: folder) {
            do {
                if let contents = try state.read(file) { nodes.append(try PendingNode(decoding: contents, file)) }
            } catch {
                faults.append(error)
            }
        }
        return (nodes, faults)
    }

    package func node(_ id: NodeID) throws -> PendingNode? {
        let file = record(of: id)
        return try state.read(file).map { try PendingNode(decoding: $0, file) }
    }

    /// The nodes that were being commissioned with this setup code when something went wrong.
    package func pending(passcode: UInt32, discriminator: SetupDiscriminator?) throws -> [PendingNode] {
        try all().filter { $0.matches(passcode: passcode, discriminator: discriminator) }
    }

    /// Durable when it returns.
    package func record(_ node: PendingNode) throws {
        try state.write(record(of: node.nodeID), node.encoded())
    }

    package func remove(_ id: NodeID) throws {
        try state.delete(record(of: id))
    }

    // MARK: What is done

    private func doneRecord(of id: NodeID) -> String { "\(doneFolder)/\(id).json" }

    private var doneFolder: String { "\(FabricStore.folder(of: fabric))/commissioned" }

    /// The node is commissioned. What recognises its setup code is kept, so that the same code is understood when it is
    /// used again.
    package func complete(_ node: PendingNode) throws {
        try state.write(doneRecord(of: node.nodeID), node.encoded())
        try remove(node.nodeID)
    }

    /// The complete nodes that were commissioned with this setup code. A damaged record only costs a better answer to a
    /// code that is used again.
    package func commissioned(passcode: UInt32, discriminator: SetupDiscriminator?) throws -> [PendingNode] {
        try sound(in: doneFolder).nodes.filter { $0.matches(passcode: passcode, discriminator: discriminator) }
    }

    /// Forgets all there is of a node.
    package func forget(_ id: NodeID) throws {
        try remove(id)
        try state.delete(doneRecord(of: id))
    }
}
