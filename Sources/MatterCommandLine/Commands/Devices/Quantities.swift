import ArgumentParser
import MatterController

/// A number with a unit that the command knows.
protocol QuantityArgument: ExpressibleByArgument, TrailingValue {
    associatedtype Number: FixedWidthInteger
    static var unit: ValueUnit { get }
    /// The unit of a number without one.
    static var bare: String { get }
    static var range: ClosedRange<Number> { get }

    init(number: Number)
}

extension QuantityArgument {
    init?(argument: String) {
        // That would be a step, which these values do not have.
        guard !argument.hasPrefix("+") else { return nil }
        guard let steps = QuantityText.parse(argument, as: Self.unit, bare: Self.bare),
            let number = Number(exactly: steps), Self.range.contains(number)
        else { return nil }
        self.init(number: number)
    }
}

/// A temperature in steps of 0.01 °C: `21`, `21.5C`, `70F`.
struct TemperatureArgument: QuantityArgument {
    static let unit = ValueUnit.celsiusHundredths
    static let bare = "C"
    static let forms = "21, 21.5C or 70F"
    static let range: ClosedRange<Int16> = -27315...Int16.max

    var number: Int16
}

/// A share in steps of 0.01 %: `40`, `40%`, `12.5%`.
struct ShareArgument: QuantityArgument {
    static let unit = ValueUnit.percentHundredths
    static let bare = "%"
    static let forms = "0%–100%"
    static let offers = ["0%", "25%", "50%", "75%", "100%"]
    static let range: ClosedRange<UInt16> = 0...10000

    var number: UInt16
}
