import MatterModel

/// True if a value from outside fits what the catalogue says of its type.
enum ValueValidator {
    /// How much is checked.
    enum Depth {
        /// Types, presence, widths.
        case form
        /// Ranges, lengths and enumeration values too.
        case everything
    }

    enum Fault: Error {
        /// Another TLV type, a missing field, a number too wide.
        case form
        /// The right type with a value outside its limits.
        case range
    }

    static func check(_ value: TLVValue, _ type: DataType, _ depth: Depth) throws(Fault) {
        if value == .null {
            guard type.isNullable else { throw .form }
            return
        }
        guard type.isList else { return try checkEntry(value, type, depth) }
        guard case .array(let items) = value else { throw .form }
        if depth == .everything, let most = type.limits.maximumItems, items.count > most { throw .range }
        if depth == .everything, let least = type.limits.minimumItems, items.count < least { throw .range }
        let entry = type.entry
        for item in items { try checkEntry(item.value, entry, depth) }
    }

    /// The fields of a structure or command.
    static func check(_ value: TLVValue, fields: [FieldDefinition], _ depth: Depth) throws(Fault) {
        guard case .structure(let members) = value else { throw .form }
        for field in fields where field.id != FieldDefinition.fabricIndexTag {
            guard let member = members.first(where: { $0.tag == .context(field.id) }) else {
                guard field.isOptional || field.isProvisional else { throw .form }
                continue
            }
            try check(member.value, field.type, depth)
        }
    }

    private static func checkEntry(_ value: TLVValue, _ type: DataType, _ depth: Depth) throws(Fault) {
        switch type.kind {
        case .boolean:
            guard value.boolean != nil else { throw .form }
        case .signed(let bits):
            guard let number = value.integer(as: Int64.self), fits(number, signedBits: bits) else { throw .form }
            if depth == .everything { try checkRange(number, type.limits) }
        case .unsigned(let bits):
            let number = try unsigned(value, bits: bits)
            if depth == .everything, let small = Int64(exactly: number) { try checkRange(small, type.limits) }
        case .enumeration(let definition):
            let number = try unsigned(value, bits: definition.bits)
            if depth == .everything, !definition.values.isEmpty, definition.value(number) == nil { throw .range }
        case .bitmap(let definition):
            let bits = try unsigned(value, bits: definition.bits)
            let known = definition.fields.reduce(0) { $0 | $1.mask }
            if depth == .everything, known != 0, bits & ~known != 0 { throw .range }
        case .single, .double:
            switch value {
            case .float, .double: break
            default: throw .form
            }
        case .string:
            guard case .string(let text) = value else { throw .form }
            if depth == .everything { try checkLength(text.utf8.count, type.limits) }
        case .octets:
            guard case .octets(let octets) = value else { throw .form }
            if depth == .everything { try checkLength(octets.count, type.limits) }
        case .structure(let definition):
            try check(value, fields: definition.fields, depth)
        }
    }

    private static func unsigned(_ value: TLVValue, bits: Int) throws(Fault) -> UInt64 {
        guard let number = value.integer(as: UInt64.self), bits >= 64 || number >> UInt64(bits) == 0 else {
            throw .form
        }
        return number
    }

    private static func fits(_ number: Int64, signedBits bits: Int) -> Bool {
        bits >= 64 || (number >= -(1 << (bits - 1)) && number < 1 << (bits - 1))
    }

    private static func checkRange(_ number: Int64, _ limits: ValueLimits) throws(Fault) {
        if let minimum = limits.minimum, number < minimum { throw .range }
        if let maximum = limits.maximum, number > maximum { throw .range }
    }

    private static func checkLength(_ count: Int, _ limits: ValueLimits) throws(Fault) {
        if let minimum = limits.minimumLength, count < minimum { throw .range }
        if let maximum = limits.maximumLength, count > maximum { throw .range }
    }
}

extension ValueValidator.Fault {
    /// The answer to a write.
    var writeStatus: IMStatus { self == .form ? .invalidDataType : .constraintError }
    /// The answer to a command.
    var commandStatus: IMStatus { self == .form ? .invalidCommand : .constraintError }
}
