import Glibc
import MatterModel

/// A colour by its name.
public enum NamedColor: String, Sendable, CaseIterable {
    /// A color that people have a word for.
    case red, orange, yellow, lime, green, turquoise, cyan, blue, purple, magenta, pink, white
    /// A color that people have a word for.
    case warmWhite = "warm-white"
    /// A color that people have a word for.
    case coolWhite = "cool-white"

    /// In degrees; `nil` for white.
    var hue: Double? {
        switch self {
        case .red: 0
        case .orange: 30
        case .yellow: 60
        case .lime: 90
        case .green: 120
        case .turquoise: 165
        case .cyan: 180
        case .blue: 240
        case .purple: 270
        case .magenta: 300
        case .pink: 340
        case .white, .warmWhite, .coolWhite: nil
        }
    }

    /// 0 to 1.
    var saturation: Double {
        switch self {
        case .white, .warmWhite, .coolWhite: 0
        case .pink: 0.6
        default: 1
        }
    }

    /// In kelvins; `nil` for what is not white.
    var kelvins: Int? {
        switch self {
        case .white: 4000
        case .warmWhite: 2700
        case .coolWhite: 6500
        default: nil
        }
    }

    /// CIE 1931.
    var xy: (Double, Double) {
        guard let hue else { return RGBColor.xy(1, 1, 1) }
        func part(_ offset: Double) -> Double {
            let sector = fmod(offset + hue / 60, 6)
            return 1 - saturation * max(0, min(1, min(sector, 4 - sector)))
        }
        return RGBColor.xy(part(5), part(3), part(1))
    }

    /// The way in which a light can have the colour: white by its temperature, others by hue or by coordinates.
    func color(for facts: DeviceFacts) throws(ControllerError) -> ColorVerb.Color {
        if let kelvins, facts.has(ColorControl.Feature.colorTemperature) {
            return .temperature(mireds: UInt16(clamping: (1_000_000 + kelvins / 2) / kelvins))
        }
        if facts.has(ColorControl.Feature.hueAndSaturation) {
            return .hue(hue ?? 0, saturation: UInt8((saturation * 254).rounded()))
        }
        guard facts.has(ColorControl.Feature.xy) else { throw facts.lack("has no colours, only white") }
        return .xy(xy.0, xy.1)
    }
}
