package import MatterCredentials
package import MatterStore

/// The nodes of one fabric: `nodes/ID.json` in the fabric's folder.
package struct NodeStore: Sendable {
    private let state: StateDirectory
    private let fabric: String

    package init(_ state: StateDirectory, fabric: String) {
        self.state = state
        self.fabric = fabric
    }

    private var folder: String { "\(FabricStore.folder(of: fabric))/nodes" }

    private func record(of id: NodeID) -> String { "\(folder)/\(id).json" }

    package func node(_ id: NodeID) throws -> NodeRecord? {
        let file = record(of: id)
        return try state.read(file).map { try NodeRecord(decoding: $0, file) }
    }

    /// All nodes, by id.
    package func all() throws -> [NodeRecord] {
        let (nodes, faults) = try sound()
        if let fault = faults.first { throw fault }
        return nodes
    }

    /// The nodes whose records are sound, by id, and what is wrong with the other records: one that is damaged does not
    /// keep the others from being used.
    package func sound() throws -> (nodes: [NodeRecord], faults: [any Error]) {
        var nodes: [NodeRecord] = []
        var faults: [any Error] = []
        for file in try state.records(in: folder) {
            do {
                if let contents = try state.read(file) { nodes.append(try NodeRecord(decoding: contents, file)) }
            } catch {
                faults.append(error)
            }
        }
        return (nodes.sorted { $0.nodeID < $1.nodeID }, faults)
    }

    /// Finds out whether records can be changed, before something is done elsewhere that they have to follow.
    package func checkWritable() async throws {
        try await state.withLock(folder) {}
    }

    /// The node that a user means: by id or by name.
    ///
    /// - Throws: ``RecordError`` `unknownNode`; for a name, what is wrong with a record that may be the one.
    package func find(_ text: String) throws -> NodeRecord {
        let unknown = RecordError(
            .unknownNode, "there is no node '\(text)' on the fabric '\(fabric)'",
            hint: "see them with: matterctl node ls")
        if let number = NameRule.parseNumber(text) {
            guard let record = try node(NodeID(number)) else { throw unknown }
            return record
        }
        let (nodes, faults) = try sound()
        guard let record = nodes.first(where: { $0.name == text }) else { throw faults.first ?? unknown }
        return record
    }

    /// Adds or replaces a node; its name must not be another node's.
    package func save(_ node: NodeRecord) async throws {
        try await state.withLock(folder) {
            if let name = node.name {
                try NameRule.check(name, what: "node")
                try checkFree(name, for: node.nodeID)
            }
            try state.write(record(of: node.nodeID), node.encoded())
        }
    }

    /// Changes a node that is there; what is not there stays away.
    package func update(_ id: NodeID, _ change: (inout NodeRecord) -> Void) async throws {
        try await state.withLock(folder) {
            guard var record = try node(id) else { return }
            let before = record
            change(&record)
            guard record != before else { return }
            if let name = record.name, name != before.name {
                try NameRule.check(name, what: "node")
                try checkFree(name, for: id)
            }
            try state.write(self.record(of: id), record.encoded())
        }
    }

    /// - Throws: ``RecordError`` if another node has the name.
    package func checkFree(_ name: String, for id: NodeID?) throws {
        guard let other = try sound().nodes.first(where: { $0.name == name && $0.nodeID != id }) else { return }
        throw RecordError(
            .nameTaken, "node \(other.nodeID.rawValue) is called '\(name)' already",
            hint: "choose another name, or rename that one: matterctl node rename \(other.nodeID.rawValue) NEW")
    }

    @discardableResult
    package func remove(_ id: NodeID) async throws -> Bool {
        try await state.withLock(folder) { try state.delete(record(of: id)) }
    }
}
