public import MatterNetwork

/// The awaited state of an attribute, in the words of people: `1/level-control/current-level>=100`.
public struct AwaitedValue: Sendable {
    /// How the value of the device stands to the one given; longer spellings first.
    private enum Comparison: String, CaseIterable {
        case different = "!="
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case more = ">"
        case less = "<"
    }

    /// The attribute; one of several endpoints if it names none.
    public let path: AttributePath
    private let comparison: Comparison
    private let value: TLVValue
    private let type: DataType?

    /// - Parameter text: `PATH=VALUE`, or with `!=`, `<`, `<=`, `>` and `>=`; `nil` is made of a text without a comparison.
    /// - Throws: ``DataModelError`` for a word that is no path, names something unknown, or is no value of the attribute.
    public init?(_ text: String, in catalogue: Catalogue) throws(DataModelError) {
        guard let start = text.firstIndex(where: { "=<>!".contains($0) }),
            let comparison = Comparison.allCases.first(where: { text[start...].hasPrefix($0.rawValue) })
        else { return nil }
        let place = String(text[..<start])
        path = try FollowedPaths.attribute(place, catalogue)
        self.comparison = comparison
        if let cluster = path.cluster, let attribute = path.attribute {
            type = catalogue.attribute(cluster: cluster, attribute)?.type
        } else {
            type = nil
        }
        let word = String(text[start...].dropFirst(comparison.rawValue.count))
        let parser = ValueParser(catalogue: catalogue, isStrict: true)
        let isContact = path.cluster == BooleanState.id && path.attribute == BooleanState.Attribute.stateValue
        if isContact, let isClosed = ["closed": true, "open": false][word.lowercased()] {
            // As it is shown.
            value = .bool(isClosed)
        } else if let type {
            value = try parser.value(word: word, as: type, at: place).value
        } else {
            value = try parser.value(untyped: word, at: place)
        }
    }

    /// Whether a report has the attribute with such a value. What is no number is neither more nor less.
    public func isMet(by report: AttributeReport) -> Bool {
        guard path.covers(report.path), let found = report.value else { return false }
        switch comparison {
        case .equal: return isEqual(found)
        case .different: return !isEqual(found)
        case .more, .less, .atLeast, .atMost:
            guard let found = found.number, let wanted = value.number else { return false }
            return switch comparison {
            case .more: found > wanted
            case .less: found < wanted
            case .atLeast: found >= wanted
            default: found <= wanted
            }
        }
    }

    /// Equal as they print: a device may encode a number in another width or sign than we do.
    private func isEqual(_ found: TLVValue) -> Bool {
        let printer = ValuePrinter(numeric: true)
        return printer.json(found, as: type) == printer.json(value, as: type)
    }
}

/// An event that a command waits for: an attribute gets a value, or an event happens.
public enum AwaitedChange: Sendable {
    /// An attribute has, or comes to have, the value.
    case value(AwaitedValue)
    /// An event happens from now on.
    case event(EventPath)

    /// - Parameter text: `PATH=VALUE` as in ``AwaitedValue``, or the path of an event.
    /// - Throws: ``DataModelError`` for a word that is no path, or names something unknown.
    public init(_ text: String, in catalogue: Catalogue) throws(DataModelError) {
        if let value = try AwaitedValue(text, in: catalogue) {
            self = .value(value)
        } else {
            self = .event(try FollowedPaths.event(text, catalogue))
        }
    }

    /// A subscription that tells it at once.
    ///
    /// - Parameter silence: in seconds, as in ``Controller/usualSilence(of:)``.
    public func request(silentForAtMost silence: UInt16) -> SubscribeRequest {
        switch self {
        case .value(let value):
            SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: silence, attributePaths: [value.path])
        case .event(let path):
            SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: silence, attributePaths: [], eventPaths: [path])
        }
    }

    /// Whether what a node reported is what is waited for.
    ///
    /// - Parameter isFirst: whether it is the first answer to the subscription, whose events are the log of what was before.
    public func isMet(by result: ReadResult, isFirst: Bool) -> Bool {
        switch self {
        case .value(let value): result.attributes.contains(where: value.isMet)
        case .event: !isFirst && result.events.contains { $0.event != nil }
        }
    }
}

extension TLVValue {
    /// The value of any number.
    fileprivate var number: Double? {
        switch self {
        case .uint(let number): Double(number)
        case .int(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
