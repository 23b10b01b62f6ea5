import ArgumentParser

/// A command that the arguments name in full, for a parser that needs to know no other.
enum NamedCommand {
    /// The command with its arguments.
    ///
    /// Led from the root, the parser looks at all commands of the program first, which takes longer than all else that it
    /// does. Whatever is not simply a command is left to it, so that its errors and pages are always those of the root.
    ///
    /// - Returns: `nil` if the arguments are none of such a command.
    static func parsed(_ arguments: [String], of root: any ParsableCommand.Type) -> (any ParsableCommand)? {
        var type = root
        var rest = arguments[...]
        while !type.configuration.subcommands.isEmpty {
            if let next = type.subcommand(rest.first) {
                type = next
                rest = rest.dropFirst()
            } else if let usual = type.configuration.defaultSubcommand,
                usual is any KindOfDeviceCommand.Type || rest.first.map({ !$0.hasPrefix("-") }) ?? false
            {
                // `lock door` is what the kind says it is.
                type = usual
            } else {
                return nil
            }
        }
        // The parser answers with a command of its own where help is wanted.
        guard let command = try? type.parseAsRoot(Array(rest)), Swift.type(of: command) == type else { return nil }
        return command
    }
}

extension ParsableCommand {
    fileprivate static func subcommand(_ name: String?) -> (any ParsableCommand.Type)? {
        name.flatMap { name in configuration.subcommands.first { $0.answers(to: name) } }
    }
}
