import ArgumentParser
import MatterController

/// A command line of words and the options that every command has.
///
/// The parser finds out by reflection what a command could be given, which takes more than all the rest of switching a
/// light. So a command that is given nothing else is read here; whatever is in doubt is left to the parser.
struct PlainLine {
    private(set) var words: [String] = []
    private(set) var isJSON = false
    private(set) var isFresh = false
    private(set) var keepsNothing = false
    private(set) var isDirect = false
    private(set) var home: String?
    private(set) var fabric: String?
    private(set) var address: String?
    private(set) var timeout: TimeSpan?

    /// - Returns: `nil` for a line that has something else, or something that is refused.
    private init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.utf8.first == UInt8(ascii: "-") else {
                words.append(argument)
                continue
            }
            if takeFlag(argument) { continue }
            guard let value = rest.popFirst(), value.utf8.first != UInt8(ascii: "-") else { return nil }
            switch argument {
            case "--home": home = value
            case "--fabric": fabric = value
            case "--address": address = value
            case "--timeout":
                guard let span = TimeSpan(argument: value) else { return nil }
                timeout = span
            default: return nil
            }
        }
    }

    /// - Returns: `false` if it is none.
    private mutating func takeFlag(_ argument: String) -> Bool {
        switch argument {
        case "--json": isJSON = true
        case "--fresh": isFresh = true
        case "--no-keep": keepsNothing = true
        case "--direct": isDirect = true
        default: return false
        }
        return true
    }

    /// The command of such a line.
    ///
    /// - Returns: `nil` if it is for the parser.
    static func command(_ arguments: [String]) -> (any NetworkCommand)? {
        var rest = arguments[...]
        guard let name = rest.popFirst(), let type = type(name, &rest), let line = PlainLine(rest) else { return nil }
        return command(type, line)
    }

    /// The commands that such lines can be of: those that tell devices to do something.
    ///
    /// - Parameter rest: what follows the name; loses a name that belongs to it.
    private static func type(_ name: String, _ rest: inout ArraySlice<String>) -> (any PlainCommand.Type)? {
        switch name {
        case "on": return On.self
        case "off": return Off.self
        case "toggle": return Toggle.self
        case "level": return Level.self
        case "identify": return IdentifyCommand.self
        case "mode": return ModeCommand.self
        case "unlock": return Unlock.self
        case "lock":
            let members = DoorLockCommand.configuration.subcommands
            guard let member = members.first(where: { $0.configuration.commandName == rest.first }) else {
                return rest.first == "help" ? nil : Lock.self
            }
            rest.removeFirst()
            return member == Lock.self ? Lock.self : member == Unlock.self ? Unlock.self : nil
        case "scene": return rest.popFirst() == "recall" ? SceneRecall.self : nil
        default: return MatterCtl.plainKind(name)
        }
    }

    private static func command<Command: PlainCommand>(_ type: Command.Type, _ line: PlainLine) -> (any NetworkCommand)?
    {
        var command = type.init()
        guard command.take(line) else { return nil }
        do {
            // As the parser does, from the inside outwards.
            try command.options.validate()
            try command.validate()
            return command
        } catch {
            return nil
        }
    }
}

/// A command that can be made of a line of words and common options.
protocol PlainCommand: NetworkCommand {
    /// Takes what a line has. Its own options, if there are any, are those of a line without them.
    ///
    /// It is no initializer, because there an assignment makes a declaration of the parser, and no value.
    ///
    /// - Returns: `false` for words that it does not take.
    mutating func take(_ line: PlainLine) -> Bool

    /// A requirement of its own: in generic code, that of another protocol would be taken for that of the command.
    func validate() throws
}

/// A command that needs no more than nodes.
protocol SwitchCommand: EverydayCommand, PlainCommand {
    var nodes: [NodeArgument] { get set }
    var everyday: EverydayOptions { get set }
    var options: NetworkOptions { get set }
    mutating func leaveOutOptions()
}

extension SwitchCommand {
    mutating func leaveOutOptions() {}

    mutating func take(_ line: PlainLine) -> Bool {
        nodes = line.words.compactMap { NodeArgument(argument: $0) }
        guard nodes.count == line.words.count else { return false }
        everyday = EverydayOptions(line)
        options = NetworkOptions(line)
        leaveOutOptions()
        return true
    }
}
