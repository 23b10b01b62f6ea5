import ArgumentParser
import MatterController

/// Lets the options of every command stand before it, as `kubectl` and `gh` have them.
enum LeadingOptions {
    private static let flags: Set<String> = ["--json", "-v", "-vv", "--verbose"]
    private static let valued: Set<String> = [
        "--home", "--fabric", "--log-file", "--address", "--timeout", "--progress",
    ]

    /// The arguments with such options behind the command that follows them; unchanged if none does.
    static func moved(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        guard let (leading, after) = split(arguments), !leading.isEmpty, !after.isEmpty else { return arguments }
        let rest = OldSpellings.replaced(Array(after))[...]
        let words = rest.prefix(depth(of: rest, root))
        return Array(words + leading[...] + rest.dropFirst(words.count))
    }

    /// The options that the arguments begin with, and the rest; `nil` if one of them is none of these.
    static func split(_ arguments: [String]) -> (leading: [String], rest: ArraySlice<String>)? {
        var rest = arguments[...]
        var leading: [String] = []
        while let argument = rest.first, argument.hasPrefix("-") {
            let name = String(argument.prefix { $0 != "=" })
            let takesNext = valued.contains(name) && !argument.contains("=")
            guard flags.contains(argument) || valued.contains(name), rest.count > (takesNext ? 1 : 0) else {
                return nil
            }
            leading += rest.prefix(takesNext ? 2 : 1)
            rest = rest.dropFirst(takesNext ? 2 : 1)
        }
        return (leading, rest)
    }

    /// How many words the command has that the arguments begin with; one if it is unknown, which is said later.
    private static func depth(of arguments: ArraySlice<String>, _ root: any ParsableCommand.Type) -> Int {
        var type = root
        var depth = 0
        for argument in arguments {
            guard let next = type.configuration.subcommands.first(where: { $0.answers(to: argument) }) else { break }
            type = next
            depth += 1
        }
        return max(1, depth)
    }

    /// The option of every command that a misspelt one probably is.
    static func nearest(to option: String) -> String? {
        let name = String(option.prefix { $0 != "=" })
        let names = flags.union(valued).filter { $0.hasPrefix("--") }.sorted()
        return names.contains(name) ? nil : Suggestions.nearest(to: name, among: names, limit: 1).first
    }

    /// Whether an argument that is no command is followed by one.
    static func precede(_ arguments: [String], of root: any ParsableCommand.Type) -> Bool {
        guard let first = arguments.first, first.hasPrefix("-") else { return false }
        return arguments.dropFirst().contains { argument in
            root.configuration.subcommands.contains { $0.answers(to: argument) }
        }
    }
}
