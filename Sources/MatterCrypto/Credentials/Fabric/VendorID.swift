/// A 16-bit vendor identifier (Matter core specification, 2.5.2).
public struct VendorID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt16

    /// The value with a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// True if it may be a manufacturer's: not 0 and not reserved.
    public var isValid: Bool { (1...0xFFF4).contains(rawValue) }
    /// True if it is one of the four ids for tests.
    package var isTest: Bool { (0xFFF1...0xFFF4).contains(rawValue) }
}
