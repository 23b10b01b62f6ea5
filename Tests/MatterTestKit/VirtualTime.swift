import Dispatch
package import MatterTransport
package import NIOCore
import Synchronization

/// A time that passes only when nothing is left to do.
///
/// All work of a test runs on one queue: its tasks, its actors and the event loop of its links. When the queue is empty,
/// the clock jumps to the next timer. A test that waits for a minute takes no time, and a busy machine changes nothing.
/// What a test waits for must therefore be on that queue too: no socket, no thread, no real sleep.
package final class VirtualTime: TimeSource {
    /// The time of the test under way; `nil` where it is the real one.
    @TaskLocal package static var current: VirtualTime?

    private let queue = VirtualQueue()
    private let loop: VirtualLoop
    private let lane: VirtualExecutor
    /// The network of the test.
    package let network = TestNetwork()

    package init() {
        loop = VirtualLoop(queue)
        lane = VirtualExecutor(queue)
        queue.serve(self)
    }

    package var now: Instant { queue.now }
    package var eventLoop: any EventLoop { loop }
    package var executor: (any TaskExecutor)? { lane }

    package func sleep(until deadline: Instant) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.begin(continuation) else { return }
                sleeper.timer = queue.set(deadline) { sleeper.end(.success(())) }
            }
        } onCancel: {
            if let timer = sleeper.end(.failure(CancellationError())) { queue.cancel(timer) }
        }
    }
}

/// One sleep: it ends once, however many want to end it.
private final class Sleeper: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var timer: UInt64?
        var result: Result<Void, any Error>?
    }

    private let state = Mutex(State())

    var timer: UInt64? {
        get { state.withLock { $0.timer } }
        set { state.withLock { $0.timer = newValue } }
    }

    /// - Returns: whether it is to wait for its end.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let result = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
        return result == nil
    }

    /// - Returns: the timer that is not needed any more.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> UInt64? {
        let (continuation, timer) = state.withLock { state in
            defer { state.continuation = nil }
            if state.result == nil { state.result = result }
            return (state.continuation, state.timer)
        }
        continuation?.resume(with: result)
        return timer
    }
}

/// The work and the timers of a virtual time.
final class VirtualQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Timer {
        let id: UInt64
        let deadline: Instant
        let action: Job
    }

    private struct State {
        var now = Instant.now
        var jobs: [Job] = []
        var nextJob = 0
        /// The earliest last; of several at one time the first one set.
        var timers: [Timer] = []
        var nextID: UInt64 = 0
        var isRunning = false
        weak var owner: VirtualTime?

        mutating func takeNext() -> Job? {
            if nextJob < jobs.count {
                defer { nextJob += 1 }
                return jobs[nextJob]
            }
            jobs = []
            nextJob = 0
            guard let timer = timers.popLast() else {
                isRunning = false
                return nil
            }
            now = max(now, timer.deadline)
            return timer.action
        }
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "virtual time")

    init() { queue.setSpecific(key: Self.key, value: ObjectIdentifier(self)) }

    /// Whose time it is; links that call back find it as the current one.
    func serve(_ owner: VirtualTime) { state.withLock { $0.owner = owner } }

    var now: Instant { state.withLock { $0.now } }
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

    func perform(_ job: @escaping Job) { change { $0.jobs.append(job) } }

    func set(_ deadline: Instant, _ action: @escaping Job) -> UInt64 {
        change { state in
            state.nextID += 1
            let place = state.timers.firstIndex { $0.deadline <= deadline } ?? state.timers.endIndex
            state.timers.insert(Timer(id: state.nextID, deadline: deadline, action: action), at: place)
            return state.nextID
        }
    }

    func cancel(_ id: UInt64) { state.withLock { state in state.timers.removeAll { $0.id == id } } }

    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, starts) = state.withLock { state in
            let result = body(&state)
            defer { state.isRunning = true }
            return (result, !state.isRunning)
        }
        if starts { queue.async { self.run() } }
        return result
    }

    /// Does what there is to do, and lets the time pass in between.
    private func run() {
        VirtualTime.$current.withValue(state.withLock { $0.owner }) {
            while let next = state.withLock({ $0.takeNext() }) { next() }
        }
    }
}

/// Runs tasks and default actors on the queue.
private final class VirtualExecutor: TaskExecutor {
    private let queue: VirtualQueue

    init(_ queue: VirtualQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs the links and their owners on the queue.
private final class VirtualLoop: NIOSerialEventLoopExecutor {
    private let queue: VirtualQueue
    /// NIO's deadlines count from the beginning of this time.
    private let start: Instant

    init(_ queue: VirtualQueue) {
        self.queue = queue
        start = queue.now
    }

    var inEventLoop: Bool { queue.isCurrent }
    var now: NIODeadline { .uptimeNanoseconds(0) + TimeAmount(queue.now - start) }

    func execute(_ task: @escaping @Sendable () -> Void) { queue.perform(task) }

    func scheduleTask<Output>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> Output
    ) -> Scheduled<Output> {
        let promise = makePromise(of: Output.self)
        let timer = queue.set(start + Duration(deadline - .uptimeNanoseconds(0))) {
            let result = Result { try task() }
            promise.assumeIsolated().completeWith(result)
        }
        return Scheduled(promise: promise) { self.queue.cancel(timer) }
    }

    func scheduleTask<Output>(
        in delay: TimeAmount, _ task: @escaping @Sendable () throws -> Output
    ) -> Scheduled<Output> {
        scheduleTask(deadline: now + delay, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        callback(nil)
    }
}
