public import MatterNetwork

/// Attributes and events to follow, by the words of people.
public struct FollowedPaths: Sendable {
    /// The attributes.
    public private(set) var attributes: [AttributePath] = []
    /// The events.
    public private(set) var events: [EventPath] = []

    /// - Parameters:
    ///   - words: `EP/CLUSTER/ELEMENT`; a name may be that of an event, a number is an attribute's. None means everything.
    ///   - events: the same for events alone.
    /// - Throws: ``DataModelError`` for a word that is no path, or names something unknown.
    public init(_ words: [String], events: [String] = [], in catalogue: Catalogue) throws(DataModelError) {
        for word in words { try add(word, catalogue) }
        for word in events { self.events.append(try Self.event(word, catalogue)) }
        guard attributes.isEmpty, self.events.isEmpty else { return }
        attributes = [AttributePath()]
        self.events = [EventPath(isUrgent: true)]
    }

    /// Whether a path leads to something that a node has, as far as that is known.
    public func mayLead(to node: NodeRecord) -> Bool {
        func isThere(_ endpoint: EndpointID?, _ cluster: ClusterID?) -> Bool {
            node.endpoints.contains { known in
                (endpoint == nil || endpoint?.rawValue == known.number)
                    && (cluster.map { known.serverClusters.contains($0.rawValue) } ?? true)
            }
        }
        return node.endpoints.isEmpty || attributes.contains { isThere($0.endpoint, $0.cluster) }
            || events.contains { isThere($0.endpoint, $0.cluster) }
    }

    private mutating func add(_ word: String, _ catalogue: Catalogue) throws(DataModelError) {
        do {
            attributes.append(try Self.attribute(word, catalogue))
        } catch  where error.code == .unknownAttribute {
            guard let event = try? Self.event(word, catalogue) else { throw error }
            events.append(event)
        }
    }

    /// The path of attributes.
    ///
    /// - Throws: ``DataModelError`` for a word that is no path, or names something unknown.
    public static func attribute(_ word: String, _ catalogue: Catalogue) throws(DataModelError) -> AttributePath {
        let path = try ElementPath(word, .attribute) { () throws(DataModelError) in catalogue }
        return AttributePath(
            endpoint: path.endpoint, cluster: path.cluster, attribute: path.element.map { AttributeID($0) })
    }

    /// The path of events, which are reported as soon as the intervals of the subscription allow.
    ///
    /// - Throws: ``DataModelError`` for a word that is no path, or names something unknown.
    public static func event(_ word: String, _ catalogue: Catalogue) throws(DataModelError) -> EventPath {
        let path = try ElementPath(word, .event) { () throws(DataModelError) in catalogue }
        return EventPath(
            endpoint: path.endpoint, cluster: path.cluster, event: path.element.map { EventID($0) }, isUrgent: true)
    }

    /// Whether this is one attribute of one endpoint, so that its value needs no path.
    public var isSingle: Bool { events.isEmpty && attributes.count == 1 && attributes.first?.isWildcard == false }
}
