extension JSONValue {
    /// How JSON text is laid out.
    public enum Layout: Sendable {
        /// One line without blanks.
        case compact
        /// One member per line, indented by two blanks, for files that a person may look at.
        case indented
    }

    /// The JSON text.
    ///
    /// Control characters, bidirectional controls and line separators are escaped, so that text from devices cannot
    /// steer a terminal. Numbers that JSON lacks become the strings `nan`, `inf` and `-inf`.
    public func serialized(_ layout: Layout = .compact) -> String {
        String(decoding: utf8(layout), as: UTF8.self)
    }

    /// The JSON text as UTF-8.
    public func utf8(_ layout: Layout = .compact) -> [UInt8] {
        var serializer = JSONSerializer(layout: layout)
        serializer.append(self)
        return serializer.output
    }
}

private struct JSONSerializer {
    let layout: JSONValue.Layout
    var output: [UInt8] = []
    private var depth = 0

    init(layout: JSONValue.Layout) {
        self.layout = layout
    }

    mutating func append(_ value: JSONValue) {
        switch value {
        case .null: append(ascii: "null")
        case .bool(let flag): append(ascii: flag ? "true" : "false")
        case .int(let number): append(ascii: String(number))
        case .uint(let number): append(ascii: String(number))
        case .double(let number): append(number)
        case .string(let text): append(text)
        case .array(let values):
            list("[", "]", values) { $0.append($1) }
        case .object(let object):
            list("{", "}", object.members) { serializer, member in
                serializer.append(member.key)
                serializer.append(ascii: serializer.layout == .compact ? ":" : ": ")
                serializer.append(member.value)
            }
        }
    }

    private mutating func list<Item>(
        _ open: String, _ close: String, _ items: [Item], _ each: (inout JSONSerializer, Item) -> Void
    ) {
        append(ascii: open)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { append(ascii: ",") }
            lineBreak()
            each(&self, item)
        }
        depth -= 1
        if !items.isEmpty { lineBreak() }
        append(ascii: close)
    }

    private mutating func lineBreak() {
        guard layout == .indented else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    private mutating func append(ascii text: String) {
        output.append(contentsOf: text.utf8)
    }

    private mutating func append(_ number: Double) {
        if number.isNaN {
            append(ascii: "\"nan\"")
        } else if number.isInfinite {
            append(ascii: number < 0 ? "\"-inf\"" : "\"inf\"")
        } else {
            append(ascii: number.description)
        }
    }

    private mutating func append(_ text: String) {
        append(ascii: "\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append(ascii: "\\\"")
            case "\\": append(ascii: "\\\\")
            case "\n": append(ascii: "\\n")
            case "\r": append(ascii: "\\r")
            case "\t": append(ascii: "\\t")
            case _ where Self.mustEscape(scalar):
                append(ascii: "\\u" + Hex.number(scalar.value, digits: 4))
            default: output.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
            }
        }
        append(ascii: "\"")
    }

    /// C0 and C1 controls, directional marks, embeddings and isolates, line separators, byte order mark: all of
    /// them below U+10000, so that four digits spell them.
    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
