import MatterModel

/// The sessions that were begun with cameras, and what these invoke for them. A pure value: commands and answers in, callbacks out.
///
/// A camera may call back before the response that names its session was read, and before the response was handed on. Until then its
/// callbacks are held.
struct CameraSessions: Sendable {
    /// How many sessions are known at a time. One more ends the oldest.
    static let most = 16
    /// How many callbacks are held.
    static let mostHeld = 64

    private struct Session: Sendable {
        var node: NodeID
        var number: UInt16
        var endpoint: UInt16
        /// The command that has begun it, until the response was handed on.
        var opening: Int?
    }

    /// The oldest first.
    private var sessions: [Session] = []
    /// The commands under way that may begin sessions, with the nodes that have them.
    private var openings: [Int: NodeID] = [:]
    private var held: [CameraCallback] = []
    private var lastOpening = 0

    /// Whether a camera may have something to say.
    var isExpecting: Bool { !sessions.isEmpty || !openings.isEmpty }

    func isKnown(_ number: UInt16, with node: NodeID) -> Bool { index(number, node) != nil }

    private func index(_ number: UInt16, _ node: NodeID) -> Int? {
        sessions.firstIndex { $0.number == number && $0.node == node }
    }

    /// A command that may begin a session is about to be sent.
    ///
    /// - Returns: a number for it.
    mutating func begin(with node: NodeID) -> Int {
        lastOpening += 1
        openings[lastOpening] = node
        return lastOpening
    }

    /// The camera has named the session that a command has begun. One that is known already, goes on.
    ///
    /// - Returns: the ends of sessions that made room.
    mutating func opened(_ number: UInt16, at endpoint: UInt16, by opening: Int) -> [CameraCallback] {
        guard let node = openings[opening], index(number, node) == nil else { return [] }
        sessions.append(Session(node: node, number: number, endpoint: endpoint, opening: opening))
        guard sessions.count > Self.most else { return [] }
        let oldest = sessions.removeFirst()
        let reason = GlobalTypes.WebRTCEndReason.outOfResources.rawValue
        return [
            CameraCallback(
                node: oldest.node, endpoint: oldest.endpoint, session: oldest.number, .end(reason: reason))
        ]
    }

    /// The response to a command was handed on, or there is none.
    ///
    /// - Returns: the callbacks that were held for it.
    mutating func finish(_ opening: Int) -> [CameraCallback] {
        guard let node = openings.removeValue(forKey: opening) else { return [] }
        for index in sessions.indices where sessions[index].opening == opening { sessions[index].opening = nil }
        let waiting = held
        held = []
        var released: [CameraCallback] = []
        for callback in waiting {
            guard callback.node == node else {
                held.append(callback)
                continue
            }
            // One that no command is left for is of no session.
            if let told = take(callback).told { released.append(told) }
        }
        return released
    }

    /// A camera invokes something.
    ///
    /// - Returns: the status that it gets, and what is to be told.
    mutating func take(_ callback: CameraCallback) -> (status: IMStatus, told: CameraCallback?) {
        if let index = index(callback.session, callback.node), sessions[index].opening == nil {
            var callback = callback
            callback.endpoint = sessions[index].endpoint
            if case .end = callback.content { sessions.remove(at: index) }
            return (.success, callback)
        }
        guard openings.values.contains(callback.node) else { return (.notFound, nil) }
        guard held.count < Self.mostHeld else { return (.resourceExhausted, nil) }
        held.append(callback)
        return (.success, nil)
    }

    /// A session has ended by our word.
    mutating func forget(_ number: UInt16, with node: NodeID) {
        if let index = index(number, node) { sessions.remove(at: index) }
    }

    /// A node is no longer one of ours.
    mutating func forget(_ node: NodeID) {
        sessions.removeAll { $0.node == node }
        held.removeAll { $0.node == node }
        openings = openings.filter { $0.value != node }
    }
}
