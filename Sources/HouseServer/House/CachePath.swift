import MatterController

/// The path of an attribute of a node, in the order of its numbers.
struct CachePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    var endpoint: UInt16
    var cluster: UInt32
    var attribute: UInt32

    init(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.attribute = attribute
    }

    init(_ path: ConcreteAttributePath) {
        self.init(path.endpoint.rawValue, path.cluster.rawValue, path.attribute.rawValue)
    }

    var concrete: ConcreteAttributePath {
        ConcreteAttributePath(
            endpoint: EndpointID(endpoint), cluster: ClusterID(cluster), attribute: AttributeID(attribute))
    }

    /// The endpoint and the cluster as one number.
    var clusterKey: UInt64 { UInt64(endpoint) << 32 | UInt64(cluster) }

    static func < (left: CachePath, right: CachePath) -> Bool {
        (left.endpoint, left.cluster, left.attribute) < (right.endpoint, right.cluster, right.attribute)
    }

    /// As the interface writes it: `1/6/0`.
    var description: String { "\(endpoint)/\(cluster)/\(attribute)" }

    /// The parts of a node (Descriptor cluster, PartsList of the root).
    static let parts = CachePath(0, Descriptor.id.rawValue, Descriptor.Attribute.partsList.rawValue)
    /// The index of our fabric on a node (Node Operational Credentials cluster).
    static let currentFabricIndex = CachePath(
        0, NodeOperationalCredentials.id.rawValue, NodeOperationalCredentials.Attribute.currentFabricIndex.rawValue)
    /// The version of a node's firmware.
    static let softwareVersion = CachePath(
        0, BasicInformation.id.rawValue, BasicInformation.Attribute.softwareVersion.rawValue)
}
