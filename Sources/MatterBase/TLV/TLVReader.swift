/// The limits of a reader.
public struct TLVLimits: Sendable {
    /// How many containers may be inside one another.
    public var depth: Int
    /// How many elements one encoding may hold.
    public var elements: Int

    /// Limits that no Matter message comes near.
    public init(depth: Int = 32, elements: Int = 65_536) {
        self.depth = depth
        self.elements = elements
    }

    /// The limits for everything that comes from outside.
    public static let standard = TLVLimits()
}

/// The treatment of a string that is not valid UTF-8.
public enum TLVText: Sendable {
    /// The encoding is refused.
    case strict
    /// Invalid parts are read as U+FFFD: for text that others have stored on a device, where one string cut off in the
    /// middle of a character must not hide everything beside it.
    case repaired
}

/// The treatment of a tag that its container forbids (Matter core specification, appendix A).
public enum TLVTagRules: Sendable {
    /// The encoding is refused: an untagged member of a structure, a tagged one of an array, a tag used twice.
    case strict
    /// The element is read as it is written: for reports about many attributes, of which one must not hide the others.
    /// ``TLVValue/tagFault`` finds what is wrong.
    case asWritten
}

/// A pull parser over one TLV encoding: strict, bounded, without recursion (Matter core specification, appendix A).
///
/// It checks the form of each element, the tag rules of the container it stands in (structure members are
/// tagged, array members are not) and the nesting; it does not know any schema.
public struct TLVReader: Sendable {
    /// One step of the parse.
    public struct Token: Sendable {
        /// The element at this position; ``TLVElementType/endOfContainer`` closes the innermost container.
        public var type: TLVElementType
        /// Anonymous for an end of container.
        public var tag: TLVTag
        /// The form in which the tag was written.
        var tagControl: TLVTagControl
        /// The value of a number or boolean as raw bits; 0 for everything else.
        var bits: UInt64
        /// The contents of a string.
        var range: Range<Int>
        /// Where the control byte stands.
        public var offset: Int
    }

    private let bytes: [UInt8]
    private let limits: TLVLimits
    private let text: TLVText
    let tags: TLVTagRules
    private var position = 0
    private var containers: [TLVElementType] = []
    private var elementCount = 0

    /// A reader at the first byte of an encoding.
    public init(
        _ bytes: [UInt8], limits: TLVLimits = .standard, text: TLVText = .strict, tags: TLVTagRules = .strict
    ) {
        self.bytes = bytes
        self.limits = limits
        self.text = text
        self.tags = tags
    }

    /// How many containers are open.
    public var depth: Int { containers.count }

    /// Where the next element begins, in bytes from the start.
    public var offset: Int { position }

    /// True if all bytes have been read.
    package var isAtEnd: Bool { position == bytes.count }

    /// The next element, container start or end of container; `nil` at the end of the input.
    ///
    /// - Throws: ``TLVError``.
    public mutating func next() throws(TLVError) -> Token? {
        let start = position
        guard let control = bytes[safe: position] else {
            guard containers.isEmpty else {
                throw TLVError(.truncated, "the encoding ends inside a container", offset: start)
            }
            return nil
        }
        guard let type = TLVElementType(rawValue: control & 0x1F) else {
            throw TLVError(.malformed, "reserved element type \(control & 0x1F)", offset: start)
        }
        guard let tagControl = TLVTagControl(rawValue: control & 0xE0) else {
            throw TLVError(.malformed, "unknown tag form", offset: start)
        }
        position += 1
        if type == .endOfContainer {
            guard tagControl == .anonymous, containers.popLast() != nil else {
                throw TLVError(.malformed, "end of container out of place", offset: start)
            }
            return Token(
                type: type, tag: .anonymous, tagControl: .anonymous, bits: 0, range: position..<position, offset: start)
        }
        elementCount += 1
        guard elementCount <= limits.elements else {
            throw TLVError(.limitExceeded, "more than \(limits.elements) elements", offset: start)
        }
        let tag = try readTag(tagControl, start: start)
        try check(tag, start: start)
        let field = try readInteger(type.fieldLength, start: start)
        var token = Token(
            type: type, tag: tag, tagControl: tagControl, bits: field, range: position..<position, offset: start)
        switch type {
        case .utf8Length1, .utf8Length2, .utf8Length4, .utf8Length8,
            .octetsLength1, .octetsLength2, .octetsLength4, .octetsLength8:
            guard field <= UInt64(bytes.count - position) else {
                throw TLVError(
                    .truncated, "a string of \(field) bytes in the \(bytes.count - position) that remain",
                    offset: start)
            }
            token.range = position..<(position + Int(field))
            token.bits = 0
            position = token.range.upperBound
        case .structure, .array, .list:
            guard containers.count < limits.depth else {
                throw TLVError(.limitExceeded, "containers nested deeper than \(limits.depth)", offset: start)
            }
            containers.append(type)
        default:
            break
        }
        return token
    }

    /// The value of a token that is not a container.
    package func value(of token: Token) throws(TLVError) -> TLVValue {
        switch token.type {
        case .int8: .int(Int64(Int8(truncatingIfNeeded: token.bits)))
        case .int16: .int(Int64(Int16(truncatingIfNeeded: token.bits)))
        case .int32: .int(Int64(Int32(truncatingIfNeeded: token.bits)))
        case .int64: .int(Int64(bitPattern: token.bits))
        case .uint8, .uint16, .uint32, .uint64: .uint(token.bits)
        case .boolFalse: .bool(false)
        case .boolTrue: .bool(true)
        case .float32: .float(Float(bitPattern: UInt32(truncatingIfNeeded: token.bits)))
        case .float64: .double(Double(bitPattern: token.bits))
        case .utf8Length1, .utf8Length2, .utf8Length4, .utf8Length8: .string(try string(token))
        case .octetsLength1, .octetsLength2, .octetsLength4, .octetsLength8: .octets(Array(bytes[token.range]))
        case .null: .null
        case .structure, .array, .list, .endOfContainer:
            throw TLVError(.wrongType, "a container has no value of its own", offset: token.offset)
        }
    }

    private func string(_ token: Token) throws(TLVError) -> String {
        if let string = String(validating: bytes[token.range], as: UTF8.self) { return string }
        guard text == .repaired else {
            throw TLVError(.invalidUTF8, "a string that is not valid UTF-8", offset: token.offset)
        }
        return String(decoding: bytes[token.range], as: UTF8.self)
    }

    private mutating func readTag(_ control: TLVTagControl, start: Int) throws(TLVError) -> TLVTag {
        switch control {
        case .anonymous:
            return .anonymous
        case .context:
            return .context(UInt8(truncatingIfNeeded: try readInteger(1, start: start)))
        case .commonProfile2, .commonProfile4:
            return .commonProfile(UInt32(truncatingIfNeeded: try readInteger(control.tagLength, start: start)))
        case .implicitProfile2, .implicitProfile4:
            return .implicitProfile(UInt32(truncatingIfNeeded: try readInteger(control.tagLength, start: start)))
        case .fullyQualified6, .fullyQualified8:
            let vendor = try readInteger(2, start: start)
            let profile = try readInteger(2, start: start)
            let tag = try readInteger(control.tagLength - 4, start: start)
            return .fullyQualified(
                vendor: UInt16(truncatingIfNeeded: vendor), profile: UInt16(truncatingIfNeeded: profile),
                tag: UInt32(truncatingIfNeeded: tag))
        }
    }

    private func check(_ tag: TLVTag, start: Int) throws(TLVError) {
        guard tags == .strict else { return }
        switch containers.last {
        case .structure where tag == .anonymous:
            throw TLVError(.invalidTag, "a structure member without a tag", offset: start)
        case .array where tag != .anonymous:
            throw TLVError(.invalidTag, "an array member with a tag", offset: start)
        case nil:
            if case .context = tag { throw TLVError(.invalidTag, "a context tag outside any container", offset: start) }
        default:
            break
        }
    }

    private mutating func readInteger(_ count: Int, start: Int) throws(TLVError) -> UInt64 {
        guard bytes.count - position >= count else {
            throw TLVError(.truncated, "the encoding ends inside an element", offset: start)
        }
        var result: UInt64 = 0
        for index in 0..<count { result |= UInt64(bytes[position + index]) << (8 * UInt64(index)) }
        position += count
        return result
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
