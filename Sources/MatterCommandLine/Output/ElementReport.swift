import MatterController

/// The node of a result: its id and, where the result does not say it elsewhere, its name.
struct NodeMark: Sendable {
    let id: NodeID
    var name: String?

    init(_ node: NodeRecord) {
        id = node.nodeID
        name = node.name
    }

    init(id: NodeID) { self.id = id }
}

extension Report {
    /// The result of a command that changes something: what it is about, and what has become of it.
    init(_ node: NodeRecord, result: String) {
        self.init {
            Field("node", node.nodeID)
            Field("name", node.name)
            Field("result", result)
        }
    }

    /// Where an attribute is, with names where they are known.
    init(_ path: ConcreteAttributePath, of node: NodeMark?, in catalogue: Catalogue) {
        self.init {
            Report(path.endpoint, path.cluster, of: node, in: catalogue)
            Field("attribute", catalogue.attribute(cluster: path.cluster, path.attribute)?.name)
            Field("attributeId", path.attribute)
        }
    }

    /// A node's report on an attribute.
    ///
    /// - Parameter isLit: of a level: whether the light is on; `nil` where that does not matter.
    init(
        _ report: AttributeReport, of node: NodeMark?, isLit: Bool? = nil, in catalogue: Catalogue,
        _ printer: ValuePrinter
    ) {
        self.init {
            Report(report.path, of: node, in: catalogue)
            switch report.outcome {
            case .value(let value):
                Field("value", printer.json(value, as: catalogue.type(of: report.path)))
                Field("on", isLit)
                Field("dataVersion", report.dataVersion)
            case .failure(let status): Report(status)
            case .unreadable(let reason): Field("unreadable", reason)
            }
        }
    }

    /// Where an event is.
    init(_ path: ConcreteEventPath, of node: NodeMark?, in catalogue: Catalogue) {
        self.init {
            Report(path.endpoint, path.cluster, of: node, in: catalogue)
            Field("event", catalogue.cluster(path.cluster)?.event(path.event)?.name)
            Field("eventId", path.event)
        }
    }

    /// A node's report on an event.
    init(_ report: EventReport, of node: NodeMark?, in catalogue: Catalogue, _ printer: ValuePrinter) {
        self.init {
            Report(report.path, of: node, in: catalogue)
            switch report.outcome {
            case .failure(let status): Report(status)
            case .event(let event):
                Field("number", JSONValue.id(event.number))
                Field("priority", event.priority.description)
                Field("deviceTime", event.times.epoch.flatMap { PointInTime.text($0, as: .posixMilliseconds) })
                Field("deviceUptimeMs", event.times.uptime)
                Field("fields", report.fields(in: catalogue, printer))
            }
        }
    }

    /// Where a command is.
    init(_ path: CommandPath, of node: NodeMark?, in catalogue: Catalogue) {
        self.init {
            Report(path.endpoint ?? 0, path.cluster, of: node, in: catalogue)
            Field("command", catalogue.cluster(path.cluster)?.command(path.command)?.name)
            Field("commandId", path.command)
        }
    }

    init(_ endpoint: EndpointID, _ cluster: ClusterID, of node: NodeMark?, in catalogue: Catalogue) {
        self.init {
            Field("node", node?.id)
            Field("name", node?.name)
            Field("endpoint", endpoint)
            Field("cluster", catalogue.clusterName(cluster))
            Field("clusterId", cluster)
        }
    }

    init(_ status: StatusIB) {
        self.init {
            Field("status", status.status.description)
            Field("statusCode", status.status.rawValue)
            Field("clusterStatus", status.significantClusterStatus)
        }
    }
}

extension Catalogue {
    /// The type of an attribute, if it is known.
    func type(of path: ConcreteAttributePath) -> DataType? { attribute(cluster: path.cluster, path.attribute)?.type }
}

extension ConcreteAttributePath {
    /// As it can be typed: `1/on-off/on-off`.
    func text(in catalogue: Catalogue) -> String {
        ElementPath(endpoint: endpoint, cluster: cluster, element: attribute.rawValue).text(.attribute, in: catalogue)
    }
}

extension ConcreteEventPath {
    /// As it can be typed: `1/switch/initial-press`.
    func text(in catalogue: Catalogue) -> String {
        ElementPath(endpoint: endpoint, cluster: cluster, element: event.rawValue).text(.event, in: catalogue)
    }
}

extension EventReport {
    /// The fields of an event by name; of a failure, nothing.
    func fields(in catalogue: Catalogue, _ printer: ValuePrinter) -> JSONValue {
        let definition = catalogue.cluster(path.cluster)?.event(path.event)
        return printer.json(fields: event?.data, of: definition?.fields ?? [])
    }
}
