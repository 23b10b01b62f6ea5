import MatterController

/// The attributes and events that a command follows.
struct WatchPaths {
    private(set) var attributes: [AttributePath] = []
    private(set) var events: [EventPath] = []

    /// - Parameters:
    ///   - words: `EP/CLUSTER/ELEMENT`; a name may be that of an event, a number is an attribute's. None means everything.
    ///   - events: the same for events alone.
    init(_ words: [String], events: [String] = [], in catalogue: Catalogue) throws(DataModelError) {
        for word in words { try add(word, catalogue) }
        for word in events { self.events.append(try Self.event(word, catalogue)) }
        guard attributes.isEmpty, self.events.isEmpty else { return }
        attributes = [AttributePath()]
        self.events = [EventPath(isUrgent: true)]
    }

    /// Whether a path leads to something that a node has, as far as that is known.
    func mayLead(to node: NodeRecord) -> Bool {
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

    static func attribute(_ word: String, _ catalogue: Catalogue) throws(DataModelError) -> AttributePath {
        let path = try ElementPath(word, .attribute) { () throws(DataModelError) in catalogue }
        return AttributePath(
            endpoint: path.endpoint, cluster: path.cluster, attribute: path.element.map { AttributeID($0) })
    }

    /// An event is reported as soon as the intervals of the subscription allow.
    static func event(_ word: String, _ catalogue: Catalogue) throws(DataModelError) -> EventPath {
        let path = try ElementPath(word, .event) { () throws(DataModelError) in catalogue }
        return EventPath(
            endpoint: path.endpoint, cluster: path.cluster, event: path.element.map { EventID($0) }, isUrgent: true)
    }

    /// Whether this is one attribute of one endpoint, so that its value needs no path.
    var isSingle: Bool { events.isEmpty && attributes.count == 1 && attributes.first?.isWildcard == false }
}

extension AttributePath {
    func covers(_ path: ConcreteAttributePath) -> Bool {
        (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
            && (attribute ?? path.attribute) == path.attribute
    }
}
