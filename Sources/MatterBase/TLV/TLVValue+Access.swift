// Looking into a value whose type the writer chose. A value of another type gives `nil`.

extension TLVValue {
    /// The number, if it is one that fits. Some writers encode small unsigned numbers as signed ones; the value decides.
    public func integer<Number: FixedWidthInteger>(as type: Number.Type = Number.self) -> Number? {
        switch self {
        case .uint(let number): Number(exactly: number)
        case .int(let number): Number(exactly: number)
        default: nil
        }
    }

    package var boolean: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var octetString: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// An array with these values.
    public static func array(of values: some Sequence<TLVValue>) -> TLVValue {
        .array(values.map { TLVElement(.anonymous, $0) })
    }

    /// The values of an array.
    public var items: [TLVValue]? { if case .array(let members) = self { members.map(\.value) } else { nil } }

    /// The members of a structure or list.
    package var members: [TLVElement]? {
        switch self {
        case .structure(let members), .list(let members): members
        default: nil
        }
    }

    /// The member of a structure or list with a context tag, which is the number of the field.
    public func field(_ tag: UInt8) -> TLVValue? { members?.first { $0.tag == .context(tag) }?.value }
}
