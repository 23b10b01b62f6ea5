import ArgumentParser

/// The options that many commands have: those of ``NetworkOptions`` and ``EverydayOptions``. They are declared here once, for the
/// parser, which gets its names from this list, and for ``PlainLine``, which reads them without it.
enum CommonOption: String, CaseIterable {
    case home = "--home"
    case fabric = "--fabric"
    case json = "--json"
    case wide = "--wide"
    case color = "--color"
    case verbose = "--verbose"
    case logFile = "--log-file"
    case address = "--address"
    case timeout = "--timeout"
    case patience = "--patience"
    case fresh = "--fresh"
    case noKeep = "--no-keep"
    case direct = "--direct"
    case trace = "--trace"
    case traceTo = "--trace-to"
    case traceSecrets = "--trace-secrets"
    case traceYes = "--trace-yes"
    case progress = "--progress"
    case wait = "--wait"
    case all = "--all"
    case room = "--room"
    case type = "--type"
    case cluster = "--cluster"
    case verify = "--verify"
    case dryRun = "--dry-run"

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
    var names: [String] { (letter.map { ["-\($0)"] } ?? []) + [rawValue] }

    /// - Returns: `nil` for a word that is no such option.
    init?(word: String) {
        guard let option = Self(rawValue: word) else {
            guard word == "-v" else { return nil }
            self = .verbose
            return
        }
        self = option
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
        let name = String(option.rawValue.dropFirst(2))
        return option == .verbose ? [.short, .customLong(name)] : .customLong(name)
    }
}
