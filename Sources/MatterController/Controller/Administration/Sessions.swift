import MatterState

/// A session with a node that is kept for the next process.
public struct KeptNodeSession: Sendable {
    /// The id of the node.
    public let nodeID: UInt64
    /// Where the node is.
    public let address: String
    /// The time since it was set up.
    public let age: Duration
    /// The time since the node was last heard; `nil` if it is not known.
    public let silence: Duration?
    /// How long the node usually takes to acknowledge; `nil` if it is not known.
    public let roundTrip: Duration?
}

extension Controller {
    /// The sessions that are kept, by node id; none without ``ControllerSettings/keepsSessions``.
    ///
    /// - Throws: ``MatterError``.
    public func sessions() throws -> [KeptNodeSession] {
        do {
            return try links.keptStates().map { state in
                KeptNodeSession(
                    nodeID: state.node.nodeID.rawValue, address: "\(state.address)", age: state.age,
                    silence: state.silence, roundTrip: state.roundTrip)
            }
        } catch {
            throw MatterError(error)
        }
    }
}

extension Node {
    /// Sets up a session, so that the first command need not wait for it.
    ///
    /// - Returns: how long it took until the node had answered.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func warmUp(within time: Duration? = nil) async throws -> Duration {
        try await reportingErrors {
            try await controller.links.warm(record, deadline: Budget(time).deadline(for: record)).time
        }
    }

    /// Ends the sessions with the node, kept ones too, and forgets how to resume them.
    ///
    /// - Throws: ``MatterError``.
    public func disconnect() async throws {
        try await reportingErrors { try await controller.links.endSession(with: record.nodeID) }
    }
}
