/// Where a trusted key comes from.
package enum TrustOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The Alliance's ledger, as of a day such as `2026-07-15`.
    case ledger(day: String)
    /// The Alliance's ledger for devices in development.
    case testLedger(day: String)
    /// A constant of this program, which the ledger had on a day.
    case snapshot(day: String)
    /// A constant of this program.
    case builtIn
    /// A constant of this program for devices in development: anybody can sign with these keys.
    case development
    /// A file that the user named with `--trust DIR`.
    case directory(file: String)
    /// A file that the user added for good.
    case own(file: String)

    package var description: String {
        switch self {
        case .ledger(let day): "ledger \(day)"
        case .testLedger(let day): "test ledger \(day)"
        case .snapshot(let day): "built in, ledger \(day)"
        case .builtIn: "built in"
        case .development: "development"
        case .directory(let file): "folder: \(file)"
        case .own(let file): "own: \(file)"
        }
    }
}

/// A product attestation authority (PAA) that is trusted (Matter core specification, 6.2.2).
public struct TrustAnchor: Sendable, Hashable {
    /// The subject key identifier, 20 bytes.
    package let keyIdentifier: [UInt8]
    package let publicKey: P256PublicKey
    /// The name in the certificate.
    public let subject: AttestationName
    /// `nil` for a development key, which is valid at any time.
    package let validity: AttestationValidity?
    /// `nil` if only facts are known.
    package let certificate: AttestationCertificate?
    package let origin: TrustOrigin

    package init(
        keyIdentifier: [UInt8], publicKey: P256PublicKey, subject: AttestationName,
        validity: AttestationValidity? = nil, origin: TrustOrigin
    ) {
        self.keyIdentifier = keyIdentifier
        self.publicKey = publicKey
        self.subject = subject
        self.validity = validity
        self.origin = origin
        certificate = nil
    }

    /// - Returns: `nil` for a certificate without subject key identifier.
    package init?(_ certificate: AttestationCertificate, origin: TrustOrigin) {
        guard let keyIdentifier = certificate.subjectKeyIdentifier else { return nil }
        self.keyIdentifier = keyIdentifier
        publicKey = certificate.publicKey
        subject = certificate.subject
        validity = certificate.validity
        self.certificate = certificate
        self.origin = origin
    }

    /// True if anybody can sign with this key, wherever it came from.
    var isDevelopment: Bool {
        switch origin {
        case .development, .testLedger: true
        default: WellKnownKeys.developmentAuthorities.contains { $0.publicKey == publicKey }
        }
    }
}

/// A key that signs certification declarations.
package struct DeclarationSigner: Sendable, Hashable {
    /// The subject key identifier of its certificate, 20 bytes.
    package let keyIdentifier: [UInt8]
    package let publicKey: P256PublicKey
    package let subject: AttestationName
    package let origin: TrustOrigin

    // memberwise: package

    /// True if anybody can sign with this key, wherever it came from.
    var isDevelopment: Bool {
        origin == .development || WellKnownKeys.developmentDeclarationSigners.contains { $0.publicKey == publicKey }
    }
}
