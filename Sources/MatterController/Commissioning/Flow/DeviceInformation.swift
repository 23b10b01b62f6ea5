package import MatterModel

/// The description of a device before it is trusted (Matter core specification, 11.1).
public struct DeviceInformation: Equatable, Sendable {
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?
    package var breadcrumb: UInt64 = 0
    /// BasicCommissioningInfo: what the device recommends and the most that it grants, in seconds.
    var failSafeExpiry: UInt16 = 60
    var maxCumulativeFailSafe: UInt16 = 900
    /// RegulatoryLocationTypeEnum: 0 indoor, 1 outdoor, 2 both.
    package var locationCapability: UInt8 = 2
    /// RegulatoryConfig: the location that the device is set to.
    package var regulatoryConfig: UInt8?
    /// False for a device that leaves the commissioner's link when it joins a network, and reports nothing.
    package var isConcurrent = true
    /// Its network interfaces, by endpoint.
    package var interfaces: [NetworkState.Commissioning] = []
    /// Features of General Commissioning.
    package var features: FeatureMap = []
    /// The oldest version of its manufacturer's terms that the device accepts.
    var termsMinimumVersion: UInt16 = 0
    /// Whether the terms still have to be accepted.
    var needsTerms = true
    var timeSynchronizationFeatures: FeatureMap?
    /// How many periods SetDSTOffset may carry.
    package var dstListSize = 1
    var icdFeatures: FeatureMap?
    package var supportedFabrics: UInt8?
    package var commissionedFabrics: UInt8?
    package var fabrics: [Fabric] = []

    /// An entry of the device's fabric table.
    package struct Fabric: Equatable, Sendable {
        package var rootPublicKey: [UInt8]
        package var vendorID: UInt16
        package var fabricID: UInt64
        package var nodeID: UInt64
        package var label: String
        package var fabricIndex: UInt8?
    }

    package init() {}

    /// The attributes to read. Missing clusters answer with a status, which is no error.
    package static let paths: [AttributePath] =
        productPaths + [
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.breadcrumb),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.basicCommissioningInfo),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.locationCapability),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.regulatoryConfig),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.supportsConcurrentConnection),
            AttributePath(endpoint: nil, cluster: NetworkCommissioning.id),
            path(GeneralCommissioning.id, GlobalAttribute.featureMap),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.tcMinRequiredVersion),
            path(GeneralCommissioning.id, GeneralCommissioning.Attribute.tcAcknowledgementsRequired),
            path(TimeSynchronization.id, GlobalAttribute.featureMap),
            path(TimeSynchronization.id, TimeSynchronization.Attribute.dstOffsetListMaxSize),
            path(IcdManagement.id, GlobalAttribute.featureMap),
            path(NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.supportedFabrics),
            path(NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.commissionedFabrics),
            path(NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.fabrics),
        ]

    /// Those that say which product it is.
    static let productPaths: [AttributePath] = [
        path(BasicInformation.id, BasicInformation.Attribute.vendorID),
        path(BasicInformation.id, BasicInformation.Attribute.productID),
    ]

    /// Something small, to hear whether the device is still there.
    static let pulsePaths: [AttributePath] = [
        path(GeneralCommissioning.id, GeneralCommissioning.Attribute.breadcrumb)
    ]

    private static func path(_ cluster: ClusterID, _ attribute: AttributeID) -> AttributePath {
        AttributePath(endpoint: 0, cluster: cluster, attribute: attribute)
    }

    /// Takes what is there; an attribute of another type than the specification's counts as absent.
    package init(_ result: ReadResult) {
        interfaces = NetworkState(result).commissioning
        for report in result.attributes where report.path.endpoint == 0 {
            guard let value = report.value else { continue }
            take(value, cluster: report.path.cluster, attribute: report.path.attribute)
        }
    }

    private mutating func take(_ value: TLVValue, cluster: ClusterID, attribute: AttributeID) {
        switch (cluster, attribute) {
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.breadcrumb):
            breadcrumb = value.integer() ?? 0
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.basicCommissioningInfo):
            typealias Info = GeneralCommissioning.BasicCommissioningInfo
            let info = PartialStructure<Info>(tlv: value)
            failSafeExpiry = info?[Info.Field.failSafeExpiryLengthSeconds] ?? failSafeExpiry
            maxCumulativeFailSafe = info?[Info.Field.maxCumulativeFailsafeSeconds] ?? maxCumulativeFailSafe
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.locationCapability):
            locationCapability = value.integer() ?? locationCapability
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.regulatoryConfig):
            regulatoryConfig = value.integer()
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.supportsConcurrentConnection):
            isConcurrent = value.boolean ?? isConcurrent
        case (GeneralCommissioning.id, GlobalAttribute.featureMap):
            features = FeatureMap(tlv: value) ?? []
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.tcMinRequiredVersion):
            termsMinimumVersion = value.integer() ?? termsMinimumVersion
        case (GeneralCommissioning.id, GeneralCommissioning.Attribute.tcAcknowledgementsRequired):
            needsTerms = value.boolean ?? needsTerms
        case (BasicInformation.id, BasicInformation.Attribute.vendorID):
            vendorID = value.integer()
        case (BasicInformation.id, BasicInformation.Attribute.productID):
            productID = value.integer()
        case (TimeSynchronization.id, GlobalAttribute.featureMap):
            timeSynchronizationFeatures = FeatureMap(tlv: value)
        case (TimeSynchronization.id, TimeSynchronization.Attribute.dstOffsetListMaxSize):
            dstListSize = max(1, Int(value.integer(as: UInt8.self) ?? 1))
        case (IcdManagement.id, GlobalAttribute.featureMap):
            icdFeatures = FeatureMap(tlv: value)
        case (NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.supportedFabrics):
            supportedFabrics = value.integer()
        case (NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.commissionedFabrics):
            commissionedFabrics = value.integer()
        case (NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.fabrics):
            fabrics = (value.items ?? []).compactMap { try? Fabric($0) }
        default:
            break
        }
    }

    /// Long idle times: the device sleeps for minutes and should be told who wants to be checked in with.
    package var isLongIdleTime: Bool { icdFeatures?.contains(IcdManagement.Feature.longIdleTimeSupport) ?? false }

    /// The demand of a device whose manufacturer's terms have to be accepted; `nil` for any other.
    var termsDemand: TermsDemand? {
        guard needsTerms, features.contains(GeneralCommissioning.Feature.termsAndConditions) else { return nil }
        return TermsDemand(vendorID: vendorID, productID: productID, minimumVersion: termsMinimumVersion)
    }

    var isFabricTableFull: Bool {
        guard let supportedFabrics, let commissionedFabrics else { return false }
        return commissionedFabrics >= supportedFabrics
    }
}

extension DeviceInformation.Fabric {
    /// Decodes a FabricDescriptorStruct (11.18.4.5).
    package init(_ value: TLVValue) throws(TLVError) {
        typealias Field = NodeOperationalCredentials.FabricDescriptor.Field
        let entry = try PartialStructure<NodeOperationalCredentials.FabricDescriptor>(of: value)
        rootPublicKey = try entry.required(Field.rootPublicKey)
        vendorID = try entry.required(Field.vendorID)
        fabricID = try entry.required(Field.fabricID)
        nodeID = try entry.required(Field.nodeID)
        label = try entry.optional(Field.label) ?? ""
        fabricIndex = try entry.optional(Field.fabricIndex)
    }
}
