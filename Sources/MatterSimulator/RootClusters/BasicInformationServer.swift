import MatterTLV

/// Basic Information: what the whole device is (Matter core specification 11.1).
struct BasicInformationServer: ClusterServer {
    enum Attribute {
        static let nodeLabel: UInt32 = 5
        static let location: UInt32 = 6
    }

    private enum Event {
        static let startUp: UInt32 = 0
        static let leave: UInt32 = 2
    }

    private static let softwareVersion: UInt64 = 1

    let id = ClusterID.basicInformation
    private let configuration: NodeConfiguration

    init(_ configuration: NodeConfiguration) { self.configuration = configuration }

    var initialAttributes: [UInt32: TLVValue] {
        let limits = configuration.limits
        return [
            0x00: .uint(19), 0x01: .string(configuration.vendorName), 0x02: .uint(UInt64(configuration.vendorID)),
            0x03: .string(configuration.productName), 0x04: .uint(UInt64(configuration.productID)),
            0x05: .string(""), 0x06: .string("XX"), 0x07: .uint(1), 0x08: .string("virtual"),
            0x09: .uint(Self.softwareVersion), 0x0A: .string("1.0"), 0x0F: .string(configuration.serialNumber),
            0x10: .bool(false), 0x11: .bool(true), 0x12: .string(configuration.uniqueID),
            0x13: .structure([
                TLVElement(0, .uint(UInt64(limits.sessionsPerFabric))),
                TLVElement(1, .uint(UInt64(limits.subscriptionsPerFabric))),
            ]),
            0x15: .uint(0x0104_0200), 0x16: .uint(UInt64(limits.pathsPerInvoke)),
        ]
    }

    var persistentAttributes: Set<UInt32> { [Attribute.nodeLabel, Attribute.location, 0x10] }

    mutating func start(_ context: ClusterContext) {
        context.emit(event: Event.startUp, [TLVElement(0, .uint(Self.softwareVersion))])
    }

    mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        if attribute == Attribute.location, value.text?.utf8.count != 2 { throw .constraintError }
        context[attribute] = value
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let leaving = signal as? Leaving else { return }
        context.emit(event: Event.leave, [TLVElement(0, .uint(UInt64(leaving.fabricIndex)))])
    }

    /// A fabric is about to be removed.
    struct Leaving: ClusterSignal {
        var fabricIndex: UInt8
    }
}
