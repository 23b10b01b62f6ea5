import MatterNetwork

/// The request of a colour command, once its fields have been looked at.
enum ColorAction {
    struct Hue {
        var hue: Int
        var direction: ColorControl.Direction
        var circle: Int
    }

    case moveHueSaturation(hue: Hue?, saturation: Int?, Duration)
    /// Sixteen-bit steps per second.
    case moveHue(rate: Int, circle: Int)
    case stepHue(by: Int, circle: Int, Duration)
    /// Steps per second.
    case moveSaturation(rate: Int)
    case stepSaturation(by: Int, Duration)
    case moveToColor(x: Int, y: Int, Duration)
    case moveColor(rateX: Int, rateY: Int)
    case stepColor(byX: Int, byY: Int, Duration)
    case moveToMireds(Int, Duration)
    case moveMireds(to: Int, rate: Int)
    case stepMireds(by: Int, ClosedRange<Int>, Duration)
    case loop(flags: UInt8, action: UInt8, direction: UInt8, seconds: UInt16, startHue: UInt16)
    case stop
}

/// A command that says for itself whether a light that is off heeds it.
protocol ColorCommand: ClusterCommand {
    var optionsMask: ColorControl.Options { get }
    var optionsOverride: ColorControl.Options { get }
}

extension ColorControl.MoveToHue: ColorCommand {}
extension ColorControl.MoveHue: ColorCommand {}
extension ColorControl.StepHue: ColorCommand {}
extension ColorControl.MoveToSaturation: ColorCommand {}
extension ColorControl.MoveSaturation: ColorCommand {}
extension ColorControl.StepSaturation: ColorCommand {}
extension ColorControl.MoveToHueAndSaturation: ColorCommand {}
extension ColorControl.MoveToColor: ColorCommand {}
extension ColorControl.MoveColor: ColorCommand {}
extension ColorControl.StepColor: ColorCommand {}
extension ColorControl.MoveToColorTemperature: ColorCommand {}
extension ColorControl.MoveColorTemperature: ColorCommand {}
extension ColorControl.StepColorTemperature: ColorCommand {}
extension ColorControl.EnhancedMoveToHue: ColorCommand {}
extension ColorControl.EnhancedMoveHue: ColorCommand {}
extension ColorControl.EnhancedStepHue: ColorCommand {}
extension ColorControl.EnhancedMoveToHueAndSaturation: ColorCommand {}
extension ColorControl.ColorLoopSet: ColorCommand {}
extension ColorControl.StopMoveStep: ColorCommand {}

extension ColorControlServer {
    private static let largest = 0xFEFF
    private static let fullSaturation = 254
    private static let octet = 256

    private enum UpdateFlag {
        static let action: UInt8 = 1 << 0
        static let direction: UInt8 = 1 << 1
        static let time: UInt8 = 1 << 2
        static let startHue: UInt8 = 1 << 3
    }

    // MARK: Understanding

    /// The request of a command, and its options: which ones it sets, and to what.
    static func understood(
        _ command: CommandCall
    ) throws(ClusterFailure) -> (action: ColorAction, mask: UInt8, override: UInt8) {
        var options = (mask: ColorControl.Options(), override: ColorControl.Options())
        let action = try action(command, &options)
        return (action, options.mask.rawValue, options.override.rawValue)
    }

    private static func action(
        _ command: CommandCall, _ options: inout (mask: ColorControl.Options, override: ColorControl.Options)
    ) throws(ClusterFailure) -> ColorAction {
        func decoded<Request: ColorCommand>(_ type: Request.Type) throws(ClusterFailure) -> Request {
            let request = try command.decoded(as: type)
            options = (request.optionsMask, request.optionsOverride)
            return request
        }
        func tenths(_ time: some FixedWidthInteger) -> Duration { .milliseconds(100 * Int64(time)) }
        let plain = ColorEngine.plainCircle
        let enhanced = ColorEngine.enhancedCircle
        switch command.id {
        case Command.moveToHue:
            let request = try decoded(ColorControl.MoveToHue.self)
            let hue = ColorAction.Hue(
                hue: Int(request.hue) * octet, direction: try direction(request.direction), circle: plain)
            return .moveHueSaturation(hue: hue, saturation: nil, tenths(request.transitionTime))
        case Command.enhancedMoveToHue:
            let request = try decoded(ColorControl.EnhancedMoveToHue.self)
            let hue = ColorAction.Hue(
                hue: Int(request.enhancedHue), direction: try direction(request.direction), circle: enhanced)
            return .moveHueSaturation(hue: hue, saturation: nil, tenths(request.transitionTime))
        case Command.moveToSaturation:
            let request = try decoded(ColorControl.MoveToSaturation.self)
            return .moveHueSaturation(
                hue: nil, saturation: Int(request.saturation), tenths(request.transitionTime))
        case Command.moveToHueAndSaturation:
            let request = try decoded(ColorControl.MoveToHueAndSaturation.self)
            let hue = ColorAction.Hue(hue: Int(request.hue) * octet, direction: .shortest, circle: plain)
            return .moveHueSaturation(
                hue: hue, saturation: Int(request.saturation), tenths(request.transitionTime))
        case Command.enhancedMoveToHueAndSaturation:
            let request = try decoded(ColorControl.EnhancedMoveToHueAndSaturation.self)
            let hue = ColorAction.Hue(hue: Int(request.enhancedHue), direction: .shortest, circle: enhanced)
            return .moveHueSaturation(
                hue: hue, saturation: Int(request.saturation), tenths(request.transitionTime))
        case Command.moveHue:
            let request = try decoded(ColorControl.MoveHue.self)
            return try rate(request.moveMode, request.rate).map { .moveHue(rate: $0 * octet, circle: plain) } ?? .stop
        case Command.enhancedMoveHue:
            let request = try decoded(ColorControl.EnhancedMoveHue.self)
            return try rate(request.moveMode, request.rate).map { .moveHue(rate: $0, circle: enhanced) } ?? .stop
        case Command.stepHue:
            let request = try decoded(ColorControl.StepHue.self)
            let step = try step(request.stepMode, request.stepSize)
            return .stepHue(by: step * octet, circle: plain, tenths(request.transitionTime))
        case Command.enhancedStepHue:
            let request = try decoded(ColorControl.EnhancedStepHue.self)
            let step = try step(request.stepMode, request.stepSize)
            return .stepHue(by: step, circle: enhanced, tenths(request.transitionTime))
        case Command.moveSaturation:
            let request = try decoded(ColorControl.MoveSaturation.self)
            return try rate(request.moveMode, request.rate).map { .moveSaturation(rate: $0) } ?? .stop
        case Command.stepSaturation:
            let request = try decoded(ColorControl.StepSaturation.self)
            return .stepSaturation(by: try step(request.stepMode, request.stepSize), tenths(request.transitionTime))
        case Command.moveToColor:
            let request = try decoded(ColorControl.MoveToColor.self)
            return .moveToColor(x: Int(request.colorX), y: Int(request.colorY), tenths(request.transitionTime))
        case Command.moveColor:
            let request = try decoded(ColorControl.MoveColor.self)
            guard request.rateX != 0 || request.rateY != 0 else { return .stop }
            return .moveColor(rateX: Int(request.rateX), rateY: Int(request.rateY))
        case Command.stepColor:
            let request = try decoded(ColorControl.StepColor.self)
            guard request.stepX != 0 || request.stepY != 0 else { throw .invalidCommand }
            return .stepColor(byX: Int(request.stepX), byY: Int(request.stepY), tenths(request.transitionTime))
        case Command.moveToColorTemperature:
            let request = try decoded(ColorControl.MoveToColorTemperature.self)
            return .moveToMireds(Int(request.colorTemperatureMireds), tenths(request.transitionTime))
        case Command.moveColorTemperature:
            let request = try decoded(ColorControl.MoveColorTemperature.self)
            let range = try mireds(request.colorTemperatureMinimumMireds, request.colorTemperatureMaximumMireds)
            guard let rate = try rate(request.moveMode, request.rate) else { return .stop }
            return .moveMireds(to: rate > 0 ? range.upperBound : range.lowerBound, rate: abs(rate))
        case Command.stepColorTemperature:
            let request = try decoded(ColorControl.StepColorTemperature.self)
            let step = try step(request.stepMode, request.stepSize)
            let range = try mireds(request.colorTemperatureMinimumMireds, request.colorTemperatureMaximumMireds)
            return .stepMireds(by: step, range, tenths(request.transitionTime))
        case Command.colorLoopSet:
            let request = try decoded(ColorControl.ColorLoopSet.self)
            let flags = request.updateFlags.rawValue
            guard flags & UpdateFlag.time == 0 || request.time > 0 else { throw .invalidCommand }
            return .loop(
                flags: flags, action: request.action.rawValue, direction: request.direction.rawValue,
                seconds: request.time, startHue: request.startHue)
        case Command.stopMoveStep:
            _ = try decoded(ColorControl.StopMoveStep.self)
            return .stop
        default: throw .unsupportedCommand
        }
    }

    private static func direction(_ direction: ColorControl.Direction) throws(ClusterFailure) -> ColorControl.Direction
    {
        guard direction.isKnown else { throw .invalidCommand }
        return direction
    }

    /// The speed of a move in each second: negative for down, `nil` to stop.
    private static func rate(
        _ mode: ColorControl.MoveMode, _ rate: some FixedWidthInteger
    ) throws(ClusterFailure) -> Int? {
        guard mode != .stop else { return nil }
        guard rate > 0 else { throw .invalidCommand }
        return mode == .up ? Int(rate) : -Int(rate)
    }

    /// The size of a step: negative for down.
    private static func step(
        _ mode: ColorControl.StepMode, _ size: some FixedWidthInteger
    ) throws(ClusterFailure) -> Int {
        guard mode.rawValue != 0, size > 0 else { throw .invalidCommand }
        return mode == .up ? Int(size) : -Int(size)
    }

    /// The range that a command allows; 0 means the light's own end.
    private static func mireds(_ minimum: UInt16, _ maximum: UInt16) throws(ClusterFailure) -> ClosedRange<Int> {
        let low = max(Int(minimum), coldest)
        let high = maximum == 0 ? warmest : min(Int(maximum), warmest)
        guard low <= high else { throw .constraintError }
        return low...high
    }

    // MARK: Acting

    mutating func perform(_ action: ColorAction, _ context: ClusterContext) {
        let now = context.now
        func limited(_ value: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(value, range.lowerBound), range.upperBound)
        }
        func value(_ channel: ColorEngine.Channel) -> Int { engine.value(channel, at: now) }
        switch action {
        case .moveHueSaturation(let hue, let saturation, let duration):
            if let hue {
                enterHue(hue.circle, context)
                let way = hue.direction.distance(from: value(.hue), to: hue.hue, around: hue.circle)
                engine.move(.hue, by: way, in: duration, at: now)
            } else {
                enterSaturation(context)
            }
            if let saturation { engine.move(.saturation, to: saturation, in: duration, at: now) }
        case .moveHue(let rate, let circle):
            enterHue(circle, context)
            engine.moveHueEndlessly(rate: rate, at: now)
        case .stepHue(let step, let circle, let duration):
            enterHue(circle, context)
            engine.move(.hue, by: step, in: duration, at: now)
        case .moveSaturation(let rate):
            enterSaturation(context)
            engine.move(.saturation, to: rate > 0 ? Self.fullSaturation : 0, rate: abs(rate), at: now)
        case .stepSaturation(let step, let duration):
            enterSaturation(context)
            let target = limited(value(.saturation) + step, 0...Self.fullSaturation)
            engine.move(.saturation, to: target, in: duration, at: now)
        case .moveToColor(let x, let y, let duration):
            enter(.currentXAndCurrentY, context)
            engine.move(.x, to: x, in: duration, at: now)
            engine.move(.y, to: y, in: duration, at: now)
        case .moveColor(let rateX, let rateY):
            enter(.currentXAndCurrentY, context)
            engine.move(.x, to: rateX > 0 ? Self.largest : 0, rate: abs(rateX), at: now)
            engine.move(.y, to: rateY > 0 ? Self.largest : 0, rate: abs(rateY), at: now)
        case .stepColor(let stepX, let stepY, let duration):
            enter(.currentXAndCurrentY, context)
            engine.move(.x, to: limited(value(.x) + stepX, 0...Self.largest), in: duration, at: now)
            engine.move(.y, to: limited(value(.y) + stepY, 0...Self.largest), in: duration, at: now)
        case .moveToMireds(let mireds, let duration):
            enter(.colorTemperatureMireds, context)
            engine.move(.mireds, to: limited(mireds, Self.coldest...Self.warmest), in: duration, at: now)
        case .moveMireds(let target, let rate):
            enter(.colorTemperatureMireds, context)
            engine.move(.mireds, to: target, rate: rate, at: now)
        case .stepMireds(let step, let range, let duration):
            enter(.colorTemperatureMireds, context)
            engine.move(.mireds, to: limited(value(.mireds) + step, range), in: duration, at: now)
        case .loop(let flags, let action, let direction, let seconds, let startHue):
            if flags & UpdateFlag.direction != 0 { context[Attribute.colorLoopDirection] = .number(direction) }
            if flags & UpdateFlag.time != 0 { context[Attribute.colorLoopTime] = .number(seconds) }
            if flags & UpdateFlag.startHue != 0 { context[Attribute.colorLoopStartEnhancedHue] = .number(startHue) }
            setLoop(flags & UpdateFlag.action != 0 ? action : nil, context)
        case .stop:
            engine.stop(at: now, except: isLooping(context) ? [.hue] : [])
        }
    }

    /// Begins a command: everything else stops, and the loop is over.
    private mutating func enter(_ mode: Mode, _ context: ClusterContext) {
        context[Attribute.colorLoopActive] = .uint(0)
        engine.stop(at: context.now)
        setMode(mode, context)
    }

    private mutating func enterHue(_ circle: Int, _ context: ClusterContext) {
        enter(
            circle == ColorEngine.enhancedCircle
                ? .enhancedCurrentHueAndCurrentSaturation : .currentHueAndCurrentSaturation, context)
        engine.setCircle(circle, at: context.now)
    }

    /// Saturation changes beside the loop, and leaves the kind of hue as it is.
    private mutating func enterSaturation(_ context: ClusterContext) {
        guard !isLooping(context) else { return engine.stop(at: context.now, except: [.hue]) }
        let mode = context.number(Attribute.enhancedColorMode).map(Mode.init(rawValue:))
        enter(
            mode == .enhancedCurrentHueAndCurrentSaturation
                ? .enhancedCurrentHueAndCurrentSaturation : .currentHueAndCurrentSaturation, context)
    }

    // MARK: The colour loop

    private mutating func setLoop(_ action: UInt8?, _ context: ClusterContext) {
        let now = context.now
        switch action {
        case nil: if !isLooping(context) { return }
        case 0:
            guard isLooping(context) else { return }
            context[Attribute.colorLoopActive] = .uint(0)
            engine.set(.hue, context.number(Attribute.colorLoopStoredEnhancedHue) ?? 0)
            return
        default:
            if !isLooping(context) {
                context[Attribute.colorLoopStoredEnhancedHue] = .number(UInt16(clamping: engine.value(.hue, at: now)))
            }
            enterHue(ColorEngine.enhancedCircle, context)
            if action == 1 { engine.set(.hue, context.number(Attribute.colorLoopStartEnhancedHue) ?? 0) }
            context[Attribute.colorLoopActive] = .uint(1)
        }
        let seconds: Int = max(1, context.number(Attribute.colorLoopTime) ?? 1)
        let sign = context.number(Attribute.colorLoopDirection) == 1 ? 1 : -1
        engine.moveHueEndlessly(rate: sign * max(1, ColorEngine.enhancedCircle / seconds), at: now)
    }
}
