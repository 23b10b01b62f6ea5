import ArgumentParser
import MatterController

/// A command line of words and ``LineOption``s.
///
/// The parser finds out by reflection what a command could be given, which takes more than all the rest of switching a
/// light. So a command that is given nothing else is read here; whatever is in doubt is left to the parser.
struct PlainLine {
    let words: [String]
    let options: [LineOption.Given]

    /// - Returns: `nil` for a line that has something else.
    private init?(_ arguments: ArraySlice<String>) {
        var words: [String] = []
        var options: [LineOption.Given] = []
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.utf8.first == UInt8(ascii: "-") else {
                words.append(argument)
                continue
            }
            guard let option = LineOption(word: argument) else { return nil }
            var value = ""
            if option.takesValue {
                guard let next = rest.popFirst(), next.utf8.first != UInt8(ascii: "-") else { return nil }
                value = next
            }
            options.append(LineOption.Given(option: option, value: value))
        }
        self.words = words
        self.options = options
    }

    /// The command of such a line.
    ///
    /// - Returns: `nil` if it is for the parser.
    static func command(_ arguments: [String]) -> (any NetworkCommand)? {
        var rest = arguments[...]
        guard let name = rest.popFirst(), let type = type(name, &rest), let line = PlainLine(rest) else { return nil }
        return command(type, line)
    }

    /// Those of no kind of device. They are few, so that a name is found without a table that is made first.
    private static let everyday: [any PlainCommand.Type] = [
        Toggle.self, On.self, Off.self, Level.self, IdentifyCommand.self, Unlock.self,
    ]

    /// The commands that such lines can be of: those that tell devices to do something, or show what devices do.
    ///
    /// - Parameter rest: the words behind the name; loses those that belong to it.
    private static func type(_ name: String, _ rest: inout ArraySlice<String>) -> (any PlainCommand.Type)? {
        if let type = everyday.first(where: { $0.plainName == name }) { return type }
        guard let command = MatterCtl.kind(name) else { return nil }
        guard let verb = rest.first.flatMap({ command.kind.verb($0) }), verb.ownWords != nil else {
            return command
        }
        rest.removeFirst()
        return MatterCtl.ownCommands(of: command.kind).first { $0._commandName == verb.name } as? any PlainCommand.Type
    }

    private static func command<Command: PlainCommand>(_ type: Command.Type, _ line: PlainLine) -> (any NetworkCommand)?
    {
        var command = type.init()
        guard command.take(line) else { return nil }
        do {
            // As the parser does, from the inside outwards.
            try command.validateGroups()
            try command.validate()
            return command
        } catch {
            return nil
        }
    }
}

// MARK: Commands

/// A command that can be made of a line of words and options. It says which words it takes by one of the protocols
/// below, ``NodesCommand``, ``NodesAndValueCommand``, ``OneNodeCommand``, ``NodeAndUserCommand`` or ``KindLineCommand``, and has
/// no reading of its own.
protocol PlainCommand: NetworkCommand {
    /// As it is typed, where it is of no kind of device.
    static var plainName: String { get }

    var options: NetworkOptions { get set }

    /// - Returns: `false` for words that it does not take.
    mutating func takeWords(_ words: [String]) -> Bool

    /// Takes the options for what changes something; `nil` stands for a line without any.
    ///
    /// - Returns: `false` for one that it does not have.
    mutating func takeOption(_ given: LineOption.Given?) -> Bool

    /// Makes its own options those of a line without any: `nil`, and flags `false`. The parser's declarations cannot be read
    /// without reflection.
    mutating func leaveOutOptions()

    /// Takes one of its own options.
    ///
    /// - Returns: `false` for one that it does not have, and for a value that it does not take.
    mutating func takeOwn(_ given: LineOption.Given) -> Bool

    /// Checks each group of its options, as the parser does.
    func validateGroups() throws

    /// A requirement of its own: in generic code, that of another protocol would be taken for that of the command.
    func validate() throws
}

extension PlainCommand {
    static var plainName: String { "" }

    mutating func leaveOutOptions() {}

    mutating func takeOwn(_ given: LineOption.Given) -> Bool { false }

    func validateGroups() throws { try options.validate() }

    /// It is no initializer, because there an assignment makes a declaration of the parser, and no value.
    ///
    /// - Returns: `false` for a line that the parser has to judge.
    fileprivate mutating func take(_ line: PlainLine) -> Bool {
        guard takeWords(line.words), takeOption(nil) else { return false }
        leaveOutOptions()
        var options = NetworkOptions.none
        for given in line.options {
            switch options.take(given) {
            case true?: continue
            case false?: return false
            case nil: guard takeOption(given) || takeOwn(given) else { return false }
            }
        }
        self.options = options
        return true
    }
}

/// A command with the options of all that does one thing.
protocol EverydayPlainCommand: PlainCommand {
    var everyday: EverydayOptions { get set }
}

extension EverydayPlainCommand {
    mutating func takeOption(_ given: LineOption.Given?) -> Bool {
        guard let given else {
            everyday = EverydayOptions.none
            return true
        }
        return everyday.take(given)
    }
}

/// A command that needs no more than nodes.
protocol NodesCommand: EverydayCommand, EverydayPlainCommand {
    var nodes: [NodeArgument] { get set }
}

extension NodesCommand {
    mutating func takeWords(_ words: [String]) -> Bool {
        let nodes = words.compactMap { NodeArgument(argument: $0) }
        self.nodes = nodes
        return nodes.count == words.count
    }
}

/// A command that needs nodes, and behind them a value.
protocol NodesAndValueCommand: EverydayCommand, EverydayPlainCommand {
    associatedtype Value: TrailingValue
    var words: NodesAndValue<Value> { get set }
}

extension NodesAndValueCommand {
    mutating func takeWords(_ words: [String]) -> Bool {
        var taken = NodesAndValue<Value>()
        taken.words = words
        self.words = taken
        return (try? taken.validate()) != nil
    }
}

/// A command about one node, without options for several.
protocol PlainNodeCommand: NodeSubject, PlainCommand {
    var node: NodeArgument { get set }
}

extension PlainNodeCommand {
    mutating func takeOption(_ given: LineOption.Given?) -> Bool { given == nil }

    func validate() throws {}
}

/// A command that needs one node.
protocol OneNodeCommand: PlainNodeCommand {}

extension OneNodeCommand {
    mutating func takeWords(_ words: [String]) -> Bool {
        guard words.count == 1, let node = NodeArgument(argument: words[0]) else { return false }
        self.node = node
        return true
    }
}

/// A command that needs one node, and a user of it.
protocol NodeAndUserCommand: PlainNodeCommand {
    var user: String { get set }
}

extension NodeAndUserCommand {
    mutating func takeWords(_ words: [String]) -> Bool {
        guard words.count == 2, let node = NodeArgument(argument: words[0]) else { return false }
        (self.node, user) = (node, words[1])
        return true
    }
}

/// A command of a kind of device, whose words are a ``KindLine``.
protocol KindLineCommand: PlainCommand, KindOfDeviceCommand, VerbNaming {
    associatedtype Declaration: DeviceKindDeclaration
    var words: [String] { get set }
    var particular: KindOptions<Declaration> { get set }
    var selection: NodeSelection { get set }

    /// Whether options choose nodes, so that none need be named.
    var choosesNodes: Bool { get }
}

extension KindLineCommand {
    var choosesNodes: Bool { selection.isGiven }

    var line: KindLine {
        KindLine(words, of: Self.kind, choosesNodes: choosesNodes, follows: particular.watch)
    }

    var verbName: String? { line.verb?.name }

    var nodes: [NodeArgument] { line.nodes.compactMap { NodeArgument(argument: $0) } }

    var everyday: EverydayOptions { EverydayOptions(selection, verify: particular.verify, dryRun: particular.dryRun) }

    var longestRun: Duration? { particular.watch ? nil : options.timeout?.duration }

    var onlyReads: Bool { line.verb == nil && !particular.watch }

    var goesOn: Bool { particular.watch }

    /// Refuses a word that can be no node.
    func checkNodes(_ line: KindLine) throws {
        for word in line.nodes where NodeArgument(argument: word) == nil {
            throw ValidationError(
                "The value '\(word)' is invalid for '<node>' (node id or name, with /EP for an endpoint)")
        }
    }

    /// The error about a verb whose value is missing, or is none.
    func noValue(of verb: DeviceKind.Verb, _ line: KindLine) -> ValidationError {
        let forms = verb.value ?? ""
        guard line.nodes.count > (choosesNodes ? 0 : 1), let last = line.nodes.last else {
            return ValidationError("Missing expected argument '<value>' (\(forms))")
        }
        return ValidationError("The value '\(last)' is invalid for '<value>' (\(forms))")
    }

    mutating func takeWords(_ words: [String]) -> Bool {
        self.words = words
        return true
    }

    mutating func takeOption(_ given: LineOption.Given?) -> Bool {
        guard let given else {
            particular = KindOptions<Declaration>.none
            selection = NodeSelection.none
            return true
        }
        return selection.take(given) || particular.take(given)
    }

    func validateGroups() throws {
        try particular.validate()
        try options.validate()
    }
}
