/// A temperature, as devices have it: in steps of 0.01 °C from −273.15 °C to 327.67 °C.
public struct Temperature: Sendable, Hashable, Comparable {
    /// Hundredths of a degree Celsius, as attributes have them.
    public let hundredths: Int16

    /// A temperature by hundredths of a degree Celsius.
    public init(hundredths: Int16) { self.hundredths = hundredths }

    /// A temperature in degrees Celsius, rounded to what devices can tell apart. What is out of their range is the nearest
    /// end.
    public static func celsius(_ degrees: Double) -> Temperature {
        guard degrees.isFinite else { return Temperature(hundredths: degrees > 0 ? .max : -27315) }
        let hundredths = (degrees * 100).rounded()
        return Temperature(hundredths: Int16(max(-27315, min(hundredths, Double(Int16.max)))))
    }

    /// A temperature in degrees Fahrenheit, rounded to what devices can tell apart.
    public static func fahrenheit(_ degrees: Double) -> Temperature { .celsius((degrees - 32) / 1.8) }

    /// The degrees Celsius.
    public var celsius: Double { Double(hundredths) / 100 }
    /// The degrees Fahrenheit.
    public var fahrenheit: Double { celsius * 1.8 + 32 }

    /// Whether it is colder than another.
    public static func < (one: Temperature, other: Temperature) -> Bool { one.hundredths < other.hundredths }
}

extension Temperature: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Degrees Celsius.
    public init(floatLiteral degrees: Double) { self = .celsius(degrees) }
    /// Degrees Celsius.
    public init(integerLiteral degrees: Int) { self = .celsius(Double(degrees)) }
}

extension Temperature: CustomStringConvertible {
    /// `21.5 °C`.
    public var description: String { "\(celsius) °C" }
}
