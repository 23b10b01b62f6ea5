import ArgumentParser
import Glibc
import MatterBase
import MatterController
import MatterCrypto
import MatterModel
import MatterState

/// Which nodes a command is about: named, by pattern, or by what they have in common.
struct NodeSelection: ParsableArguments {
    static let nodesHelp = ArgumentHelp(
        "Node ids, names or patterns of names, with /EP for an endpoint.", valueName: "node")

    static let wholeNodesHelp = ArgumentHelp("Node ids, names or patterns of names.", valueName: "node")

    @Flag(help: "All nodes.") var all = false
    @OptionGroup var filter: NodeFilter

    init() {}

    init(_ line: PlainLine) {
        all = false
        filter = NodeFilter(line)
    }

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

    /// A node that is meant.
    struct Target {
        let node: NodeRecord
        var endpoint: EndpointID?
        /// False if it is meant for what it has in common with others.
        let isNamed: Bool
        /// What stands at the endpoint, if it is one of a bridge.
        var device: BridgedEndpoint?

        init(node: NodeRecord, endpoint: EndpointID? = nil, isNamed: Bool) {
            self.node = node
            self.endpoint = endpoint
            self.isNamed = isNamed
            device = endpoint.flatMap { node.bridged(at: $0.rawValue) }
        }

        /// A node that is meant for what it is, and the devices behind it.
        static func all(of node: NodeRecord) -> [Target] {
            [Target(node: node, isNamed: false)]
                + node.bridged.map {
                    Target(node: node, endpoint: EndpointID($0.endpoint.number), isNamed: false)
                }
        }
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
    ///
    /// - Parameter eachEndpoint: whether a node that was not named takes part with every endpoint that suits; else what is
    ///   asked of it chooses.
    func parts(
        _ words: [NodeArgument], of controller: Controller, in catalogue: Catalogue, eachEndpoint: Bool = false,
        where suits: (NodeRecord.Endpoint) -> Bool
    ) async throws -> [Part] {
        var parts: [Part] = []
        for target in try await targets(words, of: controller, in: catalogue) {
            var endpoints = [target.endpoint]
            if !target.isNamed, let device = target.device {
                guard suits(device.endpoint) else { continue }
            } else if !target.isNamed, !target.node.endpoints.isEmpty {
                let own = target.node.ownEndpoints.filter(suits)
                guard !own.isEmpty else { continue }
                // What a bridge is itself does not compete with what stands behind it.
                let isPlain = own.count == 1 && !target.node.bridged.isEmpty
                if target.endpoint == nil, isPlain || eachEndpoint && own.count > 1 {
                    endpoints = own.map { EndpointID($0.number) }
                }
            }
            if parts.last?.node.nodeID != target.node.nodeID { parts.append(Part(target.node, [])) }
            let known = parts[parts.count - 1].endpoints
            parts[parts.count - 1].endpoints += endpoints.filter { !known.contains($0) }
        }
        return parts
    }

    /// The nodes by id, each once.
    ///
    /// - Parameter words: ids, names, or patterns of names with `*` and `?`.
    func nodes(_ words: [String], of controller: Controller, in catalogue: Catalogue) async throws -> [NodeRecord] {
        if meansOne(words), let word = words.first {
            return [try await controller.place(of: word).node]
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
        var chosen = words.isEmpty ? known.flatMap(Target.all) : []
        for word in words where !Self.isPattern(word.node) {
            let place = try await controller.place(of: word.node, endpoint: word.endpoint)
            chosen.append(Target(node: place.node, endpoint: place.endpoint, isNamed: true))
        }
        for word in words where Self.isPattern(word.node) {
            let found = known.flatMap { node in
                fnmatch(word.node, node.name ?? "", 0) == 0
                    ? word.endpoint.map { [Target(node: node, endpoint: $0, isNamed: false)] } ?? Target.all(of: node)
                    : Target.all(of: node).filter { fnmatch(word.node, $0.device?.device.title ?? "", 0) == 0 }
            }
            guard !found.isEmpty else { throw Self.none("has a name like '\(word.node)'") }
            chosen += found
        }
        for criterion in try filter.criteria(in: catalogue) {
            chosen = chosen.filter { target in
                target.isNamed && target.endpoint == nil
                    ? criterion.isMet(within: target.node) : criterion.isMet(by: target.node, target.device)
            }
            guard !chosen.isEmpty else {
                let rooms = try await controller.rooms().sound().rooms.map(\.name).filter { $0 != filter.room }
                let near = filter.room.map { Suggestions.nearest(to: $0, among: rooms) } ?? []
                throw Self.none(criterion.said, Suggestions.question(near).map { Hint($0) })
            }
        }
        guard !chosen.isEmpty else { throw Self.none("has been commissioned", .step("node.commission")) }
        return chosen.enumerated().filter { index, target in
            !chosen[..<index].contains { $0.node.nodeID == target.node.nodeID && $0.endpoint == target.endpoint }
        }.map(\.element).sorted {
            ($0.node.nodeID, $0.endpoint?.rawValue ?? 0) < ($1.node.nodeID, $1.endpoint?.rawValue ?? 0)
        }
    }

    static func isPattern(_ word: String) -> Bool { word.contains { $0 == "*" || $0 == "?" } }

    private static func none(_ what: String, _ hint: Hint? = nil) -> CommandLineError {
        CommandLineError(.nodeUnknown, "no node \(what)", hint: hint ?? .step("node.see"))
    }
}
