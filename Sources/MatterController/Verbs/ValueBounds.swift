package import MatterDataModel
package import MatterErrors
package import MatterInteraction
import MatterTLV
package import MatterTransport

/// The attributes in which a device says what values it takes: for others of the cluster.
struct ValueBounds {
    let cluster: ClusterID
    let attributes: [AttributeID]
    /// The first that the device has counts.
    var lower: [AttributeID] = []
    var upper: [AttributeID] = []

    private typealias Heat = Thermostat.Attribute

    private static let all = [
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.occupiedHeatingSetpoint, Heat.unoccupiedHeatingSetpoint],
            lower: [Heat.minHeatSetpointLimit, Heat.absMinHeatSetpointLimit],
            upper: [Heat.maxHeatSetpointLimit, Heat.absMaxHeatSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.occupiedCoolingSetpoint, Heat.unoccupiedCoolingSetpoint],
            lower: [Heat.minCoolSetpointLimit, Heat.absMinCoolSetpointLimit],
            upper: [Heat.maxCoolSetpointLimit, Heat.absMaxCoolSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.minHeatSetpointLimit, Heat.maxHeatSetpointLimit],
            lower: [Heat.absMinHeatSetpointLimit], upper: [Heat.absMaxHeatSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.minCoolSetpointLimit, Heat.maxCoolSetpointLimit],
            lower: [Heat.absMinCoolSetpointLimit], upper: [Heat.absMaxCoolSetpointLimit]),
        ValueBounds(
            cluster: LevelControl.id,
            attributes: [LevelControl.Attribute.onLevel, LevelControl.Attribute.startUpCurrentLevel],
            lower: [LevelControl.Attribute.minLevel], upper: [LevelControl.Attribute.maxLevel]),
        ValueBounds(
            cluster: ColorControl.id, attributes: [ColorControl.Attribute.startUpColorTemperatureMireds],
            lower: [ColorControl.Attribute.colorTempPhysicalMinMireds],
            upper: [ColorControl.Attribute.colorTempPhysicalMaxMireds]),
        ValueBounds(
            cluster: FanControl.id, attributes: [FanControl.Attribute.speedSetting],
            upper: [FanControl.Attribute.speedMax]),
    ]

    /// - Returns: `nil` if no attribute bounds this one.
    static func of(_ attribute: AttributeID, of cluster: ClusterID) -> ValueBounds? {
        all.first { $0.cluster == cluster && $0.attributes.contains(attribute) }
    }
}

extension NodeLink {
    /// The values that the device takes, after it has refused one: from the device, else from the specification.
    ///
    /// - Parameters:
    ///   - title: the node's name in messages, such as `node 'kitchen'`.
    ///   - label: the node as it is typed.
    /// - Returns: `nil` if neither says anything.
    package func bounds(
        of path: ConcreteAttributePath, title: String, label: String, in catalogue: Catalogue,
        deadline: Instant
    ) async -> Hint? {
        let (endpoint, cluster) = (path.endpoint, path.cluster)
        if let bounds = ValueBounds.of(path.attribute, of: cluster) {
            let wanted = (bounds.lower + bounds.upper).map {
                AttributePath(endpoint: endpoint, cluster: cluster, attribute: $0)
            }
            let reports = (try? await read(wanted, deadline: deadline))?.attributes ?? []
            func found(_ attributes: [AttributeID]) -> (id: AttributeID, text: String)? {
                attributes.lazy.compactMap { id -> (AttributeID, String)? in
                    guard let value = reports.first(where: { $0.path.attribute == id })?.value, value != .null else {
                        return nil
                    }
                    let type = catalogue.attribute(cluster: cluster, id)?.type
                    return (id, ValuePrinter().meaning(value, as: type) ?? ValuePrinter().text(value, as: type))
                }.first
            }
            let (low, high) = (found(bounds.lower), found(bounds.upper))
            if let range = Self.range(low?.text, high?.text) {
                let paths = [low?.id, high?.id].compactMap { $0 }.map {
                    ElementPath(endpoint: endpoint, cluster: cluster, element: $0.rawValue).text(
                        .attribute, in: catalogue)
                }
                return Hint("\(title) takes \(range); ") + .step("limits.see", label, paths.joined(separator: " "))
            }
        }
        guard let type = catalogue.attribute(cluster: cluster, path.attribute)?.type else { return nil }
        func text(_ number: Int64?) -> String? {
            number.map { ValuePrinter().meaning(.int($0), as: type) ?? "\($0)" }
        }
        let limits = type.limits
        return
            (Self.range(text(limits.minimum), text(limits.maximum))
            ?? Self.range(limits.minimumLength, limits.maximumLength).map { "\($0) bytes" }
            ?? Self.range(limits.minimumItems, limits.maximumItems).map { "\($0) entries" })
            .map { Hint("the specification allows \($0)") }
    }

    private static func range(_ low: (some CustomStringConvertible)?, _ high: (some CustomStringConvertible)?)
        -> String?
    {
        switch (low, high) {
        case (nil, nil): nil
        case (let low?, nil): "\(low) or more"
        case (nil, let high?): "at most \(high)"
        case (let low?, let high?): "\(low) … \(high)"
        }
    }
}
