import FoundationEssentials
package import MatterCrypto

/// A set in a record: a line of JSON for each entry, which begins with its kind and key identifier, so that an entry can
/// be found without reading the others.
enum TrustLine: String {
    case set, authority, signer, withdrawn, point

    /// How the line of an entry begins.
    func start(_ keyIdentifier: [UInt8]) -> [UInt8] {
        Array("{\"\(rawValue)\":\"\(KeyIdentifierText.plain(keyIdentifier))\"".utf8)
    }
}

extension TrustSet {
    package func encoded() -> [UInt8] {
        var lines: [JSONObject] = [
            ["set": .string(net.rawValue), "origin": .string(origin), "date": .int(date)]
        ]
        lines += authorities.map { Self.line(.authority, $0) }
        lines += signers.map { Self.line(.signer, $0) }
        lines += withdrawn.map { withdrawal in
            [
                TrustLine.withdrawn.rawValue: .string(KeyIdentifierText.plain(withdrawal.identifier.keyIdentifier)),
                "subject": .string(Self.base64(withdrawal.identifier.subject)),
                "isRevoked": .bool(withdrawal.isRevoked), "date": .int(withdrawal.date),
            ]
        }
        lines += points.map { point in
            [
                TrustLine.point.rawValue: .string(KeyIdentifierText.plain(point.issuerKeyIdentifier)),
                "entry": .object(point.json),
            ]
        }
        return lines.flatMap { JSONValue.object($0).utf8() + [UInt8(ascii: "\n")] }
    }

    private static func line(_ kind: TrustLine, _ certificate: Certificate) -> JSONObject {
        var line: JSONObject = [
            kind.rawValue: .string(KeyIdentifierText.plain(certificate.keyIdentifier)),
            "firstSeen": .int(certificate.firstSeen), "der": .string(base64(certificate.der)),
        ]
        line["vendorId"] = certificate.vendorID.map { .int(Int64($0)) }
        return line
    }

    private static func base64(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }

    /// - Throws: ``LedgerError`` with `damaged`.
    package init(decoding contents: [UInt8]) throws(LedgerError) {
        do {
            let lines = contents.split(separator: UInt8(ascii: "\n"))
            guard let first = lines.first else { throw Self.damaged }
            let head = try Self.fields(first)
            guard let net = LedgerNet(rawValue: try head.string("set")) else { throw Self.damaged }
            self.init(net: net, origin: try head.string("origin"), date: try head.time("date"))
            for line in lines.dropFirst() { try add(try Self.fields(line)) }
        } catch { throw Self.damaged }
    }

    private mutating func add(_ fields: LedgerFields) throws(LedgerError) {
        switch fields.object.keys.first.flatMap(TrustLine.init(rawValue:)) {
        case .authority?: authorities.append(try Self.certificate(fields, .authority))
        case .signer?: signers.append(try Self.certificate(fields, .signer))
        case .withdrawn?:
            withdrawn.append(
                Withdrawal(
                    LedgerCertificateID(
                        subject: try fields.name("subject"), keyIdentifier: try fields.keyIdentifier("withdrawn")),
                    isRevoked: try fields.flag("isRevoked"), date: try fields.time("date")))
        case .point?:
            if let entry = try fields.optionalObject("entry"), let point = try RevocationPoint(entry) {
                points.append(point)
            }
        case .set?, nil: throw Self.damaged
        }
    }

    private static func certificate(_ fields: LedgerFields, _ kind: TrustLine) throws(LedgerError) -> Certificate {
        Certificate(
            keyIdentifier: try fields.keyIdentifier(kind.rawValue), der: try fields.name("der"),
            vendorID: try fields.positive("vendorId"), firstSeen: try fields.time("firstSeen"))
    }

    private static func fields(_ line: ArraySlice<UInt8>) throws(LedgerError) -> LedgerFields {
        guard let value = try? JSONValue(parsing: Array(line)) else { throw damaged }
        return try LedgerFields(value, "the trust store")
    }

    private static var damaged: LedgerError {
        LedgerError(.damaged, "the stored authorities are damaged", hint: .step("trust.update"))
    }
}

// MARK: - Finding single entries

/// A stored set of which single entries are decoded.
package struct StoredTrust: LedgerTrust {
    package let date: Int64
    package let count: Int
    package let isTest: Bool
    private let lines: [ArraySlice<UInt8>]

    /// - Throws: ``LedgerError`` with `damaged`.
    package init(_ contents: [UInt8]) throws(LedgerError) {
        lines = contents.split(separator: UInt8(ascii: "\n"))
        let head = try TrustSet(decoding: Array(lines.first ?? []))
        date = head.date
        isTest = head.net == .test
        let start = Array("{\"authority\"".utf8)
        count = lines.count { $0.starts(with: start) }
    }

    private func entries(_ kind: TrustLine, _ keyIdentifier: [UInt8]) -> TrustSet? {
        let start = kind.start(keyIdentifier)
        let found = lines.filter { $0.starts(with: start) }
        guard let head = lines.first, !found.isEmpty else { return nil }
        return try? TrustSet(decoding: Array(([head] + found).joined(separator: [UInt8(ascii: "\n")])))
    }

    /// Where an authority publishes its lists of revoked certificates.
    package func points(issuerKeyIdentifier: [UInt8]) -> [RevocationPoint] {
        entries(.point, issuerKeyIdentifier)?.points ?? []
    }

    private var origin: TrustOrigin { isTest ? .testLedger(day: day) : .ledger(day: day) }

    package func authorities(keyIdentifier: [UInt8]) -> [TrustAnchor] {
        (entries(.authority, keyIdentifier)?.authorities ?? []).compactMap { entry in
            entry.certificate.flatMap { TrustAnchor($0, origin: origin) }
        }
    }

    package func declarationSigners(keyIdentifier: [UInt8]) -> [DeclarationSigner] {
        guard !isTest else { return [] }
        return (entries(.signer, keyIdentifier)?.signers ?? []).compactMap { entry in
            entry.certificate.map {
                DeclarationSigner(
                    keyIdentifier: keyIdentifier, publicKey: $0.publicKey, subject: $0.subject, origin: origin)
            }
        }
    }

    package func withdrawal(keyIdentifier: [UInt8], subject: AttestationName) -> AuthorityWithdrawal? {
        let found = (entries(.withdrawn, keyIdentifier)?.withdrawn ?? []).filter {
            $0.identifier.subject == subject.der || (try? AttestationName(der: $0.identifier.subject)) == subject
        }
        return (found.first(where: \.isRevoked) ?? found.first).map {
            AuthorityWithdrawal(isRevoked: $0.isRevoked, date: $0.date)
        }
    }

    /// The vendor that the ledger associates with an authority; `nil` if it has none, or lists several.
    package func vendorID(authority keyIdentifier: [UInt8]) -> UInt16? {
        let vendors = Set((entries(.authority, keyIdentifier)?.authorities ?? []).map(\.vendorID))
        return vendors.count == 1 ? vendors.first ?? nil : nil
    }
}
