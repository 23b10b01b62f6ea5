public import MatterModel

/// The events for a program that follows a node.
public enum NodeUpdate: Sendable {
    /// The subscription stands: from now on nothing is missed until ``lost(_:)``. The values follow, each as a ``change(_:)``.
    case established(Establishment)
    /// An attribute has a value: the first one, or a new one.
    case change(AttributeChange)
    /// Something has happened.
    case event(NodeEvent)
    /// The node fell silent, or ended the subscription. Another one is being set up.
    case lost(SubscriptionLoss)
}

/// A subscription to a node that stands.
public struct Establishment: Sendable, Hashable {
    /// The longest time in which the node says something; silence for longer is a loss.
    public let maxInterval: Duration
    /// How long no subscription stood before; `nil` the first time. Of an attribute that changed more than once in that
    /// time, only the last value is known. The node repeats the events that it still has.
    public let missed: Duration?
}

/// A value of an attribute.
public struct AttributeChange: Sendable, Hashable {
    /// Why it is told.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// It is the value at the beginning.
        case initial
        /// The node has reported a new value.
        case reported
        /// The value changed while no subscription stood.
        case missed
    }

    let report: AttributeReport
    /// Why it is told.
    public let cause: Cause

    init(_ report: AttributeReport, _ cause: Cause) {
        self.report = report
        self.cause = cause
    }

    /// Where the attribute is.
    public var endpoint: EndpointID { report.path.endpoint }
    /// The cluster of the attribute.
    public var cluster: ClusterID { report.path.cluster }
    /// The attribute.
    public var attribute: AttributeID { report.path.attribute }
    /// Where and what, as `matterctl` writes it: `1/on-off/on-off`.
    public var path: String {
        ElementPath(endpoint: endpoint, cluster: cluster, element: attribute.rawValue)
            .text(.attribute, in: .standard)
    }
    /// The value; `nil` if the node did not say it.
    public var value: TLVValue? { report.value }

    /// Why the node did not say the value, as a sentence.
    public var failure: String? {
        switch report.outcome {
        case .value: nil
        case .failure(let status): "the node answered with \(status)"
        case .unreadable(let reason): "the node's answer breaks the rules: \(reason)"
        }
    }

    /// The value of an attribute.
    ///
    /// - Returns: `nil` if this is about another attribute, or the value is missing or of another type.
    public func value<Value>(of attribute: TypedAttribute<Value>) -> Value? {
        guard cluster == attribute.cluster, self.attribute == attribute.id else { return nil }
        return value.flatMap { Value(tlv: $0) }
    }
}

/// Something that has happened at a node (Matter core specification 7.14).
public struct NodeEvent: Sendable, Hashable {
    /// When an event happened.
    public enum Time: Sendable, Hashable {
        /// Milliseconds since 1970.
        case unix(milliseconds: UInt64)
        /// Milliseconds since the node started; it had no clock.
        case sinceStart(milliseconds: UInt64)
        /// The node did not say it in a form that can be used.
        case unknown
    }

    /// Where it happened.
    public let endpoint: EndpointID
    /// The cluster that tells it.
    public let cluster: ClusterID
    /// The kind of event.
    public let event: EventID
    /// Its number, which grows over all events of the node.
    public let number: UInt64
    /// When it happened.
    public let time: Time
    /// Whether the node says that it is critical.
    public let isCritical: Bool
    /// The fields, a structure; `nil` if it has none.
    public let fields: TLVValue?

    init(_ path: ConcreteEventPath, _ event: EventReport.Event) {
        endpoint = path.endpoint
        cluster = path.cluster
        self.event = path.event
        number = event.number
        time =
            switch event.timestamp {
            case .epoch(let milliseconds): .unix(milliseconds: milliseconds)
            case .system(let milliseconds): .sinceStart(milliseconds: milliseconds)
            case .deltaEpoch, .deltaSystem: .unknown
            }
        isCritical = event.priority == .critical
        fields = event.data
    }

    /// Where and what, as `matterctl` writes it: `0/basic-information/start-up`.
    public var path: String {
        ElementPath(endpoint: endpoint, cluster: cluster, element: event.rawValue).text(.event, in: .standard)
    }

    /// The event as a type, such as `BasicInformation.StartUp.self`.
    ///
    /// - Returns: `nil` if it is another event, or lacks a field.
    public func content<Event: ClusterEvent>(_: Event.Type) -> Event? {
        guard cluster == Event.cluster, event == Event.id else { return nil }
        return Event(tlv: fields ?? .structure([]))
    }
}

/// A subscription that ended.
public struct SubscriptionLoss: Sendable {
    /// Why.
    public let error: MatterError
    /// After how long the next one is tried.
    public let retryAfter: Duration
}
