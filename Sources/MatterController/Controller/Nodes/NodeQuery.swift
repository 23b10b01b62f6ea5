import Glibc
public import MatterState

/// Which nodes are meant: by their names, by patterns of names, and by what they have in common.
public struct NodeQuery: Sendable, Hashable {
    /// A node, or several.
    public struct Name: Sendable, Hashable, ExpressibleByStringLiteral {
        /// An id in digits, a name, or a pattern of names: `*` is any text, `?` any character.
        public var text: String
        /// The endpoint that is meant; chosen by what is asked of the node by default.
        public var endpoint: EndpointID?

        /// A node, or several, and the endpoint.
        public init(_ text: String, endpoint: EndpointID? = nil) {
            self.text = text
            self.endpoint = endpoint
        }

        /// A node, or several.
        public init(stringLiteral text: String) { self.init(text) }

        /// Whether it may mean several.
        package var isPattern: Bool { NodeQuery.isPattern(text) }
    }

    /// The names; all nodes if there is none.
    public var names: [Name]
    /// The room that they are in, a node itself or a device behind a bridge.
    public var room: String?
    /// A device type that they have, by its name or number.
    public var deviceType: String?
    /// A cluster that they have, by its name or number.
    public var cluster: String?

    /// Names nodes, and says what they have in common.
    public init(_ names: [Name] = [], room: String? = nil, deviceType: String? = nil, cluster: String? = nil) {
        self.names = names
        (self.room, self.deviceType, self.cluster) = (room, deviceType, cluster)
    }

    /// A property, in words that follow "no node", and the test for it.
    public struct Criterion: Sendable {
        let said: String
        /// Of a device behind a bridge, or of a node without those.
        fileprivate let test: @Sendable (NodeRecord, BridgedEndpoint?) -> Bool

        /// - Parameter device: behind the node, if it is a bridge.
        package func isMet(by node: NodeRecord, _ device: BridgedEndpoint? = nil) -> Bool { test(node, device) }

        /// Whether the node or a device behind it has the property.
        public func isMet(within node: NodeRecord) -> Bool {
            test(node, nil) || node.bridged.contains { test(node, $0) }
        }
    }

    /// A node that is meant.
    public struct Target: Sendable {
        /// The node, as its record has it.
        public let node: NodeRecord
        package let endpoint: EndpointID?
        /// False if it is meant for what it has in common with others.
        public let isNamed: Bool
        /// The device at the endpoint, if it is one of a bridge.
        public let device: BridgedEndpoint?

        fileprivate init(node: NodeRecord, endpoint: EndpointID? = nil, isNamed: Bool) {
            self.node = node
            self.endpoint = endpoint
            self.isNamed = isNamed
            device = endpoint.flatMap { node.bridged(at: $0.rawValue) }
        }

        /// A node that is meant for what it is, and the devices behind it.
        fileprivate static func all(of node: NodeRecord) -> [Target] {
            [Target(node: node, isNamed: false)]
                + node.bridged.map {
                    Target(node: node, endpoint: EndpointID($0.endpoint.number), isNamed: false)
                }
        }
    }

    /// A node, and the endpoints of it that are meant; `nil` for the one that is chosen by what is asked of it.
    public struct Part: Sendable {
        /// The node, as its record has it.
        public let node: NodeRecord
        /// Its endpoints; `nil` stands for the node as a whole.
        public var endpoints: [EndpointID?]

        /// A node with the endpoints that are meant.
        public init(_ node: NodeRecord, _ endpoints: [EndpointID?]) {
            self.node = node
            self.endpoints = endpoints
        }
    }

    /// Whether a word is a pattern of names.
    public static func isPattern(_ word: String) -> Bool { word.contains { $0 == "*" || $0 == "?" } }

    /// The common features of the nodes.
    ///
    /// - Throws: `DataModelError` for a type or a cluster that no definition has.
    public func criteria(in catalogue: Catalogue) throws -> [Criterion] {
        var criteria: [Criterion] = []
        if let room {
            criteria.append(
                Criterion(said: "is in the room '\(room)'") { node, device in device?.isIn(room) ?? node.isIn(room) })
        }
        if let deviceType {
            let id = try Self.id(deviceType) {
                DeviceTypeID($0)
            } named: {
                try catalogue.deviceType(named: $0).id
            }
            criteria.append(
                Criterion(said: "is known to have the device type '\(deviceType)'") { node, device in
                    Self.endpoints(node, device).contains { $0.deviceTypes.contains(id.rawValue) }
                })
        }
        if let cluster {
            let id = try Self.id(cluster) {
                ClusterID($0)
            } named: {
                try catalogue.cluster(named: $0).id
            }
            criteria.append(
                Criterion(said: "is known to have the cluster '\(cluster)'") { node, device in
                    Self.endpoints(node, device).contains { $0.serverClusters.contains(id.rawValue) }
                })
        }
        return criteria
    }

    private static func endpoints(_ node: NodeRecord, _ device: BridgedEndpoint?) -> [NodeRecord.Endpoint] {
        device.map { [$0.endpoint] } ?? node.ownEndpoints
    }

    private static func id<ID>(_ text: String, number: (UInt32) -> ID, named: (String) throws -> ID) throws -> ID {
        if let value = NameRule.parseNumber(text), let short = UInt32(exactly: value) { return number(short) }
        return try named(text)
    }
}

extension NodeRecord {
    /// The endpoints that are no devices behind a bridge.
    public var ownEndpoints: [Endpoint] { endpoints.filter { $0.bridged == nil } }
}

extension NodeService {
    /// The nodes that a query means and, where they were named, their endpoints, by id, each once.
    ///
    /// - Throws: `RecordError` `unknownNode` if there is none.
    public func targets(of query: NodeQuery, in catalogue: Catalogue) throws -> [NodeQuery.Target] {
        typealias Target = NodeQuery.Target
        let known = try context.nodes().sound().nodes
        var chosen = query.names.isEmpty ? known.flatMap(Target.all) : []
        for name in query.names where !name.isPattern {
            let place = try place(of: name.text, endpoint: name.endpoint)
            chosen.append(Target(node: place.node, endpoint: place.endpoint, isNamed: true))
        }
        for name in query.names where name.isPattern {
            let found = known.flatMap { node in
                fnmatch(name.text, node.name ?? "", 0) == 0
                    ? name.endpoint.map { [Target(node: node, endpoint: $0, isNamed: false)] } ?? Target.all(of: node)
                    : Target.all(of: node).filter { fnmatch(name.text, $0.device?.device.title ?? "", 0) == 0 }
            }
            guard !found.isEmpty else { throw Self.noNode("has a name like '\(name.text)'") }
            chosen += found
        }
        for criterion in try query.criteria(in: catalogue) {
            chosen = chosen.filter { target in
                target.isNamed && target.endpoint == nil
                    ? criterion.isMet(within: target.node) : criterion.isMet(by: target.node, target.device)
            }
            guard !chosen.isEmpty else {
                let rooms = try context.rooms().sound().rooms.map(\.name).filter { $0 != query.room }
                let near = query.room.map { Suggestions.nearest(to: $0, among: rooms) } ?? []
                throw Self.noNode(criterion.said, Suggestions.question(near).map { Hint($0) })
            }
        }
        guard !chosen.isEmpty else { throw Self.noNode("has been commissioned", .step("node.commission")) }
        return chosen.enumerated().filter { index, target in
            !chosen[..<index].contains { $0.node.nodeID == target.node.nodeID && $0.endpoint == target.endpoint }
        }.map(\.element).sorted {
            ($0.node.nodeID, $0.endpoint?.rawValue ?? 0) < ($1.node.nodeID, $1.endpoint?.rawValue ?? 0)
        }
    }

    /// The nodes by id with their endpoints. Those that were not named take part if an endpoint suits, as far as that is
    /// known.
    ///
    /// - Parameter eachEndpoint: whether a node that was not named takes part with every endpoint that suits; else what is
    ///   asked of it chooses.
    /// - Throws: ``RecordError`` if nothing is meant, ``DataModelError`` for an unknown type or cluster.
    public func parts(
        of query: NodeQuery, in catalogue: Catalogue, eachEndpoint: Bool = false,
        where suits: @Sendable (NodeRecord.Endpoint) -> Bool
    ) throws -> [NodeQuery.Part] {
        var parts: [NodeQuery.Part] = []
        for target in try targets(of: query, in: catalogue) {
            var endpoints = [target.endpoint]
            if !target.isNamed, let device = target.device {
                guard suits(device.endpoint) else { continue }
            } else if !target.isNamed, !target.node.endpoints.isEmpty {
                let own = target.node.ownEndpoints.filter(suits)
                guard !own.isEmpty else { continue }
                // The bridge's own type does not compete with what stands behind it.
                let isPlain = own.count == 1 && !target.node.bridged.isEmpty
                if target.endpoint == nil, isPlain || eachEndpoint && own.count > 1 {
                    endpoints = own.map { EndpointID($0.number) }
                }
            }
            if parts.last?.node.nodeID != target.node.nodeID { parts.append(NodeQuery.Part(target.node, [])) }
            let known = parts[parts.count - 1].endpoints
            parts[parts.count - 1].endpoints += endpoints.filter { !known.contains($0) }
        }
        return parts
    }

    private static func noNode(_ what: String, _ hint: Hint? = nil) -> RecordError {
        RecordError(.unknownNode, "no node \(what)", hint: hint ?? .step("node.see"))
    }
}

extension Controller {
    /// The nodes that a query means, by id, each once.
    ///
    /// - Throws: ``MatterError`` `notFound` if there is none.
    public func nodes(matching query: NodeQuery) throws -> [Node] {
        do {
            var seen: Set<NodeID> = []
            return try nodes.targets(of: query, in: .standard).map(\.node).filter { seen.insert($0.nodeID).inserted }
                .map { Node($0, self) }
        } catch {
            throw MatterError(error)
        }
    }
}
