public import MatterNetwork

/// A value of a node that is followed, as tables and charts have it (own).
public struct FollowedValue: Sendable {
    /// The place of the attribute.
    public let path: ConcreteAttributePath
    /// The name of the quantity, `temperature`; `nil` for an attribute that is followed by its path.
    public let name: String?
    /// The number in the unit; `nil` for null, for NaN, and for what is no number.
    public let number: Double?
    /// The value without its unit; `nil` for Matter null. Text of devices is escaped.
    public let text: String?
    /// The unit, `°C`; empty if there is none.
    public let unit: String

    /// Of a report by its path.
    ///
    /// - Parameter numeric: whether numbers are those of the device, with the size of one step as the unit, and enums and
    ///   bitmaps numbers.
    /// - Returns: `nil` if the node could not tell the value.
    public init?(_ report: AttributeReport, in catalogue: Catalogue, numeric: Bool = false) {
        guard let value = report.value else { return nil }
        let type = catalogue.attribute(cluster: report.path.cluster, report.path.attribute)?.type
        path = report.path
        name = nil
        let scale = type.flatMap(QuantityScale.init)
        number = scale?.number(value)
        if case .null = value {
            text = nil
        } else if let scale, !numeric {
            // NaN is a value of the device, and no number.
            text = scale.text(value) ?? ValuePrinter().text(value, as: type)
        } else {
            text = ValuePrinter(numeric: numeric).text(value, as: type)
        }
        unit = (numeric ? type?.unit?.text : scale?.unit) ?? ""
    }

    /// Of a value that a kind of device has.
    init(_ reading: Reading, _ value: TLVValue, measured: TLVValue?, at path: ConcreteAttributePath) {
        self.path = path
        name = reading.name
        let quantity = reading.quantity(value, measured: measured)
        number = quantity?.number
        unit = quantity?.unit ?? ""
        if case .null = value { text = nil } else { text = quantity?.text ?? reading.plain(value) }
    }

    /// Whether what a path leads to is known to be numbers that can be drawn: an attribute with a name, of any endpoint.
    public static func isQuantity(_ path: AttributePath, in catalogue: Catalogue) -> Bool {
        guard let cluster = path.cluster, let attribute = path.attribute else { return false }
        return catalogue.attribute(cluster: cluster, attribute).flatMap { QuantityScale($0.type) } != nil
    }
}
