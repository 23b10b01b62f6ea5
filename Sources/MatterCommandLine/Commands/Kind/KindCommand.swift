import ArgumentParser
import MatterController

/// A command that is made from the declaration of a kind of device, for what reads that declaration too.
protocol KindOfDeviceCommand: DeviceCommand {
    static var kind: DeviceKind { get }
}

extension KindOfDeviceCommand {
    static var clusters: [ClusterID] { kind.clusters }
}

extension KindOfDeviceCommand {
    /// The name of the command in its place. Below a group with the name of its kind it is what the group does with all words that
    /// are no command of their own, under a name that is none of a node either.
    static var nameInPlace: String {
        kind.verbs.contains { $0.ownWords != nil } ? ":" + kind.name : kind.name
    }

    /// Whether a command is that of a group.
    static var isOfGroup: Bool { nameInPlace != kind.name }
}

/// The command of a kind of device: `KIND [show] [NODE…]` shows its state, `KIND VERB NODE… [VALUE]` changes it.
struct KindCommand<Declaration: DeviceKindDeclaration>: EverydayCommand, KindLineCommand {
    static var kind: DeviceKind { Declaration.kind }

    static var configuration: CommandConfiguration { kind.configuration(nameInPlace) }

    @Argument(
        help: ArgumentHelp(KindLine.help(kind), valueName: KindLine.valueName(kind)),
        completion: .kind(kind.verbs.isEmpty ? .endpoint : .deviceWords))
    var words: [String] = []
    @OptionGroup var particular: KindOptions<Declaration>
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var target: NodeTarget? {
        let nodes = nodes
        return selection.meansOne(nodes.map(\.node)) ? nodes.first.map { NodeTarget($0.node) } : nil
    }

    /// A chart is drawn by the process that has the terminal.
    var isServed: Bool { !everyday.dryRun && (try? particular.form(options)) != .plot }

    func validate() throws {
        let line = line
        // A word that can be no node.
        if let verb = words.first.flatMap(Self.kind.verb), verb.ownWords != nil {
            throw ValidationError("'\(Self.kind.name) \(verb.name)' is a command: its options belong after it")
        }
        try particular.check(line)
        _ = try particular.form(options)
        try checkNodes(line)
        guard let verb = line.verb else {
            if let (word, verb) = line.mistakenValue {
                throw ValidationError("The value '\(word)' is invalid for '<value>' (\(verb.value ?? ""))")
            }
            guard options.address == nil || selection.meansOne(line.nodes) else {
                throw ValidationError("--address is for one node")
            }
            return
        }
        try everyday.check(nodes, options)
        guard line.valueWords != nil else { throw noValue(of: verb, line) }
    }

    func verb() throws -> any DeviceVerb {
        guard let meant = line.meaning(try particular.parameters()) else {
            throw ValidationError("Missing expected argument '<value>'")
        }
        return meant
    }

    /// - Returns: why a word names no node; `nil` if it names one, or some.
    /// - Throws: what else is wrong.
    private func unknownNode(_ word: String, _ context: CommandContext) throws -> RecordError? {
        guard !NodeSelection.isPattern(word), let name = NodeArgument(argument: word) else { return nil }
        do {
            _ = try context.controller.nodes.place(of: name.node, endpoint: name.endpoint)
            return nil
        } catch let error as RecordError where error.code == .unknownNode {
            return error
        }
    }

    /// A lock that wants a PIN code says so before anything is sent; for one lock, a person can then type it.
    private func change(_ line: KindLine, _ context: CommandContext) async throws {
        do {
            try await carryOut(verb(), context)
        } catch let error as ControllerError where error.code == .pinNeeded && context.console.canAsk {
            var parameters = try particular.parameters()
            parameters.code = try PINOptions.ask(target)
            guard let verb = line.meaning(parameters) else { throw error }
            try await carryOut(verb, context)
        }
    }

    func run(_ context: CommandContext) async throws {
        let line = line
        guard line.verb == nil else { return try await change(line, context) }
        if line.nodes.count > 1, line.nodes.count == words.count, !Self.kind.verbs.isEmpty,
            let unknown = try unknownNode(words[0], context)
        {
            let verbs = ["show"] + Self.kind.verbs.map(\.name)
            throw CommandLineError(
                .usage,
                "'\(words[0])' is neither a node nor a verb of '\(Self.kind.name)': \(verbs.joined(separator: ", "))",
                hint: unknown.hint)
        }
        if let usual = line.impliedVerb, let last = line.nodes.last, let unknown = try unknownNode(last, context) {
            throw CommandLineError(
                .usage,
                "'\(last)' is neither a node nor a value of '\(Self.kind.name) \(usual.name)' (\(usual.value ?? ""))",
                hint: unknown.hint)
        }
        let form = try particular.form(options)
        // A chart shows the numbers, of nodes that have some.
        let kind = form == .plot ? Self.kind.quantities : Self.kind
        let round = ReadingRound(kind, nodes, selection)
        if particular.watch {
            try await KindWatch(
                kind, round.parts(context), span: particular.span, count: particular.count, form: form, context
            ).run()
        } else {
            try await round.run(context)
        }
    }
}

/// The words of such a command.
struct KindLine {
    /// The verb; `nil` if the state is to be shown.
    let verb: DeviceKind.Verb?
    /// Those that name nodes; the value too, if it is none.
    let nodes: [String]
    /// The value; `nil` if what stands there is none.
    let valueWords: [String]?
    /// The verb that a value behind the nodes would have meant; `nil` where one was named, or there is one word.
    let impliedVerb: DeviceKind.Verb?
    /// A word that was meant as a value of the usual verb, but is none: it begins as a number does, and is no node id.
    let mistakenValue: (word: String, verb: DeviceKind.Verb)?

    /// - Parameters:
    ///   - choosesNodes: whether options choose nodes, so that none need be named.
    init(_ words: [String], of kind: DeviceKind, choosesNodes: Bool) {
        let first = words.first
        var rest = words[...]
        var verb = first.flatMap(kind.verb).flatMap { $0.ownWords == nil ? $0 : nil }
        if verb != nil || first.map(kind.isShow) ?? false {
            rest = rest.dropFirst()
        } else if let usual = kind.usual, let count = usual.meaning(of: words)?.words,
            words.count > count || choosesNodes || !usual.isOpen && !(words.last ?? "").allSatisfy(\.isNumber)
        {
            verb = usual
        }
        self.verb = verb
        let last = words.count > (choosesNodes ? 0 : 1) ? words.last : nil
        impliedVerb = verb == nil && rest.count == words.count && last != nil ? kind.usual : nil
        if let usual = impliedVerb, let last, !last.allSatisfy(\.isNumber),
            last.drop(while: { "+-".contains($0) }).first?.isNumber ?? false
        {
            mistakenValue = (last, usual)
        } else {
            mistakenValue = nil
        }
        guard let verb, let count = verb.meaning(of: Array(rest))?.words else {
            (nodes, valueWords) = (Array(rest), nil)
            return
        }
        (nodes, valueWords) = (Array(rest.dropLast(count)), rest.suffix(count))
    }

    /// The verb, in full.
    func meaning(_ parameters: DeviceKind.Parameters) -> (any DeviceVerb)? {
        // The form of a hue asks how many words there are.
        valueWords.flatMap { verb?.meaning(of: nodes + $0, parameters)?.verb }
    }

    // MARK: Words about it

    static func valueName(_ kind: DeviceKind) -> String {
        kind.verbs.isEmpty ? "node" : kind.verbs.contains { $0.value != nil } ? "verb-node-value" : "verb-node"
    }

    static let nodesHelp = "Node ids, names or patterns of names, with /EP for an endpoint; without any, all are shown"

    static func help(_ kind: DeviceKind) -> String {
        guard !kind.verbs.isEmpty else { return nodesHelp + "." }
        let groups = kind.usual?.isOpen ?? false ? "" : " With a verb, also group:GROUP."
        return "A verb, and the nodes. \(nodesHelp).\(groups)"
    }

    /// The lines of the page about the verbs: what is typed, and what comes of it.
    static func verbs(_ kind: DeviceKind) -> [(typed: String, text: String)] {
        [("[show] [NODE...]", "Show the state; with --watch, follow it.")]
            + kind.verbs.map { verb in
                if let words = verb.ownWords {
                    return ("\(verb.name) \(words)", "\(verb.summary) Has a page of its own.")
                }
                let options = verb.options.map { "--" + $0.parameter.rawValue }
                let facts = [
                    verb.value.map { "VALUE: \($0)." },
                    options.isEmpty ? nil : "With \(options.joined(separator: ", ")).",
                ]
                let name = verb.isUsual ? "[\(verb.name)]" : verb.name
                return (
                    [name, "NODE...", verb.value == nil ? nil : "VALUE"].compactMap { $0 }.joined(separator: " "),
                    ([verb.summary] + facts).compactMap { $0 }.joined(separator: " ")
                )
            }
    }
}

extension DeviceKind {
    /// The configuration of a command of the kind, for the parser.
    func configuration(_ name: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: summary,
            discussion: "\(details.isEmpty ? "" : details + "\n\n")Example: matterctl \(self.name) \(example)",
            shouldDisplay: name == self.name)
    }
}
