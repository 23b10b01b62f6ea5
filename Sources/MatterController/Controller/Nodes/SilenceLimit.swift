import MatterState

/// How long a node may say nothing to what only reads. A node that answers has the whole time of the task.
public enum SilenceLimit: Sendable {
    /// The time that the node's own intervals ask for: 5 to 10 seconds, and for a node that sleeps as long as a message takes.
    case usual
    /// A time that the user gave.
    case given(Duration)
    /// The whole time of the task.
    case wholeTime

    private static let shortest = Duration.seconds(5)
    private static let longest = Duration.seconds(10)
    /// A search for the node, and its answer.
    private static let margin = Duration.seconds(2)

    /// - Returns: `nil` for the whole time of the task.
    package func duration(for node: NodeRecord) -> Duration? {
        switch self {
        case .wholeTime: nil
        case .given(let time): time
        case .usual:
            node.deliveryBudget > NodeRecord(nodeID: node.nodeID).deliveryBudget
                ? max(node.deliveryBudget + Self.margin, Self.longest)
                : min(max(node.deliveryBudget + Self.margin, Self.shortest), Self.longest)
        }
    }
}
