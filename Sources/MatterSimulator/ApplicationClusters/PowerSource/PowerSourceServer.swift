import MatterModel

/// Power Source (Matter core specification 11.7): a battery that a person replaces.
///
/// A person sets the charge with a number: `42`.
struct PowerSourceServer: ClusterServer {
    private typealias Attribute = PowerSource.Attribute

    private static let warning = 20
    private static let critical = 5
    /// Full, in millivolts, and how many one percent less takes away.
    private static let voltage = (full: 3000, perPercent: 10)

    let id = PowerSource.id
    let featureMap: FeatureMap = [PowerSource.Feature.battery, PowerSource.Feature.replaceable]
    let persistentAttributes: Set<AttributeID> = [
        Attribute.batPercentRemaining, Attribute.batChargeLevel, Attribute.batReplacementNeeded, Attribute.batVoltage,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [
        // Active.
        Attribute.status: .uint(1), Attribute.order: .uint(0), Attribute.description: .string("Battery"),
        Attribute.batVoltage: .number(UInt32(voltage.full)), Attribute.batPercentRemaining: .uint(200),
        Attribute.batChargeLevel: .uint(0), Attribute.batReplacementNeeded: .bool(false),
        // UserReplaceable.
        Attribute.batReplaceability: .uint(2), Attribute.batPresent: .bool(true),
        Attribute.batReplacementDescription: .string("CR2032"), Attribute.batQuantity: .uint(1),
        // The whole node.
        Attribute.endpointList: .array([]),
    ]

    init() {}

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let hundredths = words.first.flatMap(TypedNumber.hundredths),
            (0...10000).contains(hundredths)
        else { return false }
        let percent = hundredths / 100
        context[Attribute.batPercentRemaining] = .uint(UInt64(hundredths / 50))
        context[Attribute.batVoltage] = .number(
            UInt32(Self.voltage.full - (100 - percent) * Self.voltage.perPercent))
        context[Attribute.batChargeLevel] = .uint(percent <= Self.critical ? 2 : percent <= Self.warning ? 1 : 0)
        context[Attribute.batReplacementNeeded] = .bool(percent <= Self.critical)
        return true
    }
}
