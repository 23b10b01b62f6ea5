import ArgumentParser

/// Other spellings of commands: those of earlier versions, which no page shows, and `node fabrics NODE ls`.
enum OldSpellings {
    /// The arguments in the present spelling.
    static func replaced(_ arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        let words = Self.plain(Self.verbFirst(arguments.dropFirst(start)))
        guard let found = VendorModule.all.flatMap(\.oldSpellings).first(where: { words.starts(with: $0.old) }) else {
            return arguments.prefix(start) + words
        }
        return [arguments.prefix(start), found.new[...], words.dropFirst(found.old.count)].flatMap { $0 }
    }

    /// Everyday wording: `turn on kitchen`, `turn kitchen off`, `switch on kitchen`; and the fabrics of a node as a command of its own.
    private static func plain(_ words: [String]) -> [String] {
        guard let first = words.first else { return words }
        if first == fabrics { return [NodeCommand._commandName] + words }
        guard words.count > 1 else { return words }
        let switches = ["on", "off"]
        if ["turn", "switch"].contains(first) {
            if switches.contains(words[1]) { return Array(words.dropFirst()) }
            if words.count == 3, switches.contains(words[2]) { return [words[2], words[1]] }
        }
        return words
    }

    /// In earlier versions a command of its own, a letter apart from `fabric`.
    private static let fabrics = FabricsCommand._commandName

    /// A node that stands before the verb, behind it.
    private static func verbFirst(_ words: ArraySlice<String>) -> [String] {
        var words = Array(words)
        let verbs = FabricsCommand.configuration.subcommands
        let isPart = words.starts(with: [NodeCommand._commandName, fabrics])
        let place = isPart ? 2 : 1
        guard isPart || words.first == fabrics, words.count > place + 1,
            !verbs.contains(where: { $0.answers(to: words[place]) }),
            verbs.contains(where: { $0.answers(to: words[place + 1]) })
        else { return words }
        words.swapAt(place, place + 1)
        return words
    }
}
