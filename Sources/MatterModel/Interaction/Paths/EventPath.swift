package import MatterBase

/// One kind of event of one endpoint (Matter core specification, chapter 8).
public struct ConcreteEventPath: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointID
    /// The cluster.
    public var cluster: ClusterID
    /// The event.
    public var event: EventID

    // memberwise: package
}

extension ConcreteEventPath: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String { "\(endpoint)/\(cluster)/\(event)" }
}

/// Events, with a wildcard for each part that is absent (EventPathIB, Matter core specification 10.6.8).
public struct EventPath: Hashable, Sendable {
    /// The id of the node; `nil` for the one that is asked.
    package var node: UInt64?
    /// The endpoint; `nil` for all.
    public var endpoint: EndpointID?
    /// The cluster; `nil` for all.
    public var cluster: ClusterID?
    /// The event; `nil` for all.
    public var event: EventID?
    /// True if a subscription reports the event as soon as its minimum interval allows.
    package var isUrgent: Bool?

    // memberwise: public, node = nil, endpoint = nil, cluster = nil, event = nil, isUrgent = nil

    package init(_ path: ConcreteEventPath) {
        self.init(endpoint: path.endpoint, cluster: path.cluster, event: path.event)
    }

    /// The kind of event meant, unless a part is a wildcard.
    package var concrete: ConcreteEventPath? {
        guard let endpoint, let cluster, let event else { return nil }
        return ConcreteEventPath(endpoint: endpoint, cluster: cluster, event: event)
    }

    package var isWildcard: Bool { concrete == nil }
}

extension EventPath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "EventPathIB")
        node = try fields.optionalUnsigned(0)
        endpoint = try fields.optionalID(1)
        cluster = try fields.optionalID(2)
        event = try fields.optionalID(3)
        isUrgent = try fields.optionalBool(4)
    }

    package var tlv: TLVValue {
        .list(
            [
                .unsigned(0, node), .id(1, endpoint), .id(2, cluster), .id(3, event),
                isUrgent.map { .bool(4, $0) },
            ].compactMap { $0 })
    }
}

extension EventPath: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String {
        func part(_ number: (some DataModelID)?) -> String { number.map { "\($0)" } ?? "*" }
        return "\(part(endpoint))/\(part(cluster))/\(part(event))"
    }
}
