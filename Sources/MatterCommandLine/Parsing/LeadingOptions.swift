import ArgumentParser
import MatterController

/// Lets the options of every command stand before it, as `kubectl` and `gh` have them.
enum LeadingOptions {
    /// The common part of commands that talk to devices; others say themselves what they lack. A line that begins with a
    /// command does not need it.
    private static let declaration = CommandDeclaration(of: NetworkOptions.self)
    /// The beginning of a line of another kind. It is looked for first, as the declaration takes some milliseconds.
    private static let others: Set<String> = ["-h", "--help", "--version", CompletionCall.word]

    /// Whether an argument is one of them, and takes the next argument; `nil` if it is none.
    private static func takesNext(_ argument: String) -> Bool? {
        let name = String(argument.prefix { $0 != "=" })
        guard !others.contains(name) else { return nil }
        if let option = declaration.option(name) {
            // A flag takes nothing.
            guard option.value != nil else { return name == argument ? false : nil }
            return name == argument
        }
        // Several short ones may stand together: -vv.
        let letters = name.dropFirst()
        guard !name.hasPrefix("--"), !letters.isEmpty, name == argument else { return nil }
        let areFlags = letters.allSatisfy { letter in
            letter != "h" && declaration.option("-\(letter)").map { $0.value == nil } ?? false
        }
        return areFlags ? false : nil
    }

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
            guard let takesNext = takesNext(argument), rest.count > (takesNext ? 1 : 0) else { return nil }
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
        let names = declaration.options.flatMap(\.names).filter { $0.hasPrefix("--") && !others.contains($0) }.sorted()
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
