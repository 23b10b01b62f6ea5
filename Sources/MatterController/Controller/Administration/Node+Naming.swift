import MatterState

/// Names and rooms.
extension Node {
    /// Gives the node another name.
    ///
    /// - Parameter device: whether the device keeps it too, for the administrators of other fabrics: at most 32 bytes.
    /// - Returns: the node with the name.
    /// - Throws: ``MatterError``, and nothing has changed, for a name that another node has.
    @discardableResult
    public func rename(to name: String, onDevice device: Bool = false, within time: Duration? = nil) async throws
        -> Node
    {
        try await reportingErrors {
            try await controller.nodes.rename(
                record, bridged: nil, to: name, alsoAt: device ? [.device] : [], budget: Budget(time))
            return try controller.node(id)
        }
    }

    /// Moves the node to another room.
    ///
    /// - Parameter room: `nil` for none.
    /// - Returns: the node in the room.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func move(toRoom room: String?) async throws -> Node {
        try await reportingErrors {
            if let room { try NameRule.checkRoom(room) }
            // The spelling that the room has already.
            let rooms = try controller.context.rooms()
            let room = try room.map { try rooms.room(named: $0)?.name ?? $0 }
            try await controller.context.nodes().update(record.nodeID) { $0.room = room }
            return try controller.node(id)
        }
    }
}
