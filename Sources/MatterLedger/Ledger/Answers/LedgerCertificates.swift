import MatterCrypto

/// The ledger's name of a certificate: its subject and its subject key identifier. Neither alone is unique
/// (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerCertificateID: Hashable, Sendable {
    /// The DER of the name.
    package var subject: [UInt8]
    /// The key of the certificate, by its subject key identifier.
    public var keyIdentifier: [UInt8]

    /// `CN=Example PAA, VID=1234`, for people.
    public var name: String {
        (try? AttestationName(der: subject)).map { "\($0)" } ?? "a name that cannot be read"
    }
}

extension LedgerCertificateID {
    init(_ fields: LedgerFields) throws(LedgerError) {
        subject = try fields.name("subject")
        keyIdentifier = try fields.keyIdentifier("subjectKeyId")
        guard !subject.isEmpty else { throw fields.wrong("subject", "a name") }
        guard !keyIdentifier.isEmpty else { throw fields.wrong("subjectKeyId", "a key identifier") }
    }
}

/// A certificate as the ledger has it. Nothing of it is proved (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerCertificate: Hashable, Sendable {
    /// The purpose of a certificate.
    public enum Kind: Hashable, Sendable {
        /// For device attestation.
        case deviceAttestation, operational, vendorSigner
        /// Older entries do not say.
        case unknown
    }

    /// Which one it is.
    public var identifier: LedgerCertificateID
    /// The certificate, in PEM.
    public var pem: String
    /// Whether it signs itself.
    public var isRoot: Bool
    /// The id of the vendor that the certificate is associated with; no restriction on devices.
    public var vendorID: UInt16?
    /// Its purpose.
    public var kind: Kind

    init(identifier: LedgerCertificateID, pem: String, isRoot: Bool = true) {
        self.identifier = identifier
        self.pem = pem
        self.isRoot = isRoot
        kind = .unknown
    }

    init(_ fields: LedgerFields, identifier: LedgerCertificateID) throws(LedgerError) {
        self.identifier = identifier
        pem = try fields.string("pemCert")
        isRoot = try fields.flag("isRoot")
        vendorID = try fields.positive("vid")
        kind =
            switch try fields.text("certificateType") {
            case "DeviceAttestationPKI": .deviceAttestation
            case "OperationalPKI": .operational
            case "VIDSignerPKI": .vendorSigner
            default: .unknown
            }
    }
}

extension LedgerQuery where Answer == [LedgerCertificateID] {
    /// The approved roots: authorities (PAA), and the Alliance's root for certification declarations.
    public static var rootCertificates: LedgerQuery {
        identifiers("/dcl/pki/root-certificates", "approvedRootCertificates", "certs", about: "the approved roots")
    }

    package static var revokedRootCertificates: LedgerQuery {
        identifiers(
            "/dcl/pki/revoked-root-certificates", "revokedRootCertificates", "certs", about: "the revoked roots")
    }

    /// The certificates that an authority has issued.
    package static func childCertificates(of authority: LedgerCertificateID) -> LedgerQuery {
        identifiers(
            "/dcl/pki/child-certificates/\(encoded(authority))", "childCertificates", "certIds",
            about: "the certificates of \(authority.name)")
    }

    private static func identifiers(
        _ path: String, _ key: String, _ list: String, about subject: String
    ) -> LedgerQuery {
        one(path, key, about: subject) { fields throws(LedgerError) in
            var identifiers: [LedgerCertificateID] = []
            for entry in try fields.entries(list) { identifiers.append(try LedgerCertificateID(entry)) }
            return identifiers
        }
    }
}

extension LedgerQuery where Answer == [LedgerCertificate] {
    /// The certificates under a name and key: usually one, several if one was issued again.
    public static func certificates(_ identifier: LedgerCertificateID) -> LedgerQuery {
        one(
            "/dcl/pki/certificates/\(encoded(identifier))", "approvedCertificates",
            about: "the certificate \(identifier.name)"
        ) { fields throws(LedgerError) in
            let answered = try LedgerCertificateID(fields)
            guard answered == identifier else {
                throw LedgerError(.malformed, "the ledger answered with another certificate than \(identifier.name)")
            }
            var certificates: [LedgerCertificate] = []
            for entry in try fields.entries("certs") {
                certificates.append(try LedgerCertificate(entry, identifier: identifier))
            }
            return certificates
        }
    }
}
