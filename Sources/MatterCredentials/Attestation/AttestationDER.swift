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
}
