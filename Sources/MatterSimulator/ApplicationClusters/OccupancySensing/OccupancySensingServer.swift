package import MatterTLV

/// Occupancy Sensing (Matter application cluster specification 2.7) with a passive infrared sensor.
///
/// A person plays the room with `motion` (somebody passes: occupied for HoldTime), `occupied` (somebody stays) and
/// `unoccupied` (the last one has gone: free after HoldTime).
package struct OccupancySensingServer: ClusterServer {
    private enum Attribute {
        static let occupancy: UInt32 = 0
        static let sensorType: UInt32 = 1
        static let sensorTypeBitmap: UInt32 = 2
        static let holdTime: UInt32 = 3
        static let holdTimeLimits: UInt32 = 4
    }

    private static let occupancyChanged: UInt32 = 0
    private static let holdTimer = "hold"
    /// Seconds.
    private static let holdTimes: ClosedRange<UInt16> = 1...3600
    private static let defaultHoldTime: UInt16 = 10

    package let id = ClusterID.occupancySensing
    /// PIR and OCCEVENT.
    package let featureMap: UInt32 = 1 << 1 | 1 << 9
    package let persistentAttributes: Set<UInt32> = [Attribute.holdTime]
    package let initialAttributes: [UInt32: TLVValue] = [
        Attribute.occupancy: .uint(0), Attribute.sensorType: .uint(0), Attribute.sensorTypeBitmap: .uint(1),
        Attribute.holdTime: .number(defaultHoldTime),
        Attribute.holdTimeLimits: .structure([
            TLVElement(0, .number(holdTimes.lowerBound)), TLVElement(1, .number(holdTimes.upperBound)),
            TLVElement(2, .number(defaultHoldTime)),
        ]),
    ]

    package init() {}

    package mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Attribute.holdTime else { throw .unsupportedWrite }
        guard let seconds = value.integer(as: UInt16.self), Self.holdTimes.contains(seconds) else {
            throw .constraintError
        }
        context[attribute] = .number(seconds)
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
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

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) { set(false, context) }

    private func hold(_ context: ClusterContext) {
        let seconds = context.number(Attribute.holdTime, as: UInt16.self) ?? Self.defaultHoldTime
        context.schedule(Self.holdTimer, after: .seconds(Int(seconds)))
    }

    private func set(_ isOccupied: Bool, _ context: ClusterContext) {
        let value = TLVValue.uint(isOccupied ? 1 : 0)
        guard context[Attribute.occupancy] != value else { return }
        context[Attribute.occupancy] = value
        context.emit(event: Self.occupancyChanged, [TLVElement(0, value)])
    }
}
