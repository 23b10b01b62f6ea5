public import MatterState

/// A node's description of itself: its endpoints with their parts, and what their clusters can do (Matter core specification
/// 7.13, 9.5).
public struct NodeDescription: Sendable {
    /// A server cluster of an endpoint.
    public struct Cluster: Sendable {
        /// The number of the cluster.
        public let id: ClusterID
        /// The revision of the cluster; `nil` if the node does not say.
        public fileprivate(set) var revision: UInt16?
        /// FeatureMap, one bit for each feature.
        public fileprivate(set) var features: UInt32?
        /// AttributeList; `nil` if it was not read.
        public fileprivate(set) var attributes: [AttributeID]?
        /// AcceptedCommandList; `nil` if it was not read.
        public fileprivate(set) var commands: [CommandID]?
    }

    /// An endpoint, as the Descriptor cluster has it (Matter core specification, 9.5).
    public struct Endpoint: Sendable {
        /// The number of the endpoint.
        public let number: EndpointID
        /// Its types, each with the revision of the device type.
        public fileprivate(set) var deviceTypes: [(id: DeviceTypeID, revision: UInt16?)] = []
        /// The endpoints that are part of it.
        public fileprivate(set) var parts: [EndpointID] = []
        /// Semantic tags, as structures.
        public fileprivate(set) var tags: [TLVValue] = []
        /// The clusters that it serves.
        public fileprivate(set) var servers: [Cluster] = []
        /// The clusters that it controls on others.
        public fileprivate(set) var clients: [ClusterID] = []
    }

    /// The endpoints by number.
    public private(set) var endpoints: [Endpoint] = []

    /// The paths to read.
    ///
    /// - Parameter elements: whether also the lists of attributes and commands.
    public static func paths(
        endpoint: EndpointID? = nil, cluster: ClusterID? = nil, elements: Bool
    ) -> [AttributePath] {
        let lists = [GlobalAttribute.attributeList, GlobalAttribute.acceptedCommandList]
        return [
            Descriptor.Attribute.deviceTypeList, Descriptor.Attribute.serverList, Descriptor.Attribute.clientList,
            Descriptor.Attribute.partsList, Descriptor.Attribute.tagList,
        ].map { AttributePath(endpoint: endpoint, cluster: Descriptor.id, attribute: $0) }
            + ([GlobalAttribute.featureMap, GlobalAttribute.clusterRevision] + (elements ? lists : [])).map {
                AttributePath(endpoint: endpoint, cluster: cluster, attribute: $0)
            }
    }

    /// The endpoints that a read of ``paths(endpoint:cluster:elements:)`` describes. What a node leaves out or garbles is
    /// missing, and spoils nothing else.
    public init(_ result: ReadResult) {
        var found: [EndpointID: Endpoint] = [:]
        var clusters: [EndpointID: [ClusterID: Cluster]] = [:]
        for report in result.attributes {
            let (path, members) = (report.path, report.value?.members ?? [])
            if path.cluster == Descriptor.id {
                var endpoint = found[path.endpoint] ?? Endpoint(number: path.endpoint)
                switch path.attribute {
                case Descriptor.Attribute.deviceTypeList:
                    endpoint.deviceTypes = members.compactMap { member in
                        typealias Field = Descriptor.DeviceType.Field
                        let type = PartialStructure<Descriptor.DeviceType>(tlv: member)
                        return type?[Field.deviceType].map { ($0, type?[Field.revision]) }
                    }
                case Descriptor.Attribute.serverList:
                    for id in members.compactMap({ ClusterID(tlv: $0) }) {
                        clusters[path.endpoint, default: [:]][id, default: Cluster(id: id)].revision = nil
                    }
                case Descriptor.Attribute.clientList: endpoint.clients = members.compactMap { ClusterID(tlv: $0) }
                case Descriptor.Attribute.partsList: endpoint.parts = members.compactMap { EndpointID(tlv: $0) }
                case Descriptor.Attribute.tagList: endpoint.tags = members
                default: break
                }
                found[path.endpoint] = endpoint
            }
        }
        for report in result.attributes where GlobalAttribute.all.contains(report.path.attribute) {
            let (path, members) = (report.path, report.value?.members ?? [])
            guard let value = report.value else { continue }
            var cluster = clusters[path.endpoint]?[path.cluster] ?? Cluster(id: path.cluster)
            switch path.attribute {
            case GlobalAttribute.featureMap: cluster.features = value.integer()
            case GlobalAttribute.clusterRevision: cluster.revision = value.integer()
            case GlobalAttribute.attributeList: cluster.attributes = members.compactMap { AttributeID(tlv: $0) }
            case GlobalAttribute.acceptedCommandList: cluster.commands = members.compactMap { CommandID(tlv: $0) }
            default: break
            }
            clusters[path.endpoint, default: [:]][path.cluster] = cluster
        }
        endpoints = Set(found.keys).union(clusters.keys).sorted().map { number in
            var endpoint = found[number] ?? Endpoint(number: number)
            endpoint.servers = (clusters[number] ?? [:]).values.sorted { $0.id < $1.id }
            return endpoint
        }
    }

    /// Leaves the other endpoints out.
    public mutating func keep(_ endpoint: EndpointID) { endpoints.removeAll { $0.number != endpoint } }

    /// The endpoints that are no part of another one, with what is below them. An endpoint that contains itself, or that
    /// two contain, is shown once.
    public var tree: [(depth: Int, endpoint: Endpoint)] {
        let known = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.number, $0) })
        // The root lists all endpoints, and an aggregator all below it; the nearest one above counts.
        var nearest: [EndpointID: EndpointID] = [:]
        for endpoint in endpoints.sorted(by: { $0.parts.count > $1.parts.count }) {
            for part in endpoint.parts where part != endpoint.number { nearest[part] = endpoint.number }
        }
        var lines: [(depth: Int, endpoint: Endpoint)] = []
        var shown: Set<EndpointID> = []
        func show(_ endpoint: Endpoint, _ depth: Int) {
            guard shown.insert(endpoint.number).inserted else { return }
            lines.append((depth, endpoint))
            for part in endpoint.parts where nearest[part] == endpoint.number {
                if let part = known[part] { show(part, depth + 1) }
            }
        }
        for endpoint in endpoints where nearest[endpoint.number] == nil { show(endpoint, 0) }
        for endpoint in endpoints { show(endpoint, 0) }
        return lines
    }
}

extension TLVValue {
    /// The members of an array.
    fileprivate var members: [TLVValue]? {
        if case .array(let members) = self { members.map(\.value) } else { nil }
    }
}

extension NodeService {
    /// A node's description of itself; its endpoints are kept.
    ///
    /// - Parameter elements: whether also what each cluster has.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func describe(_ record: NodeRecord, elements: Bool, deadline: Instant) async throws -> NodeDescription {
        let described = try await refreshed(record, deadline: deadline)
        return NodeDescription(
            try await links.link(to: described).read(NodeDescription.paths(elements: elements), deadline: deadline))
    }
}
