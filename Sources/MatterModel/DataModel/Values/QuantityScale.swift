package import MatterBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The unit in which people read the numbers of a type, and how they come out of what devices send (own).
package struct QuantityScale: Sendable, Hashable {
    private enum Conversion: Sendable, Hashable {
        /// The steps have so many decimals: nothing is lost.
        case decimals(Int)
        /// Steps of this size, and the decimals that say enough.
        case factor(Double, decimals: Int)
        /// A million divided by the kelvins.
        case mireds
        /// 10000 times the logarithm, plus one (Matter application cluster specification 2.2.5.1).
        case illuminance
    }

    /// `°C`, `W`, `%`; empty for numbers without a unit.
    package var unit: String
    private let conversion: Conversion

    /// Numbers whose steps have so many decimals of a unit.
    package init(decimals: Int, unit: String) {
        conversion = .decimals(decimals)
        self.unit = unit
    }

    /// - Returns: `nil` if values of the type are not quantities, but words, lists, ids or points in time.
    package init?(_ type: DataType) {
        guard !type.isList, type.format == nil, !type.isFabricID, !type.name.hasSuffix("-id") else { return nil }
        switch type.kind {
        case .signed, .unsigned, .single, .double: break
        case .boolean, .string, .octets, .enumeration, .bitmap, .structure: return nil
        }
        if let (symbol, decimals) = type.unit?.decimal {
            self.init(decimals: decimals, unit: symbol)
            return
        }
        switch type.unit {
        case nil: self.init(decimals: 0, unit: "")
        case .percentHalves: self.init(.factor(0.5, decimals: 1), "%")
        case .level: self.init(.factor(100 / 254, decimals: 1), "%")
        case .hue: self.init(.factor(360 / 254, decimals: 1), "°")
        case .enhancedHue: self.init(.factor(360 / 65536, decimals: 2), "°")
        case .coordinate: self.init(.factor(1 / 65536, decimals: 4), "")
        case .mireds: self.init(.mireds, "K")
        case .illuminance: self.init(.illuminance, "lx")
        default: return nil
        }
    }

    private init(_ conversion: Conversion, _ unit: String) {
        self.conversion = conversion
        self.unit = unit
    }

    /// The number in the unit; `nil` for null, for NaN and what is infinite, and for what is no number.
    package func number(_ value: TLVValue) -> Double? {
        let steps: Double
        switch value {
        case .uint(let number): steps = Double(number)
        case .int(let number): steps = Double(number)
        case .float(let number): steps = Double(number)
        case .double(let number): steps = number
        default: return nil
        }
        let number: Double? =
            switch conversion {
            case .decimals(let decimals): decimals == 0 ? steps : steps / pow(10, Double(decimals))
            case .factor(let factor, _): steps * factor
            case .mireds: steps > 0 ? 1_000_000 / steps : nil
            case .illuminance: steps > 0 ? pow(10, (steps - 1) / 10_000) : 0
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The digits of the number, exact where the unit is a matter of decimals; `nil` where there is no number.
    package func text(_ value: TLVValue) -> String? {
        guard let number = number(value) else { return nil }
        switch (conversion, value) {
        case (.decimals(0), .uint(let steps)): return "\(steps)"
        case (.decimals(let decimals), .uint), (.decimals(let decimals), .int):
            guard let steps: Int64 = value.integer() else { return "\(number)" }
            return ValuePrinter.fixed(steps, decimals: decimals)
        case (.decimals(0), .float(let steps)): return "\(steps)"
        case (.decimals, _): return "\(number)"
        case (.factor(_, let decimals), _): return Self.rounded(number, decimals)
        case (.mireds, _): return Self.rounded(number, 0)
        case (.illuminance, _): return Self.rounded(number, 1)
        }
    }

    private static func rounded(_ number: Double, _ decimals: Int) -> String {
        let steps = (number * pow(10, Double(decimals))).rounded()
        return Int64(exactly: steps).map { ValuePrinter.fixed($0, decimals: decimals) } ?? "\(number)"
    }
}
