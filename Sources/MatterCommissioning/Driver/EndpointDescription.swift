package import MatterDataModel
package import MatterInteraction
import MatterTLV

/// An endpoint as its Descriptor cluster describes it, with the commands that its clusters accept (Matter core
/// specification 9.5, 7.13.4).
package struct EndpointDescription: Sendable, Equatable {
    package var endpoint: EndpointID
    package var deviceTypes: [DeviceTypeID] = []
    package var serverClusters: [ClusterID] = []
    /// Of each cluster that has commands.
    package var acceptedCommands: [ClusterID: [CommandID]] = [:]

    /// The paths for ``all(in:)``.
    package static let paths = [
        AttributePath(cluster: Descriptor.id, attribute: Descriptor.Attribute.deviceTypeList),
        AttributePath(cluster: Descriptor.id, attribute: Descriptor.Attribute.serverList),
        AttributePath(attribute: GlobalAttribute.acceptedCommandList),
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
                    try? DeviceTypeID(TLVFields($0.value, "DeviceTypeStruct").unsigned(0))
                }
            case Descriptor.Attribute.serverList:
                description.serverClusters = members.compactMap { ClusterID(tlv: $0.value) }
            default:
                break
            }
            found[report.path.endpoint] = description
        }
        return found.values.sorted { $0.endpoint < $1.endpoint }
    }
}

/// Who made the device, and how much it grants (Basic Information, Matter core specification 11.1).
package struct DeviceDescription: Sendable, Equatable {
    package var vendorName: String?
    package var productName: String?
    package var serialNumber: String?
    /// CaseSessionsPerFabric of CapabilityMinima.
    package var sessionsPerFabric: UInt16?

    private typealias Attribute = BasicInformation.Attribute

    package static let paths = [
        Attribute.vendorName, Attribute.productName, Attribute.serialNumber, Attribute.capabilityMinima,
    ].map {
        AttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: $0)
    }

    package init() {}

    package init(_ result: ReadResult) {
        for report in result.attributes
        where report.path.endpoint == 0 && report.path.cluster == BasicInformation.id {
            switch (report.path.attribute, report.value) {
            case (Attribute.vendorName, .string(let text)): vendorName = text
            case (Attribute.productName, .string(let text)): productName = text
            case (Attribute.serialNumber, .string(let text)): serialNumber = text
            case (Attribute.capabilityMinima, .some(let value)):
                sessionsPerFabric = try? TLVFields(value, "CapabilityMinimaStruct").unsigned(0)
            default: break
            }
        }
    }
}
