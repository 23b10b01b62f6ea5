import MatterBase

// MARK: - Numbers

extension ValueConversion {
    func boolean(_ json: JSONValue, _ type: DataType, _ place: String) throws(DataModelError) -> Bool {
        if let flag = json.boolValue { return flag }
        switch json.stringValue?.lowercased() {
        case "true", "on", "yes", "1": return true
        case "false", "off", "no", "0": return false
        default: throw wrong(type, json, place)
        }
    }

    mutating func unsigned(
        _ json: JSONValue, _ type: DataType, bits: Int, at place: String
    ) throws(DataModelError) -> UInt64 {
        var number: UInt64? =
            switch json {
            case .int, .uint: json.integer()
            case .double(let double): UInt64(exactly: double)
            case .string(let text):
                (type.isFabricID ? FabricIDText.parse(text) : nil) ?? NumberText.unsigned(Self.steps(text))
            default: nil
            }
        let range = type.unsignedRange(bits: bits)
        if let bare = number.flatMap({ Int64(exactly: $0) }) {
            let meant = try meaning(of: bare, json, type, place) {
                UInt64(exactly: $0).map(range.contains) ?? false
            }
            number = UInt64(exactly: meant)
        }
        if number == nil, case .string(let text) = json {
            number = try quantity(text, type, place).flatMap { UInt64(exactly: $0) }
            if number == nil { number = try id(text, type, place) }
        }
        guard let number else { throw wrong(type, json, place) }
        if !range.contains(number) {
            warn(place, "\(number) is outside \(range.lowerBound)…\(range.upperBound)")
        }
        return number
    }

    mutating func signed(
        _ json: JSONValue, _ type: DataType, bits: Int, at place: String
    ) throws(DataModelError) -> Int64 {
        var number: Int64? =
            switch json {
            case .int, .uint: json.integer()
            case .double(let double): Int64(exactly: double)
            case .string(let text): NumberText.signed(Self.steps(text))
            default: nil
            }
        let range = type.signedRange(bits: bits)
        if let bare = number { number = try meaning(of: bare, json, type, place, isAllowed: range.contains) }
        if number == nil, case .string(let text) = json { number = try quantity(text, type, place) }
        guard let number else { throw wrong(type, json, place) }
        if !range.contains(number) {
            warn(place, "\(number) is outside \(range.lowerBound)…\(range.upperBound)")
        }
        return number
    }

    /// The digits of a number of steps: `raw:21`, `21`.
    private static func steps(_ text: String) -> String {
        text.hasPrefix(BareNumber.rawPrefix) ? String(text.dropFirst(BareNumber.rawPrefix.count)) : text
    }

    /// The steps that a bare number means; a number in JSON is one of steps.
    private func meaning(
        of number: Int64, _ json: JSONValue, _ type: DataType, _ place: String, isAllowed: (Int64) -> Bool
    ) throws(DataModelError) -> Int64 {
        guard parser.isStrict, isTyped, let word = json.stringValue,
            let bare = BareNumber(word, number, as: type, at: place, isAllowed: isAllowed)
        else { return number }
        guard let meaning = parser.choose(bare) else { throw bare.error }
        return meaning == .unit ? bare.unit.steps : bare.steps.steps
    }

    /// A number with a unit, or a time; `nil` if the text is neither.
    private mutating func quantity(_ text: String, _ type: DataType, _ place: String) throws(DataModelError) -> Int64? {
        guard let unit = type.unit else { return nil }
        if let time = PointInTime.parse(text, as: unit) { return time }
        guard let steps = Quantity.parse(text, as: unit) else { return nil }
        if steps.isRounded { warn(place, "\(quoted(text)) is rounded to \(steps.number) × \(unit.text)") }
        return steps.number
    }

    /// The number of a cluster or device type that is given by name; `nil` for other types.
    private func id(_ text: String, _ type: DataType, _ place: String) throws(DataModelError) -> UInt64? {
        switch type.format {
        case .clusterID: UInt64(try catalogue.cluster(named: text).id.rawValue)
        case .deviceTypeID: UInt64(try catalogue.deviceType(named: text).id.rawValue)
        default: nil
        }
    }

    func double(_ json: JSONValue, _ type: DataType, _ place: String) throws(DataModelError) -> Double {
        if let number = json.doubleValue { return number }
        // Hexadecimal and "infinity" spellings are the library's, not ours.
        if let text = json.stringValue, text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        {
            return number
        }
        throw wrong(type, json, place)
    }

    func float(_ json: JSONValue, _ type: DataType, _ place: String) throws(DataModelError) -> Float {
        let wide = try double(json, type, place)
        let narrow = Float(wide)
        guard narrow.isFinite || !wide.isFinite else { throw wrong(type, json, place) }
        return narrow
    }
}

// MARK: - Octets

extension ValueConversion {
    mutating func octets(_ json: JSONValue, _ type: DataType, _ place: String) throws(DataModelError) -> [UInt8] {
        guard let text = json.stringValue else { throw wrong(type, json, place) }
        var octets: [UInt8]?
        if text.hasPrefix("hex:") {
            do {
                octets = try Hex.decode(text)
            } catch {
                throw DataModelError(.malformedValue, "\(place): \(error.reason)", place: place)
            }
        } else if text.hasPrefix("text:") {
            octets = Array(text.utf8.dropFirst("text:".utf8.count))
        } else if let format = type.format {
            octets = NetworkAddress.parse(text, as: format)
        }
        guard let octets else { throw wrong(type, json, place) }
        checkLength(octets.count, type, place)
        return octets
    }

    mutating func checkLength(_ count: Int, _ type: DataType, _ place: String) {
        if let most = type.limits.maximumLength, count > most {
            warn(place, "\(count) bytes, at most \(most) are allowed")
        }
        if let least = type.limits.minimumLength, count < least {
            warn(place, "\(count) bytes, at least \(least) are needed")
        }
    }
}

// MARK: - Names

extension ValueConversion {
    mutating func enumeration(
        _ json: JSONValue, _ definition: EnumDefinition, _ type: DataType, _ place: String
    ) throws(DataModelError) -> UInt64 {
        var number: UInt64? = json.integer()
        if case .string(let text) = json {
            // Some names are digits (battery sizes), so names come first.
            number = definition.value(named: text)?.number ?? NumberText.unsigned(text)
            if number == nil, !definition.values.isEmpty {
                throw unknownValue(text, of: definition.name, definition.values.map(\.name), place)
            }
        }
        guard let number else { throw wrong(type, json, place) }
        if !definition.values.isEmpty, definition.value(number) == nil {
            warn(place, "\(definition.name) has no value \(number) in the model")
        } else if number >> UInt64(definition.bits) != 0 {
            warn(place, "\(number) does not fit in \(definition.bits) bits")
        } else if !type.limits.contains(number) {
            warn(place, "\(definition.value(number)?.name ?? String(number)) is not allowed here")
        }
        return number
    }

    mutating func bitmap(
        _ json: JSONValue, _ definition: BitmapDefinition, _ type: DataType, _ place: String
    ) throws(DataModelError) -> UInt64 {
        var bits: UInt64 = 0
        switch json {
        case .int, .uint:
            guard let number: UInt64 = json.integer() else { throw wrong(type, json, place) }
            bits = number
        case .string(let text):
            for word in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "," || $0 == "|" }) {
                bits |= try Self.bits(String(word), definition, self, type, place)
            }
        case .array(let items):
            for item in items {
                if let number: UInt64 = item.integer() {
                    bits |= number
                } else if let word = item.stringValue {
                    bits |= try Self.bits(word, definition, self, type, place)
                } else {
                    throw wrong(type, json, place)
                }
            }
        case .object(let object):
            for member in object.members {
                guard let field = definition.field(named: member.key) else {
                    throw unknownValue(member.key, of: definition.name, definition.fields.map(\.name), place)
                }
                let number: UInt64? = member.value.boolValue.map { $0 ? 1 : 0 } ?? member.value.integer()
                guard let number else { throw wrong(type, json, place) }
                bits |= try Self.bits(of: field, holding: number, place)
            }
        default: throw wrong(type, json, place)
        }
        let known = definition.fields.reduce(UInt64(0)) { $0 | $1.mask }
        let width = definition.bits < 64 ? (UInt64(1) << UInt64(definition.bits)) - 1 : .max
        if bits & ~width != 0 {
            warn(place, "\(bits) does not fit in \(definition.bits) bits")
        } else if !definition.fields.isEmpty, bits & ~known != 0 {
            warn(place, "\(definition.name) has no bits \(bits & ~known) in the model")
        }
        return bits
    }

    /// The bits of one word: a name, a name with a number (`Global=2`), or a number.
    private static func bits(
        _ word: String, _ definition: BitmapDefinition, _ conversion: ValueConversion, _ type: DataType, _ place: String
    ) throws(DataModelError) -> UInt64 {
        if let field = definition.field(named: word) { return field.mask }
        if let number = NumberText.unsigned(word) { return number }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, let field = definition.field(named: parts[0]), let number = NumberText.unsigned(parts[1]) {
            return try bits(of: field, holding: number, place)
        }
        guard !definition.fields.isEmpty else { throw conversion.wrong(type, .string(word), place) }
        throw conversion.unknownValue(word, of: definition.name, definition.fields.map(\.name), place)
    }

    private static func bits(
        of field: BitmapDefinition.Field, holding number: UInt64, _ place: String
    ) throws(DataModelError) -> UInt64 {
        let shift = UInt64(field.mask.trailingZeroBitCount)
        guard number <= field.mask >> shift else {
            throw DataModelError(
                .wrongType, "\(place): \(field.name) holds 0 to \(field.mask >> shift), not \(number)", place: place)
        }
        return number << shift
    }

    func unknownValue(_ text: String, of owner: String, _ names: [String], _ place: String) -> DataModelError {
        let nearest = Suggestions.nearest(to: text, among: names)
        // Some have hundreds of names.
        let isListed = names.count <= 40 && nearest.isEmpty
        let all = isListed ? ": it is one of \(names.joined(separator: ", "))" : ""
        return DataModelError(
            .unknownValue, "\(place.isEmpty ? "" : "\(place): ")\(owner) has no value \(quoted(text))\(all)",
            place: place, suggestions: nearest,
            advice: isListed ? nil : parser.cluster.map { .step("clusters.one", $0) } ?? .step("clusters.all"))
    }
}

// MARK: - What a type allows

extension ValueLimits {
    /// True if a non-negative number is within the bounds.
    package func contains(_ number: UInt64) -> Bool {
        if let minimum, minimum > 0, number < UInt64(minimum) { return false }
        if let maximum, maximum < 0 || number > UInt64(maximum) { return false }
        return true
    }
}

extension DataType {
    /// The numbers that the model allows for an unsigned type of so many bits.
    func unsignedRange(bits: Int) -> ClosedRange<UInt64> {
        let width: UInt64 = bits < 64 ? (1 << UInt64(bits)) - 1 : .max
        let natural: UInt64 =
            switch name {
            case "percent": 100
            case "percent100ths": 10_000
            default: width
            }
        let upper = limits.maximum.flatMap { UInt64(exactly: $0) } ?? natural
        let lower = limits.minimum.flatMap { UInt64(exactly: $0) } ?? 0
        return min(lower, upper)...upper
    }

    /// The numbers that the model allows for a signed type of so many bits.
    func signedRange(bits: Int) -> ClosedRange<Int64> {
        let upper = limits.maximum ?? Int64.max >> Int64(64 - bits)
        let lower = limits.minimum ?? (name == "temperature" ? -27_315 : Int64.min >> Int64(64 - bits))
        return min(lower, upper)...upper
    }

    /// The expected form of a value of this type, for error messages.
    var expectation: String {
        let one = entryExpectation
        let text = isList ? "a list ([…]) of \(one)" : one
        return isNullable ? "\(text) or null" : text
    }

    private var entryExpectation: String {
        let like = unit.flatMap(Quantity.example).map { " such as \($0)" } ?? ""
        switch kind {
        case .boolean: return "true or false"
        case .unsigned(let bits):
            let range = unsignedRange(bits: bits)
            let named = format == .clusterID || format == .deviceTypeID ? " or a name" : ""
            return
                "a number \(range.lowerBound)…\(range.upperBound)\(like.isEmpty ? "" : ", or one with a unit\(like)")\(named)"
        case .signed(let bits):
            let range = signedRange(bits: bits)
            return
                "a number \(range.lowerBound)…\(range.upperBound)\(like.isEmpty ? "" : ", or one with a unit\(like)")"
        case .single: return "a number (32-bit floating point)"
        case .double: return "a number (64-bit floating point)"
        case .string: return "a string"
        case .octets:
            let address = format.flatMap(NetworkAddress.example).map { ", or \($0)" } ?? ""
            return "octet string such as hex:0A0B or text:abc\(address)"
        case .enumeration(let definition):
            return definition.values.isEmpty ? "a number" : "a \(definition.name) name or number"
        case .bitmap(let definition):
            return definition.fields.isEmpty ? "a number" : "names of \(definition.name) bits, or a number"
        case .structure(let definition):
            return "a \(definition.name) object {\(definition.fields.map { "\"\($0.key)\":…" }.joined(separator: ","))}"
        }
    }
}
