/// The lower five bits of a control byte: what an element is and how wide its length or value field is
/// (Matter core specification, appendix A.7.1).
public enum TLVElementType: UInt8, CaseIterable, Sendable {
    /// A signed integer of so many bits.
    case int8 = 0x00
    /// A signed integer of so many bits.
    case int16, int32, int64
    /// An unsigned integer of so many bits.
    case uint8, uint16, uint32, uint64
    /// A Boolean, whose value is its type.
    case boolFalse, boolTrue
    /// A number of so many bits (IEEE 754).
    case float32, float64
    /// A string after its length, which has so many bytes.
    case utf8Length1, utf8Length2, utf8Length4, utf8Length8
    /// Octets after their length, which has so many bytes.
    case octetsLength1, octetsLength2, octetsLength4, octetsLength8
    /// Null.
    case null
    /// A container.
    case structure, array, list
    /// The end of a container.
    case endOfContainer

    /// How many bytes of value (numbers) or length (strings) follow the tag.
    var fieldLength: Int {
        switch self {
        case .int8, .uint8, .utf8Length1, .octetsLength1: 1
        case .int16, .uint16, .utf8Length2, .octetsLength2: 2
        case .int32, .uint32, .float32, .utf8Length4, .octetsLength4: 4
        case .int64, .uint64, .float64, .utf8Length8, .octetsLength8: 8
        case .boolFalse, .boolTrue, .null, .structure, .array, .list, .endOfContainer: 0
        }
    }

    /// True if the element has members and ends with an end-of-container byte.
    var isContainer: Bool {
        self == .structure || self == .array || self == .list
    }
}
