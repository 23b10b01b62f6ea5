/// Commands as earlier versions spelled them: they still work, and no page shows them.
enum OldSpellings {
    private static let commands: [(old: [String], new: [String])] = [
        (["acl", "refresh"], ["rainmaker", "access", "refresh"]),
        (["cloud", "groups"], ["cloud", "group", "ls"]),
        (["cloud", "create-fabric"], ["cloud", "group", "create"]),
        (["cloud", "convert"], ["cloud", "group", "convert"]),
        (["cloud", "delete"], ["cloud", "group", "delete"]),
        (["cloud", "user-noc"], ["cloud", "group", "user-noc"]),
        (["cloud", "nodes"], ["cloud", "node", "ls"]),
        (["cloud", "node-metadata"], ["cloud", "node", "metadata"]),
    ]

    /// The arguments in the present spelling.
    static func replaced(_ arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        let words = arguments.dropFirst(start)
        guard let found = commands.first(where: { words.starts(with: $0.old) }) else { return arguments }
        return arguments.prefix(start) + found.new + words.dropFirst(found.old.count)
    }
}
