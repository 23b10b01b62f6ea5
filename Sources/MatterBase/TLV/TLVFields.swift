/// The context-tagged members of a structure or list, for decoders that know what they want.
///
/// Every accessor names the field in its error, so that a refused message says which field was wrong. Members with
/// other tags are ignored, as the specification asks of readers.
package struct TLVFields: Sendable {
    private let members: [TLVElement]
    private let name: String

    /// - Parameters:
    ///   - value: the structure or list to look into.
    ///   - name: what it is called in error messages.
    /// - Throws: ``TLVError``.
    package init(_ value: TLVValue, _ name: String) throws(TLVError) {
        guard let members = value.members else { throw TLVError(.wrongType, "\(name) is not a structure") }
        self.members = members
        self.name = name
    }

    /// Decodes a top-level anonymous structure; bytes after it are ignored.
    package init(decoding bytes: [UInt8], _ name: String, text: TLVText = .strict, tags: TLVTagRules = .strict)
        throws(TLVError)
    {
        let element = try TLVElement(decoding: bytes, allowTrailing: true, text: text, tags: tags)
        guard element.tag == .anonymous, case .structure = element.value else {
            throw TLVError(.wrongType, "\(name) is not an anonymous structure", offset: 0)
        }
        try self.init(element.value, name)
    }

    /// All members in the order of the encoding.
    package var all: [TLVElement] { members }

    /// The member with a tag; null counts as present.
    package subscript(_ tag: UInt8) -> TLVValue? {
        members.first { $0.tag == .context(tag) }?.value
    }

    package func required(_ tag: UInt8) throws(TLVError) -> TLVValue {
        guard let value = self[tag] else { throw TLVError(.missingField, "\(name) lacks field \(tag)") }
        return value
    }

    /// A field that has to be an unsigned integer.
    ///
    /// - Throws: ``TLVError`` if it is missing, of another type or too large.
    @inlinable
    package func unsigned<T: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, as type: T.Type = T.self
    ) throws(TLVError) -> T {
        T(truncatingIfNeeded: try number(tag, bits: T.bitWidth))
    }

    @inlinable
    package func optionalUnsigned<T: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, as type: T.Type = T.self
    ) throws(TLVError) -> T? {
        guard let number = try optionalNumber(tag, bits: T.bitWidth) else { return nil }
        return T(truncatingIfNeeded: number)
    }

    /// A field that has to be an unsigned integer of so many bits. The generic functions above are a line in their callers: left to the
    /// runtime, they made the types that they need each time, which was a twentieth of a report.
    @usableFromInline
    package func number(_ tag: UInt8, bits: Int) throws(TLVError) -> UInt64 {
        guard let number = try optionalNumber(tag, bits: bits) else {
            throw TLVError(.missingField, "\(name) lacks field \(tag)")
        }
        return number
    }

    @usableFromInline
    package func optionalNumber(_ tag: UInt8, bits: Int) throws(TLVError) -> UInt64? {
        guard let value = self[tag] else { return nil }
        let number = value.integer(as: UInt64.self)
        if number == nil, value.integer(as: Int64.self) == nil { throw wrong(tag, "an unsigned integer") }
        guard let number, bits >= UInt64.bitWidth || number >> UInt64(bits) == 0 else {
            throw TLVError(.outOfRange, "\(name) field \(tag) does not fit \(bits) bits")
        }
        return number
    }

    package func octets(_ tag: UInt8, count: ClosedRange<Int>? = nil) throws(TLVError) -> [UInt8] {
        guard let octets = try optionalOctets(tag, count: count) else {
            throw TLVError(.missingField, "\(name) lacks field \(tag)")
        }
        return octets
    }

    package func octets(_ tag: UInt8, count: Int) throws(TLVError) -> [UInt8] {
        try octets(tag, count: count...count)
    }

    package func optionalOctets(_ tag: UInt8, count: ClosedRange<Int>? = nil) throws(TLVError) -> [UInt8]? {
        guard let value = self[tag] else { return nil }
        guard let octets = value.octetString else { throw wrong(tag, "an octet string") }
        if let count, !count.contains(octets.count) {
            throw TLVError(.outOfRange, "\(name) field \(tag) has \(octets.count) bytes")
        }
        return octets
    }

    package func string(_ tag: UInt8) throws(TLVError) -> String {
        guard let text = try optionalString(tag) else { throw TLVError(.missingField, "\(name) lacks field \(tag)") }
        return text
    }

    /// A field that is a string, if it is there.
    ///
    /// - Throws: ``TLVError`` if it is of another type.
    package func optionalString(_ tag: UInt8) throws(TLVError) -> String? {
        guard let value = self[tag] else { return nil }
        guard let text = value.text else { throw wrong(tag, "a string") }
        return text
    }

    package func bool(_ tag: UInt8) throws(TLVError) -> Bool {
        guard let flag = try optionalBool(tag) else { throw TLVError(.missingField, "\(name) lacks field \(tag)") }
        return flag
    }

    package func optionalBool(_ tag: UInt8) throws(TLVError) -> Bool? {
        guard let value = self[tag] else { return nil }
        guard let flag = value.boolean else { throw wrong(tag, "a boolean") }
        return flag
    }

    /// The structure or list under a tag.
    package func fields(_ tag: UInt8, _ name: String) throws(TLVError) -> TLVFields {
        try TLVFields(try required(tag), name)
    }

    package func optionalFields(_ tag: UInt8, _ name: String) throws(TLVError) -> TLVFields? {
        guard let value = self[tag] else { return nil }
        return try TLVFields(value, name)
    }

    /// The values of the array under a tag; empty if there is none.
    package func array(_ tag: UInt8) throws(TLVError) -> [TLVValue] {
        guard let value = self[tag] else { return [] }
        guard let items = value.items else { throw wrong(tag, "an array") }
        return items
    }

    private func wrong(_ tag: UInt8, _ expected: String) -> TLVError {
        TLVError(.wrongType, "\(name) field \(tag) is not \(expected)")
    }
}
