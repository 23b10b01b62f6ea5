import MatterBase

/// A number without a unit that can be read in two ways: in the unit that people use, and in the steps of its type.
public struct BareNumber: Sendable {
    /// One of the two readings.
    public struct Reading: Sendable {
        /// How it is typed so that nothing else can be meant: `21C`, `raw:21`.
        public let spelling: String
        /// `21.00 °C`
        public let text: String
        let steps: Int64
    }

    /// The meaning of a number without a unit.
    public enum Meaning: Sendable {
        /// The number is in the unit that people expect.
        case unit
        /// The number is in the steps of the device.
        case steps
    }

    static let rawPrefix = "raw:"

    /// The attribute or field.
    public let place: String
    /// The word that was typed.
    public let word: String
    /// Its meaning with the unit that people expect.
    public let unit: Reading
    /// Its meaning in the steps of the device.
    public let steps: Reading

    /// - Parameters:
    ///   - number: the word as a number of steps.
    ///   - isAllowed: whether a number of steps is possible at all.
    /// - Returns: `nil` if only one reading is possible, or both are one value.
    init?(
        _ word: String, _ number: Int64, as type: DataType, at place: String, isAllowed: (Int64) -> Bool
    ) {
        guard let suffix = type.unit?.bareUnit,
            let whole = type.unit.flatMap({ Quantity.parse(word + suffix, as: $0) })?.number, whole != number,
            isAllowed(number), isAllowed(whole)
        else { return nil }
        func reading(_ spelling: String, _ steps: Int64) -> Reading {
            Reading(
                spelling: spelling, text: ValuePrinter().meaning(.int(steps), as: type) ?? "\(steps)", steps: steps)
        }
        self.place = place
        self.word = word
        unit = reading(word + suffix, whole)
        steps = reading(Self.rawPrefix + word, number)
    }

    /// The error if there is no answer.
    var error: DataModelError {
        DataModelError(
            .ambiguousNumber, "\(place): \(word) can mean \(unit.text) or \(steps.text)", place: place,
            suggestions: [unit.spelling, steps.spelling])
    }
}
