import MatterController

/// `PATH=VALUE`: what an attribute is awaited to be.
struct WatchCondition {
    /// How the value of the device stands to the one given; longer spellings first.
    private enum Comparison: String, CaseIterable {
        case different = "!="
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case more = ">"
        case less = "<"
    }

    let path: AttributePath
    private let comparison: Comparison
    private let value: TLVValue
    private let type: DataType?

    /// - Returns: `nil` for a text without a comparison.
    init?(_ text: String, in catalogue: Catalogue) throws(DataModelError) {
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
        if let type {
            value = try parser.value(word: word, as: type, at: place).value
        } else {
            value = try parser.value(untyped: word, at: place)
        }
    }

    func isMet(by report: AttributeReport) -> Bool {
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
