/// A room, which has no more than a name; each node says in its own record which one it is in.
package struct Room: Sendable, Equatable {
    package let name: String
    /// The nodes in it, by id.
    package let nodes: [NodeRecord]
    /// The devices behind bridges that are in it by themselves.
    package var devices: [BridgedEndpoint] = []

    /// Whether two names mean one room: case does not matter.
    package static func isSame(_ name: String, _ other: String?) -> Bool {
        name.lowercased() == other?.lowercased()
    }
}

extension NodeRecord {
    package func isIn(_ room: String) -> Bool { Room.isSame(room, self.room) }
}
