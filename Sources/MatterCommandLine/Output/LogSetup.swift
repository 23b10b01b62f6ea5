import Glibc
import Logging
import MatterController

/// Logging is off unless asked for, and never on stdout.
enum LogSetup {
    static func logger(verbosity: Int, file: String?) throws -> Logger {
        let level: Logger.Level =
            switch verbosity {
            case 0: file == nil ? .critical : .debug
            case 1: .debug
            default: .trace
            }
        let terminal = Terminal.current
        var write: @Sendable (String) -> Void = { terminal.error($0) }
        if let file {
            let descriptor = try opened(file) { reason in
                CommandLineError(.usageLogFile, "cannot write the log file '\(file)': \(reason)")
            }
            write = { _ = Terminal.write($0, to: descriptor) }
        }
        return Logger(label: "matterctl") { [write] _ in LineLog(write: write, logLevel: level) }
    }
}

extension LogSetup {
    /// The file, ours alone: logs name addresses and nodes. A pipe without a reader is not waited for.
    ///
    /// - Parameter appends: whether what is in it stays.
    static func opened(
        _ file: String, appends: Bool = true, failure: (String) -> CommandLineError
    ) throws(CommandLineError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | (appends ? O_APPEND : 0) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(file, flags, 0o600)
        guard descriptor >= 0 else {
            switch errno {
            case ELOOP: throw failure("it is a symbolic link; name the file that it leads to")
            case ENXIO: throw failure("it is a pipe that nothing reads")
            default: throw failure(String(cString: strerror(errno)))
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return descriptor }
        // Only now, as what is no file of ours stays as it is.
        if !appends { ftruncate(descriptor, 0) }
        guard status.st_mode & 0o077 != 0 else { return descriptor }
        guard fchmod(descriptor, 0o600) == 0 else {
            let reason = "others may read it, and that cannot be changed: \(String(cString: strerror(errno)))"
            close(descriptor)
            throw failure(reason)
        }
        return descriptor
    }
}

/// One line per message: level and text, control characters escaped.
private struct LineLog: LogHandler {
    let write: @Sendable (String) -> Void
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        write("\(event.level): \(TerminalText.escaped("\(event.message)\(facts)"))\n")
    }
}
