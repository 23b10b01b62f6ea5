import Glibc
import Synchronization

/// The thread that the event loop of a C library has to itself, as the executor of the actors that use the library.
///
/// Every call into the library and every callback is therefore on this one thread, without locks, and a library that waits
/// keeps no other work.
package final class LibraryThread: SerialExecutor {
    package typealias Call = @Sendable (OpaquePointer) -> Void

    private struct Loop: Sendable {
        /// Safe to share: other threads only wake the loop, under the lock of the state, and the pointer is gone from the
        /// state before the loop is freed. It comes from the call that starts the thread, never from what a library reports.
        nonisolated(unsafe) let pointer: OpaquePointer
    }

    private struct State {
        var jobs: [UnownedJob] = []
        /// `nil` before the thread has started and once it is to end.
        var loop: Loop?
        var thread: pthread_t?
        var isStopping = false
    }

    private let library: String
    private let wake: Call
    private let quit: Call
    private let state = Mutex(State())

    /// - Parameters:
    ///   - library: its name, for the message of a broken rule.
    ///   - wake: lets the thread call ``runJobs()``; called on any thread.
    ///   - quit: ends the loop; called on the thread.
    package init(_ library: String, wake: @escaping Call, quit: @escaping Call) {
        self.library = library
        self.wake = wake
        self.quit = quit
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - owner: what the thread holds until it has ended, which it tells with ``ended(_:)``; the library must not be closed
    ///     before.
    ///   - start: gets the owner as the context of all callbacks, and returns the loop, `nil` if there is none.
    /// - Returns: whether there is a thread.
    package func begin(for owner: AnyObject, _ start: (UnsafeMutableRawPointer) -> OpaquePointer?) -> Bool {
        let context = Unmanaged.passRetained(owner).toOpaque()
        guard let pointer = start(context) else {
            Self.ended(context)
            return false
        }
        let loop = Loop(pointer: pointer)
        state.withLock { state in
            state.loop = loop
            if !state.jobs.isEmpty || state.isStopping { wake(loop.pointer) }
        }
        return true
    }

    /// Lets go of the owner: the thread ends, and the loop is no more.
    package static func ended(_ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<AnyObject>.fromOpaque(context).release()
    }

    /// Ends the thread once it has nothing more to do. No job may follow, which is so when the actors are gone.
    package func stop() {
        state.withLock { state in
            state.isStopping = true
            if let loop = state.loop { wake(loop.pointer) }
        }
    }

    /// Jobs for which the thread has not come yet.
    var waitingJobs: Int { state.withLock { $0.jobs.count } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in
            state.jobs.append(job)
            if state.jobs.count == 1, let loop = state.loop { wake(loop.pointer) }
        }
    }

    /// To be called on the thread, after each `wake`.
    package func runJobs() {
        enter()
        let jobs = state.withLock { state in
            if state.isStopping, state.jobs.isEmpty, let loop = state.loop {
                quit(loop.pointer)
                state.loop = nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// To be called on the thread, before a callback that is no job.
    package func enter() { state.withLock { $0.thread = pthread_self() } }

    /// Does something with the loop, on the thread.
    ///
    /// - Returns: `nil` where there is no loop.
    package func withLoop<Result>(_ body: (OpaquePointer) -> Result?) -> Result? {
        guard let loop = state.withLock({ $0.loop }) else { return nil }
        return body(loop.pointer)
    }

    private var isCurrent: Bool {
        state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() { precondition(isCurrent, "\(library) called back on another thread than its own") }
}
