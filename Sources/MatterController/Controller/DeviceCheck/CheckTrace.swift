import Logging
import MatterNetwork
import Synchronization

/// The lines of the log and the messages since they were last taken, with the seconds since the start.
final class CheckTrace: Sendable {
    /// Of the first and the last lines, as many are kept.
    private static let mostLines = 150
    /// Of the first and the last messages, as many are kept.
    private static let mostMessages = 60
    /// Lines of a message.
    private static let longestMessage = 60

    /// The first and the last of many texts.
    private struct Kept {
        let most: Int
        /// Of these there are several.
        let noun: String
        var first: [String] = []
        var last: [String] = []
        var dropped = 0

        mutating func add(_ text: String) {
            guard first.count >= most else { return first.append(text) }
            last.append(text)
            if last.count > most {
                last.removeFirst()
                dropped += 1
            }
        }

        mutating func take() -> [String] {
            defer { (first, last, dropped) = ([], [], 0) }
            return first + (dropped > 0 ? ["… \(Spelled.count(dropped, noun)) …"] : []) + last
        }
    }

    private struct State {
        var lines = Kept(most: CheckTrace.mostLines, noun: "line")
        var messages = Kept(most: CheckTrace.mostMessages, noun: "message")
    }

    private let time: any TimeSource
    private let start: Instant
    private let state = Mutex(State())

    init(_ time: any TimeSource) {
        self.time = time
        start = time.now
    }

    var logger: Logger { Logger(label: "matterctl") { [self] _ in TraceLog(trace: self) } }

    /// A trace of messages into this one, without secrets.
    ///
    /// - Parameter other: a trace that was asked for, and gets the messages as well.
    func messages(besides other: MessageTrace?) -> MessageTrace {
        var outputs = MessageTrace.Outputs()
        outputs.tell = { [self] message in add(message: message.text) }
        return MessageTrace(outputs, besides: other)
    }

    func add(_ line: String) {
        let tenths = Int((time.now - start) / .milliseconds(10))
        let padded = String(tenths + 100_000_000).dropFirst(4)
        let text = "\(padded.dropLast(2)).\(padded.suffix(2)) \(line)"
        state.withLock { $0.lines.add(text) }
    }

    func add(message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.count - Self.longestMessage
        let text =
            rest > 0
            ? lines.prefix(Self.longestMessage).joined(separator: "\n") + "\n    … \(Spelled.count(rest, "line")) …"
            : message
        state.withLock { $0.messages.add(text) }
    }

    func take() -> (lines: [String], messages: [String]) {
        state.withLock { ($0.lines.take(), $0.messages.take()) }
    }
}

private struct TraceLog: LogHandler {
    let trace: CheckTrace
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { trace.add("\(event.level): \(event.message)") }
}
