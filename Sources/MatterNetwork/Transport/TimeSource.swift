/// Monotonic time: the real clock at the edge, a made-up one in tests.
package typealias Instant = ContinuousClock.Instant

/// The clock of everything that waits, with the event loop whose timers keep its time.
///
/// Whatever has an ``ExchangeManager`` takes the time from it. Tests have a time of their own, which passes only when
/// nothing is left to do.
package protocol TimeSource: Sendable {
    var now: Instant { get }

    /// The time of day, in microseconds since 1970; it goes on as ``now`` does, unless the host's clock is set.
    var unixMicroseconds: UInt64 { get }

    /// An event loop for a link and its messages.
    var eventLoop: any EventLoop { get }

    /// Where work runs that outlives the task that started it; `nil` for the usual place.
    var executor: (any TaskExecutor)? { get }

    /// - Throws: `CancellationError`.
    func sleep(until deadline: Instant) async throws
}

extension TimeSource {
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }

    /// Starts work that outlives the task that started it.
    @discardableResult
    package func start<Output: Sendable>(_ work: @escaping @Sendable () async -> Output) -> Task<Output, Never> {
        Task(executorPreference: executor) { await work() }
    }
}

/// The clock and the event loops of this process.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: Instant { .now }
    package var unixMicroseconds: UInt64 { WallClock.unixMicroseconds() }
    package var eventLoop: any EventLoop { SocketLoop.any }
    package var executor: (any TaskExecutor)? { nil }
    package func sleep(until deadline: Instant) async throws { try await eventLoop.sleep(until: deadline) }
}
