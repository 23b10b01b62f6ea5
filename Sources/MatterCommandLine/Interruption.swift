import CProcess
import Glibc
import MatterErrors

/// Turns SIGINT and SIGTERM into cancellation; a second one ends the process at once.
///
/// The main thread does nothing but wait for them, so that they are noticed even where no other thread can be started.
/// Until it waits, and if it does not get to acting on a signal, a signal ends the process by itself.
struct Interruption {
    /// `timeout` and other wrappers send a signal to a process and then to its whole group.
    private static let echo = Duration.milliseconds(100)

    private let isJSON: Bool
    private var readingEnd: Int32 = -1
    private var writingEnd: Int32 = -1

    /// From here on the signals end the process with the exit code and message of an interruption. One value for each
    /// process.
    init(isJSON: Bool) {
        self.isJSON = isJSON
        func lasting(_ error: any Error) -> UnsafePointer<CChar>? {
            let report = ErrorReport(error)
            return UnsafePointer(strdup((isJSON ? report.json : report.text) + "\n"))
        }
        let overdue = CommandLineError.overdue
        cprocess_arm(
            lasting(CancellationError()), ExitStatus.interrupted.rawValue, lasting(overdue), overdue.status.rawValue)
        var ends: [Int32] = [-1, -1]
        guard cprocess_pipe(&ends) == 0 else { return }
        // A handler must not wait.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        (readingEnd, writingEnd) = (ends[0], ends[1])
    }

    /// Cancels the work at the first signal. The work ends the process.
    func serve(_ work: Task<Int32, Never>) -> Never {
        guard readingEnd >= 0 else { while true { pause() } }
        cprocess_listen(writingEnd)
        var first: ContinuousClock.Instant?
        while true {
            var octets: [UInt8] = Array(repeating: 0, count: 16)
            guard read(readingEnd, &octets, octets.count) > 0 else { continue }
            if let first, .now - first > Self.echo {
                _exit(CommandFailure(error: CommandLineError.interruptedTwice, target: nil, isJSON: isJSON).report())
            }
            first = first ?? .now
            work.cancel()
            cprocess_acknowledge()
        }
    }
}

extension CommandLineError {
    fileprivate static var interruptedTwice: CommandLineError {
        CommandLineError(
            "interrupted", "interrupted twice; what was being undone was left as it is",
            hint: .step("interrupted.twice"), status: .interrupted)
    }

    /// The process is stuck: its threads do not run.
    fileprivate static var overdue: CommandLineError {
        CommandLineError(
            "process.overdue", "the command did not end within its --timeout: this system is out of threads or memory",
            status: .localState)
    }
}
