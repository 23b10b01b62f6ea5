import ArgumentParser

/// Other spellings of commands: those of earlier versions, which no page shows, and `fabrics NODE ls` for `fabrics ls NODE`.
enum OldSpellings {
    /// The arguments in the present spelling.
    static func replaced(_ arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        let words = Self.plain(Self.verbFirst(arguments.dropFirst(start)))
        guard let found = VendorModule.all.flatMap(\.oldSpellings).first(where: { words.starts(with: $0.old) }) else {
            return arguments.prefix(start) + words
        }
        return arguments.prefix(start) + found.new + words.dropFirst(found.old.count)
    }

    /// What people say: `turn on kitchen`, `turn kitchen off`, `switch on kitchen`; and `node fabrics kitchen`.
    private static func plain(_ words: [String]) -> [String] {
        guard let first = words.first, words.count > 1 else { return words }
        let switches = ["on", "off"]
        if ["turn", "switch"].contains(first) {
            if switches.contains(words[1]) { return Array(words.dropFirst()) }
            if words.count == 3, switches.contains(words[2]) { return [words[2], words[1]] }
        }
        if first == NodeCommand._commandName, words[1] == FabricsCommand._commandName {
            let rest = words.dropFirst(2)
            let isVerb = rest.first.map { word in
                FabricsCommand.configuration.subcommands.contains { $0.answers(to: word) }
            }
            return [FabricsCommand._commandName] + (isVerb ?? false ? [] : ["ls"]) + rest
        }
        return words
    }

    /// A node that stands before the verb, behind it.
    private static func verbFirst(_ words: ArraySlice<String>) -> [String] {
        var words = Array(words)
        let verbs = FabricsCommand.configuration.subcommands
        guard words.count > 2, words[0] == FabricsCommand._commandName,
            !verbs.contains(where: { $0.answers(to: words[1]) }), verbs.contains(where: { $0.answers(to: words[2]) })
        else { return words }
        words.swapAt(1, 2)
        return words
    }
}
