internal import MatterController

/// Values from a client's JSON, by the types of the model.
///
/// Numbers must fit the width of their type; narrower limits are the device's to judge. Integers may be written as `1.0`, or
/// in decimal digits as a string.
enum ValueDecoding {
    /// A value of a type.
    ///
    /// - Parameter place: the name of the attribute or field, for the error.
    /// - Throws: `invalidArguments` that names the place and the form it wants.
    static func value(_ json: JSONValue, as type: DataType, at place: String) throws(InterfaceError) -> TLVValue {
        if case .null = json {
            guard type.isNullable else { throw wrong(place, "cannot be null") }
            return .null
        }
        guard type.isList else { return try single(json, as: type, at: place) }
        guard case .array(let items) = json else { throw wrong(place, "wants a list") }
        let entry = type.entry
        var members: [TLVElement] = []
        for (index, item) in items.enumerated() {
            members.append(TLVElement(.anonymous, try value(item, as: entry, at: "\(place)[\(index)]")))
        }
        return .array(members)
    }

    private static func single(_ json: JSONValue, as type: DataType, at place: String) throws(InterfaceError)
        -> TLVValue
    {
        switch type.kind {
        case .boolean:
            guard case .bool(let flag) = json else { throw wrong(place, "wants true or false") }
            return .bool(flag)
        case .unsigned(let bits): return .uint(try unsigned(json, bits: bits, at: place))
        case .enumeration(let definition): return .uint(try unsigned(json, bits: definition.bits, at: place))
        case .bitmap(let definition): return .uint(try unsigned(json, bits: definition.bits, at: place))
        case .signed(let bits): return .int(try signed(json, bits: bits, at: place))
        case .single:
            let number = Float(try double(json, at: place))
            guard number.isFinite else { throw wrong(place, "is beyond 32-bit floating point") }
            return .float(number)
        case .double: return .double(try double(json, at: place))
        case .string:
            guard case .string(let text) = json else { throw wrong(place, "wants a string") }
            return .string(text)
        case .octets:
            guard case .string(let text) = json, let octets = Base64Text.decoded(text) else {
                throw wrong(place, "wants base64")
            }
            return .octets(octets)
        case .structure(let definition):
            guard case .object(let object) = json else { throw wrong(place, "wants an object") }
            return try structure(object, of: definition, at: place)
        }
    }

    /// The number of a JSON number without a fraction, or of a string of digits.
    private static func integer<Number: FixedWidthInteger>(_ json: JSONValue, as type: Number.Type) -> Number? {
        switch json {
        case .int(let number): Number(exactly: number)
        case .uint(let number): Number(exactly: number)
        case .double(let number): Number(exactly: number)
        case .string(let text): text.first == "+" ? nil : Number(text)
        default: nil
        }
    }

    private static func unsigned(_ json: JSONValue, bits: Int, at place: String) throws(InterfaceError) -> UInt64 {
        let most = bits < 64 ? UInt64(1) << UInt64(bits) - 1 : .max
        guard let number = integer(json, as: UInt64.self), number <= most else {
            throw wrong(place, "wants a whole number from 0 to \(most)")
        }
        return number
    }

    private static func signed(_ json: JSONValue, bits: Int, at place: String) throws(InterfaceError) -> Int64 {
        let most = Int64.max >> Int64(64 - bits)
        guard let number = integer(json, as: Int64.self), -most - 1...most ~= number else {
            throw wrong(place, "wants a whole number from \(-most - 1) to \(most)")
        }
        return number
    }

    private static func double(_ json: JSONValue, at place: String) throws(InterfaceError) -> Double {
        switch json {
        case .double(let number): return number
        case .int(let number): return Double(number)
        case .uint(let number): return Double(number)
        default: throw wrong(place, "wants a number")
        }
    }

    static func wrong(_ place: String, _ reason: String) -> InterfaceError {
        InterfaceError(.invalidArguments, "\(place): \(reason)")
    }
}

// MARK: - Structures

extension ValueDecoding {
    private static func structure(_ object: JSONObject, of definition: StructDefinition, at place: String)
        throws(InterfaceError) -> TLVValue
    {
        // A device sets the fabric of what it is given by itself; clients send back what they have read.
        let fabric = FieldSpelling.fabricIndex.tag
        let fields = definition.fields.filter { $0.id != fabric }
        var given = JSONObject()
        for member in object.members {
            let isNamed =
                FieldSpelling.isSame(member.key, FieldSpelling.fabricIndex.key)
                && FieldSpelling.definition(member.key, among: fields) == nil
            if isNamed || FieldSpelling.tag(member.key) == fabric { continue }
            given[member.key] = member.value
        }
        return try Self.fields(given, of: fields, named: definition.name, at: place)
    }

    /// The fields of a structure or a command, ordered by their tags.
    ///
    /// Null is no value for an optional field, even a nullable one, as in python-matter-server. A key that the model does not
    /// know is refused unless its value is null: clients of other versions send such ones.
    ///
    /// - Throws: `invalidArguments` that names the field.
    static func fields(_ object: JSONObject, of fields: [FieldDefinition], named owner: String, at place: String)
        throws(InterfaceError) -> TLVValue
    {
        func inside(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
        var values: [UInt8: TLVValue] = [:]
        for member in object.members {
            guard let field = FieldSpelling.definition(member.key, among: fields) else {
                if case .null = member.value { continue }
                throw wrong(inside(member.key), "\(owner) has no such field")
            }
            let place = inside(FieldSpelling.key(field.name))
            if case .null = member.value, field.isOptional || !field.type.isNullable { continue }
            guard values.updateValue(try value(member.value, as: field.type, at: place), forKey: field.id) == nil else {
                throw wrong(place, "is given twice")
            }
        }
        for field in fields where values[field.id] == nil && !field.isOptional && !field.isProvisional {
            guard let substitute = field.substitute else {
                throw wrong(inside(FieldSpelling.key(field.name)), "is missing")
            }
            values[field.id] = .uint(substitute)
        }
        return .structure(values.sorted { $0.key < $1.key }.map { TLVElement(TLVTag.context($0.key), $0.value) })
    }
}
