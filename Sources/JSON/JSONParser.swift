/// The limits of a JSON parser.
public struct JSONLimits: Sendable {
    /// How deep arrays and objects may nest.
    package var depth: Int
    /// How many values one text may hold.
    package var values: Int
    /// How many bytes one text may have.
    package var octets: Int

    // memberwise: package, depth = 128, values = 1_000_000, octets = 16 << 20

    /// The limits for what comes from outside.
    public static let standard = JSONLimits()
}

extension JSONValue {
    /// Parses one JSON text (RFC 8259), strictly: no comments, no trailing commas, no duplicate keys.
    ///
    /// Integers must fit 64 bits and are exact; a fraction or an exponent makes a double.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing utf8: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        var parser = JSONParser(text: utf8, limits: limits)
        self = try parser.document()
    }

    /// Parses one JSON text (RFC 8259), strictly.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

extension JSONValue {
    /// Parses one JSON text and hands over the elements of one array one by one, so that the text is all that is held.
    ///
    /// - Parameters:
    ///   - path: the keys that lead to the array; without it there are no elements.
    ///   - body: whatever it throws ends the parsing, and is thrown.
    /// - Returns: how many of the keys were found.
    @discardableResult
    package static func forEachElement(
        at path: [String], in utf8: [UInt8], limits: JSONLimits = .standard, _ body: (JSONValue) throws -> Void
    ) throws -> Int {
        var parser = JSONParser(text: utf8, limits: limits)
        return try parser.document(path, body)
    }
}

private struct JSONParser {
    let text: [UInt8]
    let limits: JSONLimits
    private var position = 0
    private var depth = 0
    private var values = 0

    init(text: [UInt8], limits: JSONLimits) {
        self.text = text
        self.limits = limits
    }

    mutating func document() throws(JSONError) -> JSONValue {
        guard text.count <= limits.octets else {
            throw error(.limitExceeded, "more than \(limits.octets) octets of JSON", at: 0)
        }
        let value = try value()
        skipBlanks()
        guard position == text.count else { throw error(.trailingData, "text after the JSON value") }
        return value
    }

    /// Values beside the path are read and dropped.
    mutating func document(_ path: [String], _ body: (JSONValue) throws -> Void) throws -> Int {
        guard text.count <= limits.octets else {
            throw error(.limitExceeded, "more than \(limits.octets) octets of JSON", at: 0)
        }
        let found = try descend(path[...], body)
        skipBlanks()
        guard position == text.count else { throw error(.trailingData, "text after the JSON value") }
        return found
    }

    private mutating func descend(_ path: ArraySlice<String>, _ body: (JSONValue) throws -> Void) throws -> Int {
        skipBlanks()
        guard let key = path.first else {
            guard current == UInt8(ascii: "[") else {
                _ = try value()
                return 0
            }
            try open()
            var isFirst = true
            while !close("]") {
                if !isFirst { try expect(",", "a comma or the end of the array") }
                isFirst = false
                try body(try value())
            }
            return 0
        }
        guard current == UInt8(ascii: "{") else {
            _ = try value()
            return 0
        }
        var found = 0
        try open()
        var keys: Set<String> = []
        while !close("}") {
            if try self.key(&keys) == key { found = 1 + (try descend(path.dropFirst(), body)) } else { _ = try value() }
        }
        return found
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipBlanks()
        values += 1
        guard values <= limits.values else { throw error(.limitExceeded, "more than \(limits.values) JSON values") }
        guard let first = current else { throw error(.syntax, "the text ends where a value should stand") }
        switch first {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error(.syntax, "no JSON value begins like this")
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try open()
        var members: [JSONObject.Member] = []
        var keys: Set<String> = []
        while !close("}") {
            let key = try key(&keys)
            members.append(.init(key: key, value: try value()))
        }
        return JSONObject(unique: members)
    }

    /// The next key of an object, up to its colon.
    private mutating func key(_ keys: inout Set<String>) throws(JSONError) -> String {
        if !keys.isEmpty {
            try expect(",", "a comma or the end of the object")
            skipBlanks()
        }
        let start = position
        guard current == UInt8(ascii: "\"") else {
            throw error(.syntax, "a key in quotation marks should stand here")
        }
        let key = try string()
        guard keys.insert(key).inserted else {
            throw error(.duplicateKey, "a key that this object already has", at: start)
        }
        skipBlanks()
        try expect(":", "a colon")
        return key
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var items: [JSONValue] = []
        try open()
        while !close("]") {
            if !items.isEmpty { try expect(",", "a comma or the end of the array") }
            items.append(try value())
        }
        return items
    }

    private mutating func open() throws(JSONError) {
        guard depth < limits.depth else { throw error(.limitExceeded, "nested deeper than \(limits.depth)") }
        depth += 1
        position += 1
    }

    /// Takes the closing bracket if it stands here.
    private mutating func close(_ bracket: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: bracket) else { return false }
        depth -= 1
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar, _ name: String) throws(JSONError) {
        guard current == UInt8(ascii: character) else {
            throw error(.syntax, current == nil ? "the text ends before \(name)" : "\(name) should stand here")
        }
        position += 1
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard text[position...].starts(with: word.utf8) else { throw error(.syntax, "no JSON value begins like this") }
        position += word.utf8.count
        return value
    }

    private var current: UInt8? {
        position < text.count ? text[position] : nil
    }

    private mutating func skipBlanks() {
        while let octet = current, octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 { position += 1 }
    }

    /// An error at an byte offset, by default here; line and column are counted only now.
    private func error(_ code: JSONError.Code, _ reason: String, at offset: Int? = nil) -> JSONError {
        let before = text[..<min(offset ?? position, text.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        // Octets 10xxxxxx continue a character.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return JSONError(code, reason, line: line, column: column)
    }
}

// MARK: - Numbers

extension JSONParser {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let integerPart = position
        try digits()
        guard text[integerPart] != UInt8(ascii: "0") || position == integerPart + 1 else {
            throw error(.syntax, "a number with a leading zero", at: start)
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let spelling = String(decoding: text[start..<position], as: UTF8.self)
        if isInteger {
            if let number = Int64(spelling) { return .int(number) }
            if let number = UInt64(spelling) { return .uint(number) }
            throw error(.outOfRange, "an integer beyond 64 bits", at: start)
        }
        guard let number = Double(spelling), number.isFinite else {
            throw error(.outOfRange, "a number beyond the range of a double", at: start)
        }
        return .double(number)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let octet = current, 0x30...0x39 ~= octet { position += 1 }
        guard position > start else { throw error(.syntax, "a digit should stand here") }
    }
}

// MARK: - Strings

extension JSONParser {
    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var contents: [UInt8] = []
        while let octet = current {
            switch octet {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: contents, as: UTF8.self) else {
                    throw error(.invalidText, "a string that is not valid UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                contents += try escape()
            case 0x00...0x1F:
                throw error(.syntax, "a control character in a string must be escaped")
            default:
                contents.append(octet)
                position += 1
            }
        }
        throw error(.syntax, "a string without an end", at: start)
    }

    /// The UTF-8 of the escape sequence that stands here.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        let start = position
        position += 1
        guard let letter = current else { throw error(.syntax, "a string without an end", at: start) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw error(.syntax, "an unknown escape sequence", at: start)
        }
        var code = try fourDigits(start)
        if 0xD800...0xDBFF ~= code, text[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try fourDigits(start)
            guard 0xDC00...0xDFFF ~= low else { throw error(.invalidText, "half of a surrogate pair", at: start) }
            code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code), let units = UTF8.encode(scalar) else {
            throw error(.invalidText, "half of a surrogate pair", at: start)
        }
        return Array(units)
    }

    private mutating func fourDigits(_ start: Int) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = current, let digit = Character(Unicode.Scalar(octet)).hexDigitValue else {
                throw error(.syntax, "an escape sequence without four hexadecimal digits", at: start)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}
