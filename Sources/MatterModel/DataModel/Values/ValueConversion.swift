import MatterBase

/// One conversion to TLV under way: collects warnings, knows the place it is at.
struct ValueConversion {
    let parser: ValueParser
    private(set) var warnings: [ValueWarning] = []
    /// Whether a string is what a person typed, and not one in JSON.
    private(set) var isTyped = false

    var catalogue: Catalogue { parser.catalogue }

    init(_ parser: ValueParser) {
        self.parser = parser
    }

    mutating func warn(_ place: String, _ reason: String) {
        warnings.append(ValueWarning(place: place, reason: reason))
    }

    // MARK: Whole values

    mutating func value(_ json: JSONValue, as type: DataType, at place: String) throws(DataModelError) -> TLVValue {
        if json.isNull {
            guard type.isNullable else { throw wrong(type, json, place) }
            return .null
        }
        guard type.isList else { return try single(json, as: type, at: place) }
        guard let items = json.arrayValue else { throw wrong(type, json, place) }
        return try list(items, as: type, at: place)
    }

    mutating func value(word: String, as type: DataType, at place: String) throws(DataModelError) -> TLVValue {
        if word == "null", type.isNullable { return .null }
        if type.isList {
            if word.hasPrefix("[") { return try value(parse(word, place), as: type, at: place) }
            if case .structure = type.kind { throw wrong(type, .string(word), place) }
            guard !word.isEmpty else { throw wrong(type, .string(word), place) }
            isTyped = true
            return try list(
                word.split(separator: ",", omittingEmptySubsequences: false).map { .string(String($0)) }, as: type,
                at: place)
        }
        switch type.kind {
        case .structure:
            guard word.hasPrefix("{") else { throw wrong(type, .string(word), place) }
            return try value(parse(word, place), as: type, at: place)
        case .bitmap where word.hasPrefix("[") || word.hasPrefix("{"):
            return try value(parse(word, place), as: type, at: place)
        case .string where word.count > 1 && word.hasPrefix("\"") && word.hasSuffix("\""):
            return try value(parse(word, place), as: type, at: place)
        default:
            isTyped = true
            return try single(.string(word), as: type, at: place)
        }
    }

    private func parse(_ word: String, _ place: String) throws(DataModelError) -> JSONValue {
        do {
            return try JSONValue(parsing: word)
        } catch {
            throw DataModelError(.malformedValue, "\(place): not valid JSON: \(error)", place: place)
        }
    }

    private mutating func list(_ items: [JSONValue], as type: DataType, at place: String) throws(DataModelError)
        -> TLVValue
    {
        if let most = type.limits.maximumItems, items.count > most {
            warn(place, "\(items.count) entries, at most \(most) are allowed")
        }
        if let least = type.limits.minimumItems, items.count < least {
            warn(place, "\(items.count) entries, at least \(least) are needed")
        }
        let entry = type.entry
        var members: [TLVElement] = []
        for (index, item) in items.enumerated() {
            members.append(TLVElement(.anonymous, try value(item, as: entry, at: "\(place)[\(index)]")))
        }
        return .array(members)
    }

    private mutating func single(_ json: JSONValue, as type: DataType, at place: String) throws(DataModelError)
        -> TLVValue
    {
        switch type.kind {
        case .boolean: return .bool(try boolean(json, type, place))
        case .unsigned(let bits): return .uint(try unsigned(json, type, bits: bits, at: place))
        case .signed(let bits): return .int(try signed(json, type, bits: bits, at: place))
        case .single: return .float(try float(json, type, place))
        case .double: return .double(try double(json, type, place))
        case .string:
            guard let text = json.stringValue else { throw wrong(type, json, place) }
            checkLength(text.utf8.count, type, place)
            return .string(text)
        case .octets: return .octets(try octets(json, type, place))
        case .enumeration(let definition): return .uint(try enumeration(json, definition, type, place))
        case .bitmap(let definition): return .uint(try bitmap(json, definition, type, place))
        case .structure(let definition):
            guard let object = json.objectValue else { throw wrong(type, json, place) }
            let owner = FieldOwner(
                name: definition.name, fields: definition.fields, isProvisional: definition.isProvisional)
            return .structure(try completed(members(object, of: owner, at: place), of: owner, at: place))
        }
    }

    // MARK: Structures

    /// The members of a structure or command from a JSON object, without those that were left out.
    mutating func members(
        _ object: JSONObject, of owner: FieldOwner, at place: String
    ) throws(DataModelError) -> [TLVElement] {
        var members: [TLVElement] = []
        for member in object.members {
            let field = owner.fields.named(member.key)
            let number = NumberText.unsigned(member.key).flatMap { UInt8(exactly: $0) }
            guard let tag = field?.id ?? number else {
                throw DataModelError(
                    .unknownField, "\(inside(place))\(owner.name) has no field \(quoted(member.key))",
                    place: join(place, member.key),
                    suggestions: Suggestions.nearest(to: member.key, among: owner.fields.map(\.name)).map(
                        NameStyle.camel), advice: owner.fields.advice(NameStyle.camel))
            }
            guard !members.contains(where: { $0.tag == .context(tag) }) else {
                throw DataModelError(
                    .duplicateField, "\(inside(place))field \(quoted(member.key)) is given twice",
                    place: join(place, member.key))
            }
            if let known = field ?? owner.fields.tagged(tag) {
                members.append(TLVElement(tag, try value(member.value, as: known.type, at: join(place, known.key))))
            } else {
                warn(join(place, member.key), "\(owner.name) has no field \(tag) in the model")
                members.append(TLVElement(tag, try untyped(member.value, at: join(place, member.key))))
            }
        }
        return members
    }

    /// Adds the defaults of mandatory fields that were left out, and orders by tag.
    ///
    /// The model's defaults are not used: they are a device's initial values, not what a user means who forgets a
    /// field.
    func completed(
        _ members: [TLVElement], of owner: FieldOwner, at place: String
    ) throws(DataModelError) -> [TLVElement] {
        let lacking = owner.fields.filter { field in
            !owner.mayLack(field) && !members.contains { $0.tag == .context(field.id) }
        }
        let missing = lacking.filter { $0.substitute == nil }
        if let first = missing.first {
            let fields = missing.map { field in
                "\(quoted(owner.spelling(field))) (\(field.type.text))"
                    + (field.type.isNullable ? ", which can be null" : "")
            }
            throw DataModelError(
                .missingField,
                "\(inside(place))\(owner.name) needs field\(missing.count > 1 ? "s" : "") \(fields.joined(separator: ", "))",
                place: join(place, owner.spelling(first)))
        }
        let complete =
            members + lacking.compactMap { field in field.substitute.map { TLVElement(field.id, .uint($0)) } }
        return complete.sortedByTag()
    }

    // MARK: Without a type

    func untyped(_ json: JSONValue, at place: String) throws(DataModelError) -> TLVValue {
        do {
            return try TLVValue(json: json)
        } catch {
            throw DataModelError(.malformedValue, "\(place): \(error.reason)", place: place)
        }
    }

    func untyped(word: String, at place: String) throws(DataModelError) -> TLVValue {
        func after(_ prefix: String) -> String? {
            word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : nil
        }
        var value: TLVValue?
        if let text = after("text:") { return .string(text) }
        if let text = after("uint:") {
            value = NumberText.unsigned(text).map(TLVValue.uint)
        } else if let text = after("int:") {
            value = NumberText.signed(text).map(TLVValue.int)
        } else if let text = after("single:") {
            value = Float(text).map(TLVValue.float)
        } else if let text = after("double:") {
            value = Double(text).map(TLVValue.double)
        } else if word.hasPrefix("hex:") {
            return try untyped(.string(word), at: place)
        } else if let number = NumberText.unsigned(word) {
            return .uint(number)
        } else if let json = try? JSONValue(parsing: word) {
            return try untyped(json, at: place)
        } else if word.hasPrefix("{") || word.hasPrefix("[") {
            return try untyped(parse(word, place), at: place)
        } else {
            return .string(word)
        }
        guard let value else {
            throw DataModelError(.malformedValue, "\(place): \(quoted(word)) is not a valid number", place: place)
        }
        return value
    }

    // MARK: Messages

    func wrong(_ type: DataType, _ json: JSONValue, _ place: String) -> DataModelError {
        let given = json.stringValue.map(quoted) ?? String(TerminalText.escaped(json.serialized()).prefix(80))
        return DataModelError(
            .wrongType, "\(place.isEmpty ? "" : "\(place): ")expected \(type.expectation), not \(given)", place: place)
    }

    func join(_ place: String, _ key: String) -> String {
        place.isEmpty ? key : "\(place).\(key)"
    }

    private func inside(_ place: String) -> String {
        place.isEmpty ? "" : "\(place): "
    }
}

/// A structure or command, as far as its fields are concerned.
struct FieldOwner {
    var name: String
    var fields: [FieldDefinition]
    var isProvisional: Bool
    /// True if its fields are words of a command line: `transition-time`. They are keys of JSON otherwise.
    var isTyped = false

    /// A field as it is given to this owner.
    func spelling(_ field: FieldDefinition) -> String { isTyped ? NameStyle.kebab(field.name) : field.key }

    /// True if a value is complete without a field: an optional one, the FabricIndex, which the device fills in, and
    /// one that the specification has not settled yet in something that it has.
    func mayLack(_ field: FieldDefinition) -> Bool {
        field.isOptional || field.id == FieldDefinition.fabricIndexTag || (field.isProvisional && !isProvisional)
    }
}
