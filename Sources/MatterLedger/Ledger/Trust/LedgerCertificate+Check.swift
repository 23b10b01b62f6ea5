package import MatterCrypto

extension LedgerCertificateID {
    /// The Alliance's root for certification declarations: it is among the roots of the ledger, and no authority for
    /// devices.
    static let declarationRoot: LedgerCertificateID? = WellKnownKeys.declarationAuthority.map {
        LedgerCertificateID(subject: $0.subject.der, keyIdentifier: $0.keyIdentifier)
    }

    /// Whether it is that root.
    var isDeclarationRoot: Bool { self == Self.declarationRoot }
}

extension LedgerCertificate {
    /// Why a certificate of the ledger is not trusted.
    package struct Fault: Error, Hashable, Sendable {
        package var reason: String
    }

    /// Checks it as an authority (PAA).
    ///
    /// - Parameter now: seconds since 1970; `nil` if the clock is wrong.
    package func authority(now: Int64?) throws(Fault) -> AttestationCertificate {
        let certificate = try decoded()
        guard kind == .deviceAttestation || kind == .unknown else {
            throw Fault(reason: "it is for another purpose than device attestation")
        }
        guard certificate.isSelfIssued, certificate.isSigned(by: certificate.publicKey) else {
            throw Fault(reason: "it is not signed with its own key")
        }
        try Self.explain { () throws(CredentialsError) in
            try certificate.checkProfile(as: .paa)
            try certificate.checkCriticalExtensions()
        }
        let names = try Self.explain { () throws(CredentialsError) in
            try VendorAndProduct(subject: certificate.subject)
        }
        guard names.productID == nil else { throw Fault(reason: "it names a product") }
        if let named = names.vendorID, let vendorID, named.rawValue != vendorID {
            throw Fault(reason: "its subject names another vendor than its entry")
        }
        let validity = certificate.validity
        guard validity.notBefore <= validity.notAfter else { throw Fault(reason: "its validity ends before it begins") }
        // One that has expired still serves devices that were made before.
        if let now, validity.notBefore > now { throw Fault(reason: "it is not valid yet (\(validity))") }
        return certificate
    }

    /// Checks it as a signer of certification declarations: the Alliance's root must have certified it.
    package func declarationSigner() throws(Fault) -> AttestationCertificate {
        let certificate = try decoded()
        guard let root = WellKnownKeys.declarationAuthority, certificate.issuer == root.subject,
            certificate.authorityKeyIdentifier == root.keyIdentifier, certificate.isSigned(by: root.publicKey)
        else { throw Fault(reason: "the Alliance's root for declarations did not certify it") }
        try Self.explain { () throws(CredentialsError) in
            try certificate.checkProfile(as: .pai)
            try certificate.checkCriticalExtensions()
        }
        return certificate
    }

    /// The one certificate in the text, if it is the one that the ledger says it is.
    private func decoded() throws(Fault) -> AttestationCertificate {
        let blocks = try Self.explain { () throws(CredentialsError) in try PEM.decode(pem) }
        guard let block = blocks.first, blocks.count == 1, block.label == PEM.certificate else {
            throw Fault(reason: "its entry holds not exactly one certificate")
        }
        let certificate = try Self.explain { () throws(CredentialsError) in
            try AttestationCertificate(der: block.contents)
        }
        guard certificate.subject.der == identifier.subject else {
            throw Fault(reason: "its subject is another than that of its entry")
        }
        guard certificate.subjectKeyIdentifier == identifier.keyIdentifier else {
            throw Fault(reason: "its key identifier is another than that of its entry")
        }
        return certificate
    }

    @discardableResult
    private static func explain<Value>(_ body: () throws(CredentialsError) -> Value) throws(Fault) -> Value {
        do { return try body() } catch { throw Fault(reason: error.reason) }
    }
}
