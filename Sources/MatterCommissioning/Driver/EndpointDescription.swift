package import MatterInteraction
import MatterTLV

/// An endpoint as its Descriptor cluster describes it (Matter core specification 9.5).
package struct EndpointDescription: Sendable, Equatable {
    package var endpoint: UInt16
    package var deviceTypes: [UInt32] = []
    package var serverClusters: [UInt32] = []

    private static let deviceTypeList: UInt32 = 0
    private static let serverList: UInt32 = 1

    /// What to read for ``all(in:)``.
    package static let paths = [
        AttributePath(cluster: CommissioningCluster.descriptor, attribute: deviceTypeList),
        AttributePath(cluster: CommissioningCluster.descriptor, attribute: serverList),
    ]

    /// The endpoints that a read of ``paths`` describes, by number.
    package static func all(in result: ReadResult) -> [EndpointDescription] {
        var found: [UInt16: EndpointDescription] = [:]
        for report in result.attributes where report.path.cluster == CommissioningCluster.descriptor {
            guard case .array(let members) = report.value else { continue }
            var description = found[report.path.endpoint] ?? EndpointDescription(endpoint: report.path.endpoint)
            switch report.path.attribute {
            case deviceTypeList:
                description.deviceTypes = members.compactMap {
                    try? TLVFields($0.value, "DeviceTypeStruct").unsigned(0)
                }
            case serverList:
                description.serverClusters = members.compactMap { $0.value.unsigned() }
            default:
                break
            }
            found[report.path.endpoint] = description
        }
        return found.values.sorted { $0.endpoint < $1.endpoint }
    }
}

/// Who made the device, and how much it grants (Basic Information, Matter core specification 11.1).
package struct BasicInformation: Sendable, Equatable {
    package var vendorName: String?
    package var productName: String?
    package var serialNumber: String?
    /// CaseSessionsPerFabric of CapabilityMinima.
    package var sessionsPerFabric: UInt16?

    private static let vendorNameID: UInt32 = 1
    private static let productNameID: UInt32 = 3
    private static let serialNumberID: UInt32 = 15
    private static let capabilityMinimaID: UInt32 = 19

    package static let paths = [vendorNameID, productNameID, serialNumberID, capabilityMinimaID].map {
        AttributePath(endpoint: 0, cluster: CommissioningCluster.basicInformation, attribute: $0)
    }

    package init() {}

    package init(_ result: ReadResult) {
        for report in result.attributes
        where report.path.endpoint == 0 && report.path.cluster == CommissioningCluster.basicInformation {
            switch (report.path.attribute, report.value) {
            case (Self.vendorNameID, .string(let text)): vendorName = text
            case (Self.productNameID, .string(let text)): productName = text
            case (Self.serialNumberID, .string(let text)): serialNumber = text
            case (Self.capabilityMinimaID, .some(let value)):
                sessionsPerFabric = try? TLVFields(value, "CapabilityMinimaStruct").unsigned(0)
            default: break
            }
        }
    }
}
