import SwiftASN1

extension DERFields {
    /// Takes an algorithm identifier with absent parameters or NULL.
    ///
    /// NULL is wrong for ECDSA (RFC 5758, 3.2) and to be understood for SHA-256 (RFC 5754, 2), but roots on the market
    /// have it in both places, and every chain below them would fail for it.
    mutating func algorithm(_ identifier: [UInt8], _ field: String) throws(CredentialsError) {
        var algorithm = try fields(field)
        guard try algorithm.contents(.objectIdentifier, field) == identifier else {
            throw CredentialsError(.unsupportedAlgorithm, "\(field) is another one than Matter's")
        }
        if let parameters = algorithm.optional(.null), parameters.primitive != [] {
            throw algorithm.wrong("\(field) has malformed parameters")
        }
        try algorithm.end()
    }

    /// The length of the first DER element, header included; `nil` if the bytes hold no whole one.
    static func firstElementCount(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let first = Int(bytes[1])
        guard first >= 0x80 else { return bytes.count >= 2 + first ? 2 + first : nil }
        let lengthCount = first & 0x7F
        // Longer lengths do not occur in what attestation reads.
        guard (1...4).contains(lengthCount), bytes.count >= 2 + lengthCount else { return nil }
        var contents = 0
        for byte in bytes[2..<(2 + lengthCount)] { contents = contents << 8 | Int(byte) }
        let count = 2 + lengthCount + contents
        return bytes.count >= count ? count : nil
    }
}
