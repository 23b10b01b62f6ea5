import MatterController

/// Shares that another host takes over: a command of our own, which no other server of this interface has.
extension InterfaceCommands {
    static let giveUpShare = "give_up_share"

    /// The commands that answer from memory, for a node that is followed elsewhere, too.
    private static let remembered: Set = ["get_node", "get_node_ip_addresses"]

    /// Refuses what would reach a node that another host serves.
    ///
    /// - Throws: ``InterfaceError``.
    func checkShare(of record: NodeRecord, _ command: String) async throws(InterfaceError) {
        guard !Self.remembered.contains(command), let share = await house.restingShare(of: record) else { return }
        throw InterfaceError(
            .nodeNotReady,
            "Node \(record.nodeID.rawValue) belongs to the share '\(share)', which this host does not serve now")
    }

    /// Gives a share up to the host that asks for it.
    func giveUpShare(_ arguments: InterfaceArguments) async throws -> Result {
        let name = try arguments.text("share")
        let host = try arguments.integer("host", as: UInt64.self)
        let take = try arguments.integer("take", as: UInt64.self)
        guard let shares else {
            throw InterfaceError(.invalidArguments, "this server has no share '\(name.prefix(64))'")
        }
        let answer = try await shares.giveUp(name, to: host, take: take)
        var object: JSONObject = ["share": .string(name), "was_held": .bool(answer.wasHeld)]
        object["conceded"] = answer.conceded.map { .uint($0) } ?? .null
        return [JSONValue.object(object).utf8()]
    }
}
