import MatterNetwork

/// Thermostat (Matter application cluster specification 4.3) with heating, cooling and automatic mode, in a room that it
/// really warms and cools.
///
/// A person puts the room to a temperature with `temperature 18.5`, and the weather with `outdoor -3`.
struct ThermostatServer: ClusterServer {
    typealias Attribute = Thermostat.Attribute

    private typealias SystemMode = Thermostat.SystemMode
    private typealias RunningState = Thermostat.RelayState

    private static let modes: Set<Thermostat.SystemMode> = [
        .off, .auto, .cool, .heat, .emergencyHeat, .precooling, .fanOnly,
    ]

    private static let timer = "room"
    /// How often the room is looked at.
    private static let interval = 10
    /// How far the room goes past a setpoint before the relay moves, in hundredths of a degree.
    private static let hysteresis = 20

    let id = Thermostat.id
    /// HEAT, COOL and AUTO.
    let featureMap: FeatureMap = [
        Thermostat.Feature.heating, Thermostat.Feature.cooling, Thermostat.Feature.autoMode,
    ]
    let acceptedCommands: [CommandID] = [Thermostat.Command.setpointRaiseLower]
    let persistentAttributes: Set<AttributeID> = [
        Attribute.localTemperature, Attribute.outdoorTemperature, Attribute.occupiedCoolingSetpoint,
        Attribute.occupiedHeatingSetpoint,
        Attribute.minHeatSetpointLimit, Attribute.maxHeatSetpointLimit, Attribute.minCoolSetpointLimit,
        Attribute.maxCoolSetpointLimit,
        Attribute.systemMode,
    ]
    let initialAttributes: [AttributeID: TLVValue]

    private var setpoints = Setpoints()
    private var room = RoomModel(temperature: 20, outdoors: 12)
    private var drive = RoomModel.Drive.none
    private var lookedAt: Instant?

    init() {
        let setpoints = Setpoints()
        var attributes: [AttributeID: TLVValue] = [
            Attribute.localTemperature: .int(2000), Attribute.outdoorTemperature: .int(1200),
            Attribute.absMinHeatSetpointLimit: .int(Int64(Setpoints.absoluteHeat.lowerBound)),
            Attribute.absMaxHeatSetpointLimit: .int(Int64(Setpoints.absoluteHeat.upperBound)),
            Attribute.absMinCoolSetpointLimit: .int(Int64(Setpoints.absoluteCool.lowerBound)),
            Attribute.absMaxCoolSetpointLimit: .int(Int64(Setpoints.absoluteCool.upperBound)),
            Attribute.minSetpointDeadBand: .number(Setpoints.deadBandTenths),
            // Cooling and heating, without reheat.
            Attribute.controlSequenceOfOperation: .uint(4), Attribute.systemMode: .uint(0),
            Attribute.thermostatRunningMode: .uint(0),
            Attribute.thermostatRunningState: .uint(0),
        ]
        for (attribute, value) in Self.values(of: setpoints) { attributes[attribute] = value }
        initialAttributes = attributes
    }

    mutating func start(_ context: ClusterContext) {
        func stored(_ attribute: AttributeID, _ standard: Int) -> Int { context.number(attribute) ?? standard }
        let standard = Setpoints()
        setpoints = Setpoints(
            heating: stored(Attribute.occupiedHeatingSetpoint, standard.heating),
            cooling: stored(Attribute.occupiedCoolingSetpoint, standard.cooling),
            heat: (
                stored(Attribute.minHeatSetpointLimit, standard.minimumHeat),
                stored(Attribute.maxHeatSetpointLimit, standard.maximumHeat)
            ),
            cool: (
                stored(Attribute.minCoolSetpointLimit, standard.minimumCool),
                stored(Attribute.maxCoolSetpointLimit, standard.maximumCool)
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

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        switch attribute {
        case Attribute.controlSequenceOfOperation, Attribute.minSetpointDeadBand:
            // Writable for old clients only; what they write is passed over (4.3.11.19 and 4.3.11.21).
            return
        case Attribute.systemMode:
            guard let number = value.integer(as: UInt8.self), Self.modes.contains(SystemMode(rawValue: number))
            else {
                throw .constraintError
            }
            look(context)
            context[Attribute.systemMode] = .number(number)
        default:
            guard let wish = value.integer(as: Int.self) else { throw .constraintError }
            let isAccepted =
                switch attribute {
                case Attribute.occupiedHeatingSetpoint: setpoints.setHeating(wish)
                case Attribute.occupiedCoolingSetpoint: setpoints.setCooling(wish)
                case Attribute.minHeatSetpointLimit: setpoints.setMinimumHeat(wish)
                case Attribute.maxHeatSetpointLimit: setpoints.setMaximumHeat(wish)
                case Attribute.minCoolSetpointLimit: setpoints.setMinimumCool(wish)
                case Attribute.maxCoolSetpointLimit: setpoints.setMaximumCool(wish)
                default: throw ClusterFailure.unsupportedWrite
                }
            guard isAccepted else { throw .constraintError }
            look(context)
            publishSetpoints(context)
        }
        regulate(context)
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == Thermostat.Command.setpointRaiseLower else { throw .unsupportedCommand }
        let request: Thermostat.SetpointRaiseLower = try command.decoded()
        // From tenths to hundredths of a degree.
        let amount = Int(request.amount) * 10
        switch request.mode {
        case .heat: setpoints.shiftHeating(by: amount)
        case .cool: setpoints.shiftCooling(by: amount)
        case .both: setpoints.shiftBoth(by: amount)
        default: throw .invalidCommand
        }
        look(context)
        publishSetpoints(context)
        regulate(context)
        return .success
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
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

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
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
        let mode = context.number(Attribute.systemMode, as: UInt8.self).map(SystemMode.init(rawValue:)) ?? .off
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
        let state: RunningState
        let runningMode: SystemMode
        switch drive {
        case .heating: (state, runningMode) = ([.heat, .fan], .heat)
        case .cooling: (state, runningMode) = ([.cool, .fan], .cool)
        case .none: (state, runningMode) = (mode == .fanOnly ? .fan : [], .off)
        }
        context[Attribute.thermostatRunningState] = state.tlv
        context[Attribute.thermostatRunningMode] = .number(runningMode.rawValue)
    }

    private func publishSetpoints(_ context: ClusterContext) {
        for (attribute, value) in Self.values(of: setpoints) { context[attribute] = value }
    }

    private static func values(of setpoints: Setpoints) -> [(AttributeID, TLVValue)] {
        [
            (Attribute.minHeatSetpointLimit, .int(Int64(setpoints.minimumHeat))),
            (Attribute.maxHeatSetpointLimit, .int(Int64(setpoints.maximumHeat))),
            (Attribute.minCoolSetpointLimit, .int(Int64(setpoints.minimumCool))),
            (Attribute.maxCoolSetpointLimit, .int(Int64(setpoints.maximumCool))),
            (Attribute.occupiedHeatingSetpoint, .int(Int64(setpoints.heating))),
            (Attribute.occupiedCoolingSetpoint, .int(Int64(setpoints.cooling))),
        ]
    }
}
