package import MatterModel

/// An endpoint as its Descriptor cluster describes it, with the commands that its clusters accept (Matter core
/// specification 9.5, 7.13.4).
public struct EndpointDescription: Sendable, Equatable {
    package var endpoint: EndpointID
    package var deviceTypes: [DeviceTypeID] = []
    package var serverClusters: [ClusterID] = []
    /// Of each cluster that has commands.
    package var acceptedCommands: [ClusterID: [CommandID]] = [:]
    /// NodeLabel of the device behind it, if it is an endpoint of a bridge.
    package var label: String?
    /// Whether the bridge reaches that device.
    package var isReachable: Bool?

    var isBridged: Bool { serverClusters.contains(BridgedDeviceBasicInformation.id) }

    /// The paths for ``all(in:)``.
    package static let paths = [
        AttributePath(cluster: Descriptor.id, attribute: Descriptor.Attribute.deviceTypeList),
        AttributePath(cluster: Descriptor.id, attribute: Descriptor.Attribute.serverList),
        AttributePath(attribute: GlobalAttribute.acceptedCommandList),
        // One path for the two attributes: no read may have more than nine.
        AttributePath(cluster: BridgedDeviceBasicInformation.id),
    ]

    /// The endpoints that a read of ``paths`` describes, by number.
    package static func all(in result: ReadResult) -> [EndpointDescription] {
        var found: [EndpointID: EndpointDescription] = [:]
        for report in result.attributes {
            guard case .array(let members) = report.value else { continue }
            guard report.path.attribute != GlobalAttribute.acceptedCommandList else {
                let commands = members.compactMap { CommandID(tlv: $0.value) }
                guard !commands.isEmpty else { continue }
                found[report.path.endpoint, default: EndpointDescription(endpoint: report.path.endpoint)]
                    .acceptedCommands[report.path.cluster] = commands
                continue
            }
            guard report.path.cluster == Descriptor.id else { continue }
            var description = found[report.path.endpoint] ?? EndpointDescription(endpoint: report.path.endpoint)
            switch report.path.attribute {
            case Descriptor.Attribute.deviceTypeList:
                description.deviceTypes = members.compactMap {
                    PartialStructure(tlv: $0.value)?[Descriptor.DeviceType.Field.deviceType]
                }
            case Descriptor.Attribute.serverList:
                description.serverClusters = members.compactMap { ClusterID(tlv: $0.value) }
            default:
                break
            }
            found[report.path.endpoint] = description
        }
        for report in result.attributes where report.path.cluster == BridgedDeviceBasicInformation.id {
            switch (report.path.attribute, report.value) {
            case (BridgedDeviceBasicInformation.Attribute.nodeLabel, .string(let label)) where !label.isEmpty:
                found[report.path.endpoint]?.label = label
            case (BridgedDeviceBasicInformation.Attribute.reachable, .bool(let isReachable)):
                found[report.path.endpoint]?.isReachable = isReachable
            default: break
            }
        }
        return found.values.sorted { $0.endpoint < $1.endpoint }
    }
}

/// Who made the device, and how much it grants (Basic Information, Matter core specification 11.1).
struct DeviceDescription: Sendable, Equatable {
    var vendorName: String?
    var productName: String?
    var serialNumber: String?
    /// SoftwareVersionString.
    var firmware: String?
    /// CaseSessionsPerFabric of CapabilityMinima.
    var sessionsPerFabric: UInt16?

    private typealias Attribute = BasicInformation.Attribute

    static let paths = [
        Attribute.vendorName, Attribute.productName, Attribute.serialNumber, Attribute.softwareVersionString,
        Attribute.capabilityMinima,
    ].map {
        AttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: $0)
    }

    init() {}

    init(_ result: ReadResult) {
        for report in result.attributes
        where report.path.endpoint == 0 && report.path.cluster == BasicInformation.id {
            switch (report.path.attribute, report.value) {
            case (Attribute.vendorName, .string(let text)): vendorName = text
            case (Attribute.productName, .string(let text)): productName = text
            case (Attribute.serialNumber, .string(let text)): serialNumber = text
            case (Attribute.softwareVersionString, .string(let text)): firmware = text
            case (Attribute.capabilityMinima, .some(let value)):
                sessionsPerFabric =
                    PartialStructure(tlv: value)?[
                        BasicInformation.CapabilityMinima.Field.caseSessionsPerFabric]
            default: break
            }
        }
    }
}
