import ArgumentParser
import MatterDataModel

/// Finds a mistyped command before the parser takes it for a value, and names the nearest one.
enum CommandSpelling {
    static func unknownCommand(in arguments: [String], of root: any ParsableCommand.Type) -> UsageError? {
        var type = root
        var spelled: [String] = ["matterctl"]
        for argument in arguments {
            let known =
                type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap { $0.subcommands }
            guard !known.isEmpty, !argument.hasPrefix("-") else { return nil }
            if argument == "help" { return nil }
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

/// Lets a negative number stand as a value without `--`.
enum NegativeNumbers {
    static func escaped(_ arguments: [String]) -> [String] {
        guard !arguments.contains("--"), let first = arguments.firstIndex(where: isNegativeNumber) else {
            return arguments
        }
        // Everything from the number on that is no option has to come after the terminator.
        let head = arguments[..<first]
        let tail = arguments[first...]
        let values = tail.filter { isNegativeNumber($0) || !$0.hasPrefix("-") }
        let options = tail.filter { !isNegativeNumber($0) && $0.hasPrefix("-") }
        guard options.allSatisfy({ $0.contains("=") || flags.contains($0) }) else { return arguments }
        return Array(head) + options + ["--"] + values
    }

    /// Options that take no value, so that they may be moved.
    private static let flags: Set<String> = ["--json", "-v", "-vv", "--verbose", "--timed", "--numeric", "--strict"]

    private static func isNegativeNumber(_ argument: String) -> Bool {
        argument.hasPrefix("-") && Double(argument) != nil
    }
}
