/// The tag of a TLV element (Matter core specification, appendix A.2).
public enum TLVTag: Hashable, Sendable {
    /// No tag: array members and top-level elements.
    case anonymous
    /// A member of a structure or list, numbered 0…255.
    case context(UInt8)
    /// A tag of the common profile (vendor 0, profile 0).
    case commonProfile(UInt32)
    /// A tag of a profile that both sides know.
    case implicitProfile(UInt32)
    /// A tag with its vendor and profile spelled out.
    case fullyQualified(vendor: UInt16, profile: UInt16, tag: UInt32)
}

/// The upper three bits of a control byte.
enum TLVTagControl: UInt8, CaseIterable, Sendable {
    case anonymous = 0x00
    case context = 0x20
    case commonProfile2 = 0x40
    case commonProfile4 = 0x60
    case implicitProfile2 = 0x80
    case implicitProfile4 = 0xA0
    case fullyQualified6 = 0xC0
    case fullyQualified8 = 0xE0

    /// How many bytes the tag itself takes.
    var tagLength: Int {
        switch self {
        case .anonymous: 0
        case .context: 1
        case .commonProfile2, .implicitProfile2: 2
        case .commonProfile4, .implicitProfile4: 4
        case .fullyQualified6: 6
        case .fullyQualified8: 8
        }
    }
}

extension TLVTag: CustomStringConvertible {
    /// The number of a context tag; other forms are spelled out.
    public var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .context(let number): "\(number)"
        case .commonProfile(let number): "common:\(number)"
        case .implicitProfile(let number): "implicit:\(number)"
        case .fullyQualified(let vendor, let profile, let tag): "\(vendor):\(profile):\(tag)"
        }
    }
}
