import MatterController

/// Measurements of the server, as OpenMetrics text.
struct MetricsText {
    static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private(set) var text = ""

    /// A family of metrics begins.
    mutating func family(_ name: String, _ kind: String, _ help: String, unit: String? = nil) {
        text += "# TYPE \(name) \(kind)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
    }

    mutating func sample(_ name: String, _ labels: [(name: String, value: String)] = [], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += value == value.rounded() && abs(value) < 1e15 ? " \(Int64(value))\n" : " \(value)\n"
    }

    mutating func end() { text += "# EOF\n" }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The state of the server for `/metrics`.
struct HouseMetrics: Sendable {
    var nodes: [HouseBoard.Node]
    var counts: HouseCounts
    var traffic: TrafficCounts
    var now: Instant
    /// The nodes that another host follows.
    var resting: Set<NodeID> = []
    /// Whether names and measured values are told.
    var hasValues: Bool

    func text() -> String {
        var metrics = MetricsText()
        metrics.family("matterctl_nodes", "gauge", "Nodes of the house.")
        metrics.sample("matterctl_nodes", [("state", "up")], Double(nodes.count { $0.isAvailable }))
        metrics.sample(
            "matterctl_nodes", [("state", "down")],
            Double(nodes.count { !$0.isAvailable && !resting.contains($0.record.nodeID) }))
        if !resting.isEmpty { metrics.sample("matterctl_nodes", [("state", "elsewhere")], Double(resting.count)) }
        metrics.family("matterctl_report_age_seconds", "gauge", "Time since a node was heard last.", unit: "seconds")
        for node in nodes {
            guard let heard = node.heardAt, !resting.contains(node.record.nodeID) else { continue }
            metrics.sample(
                "matterctl_report_age_seconds", [("node", "\(node.record.nodeID.rawValue)")],
                ((now - heard) / .milliseconds(1)).rounded() / 1000)
        }
        metrics.family("matterctl_sessions", "gauge", "Sessions with nodes.")
        metrics.sample("matterctl_sessions", [], Double(traffic.sessions))
        metrics.family("matterctl_clients", "gauge", "Clients that are connected.")
        metrics.sample("matterctl_clients", [], Double(counts.clients))
        metrics.family("matterctl_reports", "counter", "Reports of nodes.")
        metrics.sample("matterctl_reports_total", [], Double(counts.reports))
        metrics.family("matterctl_losses", "counter", "Subscriptions that were lost, or could not be set up.")
        metrics.sample("matterctl_losses_total", [], Double(counts.losses))
        metrics.family("matterctl_retransmissions", "counter", "Messages that were sent again.")
        metrics.sample("matterctl_retransmissions_total", [], Double(traffic.retransmissions))
        metrics.family(
            "matterctl_round_trip_seconds", "histogram", "Commands of clients to devices, until their answer.",
            unit: "seconds")
        var sum: UInt64 = 0
        for (place, count) in counts.roundTrips.counts.enumerated() {
            sum += count
            let ends = RoundTripHistogram.ends
            metrics.sample(
                "matterctl_round_trip_seconds_bucket", [("le", place < ends.count ? "\(ends[place])" : "+Inf")],
                Double(sum))
        }
        metrics.sample("matterctl_round_trip_seconds_count", [], Double(sum))
        metrics.sample("matterctl_round_trip_seconds_sum", [], counts.roundTrips.sum)
        metrics.family("matterctl_commands", "counter", "Commands of clients.")
        for (key, count) in counts.commands.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            metrics.sample(
                "matterctl_commands_total", [("command", key[0]), ("outcome", key[1])], Double(count))
        }
        metrics.family("matterctl_resident_bytes", "gauge", "Memory of the server.", unit: "bytes")
        if let resident = ProcessMemory.resident() { metrics.sample("matterctl_resident_bytes", [], Double(resident)) }
        if hasValues { values(&metrics) }
        metrics.end()
        return metrics.text
    }

    private struct Quantity {
        let cluster: ClusterID
        let name: String
        let factor: Double
    }

    /// The clusters whose MeasuredValue is attribute 0 (Matter application cluster specification, chapter 2).
    private static let quantities = [
        Quantity(cluster: ClusterID(0x0402), name: "temperature_celsius", factor: 0.01),
        Quantity(cluster: ClusterID(0x0405), name: "humidity_percent", factor: 0.01),
        Quantity(cluster: ClusterID(0x0403), name: "pressure_kilopascal", factor: 0.1),
        Quantity(cluster: ClusterID(0x0406), name: "occupancy", factor: 1),
        Quantity(cluster: ClusterID(0x0045), name: "contact", factor: 1),
    ]

    private func values(_ metrics: inout MetricsText) {
        metrics.family("matterctl_battery_percent", "gauge", "Charge of batteries.")
        for node in nodes {
            for path in node.attributes.paths
            where path.cluster == PowerSource.id.rawValue
                && path.attribute == PowerSource.Attribute.batPercentRemaining.rawValue
            {
                guard let halves = node.attributes[path]?.integer(as: UInt8.self) else { continue }
                metrics.sample("matterctl_battery_percent", labels(of: node), Double(halves) / 2)
            }
        }
        metrics.family("matterctl_sensor", "gauge", "Values of sensors.")
        for node in nodes {
            for path in node.attributes.paths where path.attribute == 0 {
                guard let quantity = Self.quantities.first(where: { $0.cluster.rawValue == path.cluster }) else {
                    continue
                }
                guard let number = Self.number(node.attributes[path]) else { continue }
                metrics.sample(
                    "matterctl_sensor",
                    labels(of: node) + [("endpoint", "\(path.endpoint)"), ("quantity", quantity.name)],
                    number * quantity.factor)
            }
        }
    }

    private static func number(_ value: TLVValue?) -> Double? {
        if case .bool(let flag)? = value { return flag ? 1 : 0 }
        return value?.integer(as: Int64.self).map(Double.init)
    }

    private func labels(of node: HouseBoard.Node) -> [(name: String, value: String)] {
        [("node", "\(node.record.nodeID.rawValue)"), ("name", node.record.name ?? "")]
    }
}
