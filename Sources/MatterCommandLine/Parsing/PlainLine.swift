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
        Toggle.self, On.self, Off.self, Level.self, IdentifyCommand.self, LockDoor.self, Unlock.self,
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
            try command.validateGroups()
            try command.validate()
            return command
        } catch {
            return nil
        }
    }
}

// MARK: Commands

/// Options that can be read without the parser: those of a command, or of a group. How, is written by
/// `Tests/Tools/generate_options.py`, from their declarations for the parser.
protocol PlainOptions: ParsableArguments {
    /// Makes them those of a line without any: `nil`, flags `false`, and `usual`. It is no initializer, because there an assignment
    /// makes a declaration of the parser, and no value.
    mutating func leaveOutOptions()

    /// - Returns: `false` for a value that is none of the option, `nil` for an option that is not one of these.
    mutating func take(_ given: LineOption.Given) -> Bool?

    /// Checks the groups that it has, from the inside outwards, as the parser does.
    func validateGroups() throws
}

extension PlainOptions {
    /// As of a line without any.
    static var none: Self {
        var options = Self()
        options.leaveOutOptions()
        return options
    }

    func validateGroups() throws {}
}

/// A command that can be made of a line of words and options. It says which words it takes by one of the protocols
/// below, ``NodesCommand``, ``NodesAndValueCommand``, ``OneNodeCommand``, ``NodeAndUserCommand`` or ``KindLineCommand``, and has
/// no reading of its own. Its options are read as they are declared for the parser (`Tests/Tools/generate_options.py`).
protocol PlainCommand: NetworkCommand, PlainOptions {
    /// As it is typed, where it is of no kind of device.
    static var plainName: String { get }

    /// - Returns: `false` for words that it does not take.
    mutating func takeWords(_ words: [String]) -> Bool

    /// A requirement of its own: in generic code, that of another protocol would be taken for that of the command.
    func validate() throws
}

extension PlainCommand {
    static var plainName: String { "" }

    /// It is no initializer, because there an assignment makes a declaration of the parser, and no value.
    ///
    /// - Returns: `false` for a line that the parser has to judge.
    fileprivate mutating func take(_ line: PlainLine) -> Bool {
        guard takeWords(line.words) else { return false }
        leaveOutOptions()
        for given in line.options {
            guard take(given) ?? false else { return false }
        }
        return true
    }
}

/// A command that needs no more than nodes.
protocol NodesCommand: EverydayCommand, PlainCommand {
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
protocol NodesAndValueCommand: EverydayCommand, PlainCommand {
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
