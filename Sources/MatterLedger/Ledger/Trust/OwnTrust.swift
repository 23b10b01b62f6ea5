import FoundationEssentials
package import MatterCrypto

/// The user's decisions about trust: certificates of their own, and keys that they trust no longer.
public struct OwnTrust: Equatable, Sendable {
    /// An authority that the user trusts.
    public struct Entry: Hashable, Sendable {
        package var keyIdentifier: [UInt8]
        /// The certificate, in DER.
        public var der: [UInt8]
        /// Whether the user trusts it to sign declarations.
        package var isSigner: Bool
        /// The file that it came from.
        package var file: String
        /// When it was added, in seconds since 1970.
        package var date: Int64

        // memberwise: package
    }

    package var added: [Entry] = []
    package var distrusted: [[UInt8]] = []

    package init() {}

    /// As files for a ``TrustStore``.
    package var files: [TrustFile] {
        added.map {
            TrustFile(
                path: $0.file, contents: $0.der, purpose: $0.isSigner ? .declarationSigners : .authorities, isOwn: true)
        }
    }

    func encoded() -> [UInt8] {
        let entries = added.map { entry in
            JSONValue.object([
                "keyId": .string(KeyIdentifierText.plain(entry.keyIdentifier)), "isSigner": .bool(entry.isSigner),
                "file": .string(entry.file), "date": .int(entry.date),
                "der": .string(Data(entry.der).base64EncodedString()),
            ])
        }
        return JSONValue.object([
            "added": .array(entries),
            "distrusted": .array(distrusted.map { .string(KeyIdentifierText.plain($0)) }),
        ]).utf8()
    }

    init(decoding contents: [UInt8]) throws(LedgerError) {
        guard let value = try? JSONValue(parsing: contents) else {
            throw LedgerError(.damaged, "the record of the user's own authorities is damaged")
        }
        let fields = try LedgerFields(value, "the trust store")
        for entry in try fields.entries("added") {
            added.append(
                Entry(
                    keyIdentifier: try entry.keyIdentifier("keyId"), der: try entry.name("der"),
                    isSigner: try entry.flag("isSigner"), file: try entry.string("file"),
                    date: try entry.time("date")))
        }
        distrusted = try fields.strings("distrusted").compactMap { KeyIdentifierText.decode($0) }
    }
}

extension OwnTrust {
    /// Adds the certificates of a file, PEM or DER, and trusts again what was distrusted.
    ///
    /// - Parameters:
    ///   - asSigners: whether they sign declarations; otherwise a signer has to prove that it is one.
    ///   - now: seconds since 1970.
    /// - Returns: what was added; a certificate that is there already is not added again.
    /// - Throws: ``LedgerError`` with `unusable` if a certificate can be neither; nothing is added then.
    public mutating func add(
        _ contents: [UInt8], file: String, asSigners: Bool, now: Int64
    ) throws(LedgerError) -> [Entry] {
        let certificates: [[UInt8]]
        do { certificates = try TrustFile(path: file, contents: contents).certificates() } catch {
            throw LedgerError(.unusable, "\(file): \(error.reason)")
        }
        var entries: [Entry] = []
        for der in certificates {
            let store = TrustStore(
                builtIn: false,
                files: [
                    TrustFile(path: file, contents: der, purpose: asSigners ? .declarationSigners : .authorities)
                ])
            guard store.unusable.isEmpty, let certificate = try? AttestationCertificate(der: der),
                let keyIdentifier = certificate.subjectKeyIdentifier
            else { throw LedgerError(.unusable, store.unusable.first?.description ?? "\(file) is not usable") }
            entries.append(
                Entry(
                    keyIdentifier: keyIdentifier, der: der, isSigner: store.authorities.isEmpty, file: file,
                    date: now))
        }
        for entry in entries {
            distrusted.removeAll { $0 == entry.keyIdentifier }
            if !added.contains(where: { $0.der == entry.der }) { added.append(entry) }
        }
        return entries
    }

    /// Stops trusting a key, also one that is built in or in the ledger.
    ///
    /// - Parameter isListed: whether the program or a ledger has it too.
    public mutating func remove(_ keyIdentifier: [UInt8], isListed: Bool) {
        added.removeAll { $0.keyIdentifier == keyIdentifier }
        if isListed, !distrusted.contains(keyIdentifier) { distrusted.append(keyIdentifier) }
    }
}
