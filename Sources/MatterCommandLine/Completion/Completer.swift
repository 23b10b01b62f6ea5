import ArgumentParser
import MatterController

/// Says which words may stand at the cursor, without asking a device or the whole parser.
struct Completer {
    /// The values allowed there.
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
        // The typed text counts as it is; if nothing fits, without regard to case and hyphens.
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
        var path: [any ParsableCommand.Type] = []
        var rest = words[...]
        if rest.first == "help" { rest = rest.dropFirst() }
        while let next = rest.first.flatMap({ word in type.configuration.subcommands.first { $0.answers(to: word) } }) {
            type = next
            path.append(type)
            rest = rest.dropFirst()
        }
        var answer = Answer()
        if !type.configuration.subcommands.isEmpty {
            // A kind of device has its commands among its verbs.
            let isKind = type.configuration.defaultSubcommand is any KindOfDeviceCommand.Type
            if rest.isEmpty, !word.hasPrefix("-"), !isKind { answer.candidates = commands(of: type) }
            guard let usual = type.configuration.defaultSubcommand else {
                if word.hasPrefix("-") { answer.candidates = [Candidate(word: "--help")] }
                return answer
            }
            path.append(usual)
        }
        guard words.first != "help" else { return answer }
        let found = parameters(of: path, Array(rest))
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

    /// - Parameter path: the command, and before it those that it belongs to.
    private func parameters(of path: [any ParsableCommand.Type], _ given: [String]) -> Answer {
        guard let type = path.last else { return Answer() }
        let declaration = CommandDeclaration(of: type)
        var values: [String] = []
        var used: Set<String> = []
        var pending: CommandDeclaration.Parameter?
        var isTerminated = false
        for word in given {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                isTerminated = true
            } else if !isTerminated, word.hasPrefix("-"), word != "-", !NegativeNumbers.isNegativeNumber(word) {
                let option = declaration.option(String(word.prefix { $0 != "=" }))
                used.formUnion(option?.names ?? [])
                if option?.value != nil, !word.contains("=") { pending = option }
            } else {
                values.append(word)
            }
        }
        if let pending { return answer(for: pending, given: values, path, "", word) }
        if !isTerminated, word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            guard let option = declaration.option(String(word[..<equals])) else { return Answer() }
            let lead = String(word[...equals])
            return answer(for: option, given: values, path, lead, String(word[word.index(after: equals)...]))
        }
        if !isTerminated, word.hasPrefix("-") {
            let options = declaration.options.filter { option in
                option.isShown && (!option.names.contains(where: used.contains) || option.isRepeating)
            }
            return Answer(
                candidates: options.compactMap { option in
                    option.names.last.map { Candidate(word: $0, note: option.help) }
                })
        }
        guard let argument = declaration.argument(values.count) else { return Answer() }
        return answer(for: argument, given: values, path, "", word)
    }

    /// The types that may be a parameter's value.
    ///
    /// - Parameters:
    ///   - values: the arguments before it.
    ///   - lead: what stands before the value in its word.
    private func answer(
        for parameter: CommandDeclaration.Parameter, given values: [String], _ path: [any ParsableCommand.Type],
        _ lead: String, _ word: String
    ) -> Answer {
        func some(_ candidates: [Candidate]?) -> Answer {
            Answer(
                candidates: (candidates ?? []).map { candidate in
                    Candidate(word: lead + candidate.word, note: candidate.note, isFinished: candidate.isFinished)
                })
        }
        let offers = parameter.values + parameter.offers
        guard offers.isEmpty else { return some(offers.map { Candidate(word: $0) }) }
        if word.hasPrefix("@") { return some(FileWords.candidates(after: "@", word)) }
        guard let kind = parameter.kind else { return Answer() }
        let clusters = path.lazy.compactMap { ($0 as? any DeviceCommand.Type)?.clusters }.first ?? []
        let nodes = { house?.nodeWords(word, serving: clusters) ?? [] }
        let whole = { word.contains("/") ? [] : nodes() }
        let groups = { (house?.groups ?? []).map { Candidate(word: "group:\($0.word)", note: "group") } }
        switch kind {
        case .file, .folder:
            return lead.isEmpty ? Answer(takesFiles: true) : some(FileWords.candidates(after: "", word))
        case .contents: return some([Candidate(word: "@", isFinished: false)])
        case .room: return some(house?.rooms)
        case .deviceType: return some(house?.deviceTypes)
        case .cluster: return some(house?.clusters)
        case .group: return some(house?.groups)
        case .fabric: return some(house?.fabrics)
        case .job: return some(house?.jobs)
        case .member: return some(house?.members)
        case .profile: return some(house?.profiles())
        case .simulatedTypes: return some(simulated(word))
        case .simulatedFault:
            return some(
                SimulateCommandChoice.current?.faults.map {
                    Candidate(word: $0.word, note: $0.help, isFinished: !$0.word.hasSuffix(":"))
                })
        case .node: return some(whole())
        case .nodeOrGroup: return some(whole() + groups())
        case .endpoint: return some(nodes())
        case .endpointOrGroup: return some(nodes() + groups())
        case .nodesAndValue(let words):
            // Nothing else can be meant before a node is named.
            return some(nodes() + groups() + (values.isEmpty ? [] : words.map { Candidate(word: $0, note: "value") }))
        case .deviceWords:
            guard let kind = path.lazy.compactMap({ ($0 as? any KindOfDeviceCommand.Type)?.kind }).first else {
                return Answer()
            }
            return some(deviceWords(kind, values, nodes(), groups()))
        case .accessEntry:
            let entries = values.first.flatMap { house?.accessEntries(of: $0) } ?? []
            let any = Candidate(word: "entry:", isFinished: false)
            return some((entries.isEmpty ? [any] : entries) + (values.isEmpty ? [] : whole()))
        case .path, .nodeOrPath, .settings, .condition, .fields: return some(paths(kind, values, word))
        case .duration, .number: return Answer()
        }
    }

    /// A verb first, or nodes at once; behind the nodes, values of the verb.
    private func deviceWords(
        _ kind: DeviceKind, _ values: [String], _ nodes: [Candidate], _ groups: [Candidate]
    ) -> [Candidate] {
        let line = KindLine(values, of: kind, choosesNodes: false)
        let verb = values.first.flatMap(kind.verb)
        let isShow = values.first.map(kind.isShow) ?? false
        let isBegun = verb != nil || isShow
        let verbs = [("show", "Show the state.")] + kind.verbs.map { ($0.name, $0.summary) }
        // Any word may be a value of some verbs, which only the device limits: then every word is a node here.
        let isOpen = kind.verbs.contains(where: \.isOpen)
        let named = isOpen ? Array(isBegun ? values.dropFirst() : values[...]) : line.nodes
        let meant = verb ?? (isShow ? nil : kind.usual)
        // Nothing else can be meant before a node is named.
        let offered = named.first.map { offers(of: meant, of: kind, at: $0) } ?? []
        return
            (named.isEmpty && !isBegun && !kind.verbs.isEmpty ? verbs.map { Candidate(word: $0.0, note: $0.1) } : [])
            + nodes + (kind.verbs.isEmpty || isShow || kind.usual?.isOpen ?? false ? [] : groups) + offered
    }

    /// Values of a verb; those that the device itself has, if it has told them.
    private func offers(of verb: DeviceKind.Verb?, of kind: DeviceKind, at node: String) -> [Candidate] {
        guard let verb, verb.isOpen, kind.name == ModeKind.name else {
            return (verb?.offers ?? []).map { Candidate(word: $0, note: "value") }
        }
        let labels = house?.modes(of: node) ?? []
        guard labels.isEmpty else { return labels }
        // Of a device that was not asked yet: what its modes may be for.
        let served = house?.node(node)?.endpoints.flatMap(\.serverClusters) ?? []
        return served.flatMap { DeviceModes.purposes(of: ClusterID($0)) }.map {
            Candidate(word: NameStyle.kebab($0), note: "mode")
        }
    }

    private func simulated(_ word: String) -> [Candidate] {
        let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
        return (SimulateCommandChoice.current?.deviceTypes ?? []).map { Candidate(word: before + $0) }
    }

    // MARK: Paths

    private func paths(_ kind: ParameterKind, _ values: [String], _ word: String) -> [Candidate] {
        guard let house else { return [] }
        let purpose: ParameterKind.PathUse =
            switch kind {
            case .path(let use): use
            case .settings: .write
            case .fields: .invoke
            default: .read
            }
        let node = values.first.flatMap { house.node($0) }
        let paths = PathWords(endpoints: node?.endpoints ?? [], catalogue: house.catalogue, purpose: purpose)
        switch kind {
        case .nodeOrPath where values.isEmpty || !word.contains("/") && !values.contains { $0.contains("/") }:
            return house.nodeWords(word) + (values.isEmpty ? [] : paths.paths(word))
        case .condition:
            guard let equals = word.firstIndex(of: "=") else { return paths.paths(word, suffix: "=") }
            return paths.values(of: String(word[..<equals]), after: String(word[...equals]), word)
        case .settings:
            if let equals = word.firstIndex(of: "="), word[..<equals].contains("/") {
                return paths.values(of: String(word[..<equals]), after: String(word[...equals]), word)
            }
            guard let path = values.dropFirst().last, path.contains("/"), !path.contains("=") else {
                return paths.paths(word)
            }
            return paths.values(of: path, after: "", word)
        case .fields:
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
