import CAvahi
import Glibc
import Synchronization

/// The thread that Avahi's event loop has to itself, as the executor of the actor that uses Avahi.
///
/// Every call into Avahi and every callback is therefore on this one thread, without locks, and a D-Bus call that
/// blocks (Avahi's are synchronous) blocks no other work.
final class AvahiLoop: SerialExecutor {
    private struct Handle: Sendable {
        /// Safe to share: other threads only wake the loop, under the lock of the state, and the pointer is gone from the
        /// state before the loop is freed. It comes from `cavahi_loop_start` alone, never from what Avahi reports.
        nonisolated(unsafe) let pointer: OpaquePointer
    }

    private struct State {
        var jobs: [UnownedJob] = []
        /// `nil` before the thread has started and once it is to end.
        var loop: Handle?
        var thread: pthread_t?
        var isStopping = false
    }

    private let library: AvahiLibrary
    private let state = Mutex(State())

    /// Starts the thread.
    ///
    /// - Throws: `outOfResources` where there is no memory, thread or descriptor for it.
    init(_ library: AvahiLibrary) throws(DiscoveryError) {
        self.library = library
        // The thread holds the loop until it ends.
        let context = Unmanaged.passRetained(self).toOpaque()
        let loop = cavahi_loop_start(
            library.handle,
            { context in
                guard let context else { return }
                Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().runJobs()
            },
            { context in
                guard let context else { return }
                Unmanaged<AvahiLoop>.fromOpaque(context).release()
            }, context)
        guard let loop else {
            Unmanaged<AvahiLoop>.fromOpaque(context).release()
            throw DiscoveryError(.outOfResources, "the discovery thread cannot be started")
        }
        let handle = Handle(pointer: loop)
        state.withLock { $0.loop = handle }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in
            state.jobs.append(job)
            if state.jobs.count == 1, let loop = state.loop { cavahi_loop_wake(loop.pointer) }
        }
    }

    /// Ends the thread once it has nothing more to do. No job may follow, which is so when the actor is gone.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            if let loop = state.loop { cavahi_loop_wake(loop.pointer) }
        }
    }

    private func runJobs() {
        let jobs = state.withLock { state in
            state.thread = pthread_self()
            if state.isStopping, state.jobs.isEmpty, let loop = state.loop {
                cavahi_loop_quit(loop.pointer)
                state.loop = nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    var isCurrent: Bool {
        state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() { precondition(isCurrent, "Avahi called back on another thread than its own") }

    /// Makes a client, on the thread; Avahi calls back before this returns.
    func makeClient(
        waitForDaemon: Bool, _ callback: CAvahiClientCallback, _ user: UnsafeMutableRawPointer, _ error: inout Int32
    ) -> OpaquePointer? {
        guard let loop = state.withLock({ $0.loop }) else { return nil }
        return cavahi_client_new(loop.pointer, waitForDaemon ? 1 : 0, callback, user, &error)
    }
}
