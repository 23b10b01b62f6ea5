import ArgumentParser
import MatterController

/// Finds a mistyped command before the parser takes it for a value, and names the nearest one.
enum CommandSpelling {
    /// Other programs' names for the commands that take something away.
    private static let synonyms = ["delete", "rm", "del"].reduce(into: [:]) { $0[$1] = ["remove", "forget"] }

    static func unknownCommand(in arguments: [String], of root: any ParsableCommand.Type) -> CommandLineError? {
        var type = root
        var spelled: [String] = ["matterctl"]
        // `help` stands before the command that it is about.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known = type.configuration.subcommands
            guard !known.isEmpty, !argument.hasPrefix("-") else { return nil }
            if let next = known.first(where: { $0.answers(to: argument) }) {
                type = next
                spelled.append(argument)
                continue
            }
            guard type.configuration.defaultSubcommand == nil else { return nil }
            let names = known.map { $0._commandName }
            let meant = (synonyms[argument] ?? []).filter(names.contains)
            // Another name of a command may be nearer; its own is the one to learn.
            let others = known.filter { command in
                !Suggestions.nearest(to: argument, among: command.configuration.aliases).isEmpty
            }.map { $0._commandName }
            let near = Suggestions.nearest(to: argument, among: names)
            let nearest = meant.isEmpty ? (near.isEmpty ? others : near) : meant
            let hint: String
            if type == root, let known = CommandSynonyms.command(for: argument) {
                hint = "use: matterctl \(known)"
            } else {
                hint =
                    nearest.isEmpty
                    ? "see: \(spelled.joined(separator: " ")) --help"
                    : "did you mean \(nearest.joined(separator: " or "))?"
            }
            return CommandLineError(
                .usageUnknownCommand,
                "'\((spelled.dropFirst() + [argument]).joined(separator: " "))' is not a command",
                hint: Hint(hint))
        }
        return nil
    }
}

extension ParsableCommand {
    static func answers(to name: String) -> Bool {
        _commandName == name || configuration.aliases.contains(name)
    }
}
