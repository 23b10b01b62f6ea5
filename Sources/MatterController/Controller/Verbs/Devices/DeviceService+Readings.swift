package import MatterState

/// A value of a device, with what it means.
public struct TakenReading: Sendable {
    /// Its meaning.
    public let reading: Reading
    /// The reports, with their times.
    public let report: AttributeReport
    /// MeasurementUnit, of a concentration.
    public let measured: TLVValue?
    /// How long ago it was reported, where it is told from memory.
    public var age: Duration?
}

extension TakenReading {
    /// The value as people say it of this node: with its unit, in words, and a contact open or closed; `nil` if there is none.
    public func text(of node: NodeRecord) -> String? {
        guard let value = report.value else { return nil }
        let endpoint = node.endpoints.first { $0.number == report.path.endpoint.rawValue }
        let isContact = endpoint?.deviceTypes.contains(DeviceTypeID.contactSensor.rawValue) ?? false
        guard isContact, reading.cluster == BooleanState.id, case .bool = value else {
            return reading.text(value, measured: measured)
        }
        return Self.contact(value)
    }

    /// BooleanState of a contact sensor (Matter device library specification 7.1).
    static func contact(_ value: TLVValue) -> String { value == .bool(true) ? "closed" : "open" }
}

extension DeviceService {
    /// How many paths every device takes in one read (Matter core specification 2.11.2.2).
    private static let pathsPerRead = 9

    /// The nodes that can have some values, with their endpoints.
    ///
    /// - Parameter trait: what a node with such values does: `is a valve`.
    /// - Throws: ``ControllerError`` `deviceLacks` if there is none.
    public func parts(of query: NodeQuery, having kinds: [Reading], trait: String) throws -> [NodeQuery.Part] {
        let clusters = Set(kinds.filter { $0.deviceType == nil }.map(\.cluster.rawValue))
        let parts = try nodes.parts(of: query, in: .standard) { !clusters.isDisjoint(with: $0.serverClusters) }
        guard !parts.isEmpty else {
            throw ControllerError(.deviceLacks, "none of the chosen nodes \(trait)", hint: .step("node.see"))
        }
        return parts
    }

    /// Reads the values of several nodes. The failure of one costs the others nothing.
    ///
    /// - Parameters:
    ///   - title: the only node in messages; `nil` for the name of each.
    ///   - lack: what a node lacks if it has none of them, such as `measures nothing`.
    /// - Returns: the answers in the order of the parts.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func readings(
        _ kinds: [Reading], at parts: [NodeQuery.Part], title: String?, lack: String, budget: Budget
    ) async throws -> [NodeAnswer<[TakenReading]>] {
        let places = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        return try await NodeAnswer.each(of: parts.map(\.node)) { [self] node in
            try await links.withLink(to: node) { _ in
                var taken: [TakenReading] = []
                for endpoint in places[node.nodeID] ?? [] {
                    taken += try await self.readings(
                        kinds, of: node, endpoint: endpoint, title: title ?? node.title, lack: lack, budget: budget)
                }
                return taken
            }
        }
    }

    /// Reads the values that a node has, by endpoint, in the order of `kinds`.
    ///
    /// - Parameter lack: what the node lacks if it has none of them, such as `measures nothing`.
    /// - Throws: ``ControllerError`` `deviceLacks`.
    package func readings(
        _ kinds: [Reading], of node: NodeRecord, endpoint named: EndpointID?, title: String, lack: String,
        budget: Budget
    ) async throws -> [TakenReading] {
        let clusters = Set(kinds.map(\.cluster))
        func serves(_ endpoint: NodeRecord.Endpoint) -> Bool {
            endpoint.serverClusters.contains { clusters.contains(ClusterID($0)) }
        }
        if let named, !node.endpoints.contains(where: { $0.number == named.rawValue && serves($0) }) {
            // The user knows better than the descriptor, which some devices do not fill in; the device is asked itself.
            let believed = NodeRecord.Endpoint(
                number: named.rawValue, deviceTypes: [], serverClusters: clusters.map(\.rawValue).sorted())
            let taken = try await taken(kinds, from: [believed], of: node, deadline: budget.deadline(for: node))
            if !taken.isEmpty { return taken }
        }
        var record = try await nodes.described(node, deadline: budget.deadline)
        if !record.endpoints.contains(where: serves) {
            record = try await nodes.refreshed(record, deadline: budget.deadline(for: record))
        }
        let taken = try await taken(
            kinds, from: record.endpoints.filter { named == nil || EndpointID($0.number) == named }, of: record,
            deadline: budget.deadline(for: record))
        guard !taken.isEmpty else {
            throw ControllerError(.deviceLacks, "\(title) \(lack)", hint: .step("node.show", record.label))
        }
        return taken
    }

    /// Reads the values that endpoints are known to have; none is no error.
    private func taken(
        _ kinds: [Reading], from endpoints: [NodeRecord.Endpoint], of node: NodeRecord, deadline: Instant
    ) async throws -> [TakenReading] {
        try await taken(kinds, from: endpoints, of: node, beside: [], deadline: deadline).readings
    }

    /// The same with other paths, in the same messages.
    ///
    /// - Returns: the values, and all that the node has told.
    func taken(
        _ kinds: [Reading], from endpoints: [NodeRecord.Endpoint], of node: NodeRecord, beside others: [AttributePath],
        deadline: Instant
    ) async throws -> (readings: [TakenReading], result: ReadResult) {
        let places = places(of: kinds, at: endpoints)
        let paths = others + places.paths
        let link = try await links.link(to: node)
        var result = ReadResult()
        for start in stride(from: 0, to: paths.count, by: Self.pathsPerRead) {
            let part = Array(paths[start..<min(start + Self.pathsPerRead, paths.count)])
            result.merge(try await link.read(part, deadline: deadline))
        }
        return (places.taken(from: result), result)
    }

    /// The places where endpoints are known to have values.
    func places(of kinds: [Reading], at endpoints: [NodeRecord.Endpoint]) -> ReadingPlaces {
        var wanted: [(path: ConcreteAttributePath, reading: Reading)] = []
        var units: [ConcreteAttributePath] = []
        for endpoint in endpoints {
            for reading in kinds where endpoint.serverClusters.contains(reading.cluster.rawValue) {
                if let type = reading.deviceType, !endpoint.deviceTypes.contains(type.rawValue) { continue }
                let place = EndpointID(endpoint.number)
                wanted.append(
                    (
                        ConcreteAttributePath(endpoint: place, cluster: reading.cluster, attribute: reading.attribute),
                        reading
                    ))
                guard case .concentration = reading.scale else { continue }
                units.append(
                    ConcreteAttributePath(
                        endpoint: place, cluster: reading.cluster, attribute: Reading.measurementUnit))
            }
        }
        return ReadingPlaces(wanted: wanted, units: units)
    }
}

/// The places of values on a node.
struct ReadingPlaces: Sendable {
    let wanted: [(path: ConcreteAttributePath, reading: Reading)]
    /// The places of the units of some of them.
    let units: [ConcreteAttributePath]

    var paths: [AttributePath] { (wanted.map(\.path) + units).map { AttributePath($0) } }

    /// The values that a node has told, in order.
    func taken(from result: ReadResult) -> [TakenReading] {
        wanted.compactMap { path, reading in
            result.attribute(path).flatMap { report in
                report.value.map { _ in
                    let unit = ConcreteAttributePath(
                        endpoint: path.endpoint, cluster: path.cluster, attribute: Reading.measurementUnit)
                    return TakenReading(reading: reading, report: report, measured: result.attribute(unit)?.value)
                }
            }
        }
    }

    /// The values that are known, in order.
    func taken(from known: KnownState) -> [TakenReading] {
        let ages = known.values.reduce(into: [:]) { $0[$1.path] = $1.age }
        let reports = known.values.map { AttributeReport(path: $0.path, dataVersion: nil, outcome: .value($0.value)) }
        return taken(from: ReadResult(attributes: reports)).map { taken in
            var taken = taken
            taken.age = ages[taken.report.path]
            return taken
        }
    }
}
