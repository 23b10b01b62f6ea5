/// A value of D-Bus (D-Bus specification, "Type System"); file descriptors are left out.
indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(DBusPath)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// An array of anything else, with the signature of its elements.
    case array(String, [DBusValue])
    /// A dictionary, with the signatures of its keys and of its values.
    case dictionary(String, String, [DBusValue: DBusValue])
    case structure([DBusValue])
    case variant(DBusValue)
    /// Something that is of no use here: a file descriptor.
    case other

    /// A dictionary from names to values of any type: properties, options.
    static func properties(_ values: [String: DBusValue]) -> DBusValue {
        .dictionary(
            "s", "v", Dictionary(uniqueKeysWithValues: values.map { (.string($0.key), .variant($0.value)) }))
    }

    static func strings(_ values: [String]) -> DBusValue { .array("s", values.map(DBusValue.string)) }

    /// The value's type as D-Bus writes it.
    var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .variant: "v"
        case .other: "h"
        }
    }
}

/// The path of an object: `/org/bluez/hci0`.
struct DBusPath: Hashable, Sendable, CustomStringConvertible {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { text }

    /// True for an object further down.
    func isAbove(_ other: DBusPath) -> Bool { text == "/" || other.text.hasPrefix(text + "/") }

    /// The last part of the path.
    var name: String { text.split(separator: "/").last.map(String.init) ?? "" }
}

// MARK: - Reading

extension DBusValue {
    /// The value itself, without the variants around it.
    var content: DBusValue { if case .variant(let value) = self { value.content } else { self } }

    var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
    var string: String? { if case .string(let value) = content { value } else { nil } }
    var path: DBusPath? { if case .path(let value) = content { value } else { nil } }

    /// A number of any width.
    var integer: Int? {
        switch content {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    var bytes: [UInt8]? {
        switch content {
        case .bytes(let value): value
        // An array without elements may have lost its type on the way.
        case .array(_, let elements) where elements.isEmpty: []
        default: nil
        }
    }

    var strings: [String]? {
        switch content {
        case .array(_, let elements): elements.compactMap(\.string)
        default: nil
        }
    }

    /// The entries of a dictionary whose keys are texts, without the variants around the values.
    var properties: [String: DBusValue]? {
        guard case .dictionary(_, _, let entries) = content else { return nil }
        var found: [String: DBusValue] = [:]
        for (key, value) in entries {
            guard let name = key.string else { continue }
            found[name] = value.content
        }
        return found
    }

    /// The entries of a dictionary whose keys are paths.
    var objects: [DBusPath: DBusValue]? {
        guard case .dictionary(_, _, let entries) = content else { return nil }
        var found: [DBusPath: DBusValue] = [:]
        for (key, value) in entries {
            guard let path = key.path else { continue }
            found[path] = value
        }
        return found
    }
}
