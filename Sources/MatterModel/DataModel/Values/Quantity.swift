/// A number with a unit, as people type it: `50%`, `21.5C`, `70F`, `1h30m`, `2700K`, `230V`.
enum Quantity {
    /// The value of a text in steps of a type's unit.
    struct Steps: Equatable {
        var number: Int64
        /// True if something finer than one step was rounded away.
        var isRounded = false
    }

    /// Reads a text whose unit goes with the type's.
    ///
    /// - Returns: `nil` if the text is no such quantity or does not fit 64 bits.
    static func parse(_ text: String, as unit: ValueUnit) -> Steps? {
        var rest = Substring(text.filter { $0 != " " })
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        var sum = Fraction(0)
        var count = 0
        while !rest.isEmpty {
            guard let amount = Fraction(taking: &rest), let suffix = takeSuffix(&rest, of: unit) else { return nil }
            let signed = isNegative ? amount * Fraction(-1) : amount
            guard let value = signed.flatMap({ steps(of: $0, suffix, unit) }), let total = sum + value else {
                return nil
            }
            sum = total
            count += 1
        }
        // Several parts make sense for durations only: 1h30m.
        guard count == 1 || (count > 1 && duration(unit) != nil) else { return nil }
        return sum.rounded(exact: isExact(unit, text))
    }

    /// Examples with this unit, for error messages: `50%`, `2s`.
    static func example(_ unit: ValueUnit) -> String? {
        switch unit {
        case .percent, .percentHundredths, .percentHalves, .level: "50%"
        case .celsiusHundredths: "21.5C or 70F"
        case .celsiusTenthsDifference: "0.5C"
        case .microseconds, .milliseconds, .deciseconds, .centiseconds, .seconds, .minutes, .hours: "2s or 1h30m"
        case .epochSeconds, .epochMicroseconds, .posixMilliseconds: "2026-11-21T09:30:00Z"
        case .mireds: "2700K"
        case .millivolts, .decivolts, .volts: "230V"
        case .milliamperes, .amperes: "16A"
        case .milliwatts, .deciwatts, .watts: "1500W"
        case .millivoltAmperes: "1500VA"
        case .millivars: "100var"
        case .milliwattHours, .wattHours, .kilowattHours: "1.5kWh"
        case .millihertz: "50Hz"
        case .kilopascalTenths: "101.3kPa"
        case .centimetres, .millimetres, .metres: "1.5m"
        case .hectopascals: "1013hPa"
        case .degrees, .hue, .enhancedHue: "90deg"
        case .revolutionsPerMinute: "1500rpm"
        case .decibelMilliwatts: "-60dBm"
        case .litres: "200l"
        case .flowTenths, .illuminance, .coordinate: nil
        case .millivoltAmpereHours: "1.5kVAh"
        case .millivarHours: "1.5kvarh"
        }
    }

    private static func takeSuffix(_ rest: inout Substring, of unit: ValueUnit) -> String? {
        let suffix = rest.prefix { !$0.isNumber && $0 != "." }
        rest = rest.dropFirst(suffix.count)
        let text =
            suffix == "°"
            ? "deg" : String(suffix.replacing("°", with: "").replacing("µ", with: "u").replacing("μ", with: "u"))
        let known = suffixes(unit)
        if known.contains(where: { $0 == text }) { return text }
        // mW and MW differ; where case says nothing, it does not matter.
        let alike = known.filter { $0.lowercased() == text.lowercased() }
        return alike.count == 1 ? alike.first : nil
    }

    private static func suffixes(_ unit: ValueUnit) -> [String] {
        switch unit {
        case .percent, .percentHundredths, .percentHalves, .level: ["%"]
        case .celsiusHundredths, .celsiusTenthsDifference: ["C", "F", "K"]
        case .mireds: ["K", "mired", "mireds"]
        default: duration(unit) == nil ? metric(unit).map(\.suffix) : durations.map(\.suffix)
        }
    }

    /// Whether a number with this suffix is a quantity of the unit.
    static func takes(_ suffix: String, _ unit: ValueUnit) -> Bool { suffixes(unit).contains(suffix) }

    private static let durations: [(suffix: String, microseconds: Int128)] = [
        ("us", 1), ("ms", 1000), ("s", 1_000_000), ("m", 60_000_000), ("min", 60_000_000), ("h", 3_600_000_000),
        ("d", 86_400_000_000),
    ]

    /// One step of a duration in microseconds.
    private static func duration(_ unit: ValueUnit) -> Int128? {
        switch unit {
        case .microseconds: 1
        case .milliseconds: 1000
        case .centiseconds: 10_000
        case .deciseconds: 100_000
        case .seconds: 1_000_000
        case .minutes: 60_000_000
        case .hours: 3_600_000_000
        default: nil
        }
    }

    /// The units that go with one that has decimals, and how many steps each of them is worth.
    private static func metric(_ unit: ValueUnit) -> [(suffix: String, worth: Fraction)] {
        switch unit {
        case .millivolts, .milliamperes, .milliwatts, .millivoltAmperes, .millivars, .milliwattHours,
            .millivoltAmpereHours, .millivarHours, .millihertz:
            prefixed(unit.rawValue.dropFirst(), Fraction(1000))
        case .decivolts, .deciwatts: prefixed(unit.rawValue.dropFirst(), Fraction(10))
        case .volts, .amperes, .watts, .wattHours: prefixed(unit.rawValue[...], Fraction(1))
        case .kilowattHours: prefixed("Wh", Fraction(1, 1000))
        case .kilopascalTenths: [("kPa", Fraction(10)), ("hPa", Fraction(1)), ("Pa", Fraction(1, 100))]
        case .centimetres: [("cm", Fraction(1)), ("m", Fraction(100)), ("mm", Fraction(1, 10))]
        case .millimetres: [("mm", Fraction(1)), ("m", Fraction(1000)), ("cm", Fraction(10))]
        case .metres: [("m", Fraction(1)), ("cm", Fraction(1, 100)), ("km", Fraction(1000))]
        case .hue: [("deg", Fraction(254, 360))]
        case .enhancedHue: [("deg", Fraction(65536, 360))]
        case .degrees, .hectopascals, .revolutionsPerMinute, .decibelMilliwatts, .litres: [(unit.rawValue, Fraction(1))]
        default: []
        }
    }

    private static func prefixed(_ symbol: Substring, _ worth: Fraction) -> [(suffix: String, worth: Fraction)] {
        [("m", Fraction(1, 1000)), ("", Fraction(1)), ("k", Fraction(1000)), ("M", Fraction(1_000_000))].compactMap {
            prefix, factor in (worth * factor).map { ("\(prefix)\(symbol)", $0) }
        }
    }

    private static func steps(of amount: Fraction, _ suffix: String, _ unit: ValueUnit) -> Fraction? {
        switch (unit, suffix) {
        case (.percent, _), (.mireds, "mired"), (.mireds, "mireds"): return amount
        case (.percentHundredths, _): return amount * Fraction(100)
        case (.percentHalves, _): return amount * Fraction(2)
        case (.level, _):
            // At least one step for anything above nothing, as the everyday verb `level` does.
            guard let level = amount * Fraction(254, 100) else { return nil }
            return amount.isPositive && level.isBelowHalf ? Fraction(1) : level
        case (.celsiusHundredths, "C"): return amount * Fraction(100)
        case (.celsiusHundredths, "K"): return (amount + Fraction(-27315, 100)).flatMap { $0 * Fraction(100) }
        case (.celsiusHundredths, "F"): return (amount + Fraction(-32)).flatMap { $0 * Fraction(500, 9) }
        case (.celsiusTenthsDifference, "F"): return amount * Fraction(50, 9)
        case (.celsiusTenthsDifference, _): return amount * Fraction(10)
        case (.mireds, _): return Fraction(1_000_000) / amount
        default:
            if let step = duration(unit), let part = durations.first(where: { $0.suffix == suffix }) {
                return amount * Fraction(part.microseconds, step)
            }
            return metric(unit).first { $0.suffix == suffix }.flatMap { amount * $0.worth }
        }
    }

    /// True if a fraction of a step is worth a warning: not where the scales do not meet anyway.
    private static func isExact(_ unit: ValueUnit, _ text: String) -> Bool {
        switch unit {
        case .level, .hue, .enhancedHue, .mireds: false
        case .celsiusHundredths, .celsiusTenthsDifference: !text.lowercased().hasSuffix("f")
        default: true
        }
    }
}

/// An exact fraction; every operation gives `nil` where 128 bits do not hold the result.
private struct Fraction {
    private let numerator: Int128
    private let denominator: Int128

    init(_ numerator: Int128, _ denominator: Int128 = 1) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Takes a decimal number (`21.5`) off the front of a text.
    init?(taking text: inout Substring) {
        var digits: Int128 = 0
        var scale: Int128 = 1
        var count = 0
        var isFraction = false
        while let character = text.utf8.first {
            if character == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if 0x30...0x39 ~= character {
                // 18 digits hold every 64-bit number's worth of precision that a person types.
                count += 1
                guard count <= 18 else { return nil }
                digits = digits * 10 + Int128(character - 0x30)
                if isFraction { scale *= 10 }
            } else {
                break
            }
            text = text.dropFirst()
        }
        guard count > 0 else { return nil }
        self.init(digits, scale)
    }

    var isPositive: Bool { numerator > 0 }
    var isBelowHalf: Bool { 2 * numerator < denominator }

    static func * (left: Self, right: Self) -> Self? {
        make(
            left.numerator.multipliedReportingOverflow(by: right.numerator),
            left.denominator.multipliedReportingOverflow(by: right.denominator))
    }

    static func / (left: Self, right: Self) -> Self? {
        guard right.numerator > 0 else { return nil }
        return left * Fraction(right.denominator, right.numerator)
    }

    static func + (left: Self, right: Self) -> Self? {
        let first = left.numerator.multipliedReportingOverflow(by: right.denominator)
        let second = right.numerator.multipliedReportingOverflow(by: left.denominator)
        guard !first.overflow, !second.overflow else { return nil }
        return make(
            first.partialValue.addingReportingOverflow(second.partialValue),
            left.denominator.multipliedReportingOverflow(by: right.denominator))
    }

    private static func make(
        _ numerator: (partialValue: Int128, overflow: Bool), _ denominator: (partialValue: Int128, overflow: Bool)
    ) -> Self? {
        guard !numerator.overflow, !denominator.overflow else { return nil }
        return Fraction(numerator.partialValue, denominator.partialValue)
    }

    /// The nearest whole number, halves away from zero.
    func rounded(exact: Bool) -> Quantity.Steps? {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        let isHalf = remainder.magnitude >= denominator.magnitude - remainder.magnitude
        let nearest = isHalf && remainder != 0 ? quotient + (numerator < 0 ? -1 : 1) : quotient
        return Int64(exactly: nearest).map { Quantity.Steps(number: $0, isRounded: exact && remainder != 0) }
    }
}
