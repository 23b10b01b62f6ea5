/// A 64-bit fabric identifier, unique only together with the root public key (Matter core specification, 2.5.1).
public struct FabricID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt64

    /// The value with a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// True if a fabric may have this id: any but 0.
    package var isValid: Bool { rawValue != 0 }
}

/// The 64-bit digest of root public key and fabric id that DNS-SD names and key derivation use
/// (Matter core specification, 4.3.2.2).
public struct CompressedFabricID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt64

    /// The value with a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The eight bytes that go into key derivation, most significant first.
    package var octets: [UInt8] { rawValue.bigEndianOctets }
}
