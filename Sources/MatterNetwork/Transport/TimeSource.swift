/// Monotonic time: the real clock at the edge, a made-up one in tests.
public typealias Instant = ContinuousClock.Instant

/// The clock of everything that waits, with the event loop whose timers keep its time.
///
/// Whatever has an ``ExchangeManager`` takes the time from it. Tests have a time of their own, which passes only when
/// nothing is left to do.
public protocol TimeSource: Sendable {
    /// The time on a clock that never goes back.
    var now: Instant { get }

    /// The time of day, in microseconds since 1970; it goes on as ``now`` does, unless the host's clock is set.
    var unixMicroseconds: UInt64 { get }

    /// An event loop for a link and its messages.
    var eventLoop: any EventLoop { get }

    /// Where work runs that outlives the task that started it; `nil` for the usual place.
    var executor: (any TaskExecutor)? { get }

    /// Whether the time passes only when nothing is left to do. A thread that waits in the kernel would be overtaken by it, so
    /// what other processes have is looked at again instead.
    var isStepped: Bool { get }

    /// - Throws: `CancellationError`.
    func sleep(until deadline: Instant) async throws
}

extension TimeSource {
    /// Time passes by itself.
    public var isStepped: Bool { false }

    /// - Throws: `CancellationError`.
    public func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }

    /// Starts work that outlives the task that started it.
    @discardableResult
    public func start<Output: Sendable>(_ work: @escaping @Sendable () async -> Output) -> Task<Output, Never> {
        Task(executorPreference: executor) { await work() }
    }
}

/// The clock and the event loops of this process.
public struct SystemTime: TimeSource {
    /// The clock of the system.
    public init() {}

    /// The time on a clock that never goes back.
    public var now: Instant { .now }
    /// Microseconds since 1970, UTC.
    public var unixMicroseconds: UInt64 { WallClock.unixMicroseconds() }
    /// The loop of the process.
    public var eventLoop: any EventLoop { SocketLoop.any }
    /// No executor of its own.
    public var executor: (any TaskExecutor)? { nil }
    /// Waits until a time.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant) async throws { try await eventLoop.sleep(until: deadline) }
}
