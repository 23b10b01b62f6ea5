import MatterModel

/// Temperature Measurement and Relative Humidity Measurement (Matter application cluster specification 2.3 and 2.6),
/// which differ in number and range only; values are hundredths of a degree Celsius or of a percent.
///
/// A person sets the value with a number (`21.5`) or takes it away with `unknown`.
struct MeasurementServer: ClusterServer {
    private typealias Attribute = TemperatureMeasurement.Attribute

    let id: ClusterID
    let initialAttributes: [AttributeID: TLVValue]
    let persistentAttributes: Set<AttributeID> = [Attribute.measuredValue]
    /// Hundredths.
    private let range: ClosedRange<Int>
    private let isSigned: Bool

    private init(_ id: ClusterID, _ value: Int, in range: ClosedRange<Int>, tolerance: UInt16, isSigned: Bool) {
        self.id = id
        self.range = range
        self.isSigned = isSigned
        initialAttributes = [
            Attribute.measuredValue: Self.encoded(value, isSigned),
            Attribute.minMeasuredValue: Self.encoded(range.lowerBound, isSigned),
            Attribute.maxMeasuredValue: Self.encoded(range.upperBound, isSigned),
            Attribute.tolerance: .number(tolerance),
        ]
    }

    /// - Parameter hundredths: of a degree Celsius.
    static func temperature(_ hundredths: Int = 2150) -> MeasurementServer {
        MeasurementServer(
            TemperatureMeasurement.id, hundredths, in: -4000...12500, tolerance: 20, isSigned: true)
    }

    /// - Parameter hundredths: of a percent.
    static func humidity(_ hundredths: Int = 4500) -> MeasurementServer {
        MeasurementServer(
            RelativeHumidityMeasurement.id, hundredths, in: 0...10000, tolerance: 200, isSigned: false)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let word = words.first else { return false }
        if word == "unknown" {
            context[Attribute.measuredValue] = .null
            return true
        }
        guard let value = TypedNumber.hundredths(word), range.contains(value) else { return false }
        context[Attribute.measuredValue] = Self.encoded(value, isSigned)
        return true
    }

    private static func encoded(_ value: Int, _ isSigned: Bool) -> TLVValue {
        isSigned ? .int(Int64(value)) : .uint(UInt64(value))
    }
}
