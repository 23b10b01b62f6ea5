import MatterModel

/// Window Covering (Matter application cluster specification 5.3): a venetian blind with lift and tilt, both aware of
/// their position. Full lift takes ten seconds, full tilt two.
///
/// A person pulls the cord with `open`, `close`, `stop`, `lift 30` and `tilt 30` (percent closed).
struct WindowCoveringServer: ClusterServer {
    typealias Attribute = WindowCovering.Attribute

    private typealias Command = WindowCovering.Command

    private enum Mode {
        static let motorDirectionReversed: UInt8 = 1 << 0
        static let calibration: UInt8 = 1 << 1
        static let maintenance: UInt8 = 1 << 2
    }

    private enum ConfigStatus {
        static let operational: UInt8 = 1 << 0
        static let liftMovementReversed: UInt8 = 1 << 2
        static let liftPositionAware: UInt8 = 1 << 3
        static let tiltPositionAware: UInt8 = 1 << 4
    }

    private static let timer = "move"

    let id = WindowCovering.id
    /// LF, TL, PA_LF and PA_TL.
    let featureMap: FeatureMap = [
        WindowCovering.Feature.lift, WindowCovering.Feature.tilt, WindowCovering.Feature.positionAwareLift,
        WindowCovering.Feature.positionAwareTilt,
    ]
    let acceptedCommands: [CommandID] = [
        Command.upOrOpen, Command.downOrClose, Command.stopMotion, Command.goToLiftPercentage,
        Command.goToTiltPercentage,
    ]
    let persistentAttributes: Set<AttributeID> = [
        Attribute.numberOfActuationsLift, Attribute.numberOfActuationsTilt, Attribute.configStatus,
        Attribute.currentPositionLiftPercentage, Attribute.currentPositionTiltPercentage,
        Attribute.targetPositionLiftPercent100ths, Attribute.targetPositionTiltPercent100ths,
        Attribute.currentPositionLiftPercent100ths, Attribute.currentPositionTiltPercent100ths, Attribute.mode,
    ]
    /// The precise positions say the same.
    let quietAttributes: Set<AttributeID> = [
        Attribute.currentPositionLiftPercentage, Attribute.currentPositionTiltPercentage,
    ]
    /// Open, slats level.
    let initialAttributes: [AttributeID: TLVValue] = [
        // A tilting blind that lifts too; an interior venetian blind.
        Attribute.type: .uint(8), Attribute.endProductType: .uint(12),
        Attribute.numberOfActuationsLift: .uint(0), Attribute.numberOfActuationsTilt: .uint(0),
        Attribute.configStatus: .number(
            ConfigStatus.operational | ConfigStatus.liftPositionAware | ConfigStatus.tiltPositionAware),
        Attribute.currentPositionLiftPercentage: .uint(0), Attribute.currentPositionTiltPercentage: .uint(0),
        Attribute.operationalStatus: .uint(0), Attribute.targetPositionLiftPercent100ths: .uint(0),
        Attribute.targetPositionTiltPercent100ths: .uint(0),
        Attribute.currentPositionLiftPercent100ths: .uint(0), Attribute.currentPositionTiltPercent100ths: .uint(0),
        Attribute.mode: .uint(0),
        Attribute.safetyStatus: .uint(0),
    ]

    private var lift = CoveringAxis(fullTravel: .seconds(10), position: 0)
    private var tilt = CoveringAxis(fullTravel: .seconds(2), position: 0)

    init() {}

    mutating func start(_ context: ClusterContext) {
        // A movement that the end of the last run cut short is over.
        lift = CoveringAxis(
            fullTravel: lift.fullTravel, position: context.number(Attribute.currentPositionLiftPercent100ths) ?? 0)
        tilt = CoveringAxis(
            fullTravel: tilt.fullTravel, position: context.number(Attribute.currentPositionTiltPercent100ths) ?? 0)
        publish(context)
    }

    /// Positions are computed when they are read.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        switch attribute {
        case Attribute.currentPositionLiftPercent100ths where lift.isMoving: .number(lift.position(at: context.now))
        case Attribute.currentPositionTiltPercent100ths where tilt.isMoving: .number(tilt.position(at: context.now))
        case Attribute.currentPositionLiftPercentage where lift.isMoving:
            .number(UInt8(lift.position(at: context.now) / 100))
        case Attribute.currentPositionTiltPercentage where tilt.isMoving:
            .number(UInt8(tilt.position(at: context.now) / 100))
        default: nil
        }
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Attribute.mode, let mode = value.integer(as: UInt8.self) else { throw .unsupportedWrite }
        context[Attribute.mode] = .number(mode)
        var status = ConfigStatus.liftPositionAware | ConfigStatus.tiltPositionAware
        if mode & (Mode.calibration | Mode.maintenance) == 0 { status |= ConfigStatus.operational }
        if mode & Mode.motorDirectionReversed != 0 { status |= ConfigStatus.liftMovementReversed }
        context[Attribute.configStatus] = .number(status)
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let mode: UInt8 = context.number(Attribute.mode) ?? 0
        guard mode & Mode.maintenance == 0 else { throw .busy }
        guard mode & Mode.calibration == 0 else { throw .failure }
        switch command.id {
        case Command.upOrOpen: move(lift: 0, tilt: 0, context)
        case Command.downOrClose: move(lift: CoveringAxis.closed, tilt: CoveringAxis.closed, context)
        case Command.stopMotion: stop(context)
        case Command.goToLiftPercentage: move(lift: try position(command), tilt: nil, context)
        case Command.goToTiltPercentage: move(lift: nil, tilt: try position(command), context)
        default: throw .unsupportedCommand
        }
        return .success
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) { publish(context) }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch (words.first, words.count) {
        case ("open", 1): move(lift: 0, tilt: 0, context)
        case ("close", 1): move(lift: CoveringAxis.closed, tilt: CoveringAxis.closed, context)
        case ("stop", 1): stop(context)
        case ("lift", 2), ("tilt", 2):
            guard let hundredths = TypedNumber.hundredths(words[1]), let position = UInt16(exactly: hundredths),
                position <= CoveringAxis.closed
            else { return false }
            if words[0] == "lift" {
                move(lift: position, tilt: nil, context)
            } else {
                move(lift: nil, tilt: position, context)
            }
        default: return false
        }
        return true
    }

    // MARK: Movement

    private func position(_ command: CommandCall) throws(ClusterFailure) -> UInt16 {
        // That of the tilt has the same field.
        let position = try command.decoded(as: WindowCovering.GoToLiftPercentage.self).liftPercent100thsValue
        guard position <= CoveringAxis.closed else { throw .constraintError }
        return position
    }

    private mutating func move(lift liftTarget: UInt16?, tilt tiltTarget: UInt16?, _ context: ClusterContext) {
        if let liftTarget {
            lift.move(to: liftTarget, at: context.now)
            if lift.isMoving { count(Attribute.numberOfActuationsLift, context) }
        }
        if let tiltTarget {
            tilt.move(to: tiltTarget, at: context.now)
            if tilt.isMoving { count(Attribute.numberOfActuationsTilt, context) }
        }
        publish(context)
    }

    private mutating func stop(_ context: ClusterContext) {
        lift.stop(at: context.now)
        tilt.stop(at: context.now)
        publish(context)
    }

    private func count(_ attribute: AttributeID, _ context: ClusterContext) {
        context[attribute] = .number((context.number(attribute, as: UInt16.self) ?? 0) &+ 1)
    }

    /// Makes the attributes what the motors are doing, and comes back as long as they do.
    private mutating func publish(_ context: ClusterContext) {
        let now = context.now
        lift.settle(at: now)
        tilt.settle(at: now)
        // The global field follows lift before tilt.
        let global = lift.isMoving ? lift.direction : tilt.direction
        context[Attribute.targetPositionLiftPercent100ths] = .number(lift.target)
        context[Attribute.targetPositionTiltPercent100ths] = .number(tilt.target)
        context[Attribute.operationalStatus] = .number(
            global.rawValue | lift.direction.rawValue << 2 | tilt.direction.rawValue << 4)
        context[Attribute.currentPositionLiftPercent100ths] = .number(lift.position(at: now))
        context[Attribute.currentPositionTiltPercent100ths] = .number(tilt.position(at: now))
        context[Attribute.currentPositionLiftPercentage] = .number(UInt8(lift.position(at: now) / 100))
        context[Attribute.currentPositionTiltPercentage] = .number(UInt8(tilt.position(at: now) / 100))
        if let next = [lift.ramp, tilt.ramp].compactMap({ $0?.nextStep(after: now) }).min() {
            context.schedule(Self.timer, at: next)
        } else {
            context.cancel(Self.timer)
        }
    }
}
