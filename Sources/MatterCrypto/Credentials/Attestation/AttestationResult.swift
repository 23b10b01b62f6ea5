/// The result of verifying a device's attestation. The numbers are those of the reference implementation, so that people
/// find what others wrote about them.
public enum AttestationResult: Int, Sendable, CaseIterable {
    /// Success.
    case success = 0

    /// About the product attestation authority (PAA): untrusted.
    case paaUntrusted = 100
    /// About the product attestation authority (PAA): not found.
    case paaNotFound = 101
    /// About the product attestation authority (PAA): expired.
    case paaExpired = 102
    /// About the product attestation authority (PAA): signature invalid.
    case paaSignatureInvalid = 103
    /// About the product attestation authority (PAA): revoked.
    case paaRevoked = 104
    /// About the product attestation authority (PAA): format invalid.
    case paaFormatInvalid = 105
    /// About the product attestation authority (PAA): argument invalid.
    case paaArgumentInvalid = 106

    /// About the intermediate certificate (PAI): expired.
    case paiExpired = 200
    /// About the intermediate certificate (PAI): signature invalid.
    case paiSignatureInvalid = 201
    /// About the intermediate certificate (PAI): revoked.
    case paiRevoked = 202
    /// About the intermediate certificate (PAI): format invalid.
    case paiFormatInvalid = 203
    /// About the intermediate certificate (PAI): argument invalid.
    case paiArgumentInvalid = 204
    /// About the intermediate certificate (PAI): vendor ID mismatch.
    case paiVendorIDMismatch = 205
    /// About the intermediate certificate (PAI): authority not found.
    case paiAuthorityNotFound = 206
    /// About the intermediate certificate (PAI): missing.
    case paiMissing = 207
    /// About the intermediate certificate (PAI): and DAC revoked.
    case paiAndDACRevoked = 208

    /// About the certificate of the device (DAC): expired.
    case dacExpired = 300
    /// About the certificate of the device (DAC): signature invalid.
    case dacSignatureInvalid = 301
    /// About the certificate of the device (DAC): revoked.
    case dacRevoked = 302
    /// About the certificate of the device (DAC): format invalid.
    case dacFormatInvalid = 303
    /// About the certificate of the device (DAC): argument invalid.
    case dacArgumentInvalid = 304
    /// About the certificate of the device (DAC): vendor ID mismatch.
    case dacVendorIDMismatch = 305
    /// About the certificate of the device (DAC): product ID mismatch.
    case dacProductIDMismatch = 306
    /// About the certificate of the device (DAC): authority not found.
    case dacAuthorityNotFound = 307

    /// Firmware information mismatch.
    case firmwareInformationMismatch = 400
    /// Firmware information missing.
    case firmwareInformationMissing = 401

    /// Attestation signature invalid.
    case attestationSignatureInvalid = 500
    /// Attestation elements malformed.
    case attestationElementsMalformed = 501
    /// Nonce mismatch.
    case nonceMismatch = 502
    /// Signature invalid format.
    case signatureInvalidFormat = 503

    /// Declaration no key ID.
    case declarationNoKeyID = 600
    /// Declaration no certificate found.
    case declarationNoCertificateFound = 601
    /// Declaration invalid signature.
    case declarationInvalidSignature = 602
    /// Declaration invalid format.
    case declarationInvalidFormat = 603
    /// Declaration invalid vendor ID.
    case declarationInvalidVendorID = 604
    /// Declaration invalid product ID.
    case declarationInvalidProductID = 605
    /// Declaration invalid PAA.
    case declarationInvalidPAA = 606

    /// Invalid argument.
    case invalidArgument = 701

    /// A number of our own: the reference implementation accepts a chain of which it has no list.
    case revocationNotKnown = 1001
    /// Numbers of our own: the reference implementation knows neither.
    case authorityDistrusted = 1002
    /// Authority withdrawn.
    case authorityWithdrawn = 1003
}

extension AttestationResult: CustomStringConvertible {
    /// The code in words.
    public var description: String {
        switch self {
        case .success: "attestation succeeded"
        case .paaUntrusted: "PAA is not trusted"
        case .paaNotFound: "PAA not found"
        case .paaExpired: "PAA has expired"
        case .paaSignatureInvalid: "signature of the PAA is invalid"
        case .paaRevoked: "PAA is revoked"
        case .paaFormatInvalid: "PAA is malformed"
        case .paaArgumentInvalid: "PAA is unusable"
        case .paiExpired: "PAI has expired"
        case .paiSignatureInvalid: "signature of the PAI is invalid"
        case .paiRevoked: "PAI is revoked"
        case .paiFormatInvalid: "PAI is malformed"
        case .paiArgumentInvalid: "PAI is unusable"
        case .paiVendorIDMismatch: "PAI has another vendor id than the PAA"
        case .paiAuthorityNotFound: "authority of the PAI not found"
        case .paiMissing: "PAI is missing"
        case .paiAndDACRevoked: "PAI and DAC are revoked"
        case .dacExpired: "DAC is not valid now"
        case .dacSignatureInvalid: "certificate chain is invalid"
        case .dacRevoked: "DAC is revoked"
        case .dacFormatInvalid: "DAC is malformed"
        case .dacArgumentInvalid: "DAC is unusable"
        case .dacVendorIDMismatch: "DAC has another vendor id than the PAI"
        case .dacProductIDMismatch: "DAC has no product id, or another one than the PAI"
        case .dacAuthorityNotFound: "authority of the DAC not found"
        case .firmwareInformationMismatch: "firmware information does not match"
        case .firmwareInformationMissing: "firmware information is missing"
        case .attestationSignatureInvalid: "attestation signature is invalid"
        case .attestationElementsMalformed: "attestation elements are malformed"
        case .nonceMismatch: "attestation answers another nonce"
        case .signatureInvalidFormat: "attestation signature is malformed"
        case .declarationNoKeyID: "certification declaration is malformed"
        case .declarationNoCertificateFound: "signer of the certification declaration is unknown"
        case .declarationInvalidSignature: "signature of the certification declaration is invalid"
        case .declarationInvalidFormat: "content of the certification declaration is malformed"
        case .declarationInvalidVendorID: "certification declaration is for another vendor"
        case .declarationInvalidProductID: "certification declaration is for another product"
        case .declarationInvalidPAA: "certification declaration does not allow this PAA"
        case .invalidArgument: "attestation data are missing or too long"
        case .authorityDistrusted: "you trust this authority no longer"
        case .authorityWithdrawn: "the ledger has withdrawn this authority"
        case .revocationNotKnown: "it is not known whether the certificates are revoked"
        }
    }
}
