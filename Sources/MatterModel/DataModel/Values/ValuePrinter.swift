public import MatterBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns TLV into JSON and terminal text by data type.
///
/// Nothing is lost: what the model does not know (fields, enum values, bits) or what has another type than it says
/// is printed as it came, fields under their tag number.
public struct ValuePrinter: Sendable {
    /// True if enums and bitmaps print as numbers.
    public var numeric: Bool
    /// The source of names for numbers that are ids; `nil` for programs, which get numbers without units.
    private let glossary: Glossary?

    /// A printer; numeric ones print numbers where values have names.
    public init(numeric: Bool = false) {
        self.numeric = numeric
        glossary = nil
    }

    /// For people: values with their units, and names for ids.
    public init(forPeopleWith catalogue: Catalogue) {
        numeric = false
        glossary = Glossary(catalogue)
    }

    /// The value of an attribute, for one line.
    public func text(_ value: TLVValue, as type: DataType?, cluster: ClusterID, attribute: AttributeID) -> String {
        TerminalText.text(json(value, as: type, cluster: cluster, attribute: attribute))
    }

    /// The value of an attribute laid out: structures and lists over several lines. At least one line.
    public func lines(_ value: TLVValue, as type: DataType?, cluster: ClusterID, attribute: AttributeID) -> [String] {
        ValueLayout.lines(json(value, as: type, cluster: cluster, attribute: attribute))
    }

    /// The value of an attribute, whose numbers may be ids of its own cluster.
    private func json(_ value: TLVValue, as type: DataType?, cluster: ClusterID, attribute: AttributeID) -> JSONValue {
        glossary?.json(value, cluster: cluster, attribute: attribute) ?? json(value, as: type)
    }

    /// The JSON form of a value; without a type, the plain form of any TLV.
    public func json(_ value: TLVValue, as type: DataType?) -> JSONValue {
        guard let type else { return JSONValue(value) }
        if case .null = value { return .null }
        guard type.isList else { return single(value, as: type) }
        guard case .array(let items) = value else { return JSONValue(value) }
        let entry = type.entry
        return .array(items.map { json($0.value, as: entry) })
    }

    /// The fields of a command or event as a JSON object; absent fields give an empty one.
    public func json(fields value: TLVValue?, of definitions: [FieldDefinition]) -> JSONValue {
        guard let value else { return .object(JSONObject()) }
        return structure(value, definitions)
    }

    /// The text of a value for a terminal or a tab-separated line: scalars bare, everything else compact JSON; control
    /// characters escaped.
    public func text(_ value: TLVValue, as type: DataType?) -> String {
        TerminalText.text(json(value, as: type))
    }

    private func single(_ value: TLVValue, as type: DataType) -> JSONValue {
        if glossary != nil, let said = meaning(value, as: type) { return .string(said) }
        switch type.kind {
        case .enumeration(let definition):
            guard !numeric, let number: UInt64 = value.integer(), let known = definition.value(number) else {
                return JSONValue(value)
            }
            return .string(known.name)
        case .bitmap(let definition):
            guard !numeric, !definition.isNameless, let bits: UInt64 = value.integer() else { return JSONValue(value) }
            return .array(names(bits, definition))
        case .structure(let definition): return structure(value, definition.fields)
        case .unsigned:
            guard let number: UInt64 = value.integer() else { return JSONValue(value) }
            if type.isFabricID { return .string(FabricIDText.text(number)) }
            return glossary?.name(number, as: type).map { .string($0) } ?? JSONValue(value)
        case .boolean, .signed, .single, .double, .string, .octets: return JSONValue(value)
        }
    }

    private func structure(_ value: TLVValue, _ fields: [FieldDefinition]) -> JSONValue {
        guard case .structure(let members) = value else { return JSONValue(value) }
        var object = JSONObject()
        for member in members {
            guard case .context(let tag) = member.tag, let field = fields.tagged(tag) else {
                object[member.tag.description] = JSONValue(member.value)
                continue
            }
            object[field.key] = json(member.value, as: field.type)
        }
        return .object(object)
    }

    /// The names of the bits that are set; what has no name follows as one number.
    private func names(_ bits: UInt64, _ definition: BitmapDefinition) -> [JSONValue] {
        var rest = bits
        var names: [JSONValue] = []
        for field in definition.fields where bits & field.mask != 0 {
            let number = (bits & field.mask) >> UInt64(field.mask.trailingZeroBitCount)
            names.append(.string(field.isFlag ? field.name : "\(field.name)=\(number)"))
            rest &= ~field.mask
        }
        if rest != 0 { names.append(.id(rest)) }
        return names
    }
}

extension ValuePrinter {
    /// The readable form of a value whose type says more than its number or bytes: `21.50 °C`, `50%`, `30% (76)`,
    /// `2026-11-21T09:30:00Z`, `192.168.1.2`; `nil` otherwise.
    package func meaning(_ value: TLVValue, as type: DataType?) -> String? {
        guard let type, !type.isList else { return nil }
        if case .octets(let octets) = value { return type.format.flatMap { NetworkAddress.text(octets, as: $0) } }
        guard let unit = type.unit else { return nil }
        if let number = value.floatingPoint {
            guard let (symbol, decimals) = unit.decimal else { return nil }
            return Self.fraction(number / pow(10, Double(decimals))).map { $0 + Self.joint(symbol) + symbol }
        }
        guard let number: Int64 = value.integer() else { return nil }
        if let number = UInt64(exactly: number), let time = PointInTime.text(number, as: unit) { return time }
        if let (symbol, decimals) = unit.decimal {
            let text = Self.fixed(number, decimals: decimals)
            return (symbol == "%" ? Self.short(text) : text) + Self.joint(symbol) + symbol
        }
        return switch unit {
        case .percentHalves: (0...255).contains(number) ? Self.short(Self.fixed(number * 5, decimals: 1)) + "%" : nil
        case .level: number >= 0 && number <= 254 ? "\((number * 100 + 127) / 254)% (\(number))" : nil
        case .hue: (0...254).contains(number) ? "\((number * 360 + 127) / 254)° (\(number))" : nil
        case .enhancedHue: (0...0xFFFF).contains(number) ? "\((number * 360 + 0x8000) >> 16)° (\(number))" : nil
        case .coordinate:
            (0...0xFFFF).contains(number)
                ? Self.fixed((number * 10_000 + 0x8000) >> 16, decimals: 4) + " (\(number))" : nil
        case .mireds: number > 0 ? "\((1_000_000 + number / 2) / number) K" : nil
        case .illuminance: Self.lux(number)
        default: nil
        }
    }

    /// Values that belong together, on one line: for people with commas, for programs with tabs.
    public func text(_ values: [(TLVValue, DataType?)]) -> String {
        values.map { text($0, as: $1) }.joined(separator: glossary == nil ? "\t" : ", ")
    }

    /// Between a number and its unit.
    private static func joint(_ symbol: String) -> String { symbol == "%" || symbol == "°" ? "" : " " }

    /// A fraction without zeros at its end.
    private static func short(_ text: String) -> String {
        guard text.contains(".") else { return text }
        let end = text.lastIndex { $0 != "0" }
        return end.map { String(text[$0] == "." ? text[..<$0] : text[...$0]) } ?? text
    }

    /// A number with a fraction, to three decimals: more is noise to a person.
    private static func fraction(_ number: Double) -> String? {
        guard number.magnitude < 1e15 else { return nil }
        let thousandths = (number * 1000).rounded()
        let text = "\(thousandths / 1000)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func lux(_ number: Int64) -> String? {
        guard (0...0xFFFE).contains(number) else { return nil }
        guard number > 0 else { return "too dark to measure" }
        let lux = pow(10, Double(number - 1) / 10000)
        return lux < 10 ? "\((lux * 10).rounded() / 10) lx" : "\(Int64(lux.rounded())) lx"
    }

    /// A number of steps with so many decimals: `-0.05`.
    package static func fixed(_ number: Int64, decimals: Int) -> String {
        guard decimals > 0 else { return "\(number)" }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (number < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}

extension TLVValue {
    fileprivate var floatingPoint: Double? {
        switch self {
        case .float(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension TerminalText {
    /// A JSON value on one line: scalars bare and escaped, everything else compact JSON.
    public static func text(_ json: JSONValue) -> String {
        switch json {
        case .string(let text): escaped(text)
        case .double(let number) where !number.isFinite: number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
        default: json.serialized()
        }
    }
}
