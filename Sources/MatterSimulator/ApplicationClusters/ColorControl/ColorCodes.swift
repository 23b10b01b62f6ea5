/// The numbers of the Color Control cluster (Matter application cluster specification 3.2).
enum ColorAttribute {
    static let currentHue: UInt32 = 0x00
    static let currentSaturation: UInt32 = 0x01
    static let remainingTime: UInt32 = 0x02
    static let currentX: UInt32 = 0x03
    static let currentY: UInt32 = 0x04
    static let mireds: UInt32 = 0x07
    static let colorMode: UInt32 = 0x08
    static let options: UInt32 = 0x0F
    static let numberOfPrimaries: UInt32 = 0x10
    static let enhancedHue: UInt32 = 0x4000
    static let enhancedColorMode: UInt32 = 0x4001
    static let loopActive: UInt32 = 0x4002
    static let loopDirection: UInt32 = 0x4003
    static let loopTime: UInt32 = 0x4004
    static let loopStartHue: UInt32 = 0x4005
    static let loopStoredHue: UInt32 = 0x4006
    static let capabilities: UInt32 = 0x400A
    static let coldestMireds: UInt32 = 0x400B
    static let warmestMireds: UInt32 = 0x400C
    static let coupleMinimumMireds: UInt32 = 0x400D
    static let startUpMireds: UInt32 = 0x4010
}

enum ColorCommand: UInt32, CaseIterable {
    case moveToHue = 0x00
    case moveHue = 0x01
    case stepHue = 0x02
    case moveToSaturation = 0x03
    case moveSaturation = 0x04
    case stepSaturation = 0x05
    case moveToHueAndSaturation = 0x06
    case moveToColor = 0x07
    case moveColor = 0x08
    case stepColor = 0x09
    case moveToColorTemperature = 0x0A
    case enhancedMoveToHue = 0x40
    case enhancedMoveHue = 0x41
    case enhancedStepHue = 0x42
    case enhancedMoveToHueAndSaturation = 0x43
    case colorLoopSet = 0x44
    case stopMoveStep = 0x47
    case moveColorTemperature = 0x4B
    case stepColorTemperature = 0x4C

    /// The field OptionsMask; OptionsOverride is the next.
    var optionsTag: UInt8 {
        switch self {
        case .stopMoveStep: 0
        case .moveHue, .moveToSaturation, .moveSaturation, .moveColor, .moveToColorTemperature, .enhancedMoveHue: 2
        case .moveColorTemperature: 4
        case .colorLoopSet, .stepColorTemperature: 5
        default: 3
        }
    }
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
