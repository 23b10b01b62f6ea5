package import MatterTLV
import MatterTransport

/// Thermostat (Matter application cluster specification 4.3) with heating, cooling and automatic mode, in a room that it
/// really warms and cools.
///
/// A person puts the room to a temperature with `temperature 18.5`, and the weather with `outdoor -3`.
package struct ThermostatServer: ClusterServer {
    enum Attribute {
        static let localTemperature: UInt32 = 0x00
        static let outdoorTemperature: UInt32 = 0x01
        static let absoluteMinimumHeat: UInt32 = 0x03
        static let absoluteMaximumHeat: UInt32 = 0x04
        static let absoluteMinimumCool: UInt32 = 0x05
        static let absoluteMaximumCool: UInt32 = 0x06
        static let cooling: UInt32 = 0x11
        static let heating: UInt32 = 0x12
        static let minimumHeat: UInt32 = 0x15
        static let maximumHeat: UInt32 = 0x16
        static let minimumCool: UInt32 = 0x17
        static let maximumCool: UInt32 = 0x18
        static let minimumDeadBand: UInt32 = 0x19
        static let controlSequence: UInt32 = 0x1B
        static let systemMode: UInt32 = 0x1C
        static let runningMode: UInt32 = 0x1E
        static let runningState: UInt32 = 0x29
    }

    enum SystemMode: UInt8 {
        case off = 0
        case auto = 1
        case cool = 3
        case heat = 4
        case emergencyHeat = 5
        case precooling = 6
        case fanOnly = 7
    }

    private enum RunningState {
        static let heat: UInt16 = 1 << 0
        static let cool: UInt16 = 1 << 1
        static let fan: UInt16 = 1 << 2
    }

    private static let setpointRaiseLower: UInt32 = 0
    private static let timer = "room"
    /// How often the room is looked at.
    private static let interval = 10
    /// How far the room goes past a setpoint before the relay moves, in hundredths of a degree.
    private static let hysteresis = 20

    package let id = ClusterID.thermostat
    /// HEAT, COOL and AUTO.
    package let featureMap: UInt32 = 1 << 0 | 1 << 1 | 1 << 5
    package let acceptedCommands: [UInt32] = [ThermostatServer.setpointRaiseLower]
    package let persistentAttributes: Set<UInt32> = [
        Attribute.localTemperature, Attribute.outdoorTemperature, Attribute.cooling, Attribute.heating,
        Attribute.minimumHeat, Attribute.maximumHeat, Attribute.minimumCool, Attribute.maximumCool,
        Attribute.systemMode,
    ]
    package let initialAttributes: [UInt32: TLVValue]

    private var setpoints = Setpoints()
    private var room = RoomModel(temperature: 20, outdoors: 12)
    private var drive = RoomModel.Drive.none
    private var lookedAt: Instant?

    package init() {
        let setpoints = Setpoints()
        var attributes: [UInt32: TLVValue] = [
            Attribute.localTemperature: .int(2000), Attribute.outdoorTemperature: .int(1200),
            Attribute.absoluteMinimumHeat: .int(Int64(Setpoints.absoluteHeat.lowerBound)),
            Attribute.absoluteMaximumHeat: .int(Int64(Setpoints.absoluteHeat.upperBound)),
            Attribute.absoluteMinimumCool: .int(Int64(Setpoints.absoluteCool.lowerBound)),
            Attribute.absoluteMaximumCool: .int(Int64(Setpoints.absoluteCool.upperBound)),
            Attribute.minimumDeadBand: .number(Setpoints.deadBandTenths),
            // Cooling and heating, without reheat.
            Attribute.controlSequence: .uint(4), Attribute.systemMode: .uint(0), Attribute.runningMode: .uint(0),
            Attribute.runningState: .uint(0),
        ]
        for (attribute, value) in Self.values(of: setpoints) { attributes[attribute] = value }
        initialAttributes = attributes
    }

    package mutating func start(_ context: ClusterContext) {
        func stored(_ attribute: UInt32, _ standard: Int) -> Int { context.number(attribute) ?? standard }
        let standard = Setpoints()
        setpoints = Setpoints(
            heating: stored(Attribute.heating, standard.heating), cooling: stored(Attribute.cooling, standard.cooling),
            heat: (
                stored(Attribute.minimumHeat, standard.minimumHeat), stored(Attribute.maximumHeat, standard.maximumHeat)
            ),
            cool: (
                stored(Attribute.minimumCool, standard.minimumCool), stored(Attribute.maximumCool, standard.maximumCool)
            ))
        room = RoomModel(
            temperature: Double(stored(Attribute.localTemperature, 2000)) / 100,
            outdoors: Double(stored(Attribute.outdoorTemperature, 1200)) / 100)
        lookedAt = context.now
        publishSetpoints(context)
        regulate(context)
        context.schedule(Self.timer, after: .seconds(Self.interval))
    }

    // MARK: Wishes

    package mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        switch attribute {
        case Attribute.controlSequence, Attribute.minimumDeadBand:
            // Writable for old clients only; what they write is passed over (4.3.11.19 and 4.3.11.21).
            return
        case Attribute.systemMode:
            guard let number = value.integer(as: UInt8.self), let mode = SystemMode(rawValue: number) else {
                throw .constraintError
            }
            look(context)
            context[Attribute.systemMode] = .number(mode.rawValue)
        default:
            guard let wish = value.integer(as: Int.self) else { throw .constraintError }
            let isAccepted =
                switch attribute {
                case Attribute.heating: setpoints.setHeating(wish)
                case Attribute.cooling: setpoints.setCooling(wish)
                case Attribute.minimumHeat: setpoints.setMinimumHeat(wish)
                case Attribute.maximumHeat: setpoints.setMaximumHeat(wish)
                case Attribute.minimumCool: setpoints.setMinimumCool(wish)
                case Attribute.maximumCool: setpoints.setMaximumCool(wish)
                default: throw ClusterFailure.unsupportedWrite
                }
            guard isAccepted else { throw .constraintError }
            look(context)
            publishSetpoints(context)
        }
        regulate(context)
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == Self.setpointRaiseLower else { throw .unsupportedCommand }
        // Tenths of a degree.
        let amount = Int(try command.unsigned(1, as: Int8.self)) * 10
        switch try command.unsigned(0, as: UInt8.self) {
        case 0: setpoints.shiftHeating(by: amount)
        case 1: setpoints.shiftCooling(by: amount)
        case 2: setpoints.shiftBoth(by: amount)
        default: throw .invalidCommand
        }
        look(context)
        publishSetpoints(context)
        regulate(context)
        return .success
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 2, let hundredths = TypedNumber.hundredths(words[1]), (-5000...8000).contains(hundredths)
        else { return false }
        look(context)
        switch words[0] {
        case "temperature": room.temperature = Double(hundredths) / 100
        case "outdoor":
            room.outdoors = Double(hundredths) / 100
            context[Attribute.outdoorTemperature] = .int(Int64(hundredths))
        default: return false
        }
        regulate(context)
        return true
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        look(context)
        regulate(context)
        context.schedule(Self.timer, after: .seconds(Self.interval))
    }

    // MARK: The room

    /// Lets the room be what it has become since it was last looked at.
    private mutating func look(_ context: ClusterContext) {
        let now = context.now
        if let lookedAt, lookedAt < now { room.advance(seconds: (now - lookedAt) / .seconds(1), drive) }
        lookedAt = now
    }

    /// Opens and closes the relays.
    private mutating func regulate(_ context: ClusterContext) {
        let temperature = Int(room.reading)
        context[Attribute.localTemperature] = .number(room.reading)
        let mode = context.number(Attribute.systemMode, as: UInt8.self).flatMap(SystemMode.init) ?? .off
        let mayHeat = mode == .auto || mode == .heat || mode == .emergencyHeat
        let mayCool = mode == .auto || mode == .cool || mode == .precooling
        // A relay that has moved stays until the room is past the setpoint on the other side.
        let heatUpTo = setpoints.heating + (drive == .heating ? Self.hysteresis : -Self.hysteresis)
        let coolDownTo = setpoints.cooling + (drive == .cooling ? -Self.hysteresis : Self.hysteresis)
        if mayHeat, temperature < heatUpTo {
            drive = .heating
        } else if mayCool, temperature > coolDownTo {
            drive = .cooling
        } else {
            drive = .none
        }
        let state: UInt16
        let runningMode: SystemMode
        switch drive {
        case .heating: (state, runningMode) = (RunningState.heat | RunningState.fan, .heat)
        case .cooling: (state, runningMode) = (RunningState.cool | RunningState.fan, .cool)
        case .none: (state, runningMode) = (mode == .fanOnly ? RunningState.fan : 0, .off)
        }
        context[Attribute.runningState] = .number(state)
        context[Attribute.runningMode] = .number(runningMode.rawValue)
    }

    private func publishSetpoints(_ context: ClusterContext) {
        for (attribute, value) in Self.values(of: setpoints) { context[attribute] = value }
    }

    private static func values(of setpoints: Setpoints) -> [(UInt32, TLVValue)] {
        [
            (Attribute.minimumHeat, .int(Int64(setpoints.minimumHeat))),
            (Attribute.maximumHeat, .int(Int64(setpoints.maximumHeat))),
            (Attribute.minimumCool, .int(Int64(setpoints.minimumCool))),
            (Attribute.maximumCool, .int(Int64(setpoints.maximumCool))),
            (Attribute.heating, .int(Int64(setpoints.heating))), (Attribute.cooling, .int(Int64(setpoints.cooling))),
        ]
    }
}
