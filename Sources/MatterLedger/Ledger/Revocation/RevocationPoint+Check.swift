import FoundationEssentials
import MatterCrypto

extension RevocationPoint {
    /// How much a clock may differ from that of a list's signer, seconds.
    private static let clockTolerance: Int64 = 86_400
    /// The number of SHA-256 among the hashes of the named-information registry.
    private static let sha256Number = 1

    /// Checks a list that was fetched from this point (Matter core specification, 6.2.4; RFC 5280, 6.3).
    ///
    /// - Parameters:
    ///   - data: DER or PEM.
    ///   - roots: the authorities of the ledger; the signer must be one, or certified by way of one.
    ///   - isShared: whether the issuer has several points, so that the list must say which it is for.
    ///   - now: seconds since 1970.
    /// - Returns: the part of the list that is about this point's issuer.
    package func list(
        _ data: [UInt8], roots: [TrustSet.Certificate], isShared: Bool, now: Int64
    ) throws(RevocationFault) -> StoredList.Contents {
        try checkIntegrity(data)
        // The clock of a machine that has just started may be years behind.
        let time = now >= ProductionAuthorities.date ? now : nil
        let (signer, issuer) = try signatory(roots, now: time)
        let list = try Self.explain { () throws(CredentialsError) in
            try CertificateRevocationList(der: try Self.der(data))
        }
        guard list.issuer == signer.subject, list.authorityKeyIdentifier == signer.subjectKeyIdentifier else {
            throw RevocationFault("another signs the list than its point says")
        }
        guard list.isSigned(by: signer.publicKey) else { throw RevocationFault("the signature of the list is wrong") }
        if let time, list.thisUpdate > time + Self.clockTolerance {
            throw RevocationFault("the list is of the future (\(X509Time.text(list.thisUpdate)))")
        }
        try checkScope(list.scope, isShared: isShared)
        return StoredList.Contents(list, issuer: issuer, now: now)
    }

    private func checkIntegrity(_ data: [UInt8]) throws(RevocationFault) {
        if let size, size != UInt64(data.count) {
            throw RevocationFault("the list has \(data.count) bytes, its point says \(size)")
        }
        guard let digest else { return }
        guard digestType == Self.sha256Number else {
            throw RevocationFault("the digest of the list is of an unknown kind")
        }
        guard Data(base64Encoded: digest).map({ Array($0) }) == SHA256.hash(data) else {
            throw RevocationFault("the list has another digest than its point says")
        }
    }

    private func checkScope(
        _ scope: CertificateRevocationList.Scope?, isShared: Bool
    ) throws(RevocationFault) {
        guard !isShared || scope?.urls == [url] else {
            throw RevocationFault("the issuer has several lists, and this one does not say that it is for this point")
        }
        guard let scope else { return }
        guard !(isPAA ? scope.isForDevicesOnly : scope.isForAuthoritiesOnly) else {
            throw RevocationFault("the list is not about certificates of this kind")
        }
    }

    // MARK: Who signs, and for whom

    /// Whether the signer that the point names may sign for its issuer. Any vendor can put a point with the key identifier
    /// of another one's issuer into the ledger.
    func isFounded(_ roots: [TrustSet.Certificate]) -> Bool { (try? signatory(roots, now: nil)) != nil }

    /// The signer's certificate, and that of the authority for which it signs; one of them for both.
    private func signatory(
        _ roots: [TrustSet.Certificate], now: Int64?
    ) throws(RevocationFault) -> (signer: AttestationCertificate, issuer: AttestationCertificate) {
        let signer = try Self.certificate(self.signer)
        let upper = try delegator.map { pem throws(RevocationFault) in try Self.certificate(pem) } ?? signer
        let (root, entry) = try Self.root(above: upper, roots)
        let issuer: AttestationCertificate
        if isPAA {
            guard delegator == nil || upper == root else { throw RevocationFault("the delegator is not the authority") }
            issuer = root
        } else {
            try Self.explain { () throws(CredentialsError) in try upper.checkProfile(as: .pai) }
            issuer = upper
        }
        guard issuer.subjectKeyIdentifier == issuerKeyIdentifier else {
            throw RevocationFault("the authority of the list has another key than its point says")
        }
        try checkIdentifiers(issuer, entry)
        if signer != issuer { try Self.checkDelegate(signer, of: issuer, now: now) }
        try Self.explain { () throws(CredentialsError) in try signer.checkCriticalExtensions() }
        return (signer, issuer)
    }

    private func checkIdentifiers(
        _ issuer: AttestationCertificate, _ root: TrustSet.Certificate
    ) throws(RevocationFault) {
        let names = try Self.explain { () throws(CredentialsError) in try VendorAndProduct(subject: issuer.subject) }
        let vendor = names.vendorID?.rawValue ?? (isPAA ? root.vendorID ?? vendorID : nil)
        guard vendor == vendorID, names.productID == nil || names.productID == productID else {
            throw RevocationFault("the authority of the list is of another vendor or product than its point says")
        }
    }

    /// The trusted root that a certificate is, or that issued it.
    private static func root(
        above certificate: AttestationCertificate, _ roots: [TrustSet.Certificate]
    ) throws(RevocationFault) -> (AttestationCertificate, TrustSet.Certificate) {
        for entry in roots
        where entry.keyIdentifier == certificate.authorityKeyIdentifier
            || entry.keyIdentifier == certificate.subjectKeyIdentifier
        {
            guard let root = entry.certificate else { continue }
            if root == certificate { return (root, entry) }
            if certificate.issuer == root.subject, certificate.authorityKeyIdentifier == root.subjectKeyIdentifier,
                certificate.isSigned(by: root.publicKey)
            {
                return (root, entry)
            }
        }
        throw RevocationFault("no authority of the ledger has certified the signer of the list")
    }

    private static func checkDelegate(
        _ signer: AttestationCertificate, of issuer: AttestationCertificate, now: Int64?
    ) throws(RevocationFault) {
        guard signer.issuer == issuer.subject, signer.authorityKeyIdentifier == issuer.subjectKeyIdentifier,
            signer.isSigned(by: issuer.publicKey)
        else { throw RevocationFault("the authority did not certify the signer of the list") }
        guard signer.basicConstraints?.isCA == false, signer.keyUsage?.contains(.crlSign) == true else {
            throw RevocationFault("the certificate of the signer does not allow it to sign lists")
        }
        if let now, !signer.validity.contains(now) {
            throw RevocationFault("the certificate of the signer is not valid now (\(signer.validity))")
        }
    }

    // MARK: Decoding

    private static func certificate(_ pem: String) throws(RevocationFault) -> AttestationCertificate {
        try explain { () throws(CredentialsError) in
            let blocks = try PEM.decode(pem)
            guard let block = blocks.first, blocks.count == 1, block.label == PEM.certificate else {
                throw CredentialsError(.malformed, "the point does not have exactly one certificate of the signer")
            }
            return try AttestationCertificate(der: block.contents)
        }
    }

    private static func der(_ data: [UInt8]) throws(CredentialsError) -> [UInt8] {
        // The identifier of a SEQUENCE.
        if data.first == 0x30 { return data }
        let blocks = try PEM.decode(String(decoding: data, as: UTF8.self))
        guard let block = blocks.first, block.label == CertificateRevocationList.pemLabel else {
            throw CredentialsError(.malformed, "the file is not a revocation list: neither DER nor PEM")
        }
        return block.contents
    }

    @discardableResult
    private static func explain<Value>(
        _ body: () throws(CredentialsError) -> Value
    ) throws(RevocationFault) -> Value {
        do { return try body() } catch { throw RevocationFault(error.reason) }
    }
}
