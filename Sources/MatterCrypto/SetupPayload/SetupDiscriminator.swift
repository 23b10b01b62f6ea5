/// The number that tells devices in commissioning mode apart: all 12 bits (QR payload), or the upper four (manual
/// code) (Matter core specification, 5.1).
public struct SetupDiscriminator: Hashable, Sendable {
    /// The upper four bits, 0…15.
    public let short: UInt8
    /// All twelve bits, 0…4095, where they are known.
    public let long: UInt16?

    /// - Throws: ``SetupPayloadError`` if the number does not fit 12 bits.
    public init(long: UInt16) throws(SetupPayloadError) {
        guard long <= 0xFFF else {
            throw SetupPayloadError(.discriminator, "a discriminator is a number from 0 to 4095")
        }
        self.long = long
        short = UInt8(long >> 8)
    }

    /// - Throws: ``SetupPayloadError`` if the number does not fit 4 bits.
    public init(short: UInt8) throws(SetupPayloadError) {
        guard short <= 0xF else {
            throw SetupPayloadError(.discriminator, "a short discriminator is a number from 0 to 15")
        }
        self.short = short
        long = nil
    }

    /// True if a device that advertises these 12 bits may be the one that is meant.
    package func matches(advertised: UInt16) -> Bool {
        long.map { $0 == advertised } ?? (advertised <= 0xFFF && advertised >> 8 == UInt16(short))
    }
}
