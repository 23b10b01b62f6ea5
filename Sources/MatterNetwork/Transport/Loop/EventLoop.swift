/// A lane of work: what is handed to it is done one after the other, and so are its timers.
///
/// A link and its owner have one, so that a message is received, decrypted and handed over without a change of threads.
public protocol EventLoop: SerialExecutor {
    /// The clock of the timers.
    var now: Instant { get }

    /// Does something soon.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Does something at a time, and not before.
    func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension EventLoop {
    /// Schedules work after a delay.
    public func schedule(in delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        schedule(at: now + delay, work)
    }

    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.begin(continuation) else { return }
                sleeper.timer = schedule(at: deadline) { sleeper.end(.success(())) }
            }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }
}

/// Something that an ``EventLoop`` is to do later.
public struct ScheduledWork: Sendable {
    private let cancellation: @Sendable () -> Void

    /// - Parameter cancellation: takes it back; does nothing if it was done already.
    package init(_ cancellation: @escaping @Sendable () -> Void) { self.cancellation = cancellation }

    package func cancel() { cancellation() }
}
