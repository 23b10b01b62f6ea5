package import MatterDataModel
import MatterErrors
package import MatterRecords

extension Controller {
    /// The clusters of a node that have modes, by endpoint.
    ///
    /// - Parameter cluster: only this one.
    /// - Throws: ``ControllerError`` `deviceLacks`.
    package func modes(
        of node: NodeRecord, endpoint named: EndpointID?, cluster: ClusterID?, title: String, budget: Budget
    ) async throws -> [ServingDevice] {
        let record = try await described(node, deadline: budget.deadline)
        var devices: [ServingDevice] = []
        for endpoint in record.endpoints where named == nil || EndpointID(endpoint.number) == named {
            for id in endpoint.serverClusters.map({ ClusterID($0) })
            where DeviceModes.isMode(id) && (cluster == nil || id == cluster) {
                devices.append(
                    try await device(
                        id, of: record, endpoint: EndpointID(endpoint.number), title: title, budget: budget))
            }
        }
        guard !devices.isEmpty else {
            throw ControllerError(.deviceLacks, "\(title) has no modes", hint: .step("node.show", record.label))
        }
        return devices
    }
}

extension DeviceModes {
    /// The device that has a mode; the only one, if none has, so that it can say which it has.
    ///
    /// - Throws: ``ControllerError`` `ambiguousEndpoint`, `outOfLimits`.
    package static func choose(_ word: String, among devices: [ServingDevice]) throws(ControllerError) -> ServingDevice
    {
        let having = devices.filter { DeviceModes($0.cluster, $0.facts).mode(word) != nil }
        if having.count == 1 || devices.count == 1, let device = having.first ?? devices.first { return device }
        let places = (having.isEmpty ? devices : having).map { device in
            "\(device.place.endpoint)/\(NameStyle.kebab(Catalogue.standard.clusterName(device.cluster) ?? "\(device.cluster)"))"
        }
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
