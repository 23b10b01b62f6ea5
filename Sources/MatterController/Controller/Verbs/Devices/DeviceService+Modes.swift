public import MatterState

extension DeviceService {
    /// The clusters of a node that have modes, by endpoint. What they are called is noted for ``SeenModes``.
    ///
    /// - Parameter cluster: only this one.
    /// - Throws: ``ControllerError`` `deviceLacks`.
    public func modes(
        of node: NodeRecord, endpoint named: EndpointID?, cluster: ClusterID?, title: String, budget: Budget
    ) async throws -> [ServingDevice] {
        let record = try await nodes.described(node, deadline: budget.deadline)
        var devices: [ServingDevice] = []
        for place in try DeviceModes.places(of: record, endpoint: named, cluster: cluster, title: title) {
            devices.append(
                try await device(place.cluster, of: record, endpoint: place.endpoint, title: title, budget: budget))
        }
        // Nothing depends on the note.
        if named == nil, cluster == nil { note(devices, of: node) }
        return devices
    }

    private func note(_ devices: [ServingDevice], of node: NodeRecord) {
        guard let notes = try? context.seenModes() else { return }
        let seen = SeenModes(
            modes: devices.flatMap { device in
                DeviceModes(device.cluster, device.facts).modes.map { mode in
                    SeenModes.Mode(endpoint: device.place.endpoint.rawValue, label: mode.label, tags: mode.tags)
                }
            })
        if notes.load(node.nodeID) != seen { try? notes.note(seen, of: node.nodeID) }
    }
}

extension DeviceModes {
    /// A cluster with modes of an endpoint.
    public typealias Place = (endpoint: EndpointID, cluster: ClusterID)

    /// - Throws: ``ControllerError`` `deviceLacks`.
    static func places(
        of node: NodeRecord, endpoint named: EndpointID?, cluster: ClusterID?, title: String
    ) throws(ControllerError) -> [Place] {
        let places = node.endpoints.filter { named == nil || EndpointID($0.number) == named }.flatMap { endpoint in
            endpoint.serverClusters.map { Place(EndpointID(endpoint.number), ClusterID($0)) }
        }.filter { isMode($0.cluster) && (cluster == nil || $0.cluster == cluster) }
        guard !places.isEmpty else {
            throw ControllerError(.deviceLacks, "\(title) has no modes", hint: .step("node.show", node.label))
        }
        return places
    }

    /// The only cluster with modes of a node that is not asked for them.
    ///
    /// - Throws: ``ControllerError`` `deviceLacks`, `ambiguousEndpoint`.
    public static func place(
        for word: String, of node: NodeRecord, endpoint named: EndpointID?, cluster: ClusterID?, title: String
    ) throws(ControllerError) -> Place {
        let places = try places(of: node, endpoint: named, cluster: cluster, title: title)
        if let place = places.first, places.count == 1 { return place }
        throw ControllerError(
            .ambiguousEndpoint, "\(title) has modes in \(places.map(text).joined(separator: " and "))",
            hint: .step("mode.place", node.label, word))
    }

    private static func text(_ place: Place) -> String {
        "\(place.endpoint)/\(NameStyle.kebab(Catalogue.standard.clusterName(place.cluster) ?? "\(place.cluster)"))"
    }

    /// The device that has a mode; the only one, if none has, so that it can say which it has.
    ///
    /// - Throws: ``ControllerError`` `ambiguousEndpoint`, `outOfLimits`.
    public static func choose(_ word: String, among devices: [ServingDevice]) throws(ControllerError) -> ServingDevice {
        let having = devices.filter { DeviceModes($0.cluster, $0.facts).mode(word) != nil }
        if having.count == 1 || devices.count == 1, let device = having.first ?? devices.first { return device }
        let places = (having.isEmpty ? devices : having).map { text(($0.place.endpoint, $0.cluster)) }
        let title = devices.first?.facts.title ?? "the device"
        guard having.isEmpty else {
            throw ControllerError(
                .ambiguousEndpoint, "\(title) has the mode '\(word)' in \(places.joined(separator: " and "))",
                hint: .step("mode.place", devices.first?.facts.label ?? "", word))
        }
        throw ControllerError(
            .outOfLimits, "\(title) has no mode '\(word)'",
            hint: .step("mode.see", devices.first?.facts.label ?? ""))
    }
}
