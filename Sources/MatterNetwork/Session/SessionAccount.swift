/// Tells what was tried to get a session and what was heard, in one clause.
public struct SessionAccount: CustomStringConvertible, Sendable {
    private let error: SessionError

    /// The account of an error.
    public init(_ error: SessionError) { self.error = error }

    /// The value as text, as messages and logs show it.
    public var description: String {
        var parts: [String] = []
        if !error.tried.isEmpty { parts.append("tried \(error.tried.map(\.description).joined(separator: ", "))") }
        if error.attempts > 0 {
            parts.append("\(error.attempts) handshake\(error.attempts == 1 ? "" : "s")")
        }
        if error.transmissions > 0 {
            parts.append("the last message was sent \(error.transmissions) time\(error.transmissions == 1 ? "" : "s")")
        }
        parts.append(error.lastHeard.map { "last heard \(Spelled.seconds($0)) ago" } ?? "nothing heard")
        return "\(error.reason) (\(parts.joined(separator: "; ")))"
    }
}

/// The account of one exchange.
public struct ReportAccount: CustomStringConvertible, Sendable {
    private let report: ExchangeReport

    /// The account of an exchange.
    public init(_ report: ExchangeReport) { self.report = report }

    /// The value as text, as messages and logs show it.
    public var description: String {
        var parts: [String] = []
        if !report.addresses.isEmpty {
            parts.append("at \(report.addresses.map(\.description).joined(separator: ", "))")
        }
        parts.append("sent \(report.transmissions) time\(report.transmissions == 1 ? "" : "s")")
        parts.append(report.acknowledged ? "acknowledged" : "not acknowledged")
        let lastHeard = report.lastHeard ?? report.sessionLastHeard
        parts.append(lastHeard.map { "last heard \(Spelled.seconds($0)) ago" } ?? "nothing heard")
        return parts.joined(separator: ", ")
    }
}

/// Durations as people write them.
public enum Spelled {
    /// `0.3 s`, `12 s`.
    public static func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 10) s"
    }

    /// `1 device`, `2 devices`: for nouns that take an s.
    public static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
