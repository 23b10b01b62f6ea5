import SwiftASN1

/// An extension that Matter does not interpret.
package struct FutureExtension: Hashable, Sendable {
    /// The complete DER `Extension`.
    package let der: [UInt8]
    package let isCritical: Bool
    /// The contents bytes of its object identifier.
    let objectIdentifier: [UInt8]

    /// - Throws: ``CredentialsError`` if the bytes are not one DER `Extension`.
    init(der: [UInt8]) throws(CredentialsError) {
        var fields = try DERFields(decoding: der, "an extension", code: .invalidExtension)
        objectIdentifier = try fields.contents(.objectIdentifier, "an extension's identifier")
        if let flag = fields.optional(.boolean) {
            // FALSE is the default, which DER leaves out.
            guard flag.primitive == [0xFF] else { throw fields.wrong("an extension has a malformed critical flag") }
            isCritical = true
        } else {
            isCritical = false
        }
        _ = try fields.contents(.octetString, "an extension's value")
        try fields.end()
        self.der = der
    }
}
