import CProcess
import Glibc
import Synchronization

/// Something that the kernel can only tell a thread that waits for it. The thread is made for the wait; the task sleeps.
package enum KernelWait: Sendable {
    /// For the lock of an open file (`flock`), which it then has.
    case lock(Int32)
    /// Until no other open file has a lock on the bytes (an OFD lock); this one gets none.
    case free(Int32, start: Int64, length: Int64)
    /// Until one of these can be read from, or one can be written to, or another end is gone: four in all.
    case ready(reading: [Int32], writing: [Int32] = [])

    /// Waits until it happens, or until the deadline.
    ///
    /// The descriptors must stay open. A lock that is there although the wait did not end well goes with its descriptor.
    ///
    /// - Returns: whether it has happened.
    /// - Throws: ``KernelWaitError``, `CancellationError`.
    package func happens(until deadline: Instant, of time: any TimeSource) async throws -> Bool {
        let thread = WaitingThread()
        let timer = time.eventLoop.schedule(at: deadline) { thread.cancel() }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { thread.start(self, $0) }
        } onCancel: {
            thread.cancel()
        }
        try Task.checkCancellation()
        switch outcome {
        case 0: return true
        case ECANCELED: return false
        default: throw KernelWaitError(number: outcome)
        }
    }
}

/// The kernel cannot wait: there is no thread to be had, or the file system knows no such locks.
package struct KernelWaitError: Error {
    /// The error of the system.
    package let number: Int32
}

/// The thread of one wait.
private final class WaitingThread: Sendable {
    private struct State {
        var wait: OpaquePointer?
        var isCancelled = false
    }

    /// The signal of the thread's end.
    private final class Reply: Sendable {
        let thread: WaitingThread
        let continuation: CheckedContinuation<Int32, Never>

        init(_ thread: WaitingThread, _ continuation: CheckedContinuation<Int32, Never>) {
            (self.thread, self.continuation) = (thread, continuation)
        }
    }

    private let state = Mutex(State())

    func start(_ wait: KernelWait, _ continuation: CheckedContinuation<Int32, Never>) {
        let failure: Int32 = state.withLock { state in
            guard !state.isCancelled else { return ECANCELED }
            let reply = Unmanaged.passRetained(Reply(self, continuation))
            var started: OpaquePointer?
            let failure = Self.start(wait, reply.toOpaque(), &started)
            if failure != 0 { reply.release() }
            state.wait = started
            return failure
        }
        if failure != 0 { continuation.resume(returning: failure) }
    }

    private static func start(
        _ wait: KernelWait, _ context: UnsafeMutableRawPointer, _ started: inout OpaquePointer?
    ) -> Int32 {
        var (start, length): (Int64, Int64) = (0, 0)
        var descriptors: [CProcessWaitDescriptor]
        let kind: CProcessWaitKind
        switch wait {
        case .lock(let file):
            kind = CPROCESS_WAIT_FILE_LOCK
            descriptors = [CProcessWaitDescriptor(descriptor: file, is_written: false)]
        case .free(let file, let first, let count):
            kind = CPROCESS_WAIT_RANGE
            (start, length) = (first, count)
            descriptors = [CProcessWaitDescriptor(descriptor: file, is_written: false)]
        case .ready(let reading, let writing):
            kind = CPROCESS_WAIT_DESCRIPTORS
            descriptors =
                reading.map { CProcessWaitDescriptor(descriptor: $0, is_written: false) }
                + writing.map { CProcessWaitDescriptor(descriptor: $0, is_written: true) }
        }
        return cprocess_wait_start(
            kind, &descriptors, Int32(descriptors.count), start, length,
            { context, outcome in
                guard let context else { return }
                let reply = Unmanaged<Reply>.fromOpaque(context).takeRetainedValue()
                reply.thread.end()
                reply.continuation.resume(returning: outcome)
            }, context, &started)
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let wait = state.wait { cprocess_wait_cancel(wait) }
        }
    }

    private func end() {
        // The thread may be here before `start` has noted it, and waits for it then.
        state.withLock { state in
            if let wait = state.wait { cprocess_wait_forget(wait) }
            state.wait = nil
        }
    }
}
