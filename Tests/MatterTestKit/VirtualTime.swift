import Dispatch
package import MatterNetwork
import Synchronization

/// A time that passes only when nothing is left to do.
///
/// All work of a test runs on one queue: its tasks, its actors and the event loop of its links. When the queue is empty,
/// the clock jumps to the next timer. A test that waits for a minute takes no time, and a busy machine changes nothing.
/// An event that a test waits for must therefore be on that queue too: no socket, no thread, no real sleep.
package final class VirtualTime: TimeSource {
    package let isStepped = true
    /// The time of the test under way; `nil` where it is the real one.
    @TaskLocal package static var current: VirtualTime?

    private let queue = VirtualQueue()
    private let lane: VirtualLane
    private let loop: VirtualLoop
    private let tasks: VirtualExecutor
    /// One moment on both clocks.
    private let beginning: (instant: Instant, unix: UInt64)
    /// The network of the test.
    package let network = TestNetwork()

    package init() {
        lane = VirtualLane(queue)
        loop = VirtualLoop(lane)
        tasks = VirtualExecutor(lane)
        beginning = (queue.now, WallClock.unixMicroseconds())
        queue.serve(self)
    }

    package var now: Instant { queue.now }
    package var unixMicroseconds: UInt64 {
        beginning.unix + UInt64(clamping: Int64((now - beginning.instant) / .microseconds(1)))
    }
    package var eventLoop: any EventLoop { loop }
    package var executor: (any TaskExecutor)? { tasks }

    package func sleep(until deadline: Instant) async throws { try await loop.sleep(until: deadline) }

    /// The same time for a part of the test that may stop for good.
    package func process() -> VirtualProcess { VirtualProcess(queue, of: self) }

    /// Runs something on the queue once what is under way has come to its next pause.
    package func execute(_ work: @escaping @Sendable () -> Void) { queue.perform(work) }

    /// How many timers run out until then.
    package func timers(until end: Instant) -> Int { queue.timers(until: end) }
}

/// The time of a process that can be killed: from then on none of its work goes on, and none of its timers fires.
package final class VirtualProcess: TimeSource {
    package let isStepped = true
    private let whole: VirtualTime
    private let lane: VirtualLane
    private let loop: VirtualLoop
    private let tasks: VirtualExecutor

    fileprivate init(_ queue: VirtualQueue, of whole: VirtualTime) {
        self.whole = whole
        lane = VirtualLane(queue)
        loop = VirtualLoop(lane)
        tasks = VirtualExecutor(lane)
    }

    package var now: Instant { whole.now }
    package var unixMicroseconds: UInt64 { whole.unixMicroseconds }
    package var eventLoop: any EventLoop { loop }
    package var executor: (any TaskExecutor)? { tasks }

    package func sleep(until deadline: Instant) async throws { try await loop.sleep(until: deadline) }

    /// How many jobs it has done: as long as the number is the same, nothing in it has changed.
    package var work: Int { lane.work }
    package var isKilled: Bool { lane.isHeld }

    /// Stops all of it.
    package func kill() { lane.hold() }

    /// Lets the remains of a process that was killed come to their end, so that its memory becomes free.
    package func bury() { lane.release() }
}

/// A way onto the queue that can be closed.
final class VirtualLane: Sendable {
    private struct State {
        var isHeld = false
        var held: [VirtualQueue.Job] = []
        var work = 0
    }

    let queue: VirtualQueue
    private let state = Mutex(State())

    init(_ queue: VirtualQueue) { self.queue = queue }

    func perform(_ job: @escaping VirtualQueue.Job) { queue.perform { self.run(job) } }

    func set(_ deadline: Instant, _ action: @escaping VirtualQueue.Job) -> UInt64 {
        queue.set(deadline) { self.run(action) }
    }

    private func run(_ job: @escaping VirtualQueue.Job) {
        let isFree = state.withLock { state in
            if state.isHeld { state.held.append(job) } else { state.work += 1 }
            return !state.isHeld
        }
        if isFree { job() }
    }

    var work: Int { state.withLock(\.work) }
    var isHeld: Bool { state.withLock(\.isHeld) }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            defer { state = State() }
            return state.held
        }
        for job in held { perform(job) }
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

    func timers(until end: Instant) -> Int {
        state.withLock { state in
            state.timers.count - (state.timers.lastIndex { $0.deadline > end }.map { $0 + 1 } ?? 0)
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
    private let lane: VirtualLane

    init(_ lane: VirtualLane) { self.lane = lane }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lane.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs the links and their owners on the queue.
private final class VirtualLoop: EventLoop {
    private let lane: VirtualLane

    init(_ lane: VirtualLane) { self.lane = lane }

    var now: Instant { lane.queue.now }

    func execute(_ work: @escaping @Sendable () -> Void) { lane.perform(work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lane.perform { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let timer = lane.set(deadline, work)
        return ScheduledWork { self.lane.queue.cancel(timer) }
    }

    func isIsolatingCurrentContext() -> Bool? { lane.queue.isCurrent }

    func checkIsolated() { precondition(lane.queue.isCurrent, "this belongs on the queue of the virtual time") }
}
