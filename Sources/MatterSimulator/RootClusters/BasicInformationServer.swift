import MatterModel

/// Basic Information: what the whole device is (Matter core specification 11.1).
struct BasicInformationServer: ClusterServer {
    typealias Attribute = BasicInformation.Attribute

    private typealias Event = BasicInformation.Event

    private static let softwareVersion: UInt32 = 1

    let id = BasicInformation.id
    private let configuration: NodeConfiguration

    init(_ configuration: NodeConfiguration) { self.configuration = configuration }

    var initialAttributes: [AttributeID: TLVValue] {
        let limits = configuration.limits
        return [
            Attribute.dataModelRevision: .uint(21), Attribute.vendorName: .string(configuration.vendorName),
            Attribute.vendorID: .uint(UInt64(configuration.vendorID)),
            Attribute.productName: .string(configuration.productName),
            Attribute.productID: .uint(UInt64(configuration.productID)),
            Attribute.nodeLabel: .string(""), Attribute.location: .string("XX"), Attribute.hardwareVersion: .uint(1),
            Attribute.hardwareVersionString: .string("virtual"),
            Attribute.softwareVersion: .number(Self.softwareVersion), Attribute.softwareVersionString: .string("1.0"),
            Attribute.serialNumber: .string(configuration.serialNumber),
            Attribute.localConfigDisabled: .bool(false), Attribute.reachable: .bool(true),
            Attribute.uniqueID: .string(configuration.uniqueID),
            Attribute.capabilityMinima: BasicInformation.CapabilityMinima(
                caseSessionsPerFabric: UInt16(clamping: limits.sessionsPerFabric),
                subscriptionsPerFabric: UInt16(clamping: limits.subscriptionsPerFabric)
            ).tlv,
            Attribute.specificationVersion: .number(ConformanceModel.versionNumber),
            Attribute.maxPathsPerInvoke: .uint(UInt64(limits.pathsPerInvoke)),
            Attribute.configurationVersion: .uint(1),
        ]
    }

    var persistentAttributes: Set<AttributeID> {
        [Attribute.nodeLabel, Attribute.location, Attribute.localConfigDisabled]
    }

    mutating func start(_ context: ClusterContext) {
        context.emit(BasicInformation.StartUp(softwareVersion: Self.softwareVersion))
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        if attribute == Attribute.location, value.text?.utf8.count != 2 { throw .constraintError }
        context[attribute] = value
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let leaving = signal as? Leaving else { return }
        context.emit(BasicInformation.Leave(fabricIndex: leaving.fabricIndex))
    }

    /// A fabric is about to be removed.
    struct Leaving: ClusterSignal {
        var fabricIndex: UInt8
    }
}
