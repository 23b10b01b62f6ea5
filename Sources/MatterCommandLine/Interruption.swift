import CProcess
import Glibc
import MatterController
import Synchronization

/// Turns SIGINT and SIGTERM into cancellation; a second one ends the process at once.
///
/// The thread of ``SocketLoop/main`` takes notice of them. Until it does, and if it does not get to acting on a signal, a
/// signal ends the process by itself.
final class Interruption: Sendable {
    /// `timeout` and other wrappers send a signal to a process and then to its whole group.
    private static let echo = Duration.milliseconds(100)
    /// That of this process.
    private static let current = Mutex<Interruption?>(nil)

    private let isJSON: Bool
    private let work: Task<Int32, Never>
    private let first = Mutex<ContinuousClock.Instant?>(nil)

    private init(isJSON: Bool, of work: Task<Int32, Never>) {
        self.isJSON = isJSON
        self.work = work
    }

    /// From here on the signals end the process with the exit code and message of an interruption.
    static func arm(isJSON: Bool) {
        cprocess_arm(lasting(.interruption, isJSON: isJSON), ExitStatus.interrupted.rawValue)
    }

    /// Ends the process if it still runs after so many seconds.
    static func limit(_ seconds: Double, isJSON: Bool) {
        let overdue = CommandLineError.overdue
        cprocess_limit(
            UInt32(seconds.rounded(.up)), lasting(ErrorReport(overdue), isJSON: isJSON),
            ExitStatus(overdue.kind).rawValue)
    }

    /// For a signal handler, which cannot make it.
    private static func lasting(_ report: ErrorReport, isJSON: Bool) -> UnsafePointer<CChar>? {
        UnsafePointer(strdup((isJSON ? report.json : report.text) + "\n"))
    }

    /// From here on the first signal cancels the work, which ends the process.
    static func cancel(_ work: Task<Int32, Never>, isJSON: Bool) {
        let interruption = Interruption(isJSON: isJSON, of: work)
        current.withLock { $0 = interruption }
        SocketLoop.main.onSignal { interruption.takeNotice() }
    }

    /// Acts on a signal while a question keeps the thread from it.
    static func takeNotice() { current.withLock { $0 }?.takeNotice() }

    private func takeNotice() {
        guard cprocess_signal_came() else { return }
        let first = first.withLock { first in
            defer { first = first ?? .now }
            return first
        }
        if let first, .now - first > Self.echo {
            Terminal.process.endDrawing()
            _exit(CommandFailure(error: CommandLineError.interruptedTwice, target: nil, isJSON: isJSON).report())
        }
        work.cancel()
        StandardInput.look()
        cprocess_acknowledge()
    }
}

extension CommandLineError {
    fileprivate static var interruptedTwice: CommandLineError {
        CommandLineError(
            .interrupted, "interrupted twice; what was being undone was left as it is",
            hint: .step("interrupted.twice"))
    }

    /// The process is stuck: its threads do not run.
    fileprivate static var overdue: CommandLineError {
        CommandLineError(
            .processOverdue, "the command did not end within its --timeout: this system is out of threads or memory")
    }
}
