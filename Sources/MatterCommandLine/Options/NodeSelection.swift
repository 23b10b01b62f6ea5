import ArgumentParser
import MatterController

/// Which nodes a command is about: named, by pattern, or by what they have in common.
struct NodeSelection: ParsableArguments {
    static let nodesHelp = ArgumentHelp(
        "Node ids, names or patterns of names, with /EP for an endpoint.", valueName: "node")

    static let wholeNodesHelp = ArgumentHelp("Node ids, names or patterns of names.", valueName: "node")

    @Flag(name: .line(.all), help: "All nodes.") var all = false
    @OptionGroup var filter: NodeFilter

    init() {}

    /// Whether nodes need not be named.
    var isGiven: Bool { all || filter.isGiven }

    /// For commands that are about one node or several.
    func require(_ words: [String], _ options: NetworkOptions) throws {
        guard options.address == nil || meansOne(words) else { throw ValidationError("--address is for one node") }
        try require(words)
    }

    func require(_ words: [String]) throws {
        guard isGiven || !words.isEmpty else {
            throw ValidationError("name a node, or give --all, --room, --type or --cluster")
        }
    }

    /// True if the words name one node, so that the result is not a list of nodes.
    func meansOne(_ words: [String]) -> Bool { words.count == 1 && !isGiven && !words.contains(where: Self.isPattern) }

    typealias Target = NodeQuery.Target
    typealias Part = NodeQuery.Part

    /// The meaning of words and options.
    func query(_ words: [NodeArgument]) -> NodeQuery {
        filter.query(words.map { NodeQuery.Name($0.node, endpoint: $0.endpoint) })
    }

    /// The nodes by id with their endpoints. Those that were not named take part if an endpoint suits, as far as that is
    /// known.
    func parts(
        _ words: [NodeArgument], of controller: Controller, in catalogue: Catalogue,
        where suits: @Sendable (NodeRecord.Endpoint) -> Bool
    ) async throws -> [Part] {
        try controller.nodes.parts(of: query(words), in: catalogue, where: suits)
    }

    /// The nodes by id, each once.
    ///
    /// - Parameter words: ids, names, or patterns of names with `*` and `?`.
    func nodes(_ words: [String], of controller: Controller, in catalogue: Catalogue) async throws -> [NodeRecord] {
        if meansOne(words), let word = words.first {
            return [try controller.nodes.place(of: word).node]
        }
        var seen: Set<NodeID> = []
        return try await targets(words.map { NodeArgument($0) }, of: controller, in: catalogue).map(\.node).filter {
            seen.insert($0.nodeID).inserted
        }
    }

    /// The nodes and, where they were named, their endpoints, by id, each once.
    func targets(
        _ words: [NodeArgument], of controller: Controller, in catalogue: Catalogue
    ) async throws -> [Target] {
        try controller.nodes.targets(of: query(words), in: catalogue)
    }

    static func isPattern(_ word: String) -> Bool { NodeQuery.isPattern(word) }
}
