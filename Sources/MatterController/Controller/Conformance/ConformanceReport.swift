public import MatterModel

/// A rule that a node breaks, or something to know about a node (own).
public struct ConformanceFinding: Hashable, Sendable {
    package var kind: ConformanceRule
    /// How much it matters.
    public var severity: ConformanceSeverity
    /// Where it is; `nil` for the node.
    public var endpoint: EndpointID?
    /// The cluster; `nil` for the endpoint.
    public var cluster: ClusterID?
    /// The name of the cluster; `nil` if it is not known.
    public var clusterName: String?
    /// The feature, attribute, command or device type, as the specification calls it; `nil` for the cluster. It may quote the node.
    public var element: String?
    /// The rule, as a name that programs can compare: `attribute.missing`.
    public var rule: String { kind.rawValue }
    /// The rule in words.
    public var text: String { kind.text }
    /// The demand of the rule here.
    public var expected: String
    /// The node's own way. It may quote the node: escape it before it reaches a terminal.
    public var found: String

    /// The place as people write paths: `1/OnOff/OnTime`.
    public var place: String {
        guard let endpoint else { return element ?? "node" }
        let parts = [
            endpoint.description, clusterName ?? cluster.map { hexadecimal($0) }, element,
        ]
        return parts.compactMap { $0 }.joined(separator: "/")
    }
}

/// The judgement of a node by the data model (own).
public struct ConformanceReport: Sendable {
    /// One cluster of one endpoint that was examined.
    public struct Cluster: Hashable, Sendable {
        /// The endpoint.
        public var endpoint: EndpointID
        /// The cluster.
        public var cluster: ClusterID
        /// The name of the cluster; its number if it is not known.
        public var name: String
    }

    /// The specification that the rules follow: `1.6.0`.
    public var specification: String
    /// The number of the specification that the node names, one byte for each part: `0x01060000`; `nil` if it names none.
    public var specificationVersion: UInt32?
    /// True if the rules are those for makers of devices.
    public var isStrict: Bool
    /// The endpoints that have answered.
    public var endpoints: [EndpointID]
    /// Their clusters.
    public var clusters: [Cluster]
    /// How many attributes have answered.
    public var attributes: Int
    /// By endpoint and cluster, the gravest first.
    public var findings: [ConformanceFinding]

    /// How many findings are of one severity.
    public func count(_ severity: ConformanceSeverity) -> Int { findings.count { $0.severity == severity } }
}
