import MatterModel

extension ColorControlServer {
    typealias Attribute = ColorControl.Attribute
    typealias Command = ColorControl.Command

    static let commands = [
        Command.moveToHue, Command.moveHue, Command.stepHue, Command.moveToSaturation, Command.moveSaturation,
        Command.stepSaturation, Command.moveToHueAndSaturation, Command.moveToColor, Command.moveColor,
        Command.stepColor, Command.moveToColorTemperature, Command.enhancedMoveToHue, Command.enhancedMoveHue,
        Command.enhancedStepHue, Command.enhancedMoveToHueAndSaturation, Command.colorLoopSet, Command.stopMoveStep,
        Command.moveColorTemperature, Command.stepColorTemperature,
    ]
}

/// EnhancedColorMode; ColorMode knows no enhanced hue.
enum ColorMode: UInt8 {
    case hueAndSaturation = 0
    case xy = 1
    case temperature = 2
    case enhancedHueAndSaturation = 3

    /// What ColorMode shows.
    var plain: UInt8 { self == .enhancedHueAndSaturation ? Self.hueAndSaturation.rawValue : rawValue }
}

/// Which way a hue goes around the circle.
enum HueDirection: UInt8 {
    case shortest = 0
    case longest = 1
    case up = 2
    case down = 3

    /// The way from one hue to another on a circle.
    func distance(from: Int, to: Int, around circle: Int) -> Int {
        let up = ((to - from) % circle + circle) % circle
        guard up != 0 else { return 0 }
        let down = up - circle
        return switch self {
        case .shortest: up <= -down ? up : down
        case .longest: up > -down ? up : down
        case .up: up
        case .down: down
        }
    }
}
