import Logging
import MatterNetwork
import Synchronization

/// The lines of the log since it was last taken, with the seconds since the start.
final class CheckTrace: Sendable {
    /// Of the first and the last lines, as many are kept.
    private static let most = 150

    private struct State {
        var first: [String] = []
        var last: [String] = []
        var dropped = 0
    }

    private let time: any TimeSource
    private let start: Instant
    private let state = Mutex(State())

    init(_ time: any TimeSource) {
        self.time = time
        start = time.now
    }

    var logger: Logger { Logger(label: "matterctl") { [self] _ in TraceLog(trace: self) } }

    func add(_ line: String) {
        let tenths = Int((time.now - start) / .milliseconds(10))
        let padded = String(tenths + 100_000_000).dropFirst(4)
        let text = "\(padded.dropLast(2)).\(padded.suffix(2)) \(line)"
        state.withLock { state in
            guard state.first.count >= Self.most else { return state.first.append(text) }
            state.last.append(text)
            if state.last.count > Self.most {
                state.last.removeFirst()
                state.dropped += 1
            }
        }
    }

    func take() -> [String] {
        state.withLock { state in
            defer { state = State() }
            return state.first + (state.dropped > 0 ? ["… \(state.dropped) lines …"] : []) + state.last
        }
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
