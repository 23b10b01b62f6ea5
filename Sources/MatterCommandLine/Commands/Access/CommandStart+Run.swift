import MatterController
import Synchronization

extension CommandStart {
    /// Of a run within a process that goes on.
    @TaskLocal static var ofCall: CommandStart?
    /// Of a run for a shell: when that shell's own process began.
    @TaskLocal static var ofShell: CommandStart?

    /// When this process took its arguments.
    private static let taken = Atomic<UInt64>(0)

    /// The process begins with its command.
    static func note() { taken.store(WallClock.unixMilliseconds(), ordering: .relaxed) }

    /// Of the command under way. A process whose start the kernel does not tell is as old as its arguments.
    static func ofThisRun() -> CommandStart {
        if let start = ofShell ?? ofCall { return start }
        let start = ofThisProcess()
        return CommandStart(made: start.made, taken: start.taken)
    }

    /// When this process was made, and when it took its arguments, in milliseconds since 1970.
    static func ofThisProcess() -> (made: UInt64, taken: UInt64) {
        let taken = taken.load(ordering: .relaxed)
        return (min(ProcessStart.unixMilliseconds() ?? taken, taken), taken)
    }

    /// Waits until a process that is made from now on is younger, as the kernel tells it, than what was just shown.
    static func letOthersBeLater() async {
        try? await Task.sleep(for: .milliseconds(ProcessStart.step + 2))
    }
}
