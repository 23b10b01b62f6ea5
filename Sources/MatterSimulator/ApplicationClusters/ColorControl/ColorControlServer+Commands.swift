import MatterNetwork

/// What a colour command asks for, once its fields have been looked at.
enum ColorAction {
    struct Hue {
        var hue: Int
        var direction: HueDirection
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

extension ColorControlServer {
    private static let largest = 0xFEFF
    private static let fullSaturation = 254
    private static let octet = 256

    private enum MoveMode {
        static let stop: UInt8 = 0
        static let up: UInt8 = 1
    }

    private enum UpdateFlag {
        static let action: UInt8 = 1 << 0
        static let direction: UInt8 = 1 << 1
        static let time: UInt8 = 1 << 2
        static let startHue: UInt8 = 1 << 3
    }

    // MARK: Understanding

    func action(_ command: CommandCall) throws(ClusterFailure) -> ColorAction {
        typealias Field = ColorControl.ColorLoopSet.Field
        func number(_ tag: UInt8) throws(ClusterFailure) -> Int { try command.unsigned(tag) }
        func tenths(_ tag: UInt8) throws(ClusterFailure) -> Duration { .milliseconds(100 * (try number(tag))) }
        func direction(_ tag: UInt8) throws(ClusterFailure) -> HueDirection {
            guard let direction = HueDirection(rawValue: try command.unsigned(tag)) else { throw .invalidCommand }
            return direction
        }
        /// Fields 0 and 1 of moves and steps: negative for down, `nil` to stop.
        func signed() throws(ClusterFailure) -> Int? {
            let mode: UInt8 = try command.unsigned(ColorControl.MoveHue.Field.moveMode)
            guard mode != MoveMode.stop else { return nil }
            let size = try number(1)
            guard size > 0 else { throw .invalidCommand }
            return mode == MoveMode.up ? size : -size
        }
        func step() throws(ClusterFailure) -> Int {
            guard let step = try signed() else { throw .invalidCommand }
            return step
        }
        let plain = ColorEngine.plainCircle
        let enhanced = ColorEngine.enhancedCircle
        switch command.id {
        case Command.moveToHue:
            let hue = ColorAction.Hue(hue: try number(0) * Self.octet, direction: try direction(1), circle: plain)
            return .moveHueSaturation(hue: hue, saturation: nil, try tenths(2))
        case Command.enhancedMoveToHue:
            let hue = ColorAction.Hue(hue: try number(0), direction: try direction(1), circle: enhanced)
            return .moveHueSaturation(hue: hue, saturation: nil, try tenths(2))
        case Command.moveToSaturation: return .moveHueSaturation(hue: nil, saturation: try number(0), try tenths(1))
        case Command.moveToHueAndSaturation:
            let hue = ColorAction.Hue(hue: try number(0) * Self.octet, direction: .shortest, circle: plain)
            return .moveHueSaturation(hue: hue, saturation: try number(1), try tenths(2))
        case Command.enhancedMoveToHueAndSaturation:
            let hue = ColorAction.Hue(hue: try number(0), direction: .shortest, circle: enhanced)
            return .moveHueSaturation(hue: hue, saturation: try number(1), try tenths(2))
        case Command.moveHue: return try signed().map { .moveHue(rate: $0 * Self.octet, circle: plain) } ?? .stop
        case Command.enhancedMoveHue: return try signed().map { .moveHue(rate: $0, circle: enhanced) } ?? .stop
        case Command.stepHue: return .stepHue(by: try step() * Self.octet, circle: plain, try tenths(2))
        case Command.enhancedStepHue: return .stepHue(by: try step(), circle: enhanced, try tenths(2))
        case Command.moveSaturation: return try signed().map { .moveSaturation(rate: $0) } ?? .stop
        case Command.stepSaturation: return .stepSaturation(by: try step(), try tenths(2))
        case Command.moveToColor: return .moveToColor(x: try number(0), y: try number(1), try tenths(2))
        case Command.moveColor:
            let (x, y) = (try number(0), try number(1))
            return x == 0 && y == 0 ? .stop : .moveColor(rateX: x, rateY: y)
        case Command.stepColor:
            let (x, y) = (try number(0), try number(1))
            guard x != 0 || y != 0 else { throw .invalidCommand }
            return .stepColor(byX: x, byY: y, try tenths(2))
        case Command.moveToColorTemperature: return .moveToMireds(try number(0), try tenths(1))
        case Command.moveColorTemperature:
            let range = try Self.mireds(try number(2), try number(3))
            guard let rate = try signed() else { return .stop }
            return .moveMireds(to: rate > 0 ? range.upperBound : range.lowerBound, rate: abs(rate))
        case Command.stepColorTemperature:
            return .stepMireds(by: try step(), try Self.mireds(try number(3), try number(4)), try tenths(2))
        case Command.colorLoopSet:
            let flags: UInt8 = try command.unsigned(Field.updateFlags)
            let seconds: UInt16 = try command.unsigned(Field.time)
            guard flags & UpdateFlag.time == 0 || seconds > 0 else { throw .invalidCommand }
            return .loop(
                flags: flags, action: try command.unsigned(Field.action),
                direction: try command.unsigned(Field.direction), seconds: seconds,
                startHue: try command.unsigned(Field.startHue))
        case Command.stopMoveStep: return .stop
        default: throw .unsupportedCommand
        }
    }

    /// The range that a command allows; 0 means the light's own end.
    private static func mireds(_ minimum: Int, _ maximum: Int) throws(ClusterFailure) -> ClosedRange<Int> {
        let low = max(minimum, coldest)
        let high = maximum == 0 ? warmest : min(maximum, warmest)
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
            enter(.xy, context)
            engine.move(.x, to: x, in: duration, at: now)
            engine.move(.y, to: y, in: duration, at: now)
        case .moveColor(let rateX, let rateY):
            enter(.xy, context)
            engine.move(.x, to: rateX > 0 ? Self.largest : 0, rate: abs(rateX), at: now)
            engine.move(.y, to: rateY > 0 ? Self.largest : 0, rate: abs(rateY), at: now)
        case .stepColor(let stepX, let stepY, let duration):
            enter(.xy, context)
            engine.move(.x, to: limited(value(.x) + stepX, 0...Self.largest), in: duration, at: now)
            engine.move(.y, to: limited(value(.y) + stepY, 0...Self.largest), in: duration, at: now)
        case .moveToMireds(let mireds, let duration):
            enter(.temperature, context)
            engine.move(.mireds, to: limited(mireds, Self.coldest...Self.warmest), in: duration, at: now)
        case .moveMireds(let target, let rate):
            enter(.temperature, context)
            engine.move(.mireds, to: target, rate: rate, at: now)
        case .stepMireds(let step, let range, let duration):
            enter(.temperature, context)
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
    private mutating func enter(_ mode: ColorMode, _ context: ClusterContext) {
        context[Attribute.colorLoopActive] = .uint(0)
        engine.stop(at: context.now)
        setMode(mode, context)
    }

    private mutating func enterHue(_ circle: Int, _ context: ClusterContext) {
        enter(circle == ColorEngine.enhancedCircle ? .enhancedHueAndSaturation : .hueAndSaturation, context)
        engine.setCircle(circle, at: context.now)
    }

    /// Saturation changes beside the loop, and leaves the kind of hue as it is.
    private mutating func enterSaturation(_ context: ClusterContext) {
        guard !isLooping(context) else { return engine.stop(at: context.now, except: [.hue]) }
        let mode = context.number(Attribute.enhancedColorMode).flatMap(ColorMode.init)
        enter(mode == .enhancedHueAndSaturation ? .enhancedHueAndSaturation : .hueAndSaturation, context)
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
