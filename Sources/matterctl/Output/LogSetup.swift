import Glibc
import Logging
import MatterDataModel

/// Logging is off unless asked for, and never on stdout.
enum LogSetup {
    static func logger(verbosity: Int, file: String?) throws -> Logger {
        let level: Logger.Level =
            switch verbosity {
            case 0: file == nil ? .critical : .debug
            case 1: .debug
            default: .trace
            }
        let descriptor: Int32
        if let file {
            descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw UsageError(
                    "usage.log-file", "cannot write the log file \(file): \(String(cString: strerror(errno)))")
            }
        } else {
            descriptor = STDERR_FILENO
        }
        return Logger(label: "matterctl") { _ in LineLog(descriptor: descriptor, logLevel: level) }
    }
}

/// One line per message: level and text, control characters escaped.
private struct LineLog: LogHandler {
    let descriptor: Int32
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Array("\(event.level): \(TerminalText.escaped("\(event.message)"))\n".utf8)
        line.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}
