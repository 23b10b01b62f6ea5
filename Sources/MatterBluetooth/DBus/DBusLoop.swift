import CDBus
import Glibc
import Synchronization

/// The thread of a connection to the bus, as the executor of the actors that use it.
///
/// Everything that libdbus does for the connection is on this one thread, without locks, and a bus that hangs keeps no
/// other thread.
final class DBusLoop: SerialExecutor {
    private struct Handle: Sendable {
        /// Safe to share: other threads only wake the loop, under the lock of the state, and the pointer is gone from the
        /// state before the loop is freed. It comes from `cdbus_start` alone, never from a message of the bus.
        nonisolated(unsafe) let pointer: OpaquePointer
    }

    private struct State {
        var jobs: [UnownedJob] = []
        /// `nil` before the thread has started and once it is to end.
        var loop: Handle?
        var thread: pthread_t?
        var isStopping = false
    }

    /// What happens on the connection; called on the thread.
    protocol Owner: AnyObject, Sendable {
        func opened(_ failure: DBusError?)
        func received(_ message: DBusMessage)
        func lost()
    }

    private struct OwnerReference: Sendable {
        weak var owner: (any Owner)?
    }

    private let library: DBusLibrary
    private let state = Mutex(State())
    private let reference = Mutex(OwnerReference())

    init(_ library: DBusLibrary) { self.library = library }

    /// Starts the thread, which connects to the bus before all else.
    ///
    /// - Throws: `outOfResources` where there is no memory, thread or descriptor for it.
    func start(_ owner: any Owner) throws(BluetoothError) {
        reference.withLock { $0.owner = owner }
        let callbacks = CDBusCallbacks(
            opened: { context, name, words in
                let failure = name.map { name in
                    DBusError(.answered(String(cString: name)), words.map { String(cString: $0) } ?? "")
                }
                DBusLoop.from(context)?.onThread { $0.opened(failure) }
            },
            work: { context in DBusLoop.from(context)?.runJobs() },
            received: { context, message in
                guard let loop = DBusLoop.from(context) else { return }
                let message = DBusMessage(retaining: message, loop.library)
                loop.onThread { $0.received(message) }
            },
            lost: { context in DBusLoop.from(context)?.onThread { $0.lost() } },
            ended: { context in
                guard let context else { return }
                Unmanaged<DBusLoop>.fromOpaque(context).release()
            })
        // The thread holds the loop until it ends.
        let context = Unmanaged.passRetained(self).toOpaque()
        guard let loop = cdbus_start(library.handle, callbacks, context) else {
            Unmanaged<DBusLoop>.fromOpaque(context).release()
            throw BluetoothError(.outOfResources, "the thread for D-Bus cannot be started")
        }
        let handle = Handle(pointer: loop)
        state.withLock { state in
            state.loop = handle
            if !state.jobs.isEmpty || state.isStopping { cdbus_wake(loop) }
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> DBusLoop? {
        context.map { Unmanaged<DBusLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func onThread(_ work: (any Owner) -> Void) {
        state.withLock { $0.thread = pthread_self() }
        if let owner = reference.withLock({ $0.owner }) { work(owner) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in
            state.jobs.append(job)
            if state.jobs.count == 1, let loop = state.loop { cdbus_wake(loop.pointer) }
        }
    }

    /// Ends the thread once it has nothing more to do. No job may follow, which is so when the actors are gone.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            if let loop = state.loop { cdbus_wake(loop.pointer) }
        }
    }

    private func runJobs() {
        let jobs = state.withLock { state in
            state.thread = pthread_self()
            if state.isStopping, state.jobs.isEmpty, let loop = state.loop {
                cdbus_quit(loop.pointer)
                state.loop = nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private var isCurrent: Bool {
        state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() { precondition(isCurrent, "libdbus called back on another thread than its own") }

    /// Sends a message, on the thread.
    ///
    /// - Returns: its serial number, or `nil` without a connection.
    func send(_ message: DBusMessage) -> UInt32? {
        guard let loop = state.withLock({ $0.loop }) else { return nil }
        let serial = cdbus_send(loop.pointer, message.pointer)
        return serial == 0 ? nil : serial
    }
}
