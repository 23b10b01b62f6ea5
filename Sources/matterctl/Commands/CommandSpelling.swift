import ArgumentParser
import MatterDataModel

/// Finds a mistyped command before the parser takes it for a value, and names the nearest one.
enum CommandSpelling {
    static func unknownCommand(in arguments: [String], of root: any ParsableCommand.Type) -> UsageError? {
        var type = root
        var spelled: [String] = ["matterctl"]
        // `help` stands before the command that it is about.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known =
                type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap { $0.subcommands }
            guard !known.isEmpty, !argument.hasPrefix("-") else { return nil }
            if let next = known.first(where: { $0.answers(to: argument) }) {
                type = next
                spelled.append(argument)
                continue
            }
            guard type.configuration.defaultSubcommand == nil else { return nil }
            let nearest = Suggestions.nearest(to: argument, among: known.map { $0._commandName })
            let hint =
                nearest.isEmpty
                ? "see: \(spelled.joined(separator: " ")) --help" : "did you mean \(nearest.joined(separator: " or "))?"
            return UsageError(
                "usage.unknown-command",
                "'\((spelled.dropFirst() + [argument]).joined(separator: " "))' is not a command",
                hint: hint)
        }
        return nil
    }
}

extension ParsableCommand {
    fileprivate static func answers(to name: String) -> Bool {
        _commandName == name || configuration.aliases.contains(name)
    }
}

/// Lets a negative number, with or without a unit, stand as a value without `--`.
enum NegativeNumbers {
    static func escaped(_ arguments: [String]) -> [String] {
        guard !arguments.contains("--"), let first = firstValue(in: arguments) else { return arguments }
        // Everything from the number on that is no option, nor the value of one, has to come after the terminator.
        var options: [String] = []
        var values: [String] = []
        var rest = arguments[first...]
        while let argument = rest.popFirst() {
            guard isOption(argument) else {
                values.append(argument)
                continue
            }
            options.append(argument)
            if takesNext(argument), let value = rest.popFirst() { options.append(value) }
        }
        return Array(arguments[..<first]) + options + ["--"] + values
    }

    /// The first negative number that is not the value of an option.
    private static func firstValue(in arguments: [String]) -> Int? {
        var isTaken = false
        for (index, argument) in arguments.enumerated() {
            if isNegativeNumber(argument), !isTaken { return index }
            isTaken = !isTaken && isOption(argument) && takesNext(argument)
        }
        return nil
    }

    private static func takesNext(_ option: String) -> Bool { !option.contains("=") && !flags.contains(option) }

    /// The options that take no value, of commands that take numbers.
    private static let flags: Set<String> = [
        "--json", "-v", "-vv", "--verbose", "--timed", "--numeric", "--strict", "--all-fabrics", "--verify",
        "--no-on-off", "-h", "--help", "--version",
    ]

    private static func isOption(_ argument: String) -> Bool {
        argument.hasPrefix("-") && argument != "-" && !isNegativeNumber(argument)
    }

    /// `-5`, `-0.5`, `-5C`: no option begins with a digit.
    private static func isNegativeNumber(_ argument: String) -> Bool {
        let octets = argument.utf8
        guard octets.first == UInt8(ascii: "-") else { return false }
        let digits = octets.dropFirst()
        let first = digits.first == UInt8(ascii: ".") ? digits.dropFirst().first : digits.first
        return first.map { 0x30...0x39 ~= $0 } ?? false
    }
}

extension UsageError {
    /// What the parser says on several lines, in the form that all errors have.
    init(parsing error: any Error) {
        let lines = MatterCtl.fullMessage(for: error).split(separator: "\n")
        func text(after label: String) -> Substring? {
            lines.first { $0.hasPrefix(label) }.map { $0.dropFirst(label.count).drop { $0 == " " } }
        }
        var reason = MatterCtl.message(for: error).split(separator: "\n").joined(separator: " ")
        // What the argument is for: "<node>  Node id or name."
        if let help = text(after: "Help:")?.split(separator: "  ", maxSplits: 1).last?.drop(while: { $0 == " " }) {
            reason += " (\(help.hasSuffix(".") ? help.dropLast() : help))"
        }
        let page = lines.last { $0.contains("See '") }?.split(separator: "'").dropFirst().first ?? "matterctl --help"
        var hint = "see: \(page)"
        if let usage = text(after: "Usage:") { hint = "usage: \(Self.brief(usage)); \(hint)" }
        self.init("usage", reason, hint: hint)
    }

    /// A usage with its options left out.
    private static func brief(_ usage: Substring) -> String {
        var words = usage.split(separator: " ")
        guard let first = words.firstIndex(where: { $0.hasPrefix("[-") }),
            let final = words.lastIndex(where: { $0.hasPrefix("[-") }),
            let last = words[final...].firstIndex(where: { $0.hasSuffix("]") })
        else { return String(usage) }
        words.replaceSubrange(first...last, with: ["[<options>]"])
        return words.joined(separator: " ")
    }
}
