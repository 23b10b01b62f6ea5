import MatterCrypto

/// Which node has a name: `names/NAME` in the fabric's folder, so that a look-up does not read the records of all nodes.
///
/// It is a hint and never the truth: what it says is checked with the node's own record, and what it does not say is
/// looked for in all of them. So it may be lost, or stale after a crash, and heals when it is used.
struct NodeNames: Sendable {
    private let state: StateDirectory
    private let folder: String

    init(_ state: StateDirectory, folder: String) {
        self.state = state
        self.folder = folder
    }

    private func record(of name: String) -> String { "\(folder)/names/\(StateDirectory.component(for: name))" }

    /// The node that probably has the name.
    func node(named name: String) -> NodeID? {
        let file = record(of: name)
        guard let contents = try? state.read(file), let id: UInt64 = try? RecordFields(contents, file).integer("nodeId")
        else { return nil }
        return NodeID(id)
    }

    /// Where it cannot be written, finding the node takes longer, and that is all.
    func note(_ name: String, _ id: NodeID) {
        guard node(named: name) != id else { return }
        let contents = JSONValue.object(["nodeId": .id(id.rawValue)]).utf8()
        try? state.write(record(of: name), contents, keepingPrevious: false, durability: .relaxed)
    }

    func forget(_ name: String, of id: NodeID) {
        guard node(named: name) == id else { return }
        _ = try? state.delete(record(of: name))
    }
}
