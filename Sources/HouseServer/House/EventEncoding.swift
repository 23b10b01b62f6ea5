import MatterController

/// Events of devices in the form of the interface (reference: python-matter-server, MatterNodeEvent).
struct EventEncoding: Sendable {
    let catalogue: Catalogue

    /// - Returns: `nil` for one that cannot be told.
    func encoded(_ node: NodeID, _ report: EventReport, _ event: EventReport.Event) -> [UInt8]? {
        let (time, kind): (UInt64, Int64) =
            switch event.timestamp {
            case .system(let milliseconds): (milliseconds, 0)
            case .epoch(let milliseconds): (milliseconds, 1)
            case .deltaEpoch, .deltaSystem: (WallClock.unixMilliseconds(), 2)
            }
        let object: JSONObject = [
            "node_id": .uint(node.rawValue), "endpoint_id": .int(Int64(report.path.endpoint.rawValue)),
            "cluster_id": .int(Int64(report.path.cluster.rawValue)),
            "event_id": .int(Int64(report.path.event.rawValue)),
            "event_number": .uint(event.number), "priority": .int(Int64(event.priority.rawValue)),
            "timestamp": .uint(time), "timestamp_type": .int(kind),
            "data": event.data.map {
                NamedEncoding.event($0, report.path.event, of: report.path.cluster, in: catalogue)
            } ?? .null,
        ]
        return JSONValue.object(object).utf8()
    }
}
