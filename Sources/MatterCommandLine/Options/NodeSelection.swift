import ArgumentParser
import Glibc
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords

/// Which nodes a command is about: named, by pattern, or by what they have in common.
struct NodeSelection: ParsableArguments {
    @Flag(help: "All nodes.") var all = false
    @OptionGroup var filter: NodeFilter

    /// Whether nodes need not be named.
    var isGiven: Bool { all || filter.isGiven }

    /// For commands that are about one node or several.
    func require(_ words: [String], _ options: NetworkOptions) throws {
        guard options.address == nil || meansOne(words) else { throw ValidationError("--address is for one node") }
        guard isGiven || !words.isEmpty else {
            throw ValidationError("name a node, or give --all, --room, --type or --cluster")
        }
    }

    /// True if the words name one node, so that the result is not a list of nodes.
    func meansOne(_ words: [String]) -> Bool { words.count == 1 && !isGiven && !words.contains(where: Self.isPattern) }

    /// The nodes by id, each once.
    ///
    /// - Parameter words: ids, names, or patterns of names with `*` and `?`.
    func nodes(_ words: [String], of controller: Controller, in catalogue: Catalogue) async throws -> [NodeRecord] {
        if meansOne(words), let word = words.first {
            return [try await controller.record(of: word)]
        }
        let known = try await controller.nodes().sound().nodes
        var chosen: [NodeRecord] = words.isEmpty ? known : []
        for word in words where !Self.isPattern(word) { chosen.append(try await controller.record(of: word)) }
        for word in words where Self.isPattern(word) {
            let found = known.filter { fnmatch(word, $0.name ?? "", 0) == 0 }
            guard !found.isEmpty else { throw Self.none("has a name like '\(word)'") }
            chosen += found
        }
        for criterion in try filter.criteria(in: catalogue) {
            chosen = chosen.filter(criterion.isMet)
            guard !chosen.isEmpty else { throw Self.none(criterion.said) }
        }
        guard !chosen.isEmpty else { throw Self.none("has been commissioned") }
        var seen: Set<NodeID> = []
        return chosen.filter { seen.insert($0.nodeID).inserted }.sorted { $0.nodeID < $1.nodeID }
    }

    private static func isPattern(_ word: String) -> Bool { word.contains { $0 == "*" || $0 == "?" } }

    private static func none(_ what: String) -> CommandLineError {
        CommandLineError("node.unknown", "no node \(what)", hint: .step("node.see"), status: .notFound)
    }
}
