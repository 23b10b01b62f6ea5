import MatterModel

/// Basic Information: what the whole device is (Matter core specification 11.1).
struct BasicInformationServer: ClusterServer {
    typealias Attribute = BasicInformation.Attribute

    private typealias Event = BasicInformation.Event

    private static let softwareVersion: UInt32 = 1

    let id = BasicInformation.id
    private let configuration: NodeConfiguration
    /// The software of an update; `nil` while there was none.
    private var installed: Installed?

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

    var savedState: TLVValue? {
        installed.map {
            .structure([
                TLVElement(0, .number($0.softwareVersion)), TLVElement(1, .string($0.softwareVersionString)),
            ])
        }
    }

    mutating func restore(_ state: TLVValue) throws(TLVError) {
        let fields = try TLVFields(state, "the software")
        installed = Installed(softwareVersion: try fields.unsigned(0), softwareVersionString: try fields.string(1))
    }

    mutating func start(_ context: ClusterContext) {
        if let installed {
            context[Attribute.softwareVersion] = .number(installed.softwareVersion)
            context[Attribute.softwareVersionString] = .string(installed.softwareVersionString)
        }
        context.emit(BasicInformation.StartUp(softwareVersion: installed?.softwareVersion ?? Self.softwareVersion))
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        if attribute == Attribute.location, value.text?.utf8.count != 2 { throw .constraintError }
        context[attribute] = value
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        switch signal {
        case let leaving as Leaving:
            context.emit(BasicInformation.Leave(fabricIndex: leaving.fabricIndex))
        case let software as Installed:
            installed = software
            context.markUnsaved()
        default: break
        }
    }

    /// A fabric is about to be removed.
    struct Leaving: ClusterSignal {
        var fabricIndex: UInt8
    }

    /// New software is there: it runs from the next start on.
    struct Installed: ClusterSignal {
        var softwareVersion: UInt32
        var softwareVersionString: String
    }
}
