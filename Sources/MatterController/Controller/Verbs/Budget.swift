public import MatterState

/// How long a whole task may take.
public struct Budget: Sendable {
    /// The time of a task where the user gives none.
    public static let standard = Duration.seconds(30)
    /// The extra time of a sleepy node on top of its whole retransmission schedule.
    private static let sleepyMargin = Duration.seconds(5)

    /// The end of the time, for what is not about one node.
    public let deadline: Instant
    /// The time that the user gives; also what a device may take for a command that it has acknowledged.
    let given: Duration?

    /// - Parameters:
    ///   - time: the time that the user gives; it ends the task whatever the node.
    ///   - usual: the time where the user gives none; sleepy nodes get more.
    public init(_ time: Duration?, usual: Duration = standard) {
        deadline = .now + (time ?? usual)
        given = time
    }

    /// The end of the time for a node: unless the user set one, a sleepy node gets as long as it asks for, and so does a
    /// slow command.
    ///
    /// - Parameter work: how long the device is known to take for the command.
    public func deadline(for node: NodeRecord, work: Duration? = nil) -> Instant {
        guard given == nil else { return deadline }
        return max(deadline, .now + node.deliveryBudget + (work ?? .zero) + Self.sleepyMargin)
    }
}
