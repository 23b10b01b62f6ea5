/// Why a TLV encoding was refused, and where.
public struct TLVError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// The input ends inside an element or before a container does.
        case truncated = "tlv.truncated"
        /// A control byte, tag form or length that the encoding does not define.
        case malformed = "tlv.malformed"
        /// A string that is not valid UTF-8.
        case invalidUTF8 = "tlv.invalid-utf8"
        /// Containers nested deeper, or more elements, than the reader allows.
        case limitExceeded = "tlv.limit-exceeded"
        /// Octets after the top-level element.
        case trailingData = "tlv.trailing-data"
        /// A member without a tag in a structure, a tag in an array, or a tag used twice.
        case invalidTag = "tlv.invalid-tag"
        /// A member that must be there is not.
        case missingField = "tlv.missing-field"
        /// An element of another type than the one that was asked for.
        case wrongType = "tlv.wrong-type"
        /// A number or a length outside the permitted range.
        case outOfRange = "tlv.out-of-range"
        /// Text that does not spell bytes in hexadecimal.
        case invalidHex = "tlv.invalid-hex"
        /// A JSON form that does not describe a TLV element.
        case invalidJSON = "tlv.invalid-json"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The code to match on; its raw value is stable.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The byte offset of the element, where it is known.
    public var offset: Int?

    /// An error with its words; `offset` is where it stands, in bytes.
    public init(_ code: Code, _ reason: String, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    /// The reason with the offset.
    public var message: String { description }

    /// The reason, with the place of the fault where it is known.
    public var description: String {
        offset.map { "\(reason) (at byte \($0))" } ?? reason
    }
}

extension TLVError {
    /// Two errors are equal if their codes are: their words are for people.
    public static func == (one: Self, other: Self) -> Bool { one.code == other.code }
}
