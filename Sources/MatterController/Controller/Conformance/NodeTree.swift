import MatterModel

/// The Descriptors of a node together: device types, clusters, and how the endpoints go together. As far as it can be read.
struct NodeTree: Sendable {
    private var types: [EndpointID: [Descriptor.DeviceType]] = [:]
    private var lists: [EndpointID: [EndpointID]] = [:]
    private var serving: [EndpointID: Set<ClusterID>] = [:]
    private var controlling: [EndpointID: Set<ClusterID>] = [:]
    private var parents: [EndpointID: EndpointID] = [:]
    private var families: [EndpointID?: [EndpointID]] = [:]

    init(_ node: NodeStatement) {
        for (endpoint, clusters) in node.endpoints {
            let descriptor = clusters[Descriptor.id]
            types[endpoint] = descriptor?.value(Descriptor.Attribute.deviceTypeList)?.items?.compactMap {
                Descriptor.DeviceType(tlv: $0)
            }
            lists[endpoint] = descriptor?.ids(Descriptor.Attribute.partsList)
            controlling[endpoint] = Set(descriptor?.ids(Descriptor.Attribute.clientList) ?? [])
            serving[endpoint] = Set(descriptor?.ids(Descriptor.Attribute.serverList) ?? []).union(clusters.keys)
        }
        for endpoint in node.endpointNumbers where endpoint != 0 {
            // An aggregator also names the parts of its parts: the smallest family is that of the parent.
            let parent = lists.filter { $0.key != 0 && $0.key != endpoint && $0.value.contains(endpoint) }
                .min { ($0.value.count, $0.key.rawValue) < ($1.value.count, $1.key.rawValue) }?.key
            parents[endpoint] = parent
            families[parent, default: []].append(endpoint)
        }
    }

    func deviceTypes(_ endpoint: EndpointID) -> [Descriptor.DeviceType] { types[endpoint] ?? [] }
    func parts(_ endpoint: EndpointID) -> [EndpointID] { lists[endpoint] ?? [] }
    /// Those of its list, and those that answered without being named there.
    func servers(_ endpoint: EndpointID) -> Set<ClusterID> { serving[endpoint] ?? [] }
    func clients(_ endpoint: EndpointID) -> Set<ClusterID> { controlling[endpoint] ?? [] }

    /// The endpoint that an endpoint is a part of; `nil` if that is the root.
    func parent(_ endpoint: EndpointID) -> EndpointID? { parents[endpoint] }

    /// The endpoints that have the parent of an endpoint, itself included.
    func siblings(_ endpoint: EndpointID) -> [EndpointID] { families[parents[endpoint]] ?? [] }

    /// The parts of an endpoint, with their parts.
    func descendants(_ endpoint: EndpointID) -> Set<EndpointID> {
        var found: Set<EndpointID> = []
        var open = parts(endpoint)
        while let next = open.popLast() {
            if found.insert(next).inserted { open += parts(next) }
        }
        return found
    }
}
