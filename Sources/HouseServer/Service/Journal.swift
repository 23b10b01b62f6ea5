import Glibc
public import Logging

/// A log that goes to systemd's journal, with fields to search for: `MATTERCTL_NODE`, `MATTERCTL_CLIENT`
/// (<https://systemd.io/JOURNAL_NATIVE_PROTOCOL>).
public struct JournalLog: LogHandler {
    private static let place = "/run/systemd/journal/socket"

    /// The least level that is logged.
    public var logLevel: Logger.Level
    /// The fields of each message.
    public var metadata: Logger.Metadata = [:]
    private let place: String

    /// A log of a process whose errors go to the journal already.
    ///
    /// - Parameters:
    ///   - environment: JOURNAL_STREAM, which says that they do.
    ///   - place: the journal's socket.
    /// - Returns: `nil` if they do not.
    public init?(level: Logger.Level, environment: [String: String], place: String? = nil) {
        guard let stream = environment["JOURNAL_STREAM"] else { return nil }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0, stream == "\(status.st_dev):\(status.st_ino)" else { return nil }
        logLevel = level
        self.place = place ?? Self.place
    }

    /// A field of each message.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Logs a message.
    public func log(event: LogEvent) {
        send(Self.entry("\(event.message)", event.level, metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// An entry as the journal takes it.
    static func entry(_ message: String, _ level: Logger.Level, _ metadata: Logger.Metadata) -> [UInt8] {
        var entry: [UInt8] = []
        func field(_ name: String, _ value: String) {
            let octets = Array(value.utf8)
            entry += name.utf8
            if octets.contains(UInt8(ascii: "\n")) {
                entry.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(octets.count).littleEndian) { entry += $0 }
            } else {
                entry.append(UInt8(ascii: "="))
            }
            entry += octets
            entry.append(UInt8(ascii: "\n"))
        }
        field("PRIORITY", "\(priority(level))")
        field("SYSLOG_IDENTIFIER", "matterctl")
        field("MESSAGE", message)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let name = key.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if !name.isEmpty { field("MATTERCTL_\(name)", "\(value)") }
        }
        return entry
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private func send(_ entry: [UInt8]) {
        var name = sockaddr_un()
        let path = Array(place.utf8)
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, entry, entry.count, Int32(MSG_NOSIGNAL), address,
                    socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
