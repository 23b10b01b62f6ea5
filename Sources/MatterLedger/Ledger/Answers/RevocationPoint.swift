package import JSON

/// Where an authority publishes its list of revoked certificates (Matter core specification, "Distributed Compliance Ledger").
public struct RevocationPoint: Hashable, Sendable {
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16
    package var productID: UInt16?
    /// With vendor and issuer the key of the entry: an issuer may publish its list in parts.
    public var label: String
    /// The key of the authority whose certificates are revoked.
    public var issuerKeyIdentifier: [UInt8]
    /// Whether the list is that of a root, so that it revokes intermediates.
    package var isPAA: Bool
    /// Who signs the list, PEM.
    package var signer: String
    /// The intermediate that lets another sign, PEM.
    package var delegator: String?
    /// Where the list is.
    public var url: String
    /// Of the list, bytes; the ledger wants none for a list that is signed.
    package var size: UInt64?
    /// Of the list, base64, and how it was made.
    package var digest: String?
    var digestType: Int?

    /// The only kind of list that there is: RFC 5280.
    private static let listType = 1

    /// - Returns: `nil` for a list of another kind.
    package init?(_ fields: LedgerFields) throws(LedgerError) {
        guard try fields.number("revocationType", as: Int.self) == Self.listType else { return nil }
        vendorID = try fields.number("vid")
        productID = try fields.positive("pid")
        label = try fields.text("label") ?? ""
        issuerKeyIdentifier = try fields.keyIdentifier("issuerSubjectKeyID")
        isPAA = try fields.flag("isPAA")
        signer = try fields.string("crlSignerCertificate")
        delegator = try fields.text("crlSignerDelegator")
        url = try fields.nonEmptyString("dataURL")
        size = try fields.positive("dataFileSize")
        digest = try fields.text("dataDigest")
        digestType = try fields.positive("dataDigestType")
    }

    /// As the ledger has it.
    package var json: JSONObject {
        var object: JSONObject = [
            "vid": .int(Int64(vendorID)), "label": .string(label),
            "issuerSubjectKeyID": .string(KeyIdentifierText.plain(issuerKeyIdentifier)), "isPAA": .bool(isPAA),
            "crlSignerCertificate": .string(signer), "dataURL": .string(url),
            "revocationType": .int(Int64(Self.listType)),
        ]
        object["pid"] = productID.map { .int(Int64($0)) }
        object["crlSignerDelegator"] = delegator.map { .string($0) }
        object["dataFileSize"] = size.map { .uint($0) }
        object["dataDigest"] = digest.map { .string($0) }
        object["dataDigestType"] = digestType.map { .int(Int64($0)) }
        return object
    }
}

/// All points of a ledger.
struct RevocationPoints: Sendable {
    /// Those of the only kind that there is.
    var points: [RevocationPoint] = []
    /// The faults of entries that cannot be read; anybody with a vendor id may make one.
    var faults: [String] = []
}

extension LedgerQuery where Answer == RevocationPoints {
    static var revocationPoints: LedgerQuery {
        LedgerQuery(
            "/dcl/pki/revocation-points", "PkiRevocationDistributionPoint", isPaged: true,
            about: "the revocation points"
        ) { value, subject throws(LedgerError) in
            var answer = RevocationPoints()
            for value in value.arrayValue ?? [] {
                do throws(LedgerError) {
                    if let point = try RevocationPoint(LedgerFields(value, subject)) { answer.points.append(point) }
                } catch { answer.faults.append(error.reason) }
            }
            return answer
        }
    }
}

extension LedgerQuery where Answer == [RevocationPoint] {
    /// Those of one authority.
    static func revocationPoints(issuerKeyIdentifier: [UInt8]) -> LedgerQuery {
        let digits = KeyIdentifierText.plain(issuerKeyIdentifier)
        return one(
            "/dcl/pki/revocation-points/\(digits)", "pkiRevocationDistributionPointsByIssuerSubjectKeyID",
            about: "the revocation points of \(digits)"
        ) { fields throws(LedgerError) in
            var points: [RevocationPoint] = []
            for entry in try fields.entries("points") {
                if let point = try RevocationPoint(entry) { points.append(point) }
            }
            return points
        }
    }
}
