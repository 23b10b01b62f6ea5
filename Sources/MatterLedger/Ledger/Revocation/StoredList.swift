package import MatterCrypto

/// A list of revoked certificates that was checked, and what came of the last attempt to fetch it.
///
/// Its record is a line of JSON and, for each revoked certificate of the issuer, a line `SERIAL SECONDS`, so that one can
/// be looked up without reading the others.
public struct StoredList: Equatable, Sendable {
    /// The contents of a list.
    public struct Contents: Equatable, Sendable {
        /// The DER of the issuer's name. The issuer need not be the signer.
        package var issuer: [UInt8]
        package var issuerKey: P256PublicKey
        /// When it was made, in seconds since 1970.
        public var issued: Int64
        /// When the next list is due, in seconds since 1970; `nil` if it does not say.
        public var nextUpdate: Int64?
        /// The contents bytes of an INTEGER that grows with every list.
        package var number: [UInt8]?
        /// When it was fetched, in seconds since 1970.
        public var fetched: Int64
        /// How many certificates it has.
        public var count: Int
        /// `SERIAL SECONDS`, a line for each.
        var lines: ArraySlice<UInt8>

        /// Since when a certificate is revoked, in seconds since 1970; `nil` if it is not.
        ///
        /// - Parameter serialNumber: without leading zeros.
        package func date(of serialNumber: [UInt8]) -> Int64? {
            let start = Array("\(KeyIdentifierText.plain(serialNumber)) ".utf8)
            var rest = lines
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
                if rest.starts(with: start) {
                    return Int64(String(decoding: rest[(rest.startIndex + start.count)..<end], as: UTF8.self))
                }
                rest = rest[end...].dropFirst()
            }
            return nil
        }

        /// Whether this was made before another of the same point.
        func isOlder(than other: Contents) -> Bool {
            guard let number, let theirs = other.number, number != theirs else { return issued < other.issued }
            return (number.count, number.lexicographicallyPrecedes(theirs) ? 0 : 1) < (theirs.count, 1)
        }
    }

    package var point: RevocationPoint.Key
    package var url: String
    /// `nil` until a list came that counts.
    public var contents: Contents?
    /// Why the last attempt failed; `nil` if it did not.
    public var fault: String?
    /// Whether the signer that the point names may not sign for the issuer, so that the point is not the issuer's.
    package var isForeign = false

    package init(_ point: RevocationPoint) {
        self.point = point.key
        url = point.url
    }

    /// The report's contents; `nil` without contents.
    package var list: RevocationList? {
        contents.map {
            RevocationList(origin: url, issued: $0.issued, nextUpdate: $0.nextUpdate, fetched: $0.fetched)
        }
    }
}

extension StoredList.Contents {
    /// - Parameters:
    ///   - issuer: the authority whose certificates are revoked; entries of others are passed over.
    ///   - now: seconds since 1970.
    init(_ list: CertificateRevocationList, issuer: AttestationCertificate, now: Int64) {
        let entries = list.entries.filter { $0.issuer == nil || $0.issuer == issuer.subject }
        self.init(
            issuer: issuer.subject.der, issuerKey: issuer.publicKey, issued: list.thisUpdate,
            nextUpdate: list.nextUpdate, number: list.number, fetched: now, count: entries.count,
            lines: entries.flatMap { Array("\(KeyIdentifierText.plain($0.serialNumber)) \($0.date)\n".utf8) }[...])
    }
}

extension StoredList {
    package var encoded: [UInt8] {
        var head: JSONObject = [
            "issuer": .string(KeyIdentifierText.plain(point.issuerKeyIdentifier)), "vid": .int(Int64(point.vendorID)),
            "label": .string(point.label), "url": .string(url),
        ]
        head["fault"] = fault.map { .string($0) }
        if isForeign { head["isForeign"] = .bool(true) }
        if let contents {
            var list: JSONObject = [
                "issuer": .string(Hex.encode(contents.issuer)),
                "issuerKey": .string(Hex.encode(contents.issuerKey.x963)),
                "issued": .int(contents.issued), "fetched": .int(contents.fetched),
                "count": .int(Int64(contents.count)),
            ]
            list["nextUpdate"] = contents.nextUpdate.map { .int($0) }
            list["number"] = contents.number.map { .string(Hex.encode($0)) }
            head["list"] = .object(list)
        }
        return JSONValue.object(head).utf8() + [UInt8(ascii: "\n")] + (contents?.lines ?? [])
    }

    /// - Throws: ``LedgerError`` with `damaged`.
    init(_ record: [UInt8]) throws(LedgerError) {
        let end = record.firstIndex(of: UInt8(ascii: "\n")) ?? record.endIndex
        do {
            guard let value = try? JSONValue(parsing: Array(record[..<end])) else { throw Self.damaged }
            let fields = try LedgerFields(value, "a list")
            point = RevocationPoint.Key(
                issuerKeyIdentifier: try fields.keyIdentifier("issuer"), vendorID: try fields.number("vid"),
                label: try fields.text("label") ?? "")
            url = try fields.string("url")
            fault = try fields.text("fault")
            isForeign = fields.object["isForeign"] == .bool(true)
            contents = try fields.optionalObject("list").map { list throws(LedgerError) in
                guard let key = try? P256PublicKey(x963: try list.keyIdentifier("issuerKey")) else {
                    throw Self.damaged
                }
                return Contents(
                    issuer: try list.keyIdentifier("issuer"), issuerKey: key, issued: try list.time("issued"),
                    nextUpdate: try list.optionalTime("nextUpdate"),
                    number: try list.text("number").map { text in (try? Hex.decode(text)) ?? [] },
                    fetched: try list.time("fetched"), count: try list.integer("count"),
                    lines: record[end...].dropFirst())
            }
        } catch { throw Self.damaged }
    }

    private static var damaged: LedgerError {
        LedgerError(.damaged, "a stored list of revoked certificates is damaged", hint: .step("trust.update"))
    }
}
