package import MatterState

/// How much time a node of several gets: one that was silent a moment ago is given a short try, so that a house with a dead node
/// does not wait for it at every command.
package struct SilencePatience: Sendable {
    /// How long silence is remembered, in seconds.
    static let memory: Int64 = 600
    /// Long enough for a full handshake and a command.
    static let shortTry = Duration.seconds(5)

    package let budget: Budget
    /// The silence that made it short, in seconds since 1970.
    package let silentAt: Int64?
    /// Whether a silence is noted.
    fileprivate let isNoted: Bool
}

extension NodeService {
    /// The time for a node that is asked together with others. A time that the user gave, and a node that sleeps, keep theirs.
    package func patience(with node: NodeRecord, among count: Int, _ budget: Budget) -> SilencePatience {
        guard count > 1, let silence = try? context.silences().load(node.nodeID) else {
            return SilencePatience(budget: budget, silentAt: nil, isNoted: false)
        }
        let age = options.unixTime() - silence.time
        guard budget.given == nil, (0..<SilencePatience.memory).contains(age),
            node.deliveryBudget <= NodeRecord(nodeID: node.nodeID).deliveryBudget
        else { return SilencePatience(budget: budget, silentAt: nil, isNoted: true) }
        return SilencePatience(
            budget: Budget(SilencePatience.shortTry), silentAt: silence.time, isNoted: true)
    }

    /// Remembers whether a node answered.
    ///
    /// - Parameter failure: `nil` if it did.
    package func learn(of node: NodeRecord, _ failure: (any Error)?, after patience: SilencePatience) {
        // A note that cannot be made costs time, the next time.
        if let failure {
            guard Self.isSilence(failure) else { return }
            try? context.silences().note(Silence(time: options.unixTime()), of: node.nodeID)
        } else if patience.isNoted {
            try? context.silences().forget(node.nodeID)
        }
    }

    static func isSilence(_ error: any Error) -> Bool {
        switch error {
        case let error as SessionError: error.isSilence || error.code == .unreachable
        case is TransportError: true
        case let error as ControllerError: error.underlying.map(isSilence) ?? false
        default: false
        }
    }
}
