import MatterModel

extension ColorControlServer {
    typealias Attribute = ColorControl.Attribute
    typealias Command = ColorControl.Command
    typealias Mode = ColorControl.EnhancedColorMode

    static let commands = [
        Command.moveToHue, Command.moveHue, Command.stepHue, Command.moveToSaturation, Command.moveSaturation,
        Command.stepSaturation, Command.moveToHueAndSaturation, Command.moveToColor, Command.moveColor,
        Command.stepColor, Command.moveToColorTemperature, Command.enhancedMoveToHue, Command.enhancedMoveHue,
        Command.enhancedStepHue, Command.enhancedMoveToHueAndSaturation, Command.colorLoopSet, Command.stopMoveStep,
        Command.moveColorTemperature, Command.stepColorTemperature,
    ]
}

extension ColorControl.EnhancedColorMode {
    /// The value of ColorMode, which knows no enhanced hue.
    var plain: ColorControl.ColorMode {
        self == .enhancedCurrentHueAndCurrentSaturation
            ? .currentHueAndCurrentSaturation : ColorControl.ColorMode(rawValue: rawValue)
    }
}

extension ColorControl.Direction {
    /// The way from one hue to another on a circle; the shortest one for a direction that is not known.
    func distance(from: Int, to: Int, around circle: Int) -> Int {
        let up = ((to - from) % circle + circle) % circle
        guard up != 0 else { return 0 }
        let down = up - circle
        return switch self {
        case .longest: up > -down ? up : down
        case .up: up
        case .down: down
        default: up <= -down ? up : down
        }
    }
}
