import MatterModel

/// Occupancy Sensing (Matter application cluster specification 2.7) with a passive infrared sensor.
///
/// A person plays the room with `motion` (a person passes: occupied for HoldTime), `occupied` (a person stays) and
/// `unoccupied` (the last one has gone: free after HoldTime).
struct OccupancySensingServer: ClusterServer {
    private typealias Attribute = OccupancySensing.Attribute

    private static let holdTimer = "hold"
    /// Seconds.
    private static let holdTimes: ClosedRange<UInt16> = 1...3600
    private static let defaultHoldTime: UInt16 = 10

    let id = OccupancySensing.id
    /// PIR and OCCEVENT.
    let featureMap: FeatureMap = [
        OccupancySensing.Feature.passiveInfrared, OccupancySensing.Feature.occupancyEvent,
    ]
    let persistentAttributes: Set<AttributeID> = [Attribute.holdTime]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.occupancy: .uint(0), Attribute.occupancySensorType: .uint(0),
        Attribute.occupancySensorTypeBitmap: .uint(1),
        Attribute.holdTime: .number(defaultHoldTime),
        Attribute.holdTimeLimits: OccupancySensing.HoldTimeLimits(
            holdTimeMin: holdTimes.lowerBound, holdTimeMax: holdTimes.upperBound, holdTimeDefault: defaultHoldTime
        ).tlv,
    ]

    init() {}

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Attribute.holdTime else { throw .unsupportedWrite }
        guard let seconds = value.integer(as: UInt16.self), Self.holdTimes.contains(seconds) else {
            throw .constraintError
        }
        context[attribute] = .number(seconds)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let word = words.first else { return false }
        switch word {
        case "motion":
            set(true, context)
            hold(context)
        case "occupied":
            context.cancel(Self.holdTimer)
            set(true, context)
        case "unoccupied":
            if context.number(Attribute.occupancy, as: UInt8.self) == 1 { hold(context) }
        default: return false
        }
        return true
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) { set(false, context) }

    private func hold(_ context: ClusterContext) {
        let seconds = context.number(Attribute.holdTime, as: UInt16.self) ?? Self.defaultHoldTime
        context.schedule(Self.holdTimer, after: .seconds(Int(seconds)))
    }

    private func set(_ isOccupied: Bool, _ context: ClusterContext) {
        let value: OccupancySensing.Occupancy = isOccupied ? .occupied : []
        guard context[Attribute.occupancy] != value.tlv else { return }
        context[Attribute.occupancy] = value.tlv
        context.emit(OccupancySensing.OccupancyChanged(occupancy: value))
    }
}
