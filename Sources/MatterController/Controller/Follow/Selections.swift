public import MatterModel

/// Attributes of a node that a program follows.
public struct AttributeSelection: Sendable, Hashable {
    let path: AttributePath

    /// Every attribute of the node.
    public static let everything = AttributeSelection(path: AttributePath())

    /// One attribute, of one endpoint or of all that have it.
    public static func attribute<Value>(
        _ attribute: TypedAttribute<Value>, at endpoint: EndpointID? = nil
    ) -> AttributeSelection {
        .attribute(attribute.id, of: attribute.cluster, at: endpoint)
    }

    /// One attribute by its numbers, of one endpoint or of all that have it.
    public static func attribute(
        _ attribute: AttributeID, of cluster: ClusterID, at endpoint: EndpointID? = nil
    ) -> AttributeSelection {
        AttributeSelection(path: AttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute))
    }

    /// All attributes of a cluster, of one endpoint or of all that have it.
    public static func cluster(_ cluster: ClusterID, at endpoint: EndpointID? = nil) -> AttributeSelection {
        AttributeSelection(path: AttributePath(endpoint: endpoint, cluster: cluster))
    }

    /// All attributes of an endpoint.
    public static func endpoint(_ endpoint: EndpointID) -> AttributeSelection {
        AttributeSelection(path: AttributePath(endpoint: endpoint))
    }
}

/// Events of a node that a program follows.
public struct EventSelection: Sendable, Hashable {
    let path: EventPath

    /// Every event of the node.
    public static let everything = EventSelection(path: EventPath())

    /// One kind of event, such as `BasicInformation.StartUp.self`, of one endpoint or of all that have it.
    public static func event<Event: ClusterEvent>(
        _: Event.Type, at endpoint: EndpointID? = nil
    ) -> EventSelection {
        .event(Event.id, of: Event.cluster, at: endpoint)
    }

    /// One kind of event by its numbers, of one endpoint or of all that have it.
    public static func event(
        _ event: EventID, of cluster: ClusterID, at endpoint: EndpointID? = nil
    ) -> EventSelection {
        EventSelection(path: EventPath(endpoint: endpoint, cluster: cluster, event: event))
    }

    /// All events of a cluster, of one endpoint or of all that have it.
    public static func cluster(_ cluster: ClusterID, at endpoint: EndpointID? = nil) -> EventSelection {
        EventSelection(path: EventPath(endpoint: endpoint, cluster: cluster))
    }
}

extension AttributePath {
    /// Whether every attribute that another path means is one of these.
    public func covers(_ other: AttributePath) -> Bool {
        (endpoint == nil || endpoint == other.endpoint) && (cluster == nil || cluster == other.cluster)
            && (attribute == nil || attribute == other.attribute)
    }

    /// Whether an attribute is one of these.
    public func covers(_ path: ConcreteAttributePath) -> Bool { covers(AttributePath(path)) }
}

extension EventPath {
    /// Whether every event that another path means is one of these.
    func covers(_ other: EventPath) -> Bool {
        (endpoint == nil || endpoint == other.endpoint) && (cluster == nil || cluster == other.cluster)
            && (event == nil || event == other.event)
    }

    func covers(_ path: ConcreteEventPath) -> Bool {
        covers(EventPath(endpoint: path.endpoint, cluster: path.cluster, event: path.event))
    }
}
