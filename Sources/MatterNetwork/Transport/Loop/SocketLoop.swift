import CProcess
import Glibc
import Synchronization

/// An event loop that waits for sockets, on one thread.
public final class SocketLoop: EventLoop {
    /// Work for the loop.
    public typealias Work = @Sendable () -> Void

    fileprivate enum Item {
        case work(Work)
        case job(UnownedJob)
        /// The address of a job that has no executor of its own.
        case common(UInt)
    }

    fileprivate struct State {
        var items: [Item] = []
        var timers = DeadlineQueue<UInt64>()
        var timed: [UInt64: Work] = [:]
        var lastTimer: UInt64 = 0
        /// The work when a descriptor can be read.
        var readers: [Int32: Work] = [:]
        /// Whether the thread waits for descriptors, and has to be woken for anything else.
        var isWaiting = false
    }

    /// Rounds of work after which the descriptors get their turn.
    private static let patience = 64
    private static let mostEvents = 64
    private static let stackSize = 1 << 20

    private let state = Mutex(State())
    private let events = cprocess_events()
    private let alarm = cprocess_alarm()
    /// The thread that runs it; 0 before there is one.
    private let thread = Atomic<UInt>(0)

    private init() {
        watch(alarm) { [alarm] in cprocess_alarm_quiet(alarm) }
    }

    // MARK: The loops of this process

    /// The loop of the thread that calls ``serveProcess()``.
    public static let main = SocketLoop()
    private static let isAlone = Atomic(false)
    private static let next = Atomic<Int>(0)
    private static let own: [SocketLoop] = (0..<max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))).map { _ in
        let loop = SocketLoop()
        loop.start()
        return loop
    }

    /// The loop for another link.
    static var any: SocketLoop {
        if isAlone.load(ordering: .relaxed) { return main }
        return own[next.wrappingAdd(1, ordering: .relaxed).oldValue % own.count]
    }

    /// From now on all links of this process have the loop ``main``, and so have all tasks and actors without an executor
    /// of their own. To be called before the first of them, by a process that then calls ``serveProcess()``.
    ///
    /// A command of one device has little to do at a time: one thread does it sooner than several that wake each other.
    public static func takeOver() {
        isAlone.store(true, ordering: .relaxed)
        cprocess_take_jobs { job in SocketLoop.main.add(.common(UInt(bitPattern: job))) }
    }

    /// Makes this thread the one of ``main``.
    public static func serveProcess() -> Never { main.run() }

    // MARK: Handing over

    /// The time on the clock of the loop.
    public var now: Instant { .now }

    /// Runs work on the thread of the loop.
    public func execute(_ work: @escaping Work) { add(.work(work)) }

    /// Runs a job on the thread of the loop.
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Schedules work for a time.
    public func schedule(at deadline: Instant, _ work: @escaping Work) -> ScheduledWork {
        let (timer, wakes) = state.withLock { state in
            state.lastTimer += 1
            state.timed[state.lastTimer] = work
            state.timers.set(state.lastTimer, to: deadline)
            return (state.lastTimer, state.stopsWaiting())
        }
        if wakes { cprocess_alarm_ring(alarm) }
        return ScheduledWork { [weak self] in
            self?.state.withLock { state in
                state.timed[timer] = nil
                state.timers.set(timer, to: nil)
            }
        }
    }

    /// Does something whenever a descriptor can be read.
    ///
    /// - Returns: the number of the error, if any.
    @discardableResult
    package func watch(_ descriptor: Int32, _ work: @escaping Work) -> Int32? {
        state.withLock { $0.readers[descriptor] = work }
        let number = cprocess_events_add(events, descriptor)
        guard number != 0 else { return nil }
        state.withLock { $0.readers[descriptor] = nil }
        return number
    }

    /// Closes a descriptor, which has no duplicates, so that the kernel forgets it here too. To be called on the loop.
    func unwatch(closing descriptor: Int32) {
        state.withLock { $0.readers[descriptor] = nil }
        Glibc.close(descriptor)
    }

    /// From now on SIGINT and SIGTERM wake the thread, and it does something, instead of ending the process.
    public func onSignal(_ work: @escaping Work) {
        state.withLock { [alarm] state in
            state.readers[alarm] = {
                cprocess_alarm_quiet(alarm)
                work()
            }
        }
        cprocess_listen(alarm)
    }

    private func add(_ item: Item) {
        let wakes = state.withLock { state in
            state.items.append(item)
            return state.stopsWaiting()
        }
        if wakes { cprocess_alarm_ring(alarm) }
    }

    // MARK: Isolation

    private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether the caller is on the thread of the loop.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Ends the process if the caller is on another thread.
    public func checkIsolated() { precondition(isCurrent, "this belongs on the thread of its event loop") }

    // MARK: The thread

    /// The system may have no thread to give for a moment; what waits for the loop has deadlines elsewhere.
    private func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            Unmanaged<SocketLoop>.fromOpaque(context).takeUnretainedValue().run()
        }
        while pthread_create(&thread, &attributes, run, context) != 0 { usleep(10_000) }
    }

    private func run() -> Never {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            var rounds = 0
            while rounds < Self.patience, work() { rounds += 1 }
            wait()
        }
    }

    /// Does what there is to do.
    ///
    /// - Returns: whether there was anything.
    private func work() -> Bool {
        let items = state.withLock { state in
            var items: [Item] = []
            swap(&items, &state.items)
            return items
        }
        for item in items {
            switch item {
            case .work(let work): work()
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .common(let address): cprocess_run_job(UnsafeMutableRawPointer(bitPattern: address))
            }
        }
        let due = state.withLock { state in
            guard let earliest = state.timers.earliest, earliest <= now else { return [Work]() }
            return state.timers.takeDue(now: now).compactMap { state.timed.removeValue(forKey: $0) }
        }
        for work in due { work() }
        return !items.isEmpty || !due.isEmpty
    }

    /// Waits until there is something to do, and serves the descriptors that can be read.
    private func wait() {
        let limit = state.withLock { $0.waits(now: now) }
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.mostEvents) { ready in
            let count = cprocess_events_wait(events, ready.baseAddress, Int32(ready.count), limit)
            let readers = state.withLock { state in
                state.isWaiting = false
                return (0..<Int(count)).compactMap { state.readers[ready[$0]] }
            }
            for work in readers { work() }
        }
    }
}

extension SocketLoop.State {
    /// - Returns: whether the thread waited.
    fileprivate mutating func stopsWaiting() -> Bool {
        defer { isWaiting = false }
        return isWaiting
    }

    /// - Returns: for how many milliseconds the thread may wait; -1 for ever.
    fileprivate mutating func waits(now: Instant) -> Int32 {
        guard items.isEmpty else { return 0 }
        isWaiting = true
        guard let earliest = timers.earliest else { return -1 }
        // A moment too late rather than too early.
        return Int32(clamping: Int(((max(.zero, earliest - now)) / .milliseconds(1)).rounded(.up)))
    }
}
