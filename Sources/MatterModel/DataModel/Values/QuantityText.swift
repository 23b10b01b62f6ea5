/// A number with a unit, for commands that know what it is about.
public enum QuantityText {
    /// - Parameter bare: the unit of a number that has none, such as `C`.
    /// - Returns: the number in steps of the unit; `nil` if the text is no such quantity.
    public static func parse(_ text: String, as unit: ValueUnit, bare: String) -> Int64? {
        let hasUnit = text.last.map { !$0.isNumber && $0 != "." } ?? false
        return Quantity.parse(hasUnit ? text : text + bare, as: unit)?.number
    }
}
