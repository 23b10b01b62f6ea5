/// The traffic of a process so far.
public struct TrafficCounts: Sendable, Hashable {
    /// How many secure sessions there are now.
    public var sessions: Int
    /// How many reliable messages were sent again, each time counted.
    public var retransmissions: UInt64

    // memberwise: package, sessions = 0, retransmissions = 0
}
