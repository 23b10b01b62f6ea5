internal import MatterController

/// The JSON of attribute values, as Home Assistant's clients read it: structures are objects with decimal field tags, octets
/// are base64, and numbers that JSON lacks are null.
///
/// Two forms that agree: values for answers, and text for the cache, which holds a hundred thousand attributes.
enum ValueEncoding {
    /// Structures with more fields are searched for double tags by a set.
    private static let few = 12

    /// The JSON of a value of any type.
    static func json(_ value: TLVValue) -> JSONValue {
        switch value {
        case .int(let number): .int(number)
        case .uint(let number): .uint(number)
        case .bool(let flag): .bool(flag)
        // Widened, as the official controller's Python does.
        case .float(let number): double(Double(number))
        case .double(let number): double(number)
        case .string(let text): .string(text)
        case .octets(let octets): .string(Base64Text.encoded(octets))
        case .null: .null
        case .structure(let members): structure(members)
        case .array(let items), .list(let items): .array(items.map { json($0.value) })
        }
    }

    private static func double(_ number: Double) -> JSONValue {
        number.isFinite ? .double(number) : .null
    }

    private static func structure(_ members: [TLVElement]) -> JSONValue {
        var object = JSONObject()
        for member in unique(members) { object[member.tag.description] = json(member.value) }
        return .object(object)
    }

    /// The members without those whose tags an earlier one has: JSON has no double keys.
    static func unique(_ members: [TLVElement]) -> [TLVElement] {
        if members.count > few {
            var tags: Set<TLVTag> = []
            return members.filter { tags.insert($0.tag).inserted }
        }
        for index in members.indices.dropFirst()
        where members[..<index].contains(where: { $0.tag == members[index].tag }) {
            var tags: Set<TLVTag> = []
            return members.filter { tags.insert($0.tag).inserted }
        }
        return members
    }
}

// MARK: - Text

extension ValueEncoding {
    /// The JSON text of a value.
    static func text(_ value: TLVValue) -> [UInt8] {
        var text: [UInt8] = []
        append(value, to: &text)
        return text
    }

    /// Appends the JSON text of a value: that of ``json(_:)``, serialized without blanks.
    static func append(_ value: TLVValue, to text: inout [UInt8]) {
        switch value {
        case .int(let number): append(number, to: &text)
        case .uint(let number): append(number, to: &text)
        case .bool(let flag): append(ascii: flag ? "true" : "false", to: &text)
        case .float(let number): append(Double(number), to: &text)
        case .double(let number): append(number, to: &text)
        case .string(let string): append(quoted: string, to: &text)
        case .octets(let octets):
            text.append(UInt8(ascii: "\""))
            Base64Text.append(octets, to: &text)
            text.append(UInt8(ascii: "\""))
        case .null: append(ascii: "null", to: &text)
        case .structure(let members):
            text.append(UInt8(ascii: "{"))
            var isFirst = true
            for member in unique(members) {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                text.append(UInt8(ascii: "\""))
                if case .context(let tag) = member.tag {
                    append(UInt64(tag), to: &text)
                } else {
                    append(ascii: member.tag.description, to: &text)
                }
                text.append(UInt8(ascii: "\""))
                text.append(UInt8(ascii: ":"))
                append(member.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        case .array(let items), .list(let items):
            text.append(UInt8(ascii: "["))
            var isFirst = true
            for item in items {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                append(item.value, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    /// Appends the digits of a number.
    static func append(_ number: UInt64, to text: inout [UInt8]) {
        guard number > 9 else {
            text.append(UInt8(ascii: "0") + UInt8(number))
            return
        }
        let start = text.count
        var rest = number
        while rest > 0 {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        text[start...].reverse()
    }

    /// Appends the digits of a number, with its sign.
    static func append(_ number: Int64, to text: inout [UInt8]) {
        if number < 0 { text.append(UInt8(ascii: "-")) }
        append(number.magnitude, to: &text)
    }

    /// Appends a number; null if it is none, or infinite.
    static func append(_ number: Double, to text: inout [UInt8]) {
        append(ascii: number.isFinite ? number.description : "null", to: &text)
    }

    /// Appends a text that needs no escapes, without quotation marks.
    static func append(ascii string: String, to text: inout [UInt8]) {
        text.append(contentsOf: string.utf8)
    }

    /// Appends a text in quotation marks, escaped as ``JSONValue/serialized(_:)`` does.
    static func append(quoted string: String, to text: inout [UInt8]) {
        guard string.utf8.allSatisfy(isPlain) else {
            text.append(contentsOf: JSONValue.string(string).utf8())
            return
        }
        text.append(UInt8(ascii: "\""))
        text.append(contentsOf: string.utf8)
        text.append(UInt8(ascii: "\""))
    }

    /// True for the printable characters of ASCII that JSON does not escape.
    private static func isPlain(_ octet: UInt8) -> Bool {
        0x20...0x7E ~= octet && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }
}
