import CDBus

/// The letters of the types.
private enum TypeCode {
    static func of(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    static let array = of("a")
    static let byte = of("y")
    static let variant = of("v")
    static let structure = of("r")
    static let entry = of("e")
}

extension DBusValue {
    /// The text from a place on, up to the end.
    static func all(at place: inout CDBusPlace, _ library: DBusLibrary) -> [DBusValue] {
        var values: [DBusValue] = []
        while cdbus_type(library.handle, &place) != 0 {
            values.append(DBusValue(at: &place, library))
            cdbus_next(library.handle, &place)
        }
        return values
    }

    /// The value at a place. libdbus has checked the message, also how deep it is.
    private init(at place: inout CDBusPlace, _ library: DBusLibrary) {
        let handle = library.handle
        let type = cdbus_type(handle, &place)
        func text() -> String { String(cString: cdbus_text(handle, &place)) }
        func number() -> UInt64 { cdbus_number(handle, &place) }
        switch UInt8(truncatingIfNeeded: type) {
        case UInt8(ascii: "y"): self = .byte(UInt8(truncatingIfNeeded: number()))
        case UInt8(ascii: "b"): self = .bool(number() != 0)
        case UInt8(ascii: "n"): self = .int16(Int16(truncatingIfNeeded: number()))
        case UInt8(ascii: "q"): self = .uint16(UInt16(truncatingIfNeeded: number()))
        case UInt8(ascii: "i"): self = .int32(Int32(truncatingIfNeeded: number()))
        case UInt8(ascii: "u"): self = .uint32(UInt32(truncatingIfNeeded: number()))
        case UInt8(ascii: "x"): self = .int64(Int64(truncatingIfNeeded: number()))
        case UInt8(ascii: "t"): self = .uint64(number())
        case UInt8(ascii: "d"): self = .double(Double(bitPattern: number()))
        case UInt8(ascii: "s"): self = .string(text())
        case UInt8(ascii: "o"): self = .path(DBusPath(text()))
        case UInt8(ascii: "g"): self = .signature(text())
        case UInt8(ascii: "v"):
            var inner = CDBusPlace()
            cdbus_enter(handle, &place, &inner)
            self = .variant(DBusValue(at: &inner, library))
        case UInt8(ascii: "r"):
            var inner = CDBusPlace()
            cdbus_enter(handle, &place, &inner)
            self = .structure(Self.all(at: &inner, library))
        case UInt8(ascii: "a"): self = Self.array(at: &place, library)
        default: self = .other
        }
    }

    private static func array(at place: inout CDBusPlace, _ library: DBusLibrary) -> DBusValue {
        let handle = library.handle
        var inner = CDBusPlace()
        let type = cdbus_element_type(handle, &place)
        let text = cdbus_signature(handle, &place)
        let element = text.map { String(String(cString: $0).dropFirst()) } ?? ""
        cdbus_free_text(handle, text)
        cdbus_enter(handle, &place, &inner)
        if type == TypeCode.byte {
            var count: Int32 = 0
            let bytes = cdbus_bytes(handle, &inner, &count)
            return .bytes(Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
        }
        guard type == TypeCode.entry else { return .array(element, all(at: &inner, library)) }
        var entries: [DBusValue: DBusValue] = [:]
        while cdbus_type(handle, &inner) != 0 {
            var entry = CDBusPlace()
            cdbus_enter(handle, &inner, &entry)
            let pair = all(at: &entry, library)
            if let key = pair.first, let value = pair.dropFirst().first { entries[key] = value }
            cdbus_next(handle, &inner)
        }
        // `{sv}`: the key is of one letter.
        let types = element.dropFirst().dropLast()
        return .dictionary(String(types.prefix(1)), String(types.dropFirst()), entries)
    }

    /// Appends the value to a message.
    ///
    /// - Returns: false without memory, and for what D-Bus cannot carry.
    func write(to place: inout CDBusPlace, _ library: DBusLibrary) -> Bool {
        let handle = library.handle
        func number(_ letter: Unicode.Scalar, _ number: UInt64) -> Bool {
            cdbus_add_number(handle, &place, TypeCode.of(letter), number) != 0
        }
        func text(_ letter: Unicode.Scalar, _ text: String) -> Bool {
            // A zero would end the text early.
            guard !text.utf8.contains(0) else { return false }
            return cdbus_add_text(handle, &place, TypeCode.of(letter), text) != 0
        }
        switch self {
        case .byte(let value): return number("y", UInt64(value))
        case .bool(let value): return number("b", value ? 1 : 0)
        case .int16(let value): return number("n", UInt64(truncatingIfNeeded: value))
        case .uint16(let value): return number("q", UInt64(value))
        case .int32(let value): return number("i", UInt64(truncatingIfNeeded: value))
        case .uint32(let value): return number("u", UInt64(value))
        case .int64(let value): return number("x", UInt64(truncatingIfNeeded: value))
        case .uint64(let value): return number("t", value)
        case .double(let value): return number("d", value.bitPattern)
        case .string(let value): return text("s", value)
        case .path(let value): return cdbus_is_path(handle, value.text) != 0 && text("o", value.text)
        case .signature(let value): return cdbus_is_signature(handle, value) != 0 && text("g", value)
        case .bytes(let value): return cdbus_add_bytes(handle, &place, value, value.count) != 0
        case .array(let element, let values):
            return Self.within(&place, TypeCode.array, element, library) { inner in
                values.allSatisfy { $0.signature == element && $0.write(to: &inner, library) }
            }
        case .dictionary(let key, let value, let entries):
            return Self.within(&place, TypeCode.array, "{\(key)\(value)}", library) { inner in
                entries.allSatisfy { entry in
                    guard entry.key.signature == key, entry.value.signature == value else { return false }
                    return Self.within(&inner, TypeCode.entry, nil, library) { pair in
                        entry.key.write(to: &pair, library) && entry.value.write(to: &pair, library)
                    }
                }
            }
        case .structure(let fields):
            guard !fields.isEmpty else { return false }
            return Self.within(&place, TypeCode.structure, nil, library) { inner in
                fields.allSatisfy { $0.write(to: &inner, library) }
            }
        case .variant(let value):
            return Self.within(&place, TypeCode.variant, value.signature, library) { inner in
                value.write(to: &inner, library)
            }
        case .other: return false
        }
    }

    private static func within(
        _ place: inout CDBusPlace, _ type: Int32, _ signature: String?, _ library: DBusLibrary,
        _ body: (inout CDBusPlace) -> Bool
    ) -> Bool {
        if let signature, !signature.hasPrefix("{"), cdbus_is_signature(library.handle, signature) == 0 { return false }
        var inner = CDBusPlace()
        guard cdbus_begin_inner(library.handle, &place, type, signature, &inner) != 0 else { return false }
        // Closed in any case: libdbus insists on it.
        let isWhole = body(&inner)
        return cdbus_end_inner(library.handle, &place, &inner) != 0 && isWhole
    }
}
