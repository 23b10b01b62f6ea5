public import MatterState

/// A node's statement on its clock (Matter core specification 11.17.8).
public struct ClockReading: Sendable, Equatable {
    /// Microseconds since 2000-01-01; `nil` if the clock is not set.
    public let time: UInt64?
    /// How exact the node takes its clock to be.
    public let granularity: TimeSynchronization.Granularity?
    /// Where the time comes from.
    public let source: TimeSynchronization.TimeSource?
    /// How far the clock is ahead of this host's; negative if it is behind.
    public let ahead: Duration?

    private typealias Attribute = TimeSynchronization.Attribute

    private static func path(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: TimeSynchronization.id, attribute: attribute)
    }

    static let paths = [Attribute.utcTime, Attribute.granularity, Attribute.timeSource].map { AttributePath(path($0)) }

    /// - Parameters:
    ///   - now: this host's time halfway between question and answer, in microseconds since 2000-01-01.
    ///   - title: the node in messages.
    init(_ result: ReadResult, at now: UInt64, of title: String) throws(ControllerError) {
        time = try result.value(at: Self.path(Attribute.utcTime), of: title)
        func value<Value: AttributeValue>(_ attribute: AttributeID) -> Value? {
            result.attribute(Self.path(attribute))?.value.flatMap { Value(tlv: $0) }
        }
        granularity = value(Attribute.granularity)
        source = value(Attribute.timeSource)
        ahead = time.map { .microseconds(Int64(clamping: $0)) - .microseconds(Int64(clamping: now)) }
    }
}

extension DeviceService {
    /// Sets a node's clock to this host's time.
    ///
    /// - Parameter title: the node in messages.
    /// - Returns: the node's clock before and after.
    /// - Throws: ``ControllerError`` `timeNotAccepted` if the node has a better source of time.
    public func synchronizeClock(
        of node: NodeRecord, title: String, budget: Budget
    ) async throws -> (before: ClockReading, after: ClockReading) {
        let link = try await links.link(to: node)
        let deadline = budget.deadline(for: node)
        let before = try await Self.clock(of: title, link, deadline)
        // The way to the node takes milliseconds, as long as no message is lost.
        let command = Command(
            TimeSynchronization.SetUTCTime(
                utcTime: Self.matterMicroseconds(), granularity: .millisecondsGranularity, timeSource: .admin), at: 0)
        let result = try await link.invoke(command, .atMostOnce, deadline: deadline)
        if result.status.significantClusterStatus == TimeSynchronization.StatusCode.timeNotAccepted.rawValue {
            throw ControllerError(
                .timeNotAccepted, "\(title) keeps its own time, which comes from a better source",
                hint: .step("time.see", node.label), status: result.status)
        }
        try Outcome.check(result, of: title)
        return (before, try await Self.clock(of: title, link, deadline))
    }

    private static func clock(of title: String, _ link: NodeLink, _ deadline: Instant) async throws -> ClockReading {
        // The session stands before the time is taken.
        try await link.connect(deadline: deadline)
        let asked = matterMicroseconds()
        let result = try await link.read(ClockReading.paths, deadline: deadline)
        return try ClockReading(result, at: asked / 2 + matterMicroseconds() / 2, of: title)
    }

    /// Microseconds since 2000-01-01, the clock of devices; 0 on a host whose clock is before that.
    private static func matterMicroseconds() -> UInt64 {
        let epoch = UInt64(MatterEpoch.unixSeconds) * 1_000_000
        return max(WallClock.unixMicroseconds(), epoch) - epoch
    }
}
