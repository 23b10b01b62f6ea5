import MatterController

/// A share of the nodes of a house, as `--only` names it.
enum ServeShare {
    /// - Returns: `nil` for all nodes.
    /// - Throws: an error of usage for a share that no node can be in.
    static func filter(_ words: [String], _ controller: Controller) throws -> (@Sendable (NodeRecord) -> Bool)? {
        guard !words.isEmpty else { return nil }
        var tests: [@Sendable (NodeRecord) -> Bool] = []
        for word in words {
            if let room = word.suffix(after: "room:") {
                tests.append { node in
                    Room.isSame(room, node.room) || node.bridged.contains { Room.isSame(room, $0.device.room) }
                }
            } else if let name = word.suffix(after: "type:") {
                let type = try Catalogue.standard.deviceType(named: name)
                tests.append { node in node.endpoints.contains { $0.deviceTypes.contains(type.id.rawValue) } }
            } else {
                let id = try controller.nodes.record(of: word).nodeID
                tests.append { $0.nodeID == id }
            }
        }
        return { [tests] node in tests.contains { $0(node) } }
    }
}

extension String {
    fileprivate func suffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
