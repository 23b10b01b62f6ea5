import ArgumentParser

/// The options that many commands have: those of ``NetworkOptions`` and ``EverydayOptions``. They are declared here once, for the
/// parser, which gets its names from this list, and for ``PlainLine``, which reads them without it.
enum CommonOption: String, CaseIterable {
    case home, fabric, json, wide, color, verbose
    case logFile = "log-file"
    case address, timeout, patience, fresh
    case noKeep = "no-keep"
    case direct, trace
    case traceTo = "trace-to"
    case traceSecrets = "trace-secrets"
    case traceYes = "trace-yes"
    case progress, wait, all, room, type, cluster, verify
    case dryRun = "dry-run"

    /// Its other name, a letter.
    private var letter: Character? { self == .verbose ? "v" : nil }

    /// Whether the next word is its value.
    var takesValue: Bool {
        switch self {
        case .home, .fabric, .color, .logFile, .address, .timeout, .patience, .traceTo, .progress, .room, .type,
            .cluster:
            true
        default: false
        }
    }

    /// All names, as they are typed.
    var names: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + rawValue] }

    /// - Returns: `nil` for a word that is no such option.
    init?(word: String) {
        let octets = word.utf8
        guard octets.dropFirst().first == UInt8(ascii: "-") else {
            guard word == "-v" else { return nil }
            self = .verbose
            return
        }
        self.init(rawValue: String(Substring(octets.dropFirst(2))))
    }

    /// An option of a line, with its value; a flag has none.
    struct Given {
        let option: CommonOption
        let value: String
    }
}

extension NameSpecification {
    /// The names of a common option, for the parser.
    static func common(_ option: CommonOption) -> NameSpecification {
        if case .verbose = option { return [.short, .customLong(option.rawValue)] }
        return .customLong(option.rawValue)
    }
}
