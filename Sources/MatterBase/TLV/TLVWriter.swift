/// Writes TLV elements, numbers in their smallest form (Matter core specification, appendix A).
public struct TLVWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty encoding.
    public init() {}

    /// Appends one element with everything in it.
    public mutating func write(_ element: TLVElement) {
        write(element.tag, element.value)
    }

    /// Appends one element with everything in it.
    public mutating func write(_ tag: TLVTag, _ value: TLVValue) {
        switch value {
        case .int(let number): write(tag, signed: number)
        case .uint(let number): write(tag, unsigned: number)
        case .bool(let flag): control(tag, flag ? .boolTrue : .boolFalse)
        case .float(let number):
            control(tag, .float32)
            append(UInt64(number.bitPattern), 4)
        case .double(let number):
            control(tag, .float64)
            append(number.bitPattern, 8)
        case .string(let text): string(tag, Array(text.utf8), narrowest: .utf8Length1)
        case .octets(let octets): string(tag, octets, narrowest: .octetsLength1)
        case .null: control(tag, .null)
        case .structure(let members): container(tag, .structure, members)
        case .array(let members): container(tag, .array, members)
        case .list(let members): container(tag, .list, members)
        }
    }

    /// Opens a container; close it with ``end()``.
    public mutating func begin(_ tag: TLVTag, _ type: TLVElementType) {
        control(tag, type)
    }

    /// Closes the innermost container.
    public mutating func end() {
        bytes.append(TLVElementType.endOfContainer.rawValue)
    }

    /// Appends an encoding that was made elsewhere.
    package mutating func append(encoded: [UInt8]) {
        bytes += encoded
    }

    private mutating func container(_ tag: TLVTag, _ type: TLVElementType, _ members: [TLVElement]) {
        begin(tag, type)
        for member in members { write(member) }
        end()
    }

    private mutating func write(_ tag: TLVTag, signed number: Int64) {
        let (type, width): (TLVElementType, Int) =
            if Int8(exactly: number) != nil {
                (.int8, 1)
            } else if Int16(exactly: number) != nil {
                (.int16, 2)
            } else if Int32(exactly: number) != nil {
                (.int32, 4)
            } else {
                (.int64, 8)
            }
        control(tag, type)
        append(UInt64(bitPattern: number), width)
    }

    private mutating func write(_ tag: TLVTag, unsigned number: UInt64) {
        let (index, width) = Self.smallestWidth(number)
        control(tag, TLVElementType(rawValue: TLVElementType.uint8.rawValue + index) ?? .uint64)
        append(number, width)
    }

    private mutating func string(_ tag: TLVTag, _ contents: [UInt8], narrowest: TLVElementType) {
        let (index, width) = Self.smallestWidth(UInt64(contents.count))
        control(tag, TLVElementType(rawValue: narrowest.rawValue + index) ?? narrowest)
        append(UInt64(contents.count), width)
        bytes += contents
    }

    /// The position of the smallest width among 1, 2, 4 and 8 bytes, and that width.
    private static func smallestWidth(_ number: UInt64) -> (index: UInt8, width: Int) {
        if number <= UInt8.max { return (0, 1) }
        if number <= UInt16.max { return (1, 2) }
        if number <= UInt32.max { return (2, 4) }
        return (3, 8)
    }

    private mutating func control(_ tag: TLVTag, _ type: TLVElementType) {
        func head(_ form: TLVTagControl) { bytes.append(form.rawValue | type.rawValue) }
        switch tag {
        case .anonymous:
            head(.anonymous)
        case .context(let number):
            head(.context)
            bytes.append(number)
        case .commonProfile(let number):
            let short = number <= UInt16.max
            head(short ? .commonProfile2 : .commonProfile4)
            append(UInt64(number), short ? 2 : 4)
        case .implicitProfile(let number):
            let short = number <= UInt16.max
            head(short ? .implicitProfile2 : .implicitProfile4)
            append(UInt64(number), short ? 2 : 4)
        case .fullyQualified(let vendor, let profile, let number):
            let short = number <= UInt16.max
            head(short ? .fullyQualified6 : .fullyQualified8)
            append(UInt64(vendor), 2)
            append(UInt64(profile), 2)
            append(UInt64(number), short ? 2 : 4)
        }
    }

    private mutating func append(_ number: UInt64, _ width: Int) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }
}
