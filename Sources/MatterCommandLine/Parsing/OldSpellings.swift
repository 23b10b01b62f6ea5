import ArgumentParser
import MatterController

/// Other spellings of commands: those of earlier versions, which no page shows, and `node fabrics NODE ls`.
enum OldSpellings {
    /// The arguments in the present spelling.
    static func replaced(_ arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        let words = lock(Self.plain(Self.verbFirst(arguments.dropFirst(start))), isHelp: start > 0)
        for module in VendorModule.all {
            for spelling in module.oldSpellings where spelling.old.hasPrefix(words.first ?? "") {
                let old = spelling.old.split(separator: " ")
                guard words.starts(with: old, by: ==) else { continue }
                let new = spelling.new.split(separator: " ").map(String.init)
                return arguments.prefix(start) + new + words.dropFirst(old.count)
            }
        }
        return arguments.prefix(start) + words
    }

    /// Everyday wording: `turn on kitchen`, `turn kitchen off`, `switch on kitchen`; and the fabrics of a node as a command of its own.
    private static func plain(_ words: [String]) -> [String] {
        guard let first = words.first else { return words }
        if first == fabrics { return [NodeCommand._commandName] + words }
        guard words.count > 1 else { return words }
        let switches = ["on", "off"]
        if ["turn", "switch"].contains(first) {
            if switches.contains(words[1]) { return Array(words.dropFirst()) }
            if words.count == 3, switches.contains(words[2]) { return [words[2], words[1]] }
        }
        return words
    }

    /// `lock` was the name of the kind too, which is `door-lock`: `lock codes door`, `lock` alone, and `lock door --watch`. `lock door`
    /// is a command of its own, and means what it did.
    private static func lock(_ words: [String], isHelp: Bool) -> [String] {
        guard words.first == LockDoor.plainName else { return words }
        let isOfKind =
            switch LockLine(words.dropFirst()).meaning {
            case .word(let word): LockKind.kind.verb(word) != nil || LockKind.kind.isShow(word)
            case .choice, .help: false
            case .watch: true
            case nil: !isHelp
            }
        return isOfKind ? [LockKind.name] + words.dropFirst() : words
    }

    /// The names of a command in a list of those that may run, with those that earlier versions had. `lock` by itself only looked, and goes on
    /// to mean that there.
    static func names(_ names: [String]) -> [String] {
        let names = names.filter { $0 != LockDoor.plainName }
        let old = names.filter { $0.split(separator: " ").first == LockKind.name[...] }
        return old.map { LockDoor.plainName + $0.dropFirst(LockKind.name.count) } + names
    }

    /// In earlier versions a command of its own, a letter apart from `fabric`.
    private static let fabrics = FabricsCommand._commandName

    /// A node that stands before the verb, behind it.
    private static func verbFirst(_ words: ArraySlice<String>) -> [String] {
        var words = Array(words)
        let verbs = FabricsCommand.configuration.subcommands
        let isPart = words.starts(with: [NodeCommand._commandName, fabrics])
        let place = isPart ? 2 : 1
        guard isPart || words.first == fabrics, words.count > place + 1,
            !verbs.contains(where: { $0.answers(to: words[place]) }),
            verbs.contains(where: { $0.answers(to: words[place + 1]) })
        else { return words }
        words.swapAt(place, place + 1)
        return words
    }
}

/// The words behind `lock`, as far as they tell which command is meant.
private struct LockLine {
    enum Meaning {
        /// The first one that is no option.
        case word(String)
        /// An option that chooses nodes.
        case choice
        case watch, help
    }

    /// `nil` if there is nothing of this.
    let meaning: Meaning?

    init(_ words: ArraySlice<String>) {
        var rest = words
        var first: Meaning?
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                first = first ?? .word(word)
                continue
            }
            switch LineOption(word: String(word.prefix { $0 != "=" })) {
            case .watch:
                meaning = .watch
                return
            case .all, .room, .type, .cluster: first = first ?? .choice
            case let option?: if option.takesValue, !word.contains("=") { rest = rest.dropFirst() }
            case nil: if ["-h", "--help"].contains(word) { first = first ?? .help }
            }
        }
        meaning = first
    }
}
