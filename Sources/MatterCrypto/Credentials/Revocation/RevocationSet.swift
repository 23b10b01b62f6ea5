import FoundationEssentials
import JSON

/// The serial numbers of attestation certificates that their issuers took back (Matter core specification, 6.2.4), in
/// the JSON form that the ledger's tools write.
package struct RevocationSet: RevocationSource {
    /// The longest JSON text, bytes.
    package static let maximumCount = 16 << 20

    /// The certificates that one issuer took back.
    struct Entry: Sendable, Hashable {
        /// The DER name of the issuer.
        let issuer: [UInt8]
        /// The issuer's key.
        let keyIdentifier: [UInt8]
        /// Without leading zeros.
        let serialNumbers: Set<[UInt8]>
        /// The certificate of the list's signer.
        let signer: [UInt8]

        /// True if the signer is the issuer.
        var isVerifiable: Bool {
            guard let certificate = try? AttestationCertificate(der: signer) else { return false }
            return certificate.subject.der == issuer && certificate.subjectKeyIdentifier == keyIdentifier
        }
    }

    private let entries: [[UInt8]: [Entry]]
    private let list: RevocationList

    /// How many issuers' lists the set holds.
    package var count: Int { entries.values.reduce(0) { $0 + $1.count } }

    /// Decodes the JSON form; entries of other types than `revocation_set` are passed over.
    /// - Parameter origin: the file that it came from.
    /// - Throws: `attestation.malformed-revocation-set`.
    package init(json: [UInt8], origin: String = "revocation set") throws(AttestationError) {
        guard json.count <= Self.maximumCount else {
            throw Self.malformed("it has \(json.count) bytes, at most \(Self.maximumCount) allowed")
        }
        let records: [Record]
        do { records = try JSONDecoder().decode([Record].self, from: Data(json)) } catch {
            throw Self.malformed("it is not a JSON array of typed entries")
        }
        var entries: [[UInt8]: [Entry]] = [:]
        for (index, record) in records.enumerated() where record.type == "revocation_set" {
            let entry = try Self.entry(record, index)
            entries[entry.issuer, default: []].append(entry)
        }
        self.entries = entries
        list = RevocationList(origin: origin)
    }

    /// Reads a file.
    /// - Throws: ``AttestationError``: `attestation.unreadable-trust`, or what is wrong with its contents.
    package init(file: String) throws(AttestationError) {
        if let fault = TrustDirectory.fault(of: file, largest: Self.maximumCount) {
            throw AttestationError(.unreadableTrust, "\(file): \(fault)")
        }
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw AttestationError(.unreadableTrust, "\(file): the file cannot be read")
        }
        try self.init(json: Array(contents), origin: file)
    }

    /// An entry only counts if its signer is the issuer. The form has no dates.
    package func status(of certificate: AttestationCertificate, now: Int64?) -> RevocationStatus {
        let serialNumber = certificate.serialNumberDigits
        let entries = (entries[certificate.issuer.der] ?? []).filter {
            $0.keyIdentifier == certificate.authorityKeyIdentifier
        }
        guard !entries.isEmpty else { return .notKnown("no list of its issuer is at hand", nil) }
        let listing = entries.filter { $0.serialNumbers.contains(serialNumber) }
        if listing.contains(where: \.isVerifiable) { return .revoked(since: nil, list) }
        guard listing.isEmpty else { return .notKnown("it is listed by a signer that may not revoke it", list) }
        return entries.contains(where: \.isVerifiable)
            ? .good(list) : .notKnown("the list of its issuer has a signer that may not revoke it", list)
    }

    private static func entry(_ record: Record, _ index: Int) throws(AttestationError) -> Entry {
        guard let issuer = record.issuerName.flatMap({ Data(base64Encoded: $0) }) else {
            throw malformed("entry \(index) has no issuer name in base64")
        }
        guard let signer = (record.delegator ?? record.signer).flatMap({ Data(base64Encoded: $0) }) else {
            throw malformed("entry \(index) has no signer certificate in base64")
        }
        guard let keyIdentifier = record.keyIdentifier.flatMap({ try? Hex.decode($0) }),
            keyIdentifier.count == CertificateExtension.keyIdentifierCount
        else { throw malformed("entry \(index) has no key identifier of 20 bytes in hexadecimal") }
        guard let listed = record.serialNumbers else { throw malformed("entry \(index) lists no serial numbers") }
        var serialNumbers: Set<[UInt8]> = []
        for text in listed {
            guard let octets = try? Hex.decode(text), !octets.isEmpty else {
                throw malformed("entry \(index) has a serial number that is not hexadecimal")
            }
            serialNumbers.insert(octets.count > 1 && octets.first == 0 ? Array(octets.dropFirst()) : octets)
        }
        return Entry(
            issuer: Array(issuer), keyIdentifier: keyIdentifier, serialNumbers: serialNumbers, signer: Array(signer))
    }

    private static func malformed(_ fault: String) -> AttestationError {
        AttestationError(.malformedRevocationSet, "the revocation set is malformed: \(fault)")
    }

    private struct Record: Decodable {
        let type: String
        let keyIdentifier: String?
        let issuerName: String?
        let serialNumbers: [String]?
        let signer: String?
        let delegator: String?

        enum CodingKeys: String, CodingKey {
            case type
            case keyIdentifier = "issuer_subject_key_id"
            case issuerName = "issuer_name"
            case serialNumbers = "revoked_serial_numbers"
            case signer = "crl_signer_cert"
            case delegator = "crl_signer_delegator"
        }
    }
}
