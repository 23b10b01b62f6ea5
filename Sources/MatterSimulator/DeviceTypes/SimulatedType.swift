package import MatterModel

/// A device type that can be simulated: how an endpoint of it is built.
///
/// To add one, write its servers and put a row into ``all``.
package struct SimulatedType: Sendable {
    /// As users write it: `dimmable-light`.
    package let name: String
    /// One sentence for `simulate --help`.
    package let summary: String
    /// The number of the device type.
    package let deviceType: DeviceTypeID
    /// The endpoints that it takes, the first of which is the device itself.
    let build: @Sendable (_ options: DeviceOptions) -> [EndpointPlan]

    package init(
        _ name: String, _ summary: String, deviceType: DeviceTypeID,
        build: @escaping @Sendable (_ options: DeviceOptions) -> [EndpointPlan]
    ) {
        self.name = name
        self.summary = summary
        self.deviceType = deviceType
        self.build = build
    }

    /// A type of one endpoint.
    ///
    /// - Parameters:
    ///   - also: further device types of the endpoint.
    ///   - clients: the clusters that it controls on other devices.
    package init(
        _ name: String, _ summary: String, _ deviceType: DeviceTypeID, also: [DeviceTypeID] = [],
        clients: [ClusterID] = [], servers: @escaping @Sendable (_ options: DeviceOptions) -> [any ClusterServer]
    ) {
        self.init(name, summary, deviceType: deviceType) { options in
            [
                EndpointPlan(
                    deviceTypes: ([deviceType] + also).map(Self.revision), servers: servers(options), clients: clients)
            ]
        }
    }

    /// As people read it: `Dimmable light`.
    package var title: String {
        let words = name.split(separator: "-").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The clusters that the device itself serves, beside those that every endpoint has.
    package var clusters: [ClusterID] { build(DeviceOptions()).first?.servers.map(\.id) ?? [] }

    /// - Throws: ``SimulatorError`` that names the types there are.
    package static func named(_ name: String) throws(SimulatorError) -> SimulatedType {
        let key = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if let type = all.first(where: { $0.name.filter { $0.isLetter || $0.isNumber } == key }) { return type }
        throw SimulatorError(
            .unknownDeviceType, "unknown device type '\(name)'",
            hint: Suggestions.question(Suggestions.nearest(to: name, among: all.map(\.name))).map { Hint($0) }
                ?? "one of: \(all.map(\.name).joined(separator: ", "))")
    }

    /// The endpoints of a node with several types, from 1 on. Those of the same type are numbered by a tag.
    package static func plans(_ types: [SimulatedType], options: DeviceOptions = DeviceOptions()) -> [EndpointPlan] {
        var counts: [DeviceTypeID: Int] = [:]
        return types.flatMap { type in
            var plans = type.build(options)
            if types.count(where: { $0.deviceType == type.deviceType }) > 1, !plans.isEmpty {
                let number = (counts[type.deviceType] ?? 0) + 1
                counts[type.deviceType] = number
                plans[0].tags = tags(number)
            }
            return plans
        }
    }

    /// The tags of the standard namespaces of numbers, which end with ten, and of positions (Matter standard namespaces, 8 and 9):
    /// each ten endpoints are a row. They are SemanticTagStructs.
    private static func tags(_ number: Int) -> [TLVValue] {
        let (numbers, most): (UInt8, Int) = (7, 10)
        let (positions, rowTag): (UInt8, UInt8) = (8, 5)
        let (row, place) = ((number - 1) / most + 1, (number - 1) % most + 1)
        let tag = GlobalTypes.SemanticTag(namespaceID: numbers, tag: UInt8(place)).tlv
        guard row > 1 else { return [tag] }
        return [tag, GlobalTypes.SemanticTag(namespaceID: positions, tag: rowTag, label: "\(row)").tlv]
    }

    /// The device type with the revision of the specification.
    package static func revision(_ deviceType: DeviceTypeID) -> DeviceTypeRevision {
        DeviceTypeRevision(deviceType, revision: ConformanceModel.revision(of: deviceType) ?? 1)
    }
}

/// The user's choice for all endpoints.
package struct DeviceOptions: Sendable {
    /// The way of controllers to the cloud that they are told of; `nil` if they have none.
    package var cloud: (any HubCloud)?

    package init(cloud: (any HubCloud)? = nil) { self.cloud = cloud }
}
