/// A room, which has no more than a name; each node says in its own record which one it is in.
public struct Room: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The nodes in it, by id.
    public let nodes: [NodeRecord]
    /// The devices behind bridges that are in it by themselves.
    public var devices: [BridgedEndpoint] = []

    /// Whether two names mean one room: case and accents do not matter.
    public static func isSame(_ name: String, _ other: String?) -> Bool {
        other.map { NameRule.isSame(name, $0) } ?? false
    }
}

extension NodeRecord {
    package func isIn(_ room: String) -> Bool { Room.isSame(room, self.room) }
}
