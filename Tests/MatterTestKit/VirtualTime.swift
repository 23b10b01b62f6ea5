import Dispatch
package import MatterNetwork
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
    /// One moment on both clocks.
    private let beginning: (instant: Instant, unix: UInt64)
    /// The network of the test.
    package let network = TestNetwork()

    package init() {
        loop = VirtualLoop(queue)
        lane = VirtualExecutor(queue)
        beginning = (queue.now, WallClock.unixMicroseconds())
        queue.serve(self)
    }

    package var now: Instant { queue.now }
    package var unixMicroseconds: UInt64 {
        beginning.unix + UInt64(clamping: Int64((now - beginning.instant) / .microseconds(1)))
    }
    package var eventLoop: any EventLoop { loop }
    package var executor: (any TaskExecutor)? { lane }

    package func sleep(until deadline: Instant) async throws { try await loop.sleep(until: deadline) }
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
private final class VirtualLoop: EventLoop {
    private let queue: VirtualQueue

    init(_ queue: VirtualQueue) { self.queue = queue }

    var now: Instant { queue.now }

    func execute(_ work: @escaping @Sendable () -> Void) { queue.perform(work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.perform { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let timer = queue.set(deadline, work)
        return ScheduledWork { self.queue.cancel(timer) }
    }

    func isIsolatingCurrentContext() -> Bool? { queue.isCurrent }

    func checkIsolated() { precondition(queue.isCurrent, "this belongs on the queue of the virtual time") }
}
