import MatterModel

/// Bridged Device Basic Information (Matter core specification 9.13): what stands behind an endpoint of a bridge.
///
/// A person takes the device away with `unreachable` and brings it back with `reachable`.
struct BridgedDeviceServer: ClusterServer {
    private typealias Attribute = BridgedDeviceBasicInformation.Attribute

    private static let longestID = 32

    let id = BridgedDeviceBasicInformation.id
    let persistentAttributes: Set<AttributeID> = [Attribute.nodeLabel]
    let initialAttributes: [AttributeID: TLVValue]

    private let number: Int

    /// - Parameters:
    ///   - number: tells the devices behind one bridge apart.
    ///   - name: up to 32 bytes.
    init(number: Int, name: String) {
        self.number = number
        initialAttributes = [
            Attribute.vendorName: .string("matterctl"), Attribute.productName: .string("Virtual bridged device"),
            Attribute.nodeLabel: .string(name), Attribute.serialNumber: .string("SIM-B\(number)"),
            Attribute.reachable: .bool(true), Attribute.uniqueID: .string(""),
            Attribute.configurationVersion: .uint(1),
        ]
    }

    /// UniqueID comes from that of the bridge, which is the same for ever.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.uniqueID else { return nil }
        let suffix = "-\(number)"
        return .string(context.node.configuration.uniqueID.prefix(Self.longestID - suffix.count) + suffix)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words == ["reachable"] || words == ["unreachable"] else { return false }
        let isReachable = words == ["reachable"]
        guard isReachable != context.bool(Attribute.reachable) else { return true }
        context[Attribute.reachable] = .bool(isReachable)
        context.emit(BridgedDeviceBasicInformation.ReachableChanged(reachableNewValue: isReachable))
        return true
    }
}
