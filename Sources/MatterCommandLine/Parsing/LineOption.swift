import ArgumentParser

/// The options of the commands that ``PlainLine`` reads. They are declared here once, for the parser, which gets its names from
/// this list, and for ``PlainLine``, which reads them without it.
///
/// Options that are not given are `nil`, and flags `false`. Where there is another value for it, the type of the value has it (`usual`).
enum LineOption: String, CaseIterable {
    // Of many commands: those of ``NetworkOptions`` and ``EverydayOptions``.
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

    // Of kinds of devices: those of ``KindOptions``.
    case watch
    case span = "for"
    case count, plot, csv, level, transition, pin
    case relockAfter = "relock-after"

    // Of one command.
    case noOnOff = "no-on-off"
    case optionsMask = "options-mask"
    case optionsOverride = "options-override"
    case effect, variant, group, name, user, code, from, until, days, hours
    case wrongCodeLimit = "wrong-code-limit"
    case lockout
    case autoRelock = "auto-relock"
    case mode
    case pinForRemote = "pin-for-remote"
    case volume, language

    /// Those that many commands have.
    static var common: ArraySlice<LineOption> { allCases.prefix { $0 != .watch } }

    /// Its other name, a letter.
    private var letter: Character? { self == .verbose ? "v" : nil }

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
        let option: LineOption
        let value: String

        /// Makes its value that of a property.
        ///
        /// - Returns: `false` for a value that is none.
        func become<Value: ExpressibleByArgument>(_ property: inout Value?) -> Bool {
            guard let value = Value(argument: value) else { return false }
            property = value
            return true
        }

        /// The same, for a property that always has a value.
        func replace<Value: ExpressibleByArgument>(_ property: inout Value) -> Bool {
            guard let value = Value(argument: value) else { return false }
            property = value
            return true
        }
    }
}

extension NameSpecification {
    /// The names of an option, for the parser.
    static func line(_ option: LineOption) -> NameSpecification {
        if case .verbose = option { return [.short, .customLong(option.rawValue)] }
        return .customLong(option.rawValue)
    }
}
