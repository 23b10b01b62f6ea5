import JSON
import MatterBase
import MatterTestKit

@testable import MatterCrypto
@testable import MatterLedger

/// An authority, an intermediate and a device of our own making, and who signs the lists of what they revoke.
struct RevocationScene {
    static let now: Int64 = 1_795_305_600
    static let vendorID: UInt16 = 0x1234
    static let url = "http://crl.example/a.crl"
    private static let validity = CertificateValidity.unlimited(from: 700_000_000)

    let paa: AttestationAuthority
    let pai: AttestationAuthority
    let dac: AttestationCertificate

    init(paaVendor: UInt16? = vendorID) throws {
        paa = try .root(
            commonName: "Root", vendorID: paaVendor.map { VendorID($0) }, key: .generate(), validity: Self.validity)
        pai = try paa.intermediate(
            commonName: "Intermediate", vendorID: VendorID(Self.vendorID), key: .generate(), validity: Self.validity)
        dac = try pai.device(
            commonName: "Device", vendorID: VendorID(Self.vendorID), productID: 1,
            publicKey: P256PrivateKey.generate().publicKey,
            validity: Self.validity)
    }

    /// A delegate of an authority that may sign lists and nothing else.
    static func delegate(
        of authority: AttestationAuthority, _ key: P256PrivateKey, isCA: Bool = false, usage: KeyUsage = .crlSign,
        validity: CertificateValidity = validity
    ) throws -> AttestationCertificate {
        var template = try AttestationCertificateTemplate(
            .dac, subject: AttestationName(commonName: "Delegate"), publicKey: key.publicKey,
            issuer: authority.certificate.subject, issuerKey: authority.key.publicKey, validity: validity,
            random: SystemRandom())
        template.extensions = [
            .basicConstraints(BasicConstraints(isCA: isCA)), .keyUsage(usage),
            .subjectKeyIdentifier(key.publicKey.keyIdentifier),
            .authorityKeyIdentifier(authority.key.publicKey.keyIdentifier),
        ]
        return try AttestationCertificate(der: template.signed(with: authority.key))
    }

    func roots(vendorID: UInt16? = vendorID) -> [TrustSet.Certificate] {
        [
            TrustSet.Certificate(
                keyIdentifier: paa.key.publicKey.keyIdentifier, der: paa.certificate.der, vendorID: vendorID,
                firstSeen: Self.now)
        ]
    }

    static func point(
        of issuer: AttestationAuthority, signer: AttestationCertificate? = nil,
        delegator: AttestationCertificate? = nil, isPAA: Bool = false, vendorID: UInt16 = vendorID,
        productID: UInt16 = 0, label: String = "a", url: String = url, more: String = ""
    ) throws -> RevocationPoint {
        let text = LedgerScene.point(
            issuerKey: issuer.key.publicKey.keyIdentifier, signer: (signer ?? issuer.certificate).der,
            delegator: delegator?.der, isPAA: isPAA, vendorID: vendorID, productID: productID, label: label, url: url,
            more: more)
        let point = try RevocationPoint(LedgerFields(JSONValue(parsing: Array(text.utf8)), "a point"))
        guard let point else { throw LedgerError(.malformed, "the point is of another kind") }
        return point
    }

    /// The list of an authority that signs itself.
    static func list(
        of issuer: AttestationAuthority, _ revoked: [AttestationCertificate] = [],
        _ change: (inout RevocationListTemplate) -> Void = { _ in }
    ) throws -> [UInt8] {
        var list = RevocationListTemplate(
            issuer.certificate.subject, key: issuer.key.publicKey, revoked.map { .init($0) })
        change(&list)
        return try list.signed(with: issuer.key)
    }

    /// Stores points and what is fetched from them.
    ///
    /// - Parameter lists: by URL.
    func store(
        _ points: [RevocationPoint], _ lists: [String: [UInt8]], _ records: TrustRecords, net: LedgerNet = .main,
        now: Int64 = now
    ) async throws -> [RevocationUpdate.Outcome] {
        var set = TrustSet(net: net, origin: "https://ledger.example", date: now)
        set.authorities = roots()
        set.points = points
        try records.save(set)
        return try await RevocationUpdate(set, records: records, now: now) { point in
            guard let list = lists[point.url] else { throw LedgerError(.failing, "there is no list (HTTP 404)") }
            return list
        }.run()
    }

    /// The verdict of the stored lists on the device's chain.
    func judge(_ records: TrustRecords, net: LedgerNet = .main, now: Int64? = now) throws -> RevocationJudgement {
        let stored = try records.stored(net) { _ in }
        return RevocationCheck(sources: stored.map { [StoredRevocation($0, records)] } ?? []).judge(
            dac: dac, pai: pai.certificate, now: now)
    }
}
