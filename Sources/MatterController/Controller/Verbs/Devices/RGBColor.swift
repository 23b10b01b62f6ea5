import Glibc
import MatterModel

/// A colour as screens mix it, of which a light takes the hue and the saturation, and not the brightness.
public struct RGBColor: Sendable, Hashable {
    // 0 to 255.
    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    /// A colour from `#ff8800` or `#f80`; `nil` for anything else, and for black, which no light can be.
    public init?(_ text: String) {
        guard text.hasPrefix("#") else { return nil }
        let digits = text.dropFirst().compactMap(\.hexDigitValue).map { UInt8($0) }
        guard digits.count == text.count - 1, digits.contains(where: { $0 > 0 }) else { return nil }
        switch digits.count {
        case 3: (red, green, blue) = (digits[0] * 17, digits[1] * 17, digits[2] * 17)
        case 6:
            (red, green, blue) = (
                digits[0] << 4 | digits[1], digits[2] << 4 | digits[3], digits[4] << 4 | digits[5]
            )
        default: return nil
        }
    }

    /// Each part, 0 to 1, of the brightest.
    private var parts: (red: Double, green: Double, blue: Double) {
        let most = Double(max(red, green, blue))
        return (Double(red) / most, Double(green) / most, Double(blue) / most)
    }

    /// 0 to 1.
    private var saturation: Double {
        let (red, green, blue) = parts
        return 1 - min(red, green, blue)
    }

    /// In degrees.
    private var hue: Double {
        let (red, green, blue) = parts
        guard saturation > 0 else { return 0 }
        let sector =
            red == 1
            ? fmod((green - blue) / saturation + 6, 6)
            : green == 1 ? (blue - red) / saturation + 2 : (red - green) / saturation + 4
        return sector * 60
    }

    /// CIE 1931, by the primaries of sRGB (IEC 61966-2-1).
    static func xy(_ red: Double, _ green: Double, _ blue: Double) -> (Double, Double) {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        let (red, green, blue) = (linear(red), linear(green), linear(blue))
        let sums = (
            x: 0.4124 * red + 0.3576 * green + 0.1805 * blue, y: 0.2126 * red + 0.7152 * green + 0.0722 * blue,
            z: 0.0193 * red + 0.1192 * green + 0.9505 * blue
        )
        let total = sums.x + sums.y + sums.z
        return (sums.x / total, sums.y / total)
    }

    /// The way in which a light can have the colour.
    func color(for facts: DeviceFacts) throws(ControllerError) -> ColorVerb.Color {
        if facts.has(ColorControl.Feature.hueAndSaturation) {
            return .hue(hue, saturation: UInt8((saturation * 254).rounded()))
        }
        guard facts.has(ColorControl.Feature.xy) else { throw facts.lack("has no colours, only white") }
        let (x, y) = Self.xy(parts.red, parts.green, parts.blue)
        return .xy(x, y)
    }
}
