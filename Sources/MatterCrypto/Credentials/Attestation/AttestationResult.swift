/// The result of verifying a device's attestation. The numbers are those of the reference implementation, so that people
/// find what others wrote about them.
package enum AttestationResult: Int, Sendable, CaseIterable {
    case success = 0

    case paaUntrusted = 100
    case paaNotFound = 101
    case paaExpired = 102
    case paaSignatureInvalid = 103
    case paaRevoked = 104
    case paaFormatInvalid = 105
    case paaArgumentInvalid = 106

    case paiExpired = 200
    case paiSignatureInvalid = 201
    case paiRevoked = 202
    case paiFormatInvalid = 203
    case paiArgumentInvalid = 204
    case paiVendorIDMismatch = 205
    case paiAuthorityNotFound = 206
    case paiMissing = 207
    case paiAndDACRevoked = 208

    case dacExpired = 300
    case dacSignatureInvalid = 301
    case dacRevoked = 302
    case dacFormatInvalid = 303
    case dacArgumentInvalid = 304
    case dacVendorIDMismatch = 305
    case dacProductIDMismatch = 306
    case dacAuthorityNotFound = 307

    case firmwareInformationMismatch = 400
    case firmwareInformationMissing = 401

    case attestationSignatureInvalid = 500
    case attestationElementsMalformed = 501
    case nonceMismatch = 502
    case signatureInvalidFormat = 503

    case declarationNoKeyID = 600
    case declarationNoCertificateFound = 601
    case declarationInvalidSignature = 602
    case declarationInvalidFormat = 603
    case declarationInvalidVendorID = 604
    case declarationInvalidProductID = 605
    case declarationInvalidPAA = 606

    case invalidArgument = 701

    /// A number of our own: the reference implementation accepts a chain of which it has no list.
    case revocationNotKnown = 1001
    /// Numbers of our own: the reference implementation knows neither.
    case authorityDistrusted = 1002
    case authorityWithdrawn = 1003
}

extension AttestationResult: CustomStringConvertible {
    /// The code in words.
    package var description: String {
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
