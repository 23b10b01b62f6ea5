import Dispatch
import Glibc
import Synchronization

/// The writing end of the pipe of the process's `Interruption`; -1 before there is one.
private let signalPipe = Atomic<Int32>(-1)

/// Turns SIGINT and SIGTERM into cancellation; a second one ends the process at once.
///
/// A Dispatch source of signals begins some time after it was asked for, and a signal that comes earlier is lost. Here
/// the handler is in place as soon as there is a value, and what it puts into a pipe waits for its reader.
final class Interruption {
    private var source: (any DispatchSourceRead)?
    private let readingEnd: Int32

    /// From here on the signals do not end the process by themselves any more. One value for each process.
    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            readingEnd = -1
            return
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readingEnd = ends[0]
        signalPipe.store(ends[1], ordering: .relaxed)
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { _ in
            let number = errno
            var octet: UInt8 = 0
            _ = write(signalPipe.load(ordering: .relaxed), &octet, 1)
            errno = number
        }
        for number in [SIGINT, SIGTERM] { sigaction(number, &action, nil) }
    }

    /// Cancels the work at the first signal, which may have come already.
    func cancel(_ work: Task<Int32, Never>, isJSON: Bool) {
        guard readingEnd >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: readingEnd, queue: .global())
        let count = InterruptionCount()
        source.setEventHandler { [readingEnd] in
            var octets: [UInt8] = Array(repeating: 0, count: 16)
            guard read(readingEnd, &octets, octets.count) > 0 else { return }
            if count.isSecond() {
                let failure = UsageError.interruptedTwice
                _exit(CommandFailure(failure, target: nil, isJSON: isJSON).report())
            }
            work.cancel()
        }
        source.activate()
        self.source = source
    }
}

/// Tells a second interruption from the first.
private final class InterruptionCount: Sendable {
    private enum State {
        case none
        case once(at: ContinuousClock.Instant)
    }

    /// `timeout` and other wrappers send a signal to a process and then to its whole group.
    private static let echo = Duration.milliseconds(100)
    private let state = Mutex(State.none)

    /// - Returns: whether this is the second one, and not the first that arrives twice.
    func isSecond() -> Bool {
        state.withLock { state in
            guard case .once(let time) = state else {
                state = .once(at: .now)
                return false
            }
            return .now - time > Self.echo
        }
    }
}

extension UsageError {
    fileprivate static var interruptedTwice: UsageError {
        var error = UsageError(
            "interrupted", "interrupted twice; what was being undone was left as it is",
            hint:
                "a device that was being commissioned forgets it by itself within its fail-safe; see 'matterctl node ls'"
        )
        error.status = .interrupted
        return error
    }
}
