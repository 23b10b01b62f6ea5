public import MatterCrypto

/// A group of endpoints that one message reaches, as it is kept: `groups/ID.json` in the fabric's folder. Its key is a file
/// of its own.
public struct GroupRecord: Sendable, Equatable {
    /// An endpoint of a node (Matter core specification 7.8).
    public struct Member: Sendable, Hashable {
        /// The id of the node on its fabric.
        public var nodeID: NodeID
        /// The number of the endpoint.
        public var endpoint: UInt16
        /// True from before the node is first told until it has everything that a member needs.
        public var isPending: Bool

        // memberwise: package, isPending = false
    }

    /// The ids of groups that an administrator may give out (Matter core specification 2.5.4).
    public static let ids: ClosedRange<UInt16> = 0x0001...0xFEFF

    /// The number of the group.
    public let group: UInt16
    /// The name of the group.
    public let name: String
    /// The id of the group key set on the members.
    public let keySet: UInt16
    /// From when on the epoch key is used, microseconds since 2000; it tells our key set from another one with its id.
    package internal(set) var keyStart: UInt64
    /// By node and endpoint.
    public private(set) var members: [Member] = []

    package init(group: UInt16, name: String, keySet: UInt16, keyStart: UInt64) {
        self.group = group
        self.name = name
        self.keySet = keySet
        self.keyStart = keyStart
    }

    package init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        self.init(
            group: try fields.integer("group"), name: try fields.string("name"),
            keySet: try fields.integer("keySet"), keyStart: try fields.integer("keyStart"))
        for member in try fields.objects("members") {
            add(
                Member(
                    nodeID: NodeID(try member.integer("node")), endpoint: try member.integer("endpoint"),
                    isPending: try member.optionalBool("pending") ?? false))
        }
    }

    package func encoded() -> [UInt8] {
        let object: JSONObject = [
            "group": .uint(UInt64(group)), "name": .string(name), "keySet": .uint(UInt64(keySet)),
            "keyStart": .id(keyStart),
            "members": .array(
                members.map { member in
                    var object: JSONObject = [
                        "node": .id(member.nodeID.rawValue), "endpoint": .uint(UInt64(member.endpoint)),
                    ]
                    if member.isPending { object["pending"] = .bool(true) }
                    return .object(object)
                }),
        ]
        return JSONValue.object(object).utf8()
    }

    /// The members on a node.
    public func members(of node: NodeID) -> [Member] { members.filter { $0.nodeID == node } }

    /// Adds a member, or replaces what is known of it.
    package mutating func add(_ member: Member) {
        remove { $0.nodeID == member.nodeID && $0.endpoint == member.endpoint }
        members.append(member)
        members.sort { ($0.nodeID, $0.endpoint) < ($1.nodeID, $1.endpoint) }
    }

    package mutating func remove(where isMeant: (Member) -> Bool) { members.removeAll(where: isMeant) }
}
