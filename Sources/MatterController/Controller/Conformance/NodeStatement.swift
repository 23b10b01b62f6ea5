import MatterModel

/// Everything that a node says of itself: its attributes, and whether its log has events.
struct NodeStatement: Sendable {
    /// A cluster of an endpoint.
    struct Cluster: Sendable {
        let id: ClusterID
        var outcomes: [AttributeID: AttributeReport.Outcome] = [:]

        /// The value of an attribute; `nil` if there is none.
        func value(_ attribute: AttributeID) -> TLVValue? {
            if case .value(let value) = outcomes[attribute] { value } else { nil }
        }

        /// The value of an attribute that is a list of numbers; those that are none are left out.
        func ids<ID: DataModelID>(_ attribute: AttributeID, of type: ID.Type = ID.self) -> [ID]? {
            value(attribute)?.items?.compactMap { ID(tlv: $0) }
        }

        var revision: UInt16? { value(GlobalAttribute.clusterRevision).flatMap { UInt16(tlv: $0) } }
        var featureMap: UInt32? { value(GlobalAttribute.featureMap).flatMap { UInt32(tlv: $0) } }
        var attributeList: [AttributeID]? { ids(GlobalAttribute.attributeList) }
        var acceptedCommands: [CommandID]? { ids(GlobalAttribute.acceptedCommandList) }
        var generatedCommands: [CommandID]? { ids(GlobalAttribute.generatedCommandList) }

        /// The attributes by its own list; without one, those that it reported.
        var attributes: Set<AttributeID> { Set(attributeList ?? Array(outcomes.keys)) }
    }

    private(set) var endpoints: [EndpointID: [ClusterID: Cluster]] = [:]
    /// The faults of reports that name no attribute.
    private(set) var unattributed: [String] = []
    /// How many events its log has; `nil` if it was not asked.
    private(set) var events: Int?

    /// - Parameter asksForEvents: whether the reading was also one of all events.
    init(_ result: ReadResult, asksForEvents: Bool) {
        take(result.attributes)
        unattributed = result.unattributed
        if asksForEvents { events = result.events.count { $0.event != nil } }
    }

    /// Adds what a later reading has brought.
    mutating func take(_ reports: [AttributeReport]) {
        for report in reports {
            endpoints[report.path.endpoint, default: [:]][
                report.path.cluster, default: Cluster(id: report.path.cluster)
            ].outcomes[report.path.attribute] = report.outcome
        }
    }

    /// The endpoints that have answered, ascending.
    var endpointNumbers: [EndpointID] { endpoints.keys.sorted() }

    /// How many attributes have a value.
    var attributeCount: Int {
        endpoints.values.reduce(0) { sum, clusters in
            clusters.values.reduce(sum) { sum, cluster in
                sum + cluster.outcomes.values.count { if case .value = $0 { true } else { false } }
            }
        }
    }

    func cluster(_ endpoint: EndpointID, _ cluster: ClusterID) -> Cluster? { endpoints[endpoint]?[cluster] }

    /// The value of an attribute in its own type; `nil` if it has none, or another type.
    func value<Value>(_ attribute: TypedAttribute<Value>, _ endpoint: EndpointID) -> Value? {
        cluster(endpoint, attribute.cluster)?.value(attribute.id).flatMap { Value(tlv: $0) }
    }

    /// The attributes that a list names and that were not reported.
    var unreported: [ConcreteAttributePath] {
        endpoints.flatMap { endpoint, clusters in
            clusters.values.flatMap { cluster in
                (cluster.attributeList ?? []).filter { cluster.outcomes[$0] == nil }.map {
                    ConcreteAttributePath(endpoint: endpoint, cluster: cluster.id, attribute: $0)
                }
            }
        }
    }
}
