import ArgumentParser
import Glibc
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords

/// Which nodes a command is about: named, by pattern, or by what they have in common.
struct NodeSelection: ParsableArguments {
    static let nodesHelp = ArgumentHelp(
        "Node ids, names or patterns of names, with /EP for an endpoint.", valueName: "node")

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

    /// A node that is meant.
    struct Target {
        let node: NodeRecord
        var endpoint: EndpointID?
        /// False if it is meant for what it has in common with others.
        let isNamed: Bool
    }

    /// A node, and the endpoints of it that are meant; `nil` for the one that is chosen by what is asked of it.
    struct Part {
        let node: NodeRecord
        var endpoints: [EndpointID?]

        init(_ node: NodeRecord, _ endpoints: [EndpointID?]) {
            self.node = node
            self.endpoints = endpoints
        }
    }

    /// The nodes by id with their endpoints. Those that were not named take part if an endpoint suits, as far as that is
    /// known.
    func parts(
        _ words: [NodeArgument], of controller: Controller, in catalogue: Catalogue,
        where suits: (NodeRecord.Endpoint) -> Bool
    ) async throws -> [Part] {
        var parts: [Part] = []
        for target in try await targets(words, of: controller, in: catalogue)
        where target.isNamed || target.node.endpoints.isEmpty || target.node.endpoints.contains(where: suits) {
            if parts.last?.node.nodeID == target.node.nodeID {
                parts[parts.count - 1].endpoints.append(target.endpoint)
            } else {
                parts.append(Part(target.node, [target.endpoint]))
            }
        }
        return parts
    }

    /// The nodes by id, each once.
    ///
    /// - Parameter words: ids, names, or patterns of names with `*` and `?`.
    func nodes(_ words: [String], of controller: Controller, in catalogue: Catalogue) async throws -> [NodeRecord] {
        if meansOne(words), let word = words.first {
            return [try await controller.record(of: word)]
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
        let known = try await controller.nodes().sound().nodes
        var chosen = words.isEmpty ? known.map { Target(node: $0, isNamed: false) } : []
        for word in words where !Self.isPattern(word.node) {
            chosen.append(
                Target(node: try await controller.record(of: word.node), endpoint: word.endpoint, isNamed: true))
        }
        for word in words where Self.isPattern(word.node) {
            let found = known.filter { fnmatch(word.node, $0.name ?? "", 0) == 0 }
            guard !found.isEmpty else { throw Self.none("has a name like '\(word.node)'") }
            chosen += found.map { Target(node: $0, endpoint: word.endpoint, isNamed: false) }
        }
        for criterion in try filter.criteria(in: catalogue) {
            chosen = chosen.filter { criterion.isMet($0.node) }
            guard !chosen.isEmpty else { throw Self.none(criterion.said) }
        }
        guard !chosen.isEmpty else { throw Self.none("has been commissioned") }
        return chosen.enumerated().filter { index, target in
            !chosen[..<index].contains { $0.node.nodeID == target.node.nodeID && $0.endpoint == target.endpoint }
        }.map(\.element).sorted {
            ($0.node.nodeID, $0.endpoint?.rawValue ?? 0) < ($1.node.nodeID, $1.endpoint?.rawValue ?? 0)
        }
    }

    private static func isPattern(_ word: String) -> Bool { word.contains { $0 == "*" || $0 == "?" } }

    private static func none(_ what: String) -> CommandLineError {
        CommandLineError("node.unknown", "no node \(what)", hint: .step("node.see"), status: .notFound)
    }
}
