/// Commands as earlier versions spelled them: they still work, and no page shows them.
enum OldSpellings {
    /// The arguments in the present spelling.
    static func replaced(_ arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        let words = arguments.dropFirst(start)
        guard let found = VendorModule.all.flatMap(\.oldSpellings).first(where: { words.starts(with: $0.old) }) else {
            return arguments
        }
        return arguments.prefix(start) + found.new + words.dropFirst(found.old.count)
    }
}
