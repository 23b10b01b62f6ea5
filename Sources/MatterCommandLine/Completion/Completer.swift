import ArgumentParser
import MatterController

/// Says which words may stand at the cursor, without asking a device or the whole parser.
struct Completer {
    /// What may stand there.
    struct Answer: Equatable {
        var candidates: [Candidate] = []
        /// Whether the shell may add the names of files.
        var takesFiles = false
    }

    private let words: [String]
    private let word: String
    private let house: StateCompletions?

    /// - Parameters:
    ///   - words: those between the program and the cursor, without quotes.
    ///   - word: the one at the cursor, as far as it goes.
    init(_ words: [String], _ word: String) {
        let rest = LeadingOptions.split(words)?.rest ?? words[...]
        self.words = OldSpellings.replaced(Array(rest))
        self.word = word
        func value(_ option: String) -> String? {
            if let index = words.lastIndex(of: option), words.indices.contains(index + 1) { return words[index + 1] }
            return words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        }
        house = StateCompletions(home: value("--home"), fabric: value("--fabric"))
    }

    var answer: Answer {
        var answer = everything
        // What was typed counts as it is; if nothing fits, without regard to case and hyphens.
        let exact = answer.candidates.filter { $0.word.hasPrefix(word) }
        answer.candidates = exact.isEmpty ? answer.candidates.filter { Self.fits($0.word, word) } : exact
        var seen: Set<String> = []
        answer.candidates = answer.candidates.filter { seen.insert($0.word).inserted }
        return answer
    }

    private static func fits(_ candidate: String, _ word: String) -> Bool {
        func reduced(_ text: String) -> String { text.lowercased().filter { $0 != "-" && $0 != "_" } }
        return reduced(candidate).hasPrefix(reduced(word))
    }

    private var everything: Answer {
        var type: any ParsableCommand.Type = MatterCtl.self
        var rest = words[...]
        if rest.first == "help" { rest = rest.dropFirst() }
        while let next = rest.first.flatMap({ word in type.configuration.subcommands.first { $0.answers(to: word) } }) {
            type = next
            rest = rest.dropFirst()
        }
        var answer = Answer()
        if !type.configuration.subcommands.isEmpty {
            if rest.isEmpty, !word.hasPrefix("-") { answer.candidates = commands(of: type) }
            guard let usual = type.configuration.defaultSubcommand else {
                if word.hasPrefix("-") { answer.candidates = [Candidate(word: "--help")] }
                return answer
            }
            type = usual
        }
        guard words.first != "help" else { return answer }
        let found = parameters(of: type, Array(rest))
        answer.candidates += found.candidates
        answer.takesFiles = found.takesFiles
        return answer
    }

    private func commands(of type: any ParsableCommand.Type) -> [Candidate] {
        var candidates: [Candidate] = []
        for command in type.configuration.subcommands where command.configuration.shouldDisplay {
            // Another name is offered to those who began it.
            let names =
                [command._commandName] + command.configuration.aliases.filter { !word.isEmpty && $0.hasPrefix(word) }
            candidates += names.map { Candidate(word: $0, note: command.configuration.abstract) }
        }
        return candidates + (type == MatterCtl.self ? [Candidate(word: "help", note: "Show help information.")] : [])
    }

    // MARK: Parameters

    private func parameters(of type: any ParsableCommand.Type, _ given: [String]) -> Answer {
        let page = CommandPage(of: type)
        var values: [String] = []
        var used: Set<String> = []
        var pending: CommandPage.Parameter?
        var isTerminated = false
        for word in given {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                isTerminated = true
            } else if !isTerminated, word.hasPrefix("-"), word != "-", !NegativeNumbers.isNegativeNumber(word) {
                let option = page.option(String(word.prefix { $0 != "=" }))
                used.formUnion(option?.names ?? [])
                if option?.value != nil, !word.contains("=") { pending = option }
            } else {
                values.append(word)
            }
        }
        if let pending { return answer(for: pending, given: values, type, "", word) }
        if !isTerminated, word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            guard let option = page.option(String(word[..<equals])) else { return Answer() }
            let lead = String(word[...equals])
            return answer(for: option, given: values, type, lead, String(word[word.index(after: equals)...]))
        }
        if !isTerminated, word.hasPrefix("-") {
            let options = page.options.filter { option in
                !option.names.contains(where: used.contains) || option.help.contains("may be repeated")
            }
            return Answer(
                candidates: options.compactMap { option in
                    option.names.last.map { Candidate(word: $0, note: option.help) }
                })
        }
        guard let argument = page.argument(values.count) else { return Answer() }
        return answer(for: argument, given: values, type, "", word)
    }

    /// What may be a parameter's value.
    ///
    /// - Parameters:
    ///   - values: the arguments before it.
    ///   - lead: what stands before the value in its word.
    private func answer(
        for parameter: CommandPage.Parameter, given values: [String], _ type: any ParsableCommand.Type, _ lead: String,
        _ word: String
    ) -> Answer {
        func some(_ candidates: [Candidate]?) -> Answer {
            Answer(
                candidates: (candidates ?? []).map { candidate in
                    Candidate(word: lead + candidate.word, note: candidate.note, isFinished: candidate.isFinished)
                })
        }
        let listed = parameter.values
        guard listed.isEmpty else { return some(listed.map { Candidate(word: $0) }) }
        if word.hasPrefix("@") { return some(FileWords.candidates(after: "@", word)) }
        switch parameter.value ?? "" {
        case "FILE", "DIR", "FILE|DIR", "file", "folder", "input":
            return lead.isEmpty ? Answer(takesFiles: true) : some(FileWords.candidates(after: "", word))
        case "@FILE": return some([Candidate(word: "@", isFinished: false)])
        case "room", "ROOM": return some(house?.rooms)
        case "TYPE": return some(house?.deviceTypes)
        case "CLUSTER": return some(house?.clusters)
        case "group" where words.first == "group": return some(house?.groups)
        case "name": return some(names(type))
        case "NAME" where parameter.names == ["--fabric"]: return some(house?.fabrics)
        case "NAME" where parameter.names == ["--profile"]: return some(house?.profiles())
        case "path", "paths", "path value", "path=value", "fields", "node-or-path", "PATH", "PATH=VALUE":
            return some(paths(parameter, values, type, word))
        case "types": return some(simulated(word))
        case let value where Self.namesNode(value, parameter):
            let groups = parameter.help.contains("group:") ? house?.groups ?? [] : []
            return some(
                (house?.nodeWords(word) ?? []) + groups.map { Candidate(word: "group:\($0.word)", note: "group") })
        default: return Answer()
        }
    }

    private static func namesNode(_ value: String, _ parameter: CommandPage.Parameter) -> Bool {
        let value = value.lowercased()
        return value.hasPrefix("node") || ["source", "target", "subjects", "what"].contains(value)
            || parameter.help.contains("ode id or name")
    }

    /// A name is that of what the command is about.
    private func names(_ type: any ParsableCommand.Type) -> [Candidate]? {
        switch (words.first, type._commandName) {
        case ("fabric", "use"), ("fabric", "show"), ("fabric", "remove"): house?.fabrics
        case ("clusters", _): house?.clusters
        default: nil
        }
    }

    private func simulated(_ word: String) -> [Candidate] {
        let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
        return (SimulateCommandChoice.current?.deviceTypes ?? []).map { Candidate(word: before + $0) }
    }

    // MARK: Paths

    private func paths(
        _ parameter: CommandPage.Parameter, _ values: [String], _ type: any ParsableCommand.Type, _ word: String
    ) -> [Candidate] {
        guard let house else { return [] }
        let value = parameter.value ?? ""
        let purpose: PathWords.Purpose =
            switch type {
            case is Invoke.Type: .invoke
            case is Write.Type: .write
            case is Events.Type: .events
            case is Supports.Type: .anything
            default: parameter.names.contains { $0.hasPrefix("--event") } ? .events : .read
            }
        let node = values.first.flatMap { house.node($0) }
        let paths = PathWords(endpoints: node?.endpoints ?? [], catalogue: house.catalogue, purpose: purpose)
        switch value {
        case "node-or-path" where values.isEmpty || !word.contains("/") && !values.contains { $0.contains("/") }:
            return house.nodeWords(word) + (values.isEmpty ? [] : paths.paths(word))
        case "path=value", "PATH=VALUE":
            guard let equals = word.firstIndex(of: "=") else { return paths.paths(word, suffix: "=") }
            return paths.values(of: String(word[..<equals]), after: String(word[...equals]), word)
        case "path value":
            if let equals = word.firstIndex(of: "="), word[..<equals].contains("/") {
                return paths.values(of: String(word[..<equals]), after: String(word[...equals]), word)
            }
            guard let path = values.dropFirst().last, path.contains("/"), !path.contains("=") else {
                return paths.paths(word)
            }
            return paths.values(of: path, after: "", word)
        case "fields":
            let commands = values.dropFirst().filter { $0.contains("/") && !$0.contains("=") }
            guard let command = commands.last else { return [] }
            if let value = word.split(separator: "=", maxSplits: 1).dropFirst().first, value.hasPrefix("@") {
                return FileWords.candidates(after: String(word.prefix { $0 != "=" }) + "=@", word)
            }
            let given = values.reversed().prefix { $0 != command }
            let fields = paths.fields(of: command, given: Array(given), word)
            return word.contains("/") ? paths.paths(word) : fields
        default: return paths.paths(word)
        }
    }
}
