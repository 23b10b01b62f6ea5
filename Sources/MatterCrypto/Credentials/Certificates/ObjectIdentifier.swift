/// The object identifiers of Matter certificates and requests, as the contents bytes of their DER encoding.
enum ObjectIdentifier {
    static let ecPublicKey = contents(1, 2, 840, 10045, 2, 1)
    static let prime256v1 = contents(1, 2, 840, 10045, 3, 1, 7)
    static let ecdsaWithSHA256 = contents(1, 2, 840, 10045, 4, 3, 2)

    static let subjectKeyIdentifier = contents(2, 5, 29, 14)
    static let keyUsage = contents(2, 5, 29, 15)
    static let basicConstraints = contents(2, 5, 29, 19)
    static let crlNumber = contents(2, 5, 29, 20)
    static let deltaCRLIndicator = contents(2, 5, 29, 27)
    static let issuingDistributionPoint = contents(2, 5, 29, 28)
    static let certificateIssuer = contents(2, 5, 29, 29)
    static let authorityKeyIdentifier = contents(2, 5, 29, 35)
    static let extendedKeyUsage = contents(2, 5, 29, 37)

    /// An attribute type of X.520.
    static func x520(_ number: UInt) -> [UInt8] { contents(2, 5, 4, number) }
    /// A distinguished name attribute of the Connectivity Standards Alliance.
    static func matter(_ number: UInt) -> [UInt8] { contents(1, 3, 6, 1, 4, 1, 37244, 1, number) }
    /// A key purpose of PKIX.
    static func keyPurpose(_ number: UInt) -> [UInt8] { contents(1, 3, 6, 1, 5, 5, 7, 3, number) }

    /// The contents bytes of an identifier (X.690, 8.19).
    static func contents(_ first: UInt, _ second: UInt, _ rest: UInt...) -> [UInt8] {
        var octets: [UInt8] = []
        for arc in [first * 40 + second] + rest {
            var groups = [UInt8(truncatingIfNeeded: arc & 0x7F)]
            var remaining = arc >> 7
            while remaining > 0 {
                groups.append(UInt8(truncatingIfNeeded: remaining & 0x7F) | 0x80)
                remaining >>= 7
            }
            octets += groups.reversed()
        }
        return octets
    }
}
