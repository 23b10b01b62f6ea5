public import MatterCrypto

/// A key that is trusted, or was (Matter core specification 6.2.2).
public struct TrustedKey: Hashable, Sendable {
    /// Whether a key counts.
    public enum State: String, Sendable, CaseIterable {
        /// It counts.
        case trusted
        /// The user trusts it no longer.
        case distrusted
        /// The ledger lists it as revoked.
        case revoked
        /// The ledger had it, and lists it nowhere now.
        case unlisted
    }

    /// Where a key comes from.
    public enum Source: Hashable, Sendable {
        /// It came with this version.
        case builtIn
        /// It is in a ledger.
        case ledger(LedgerNet)
        /// A file that the user added.
        case file(String)
    }

    /// The key, by its subject key identifier.
    public var keyIdentifier: [UInt8]
    /// The name in the certificate.
    public var subject: AttestationName
    /// Whether it signs certification declarations, and not attestation certificates.
    public var isSigner: Bool
    /// Where it comes from.
    public var source: Source
    /// Whether it counts.
    public var state: State
    /// When it was first seen, or withdrawn, in seconds since 1970.
    public var date: Int64
    /// When it is valid; `nil` if that is not known.
    public var validity: AttestationValidity?
    /// `nil` if only facts are known.
    public var der: [UInt8]?

    /// The id of the only vendor that it may vouch for; `nil` for any.
    public var vendorID: UInt16? { (try? VendorAndProduct(subject: subject))?.vendorID?.rawValue }
}

/// All keys of the state directory and of the program.
public struct TrustCatalogue: Sendable {
    /// All keys, each once.
    public private(set) var keys: [TrustedKey] = []
    /// When the ledger was last asked, in seconds since 1970.
    public let date: Int64
    /// When the stored set was brought, in seconds since 1970, if that was before this program was made, so that it adds nothing.
    public let outdated: Int64?

    /// Everything that the two ledgers and the user trust.
    public init(main: TrustSet?, test: TrustSet?, own: OwnTrust) {
        date = max(main?.date ?? 0, ProductionAuthorities.date)
        outdated = (main?.date).flatMap { $0 < ProductionAuthorities.date ? $0 : nil }
        if let main { add(main) }
        addBuiltIn(main)
        if outdated != nil { withdrawOutdated() }
        if let test { add(test) }
        for entry in own.added {
            add(entry.der, entry.keyIdentifier, isSigner: entry.isSigner, .file(entry.file), date: entry.date)
        }
        for index in keys.indices where own.distrusted.contains(keys[index].keyIdentifier) {
            keys[index].state = .distrusted
        }
    }

    private mutating func add(_ set: TrustSet) {
        for entry in set.authorities {
            add(entry.der, entry.keyIdentifier, isSigner: false, .ledger(set.net), date: entry.firstSeen)
        }
        for entry in set.signers where !isKnownSigner(entry.keyIdentifier) {
            add(entry.der, entry.keyIdentifier, isSigner: true, .ledger(set.net), date: entry.firstSeen)
        }
        for withdrawal in set.withdrawn {
            guard let subject = try? AttestationName(der: withdrawal.identifier.subject) else { continue }
            keys.append(
                TrustedKey(
                    keyIdentifier: withdrawal.identifier.keyIdentifier, subject: subject, isSigner: false,
                    source: .ledger(set.net), state: withdrawal.isRevoked ? .revoked : .unlisted,
                    date: withdrawal.date))
        }
    }

    private func isKnownSigner(_ keyIdentifier: [UInt8]) -> Bool {
        WellKnownKeys.declarationSigners.contains { $0.keyIdentifier == keyIdentifier }
    }

    private mutating func add(
        _ der: [UInt8], _ keyIdentifier: [UInt8], isSigner: Bool, _ source: TrustedKey.Source, date: Int64
    ) {
        guard let certificate = try? AttestationCertificate(der: der) else { return }
        keys.append(
            TrustedKey(
                keyIdentifier: keyIdentifier, subject: certificate.subject, isSigner: isSigner, source: source,
                state: .trusted, date: date, validity: certificate.validity, der: der))
    }

    /// Entries that an older set has beyond the table of this program have been taken back since.
    private mutating func withdrawOutdated() {
        let builtIn = keys.filter { $0.source == .builtIn }
        let listed = ProductionAuthorities.all
        for index in keys.indices where keys[index].source == .ledger(.main) && keys[index].state == .trusted {
            let key = keys[index]
            let isListed =
                key.isSigner
                ? builtIn.contains { $0.isSigner && $0.keyIdentifier == key.keyIdentifier }
                : listed.contains { $0.keyIdentifier == key.keyIdentifier && $0.subject == key.subject }
            guard !isListed else { continue }
            keys[index].state = .unlisted
            keys[index].date = ProductionAuthorities.date
        }
    }

    private mutating func addBuiltIn(_ main: TrustSet?) {
        let isOlder = (main?.date ?? 0) < ProductionAuthorities.date
        for anchor in ProductionAuthorities.all {
            let isListed = keys.contains {
                $0.keyIdentifier == anchor.keyIdentifier && $0.subject == anchor.subject
                    && ($0.state == .trusted || !isOlder)
            }
            guard !isListed else { continue }
            keys.append(
                TrustedKey(
                    keyIdentifier: anchor.keyIdentifier, subject: anchor.subject, isSigner: false, source: .builtIn,
                    state: .trusted, date: ProductionAuthorities.date, validity: anchor.validity))
        }
        keys += WellKnownKeys.declarationSigners.map { signer in
            TrustedKey(
                keyIdentifier: signer.keyIdentifier, subject: signer.subject, isSigner: true, source: .builtIn,
                state: .trusted, date: ProductionAuthorities.date)
        }
    }

    /// The keys with this key identifier or, if there is none, those with a subject that contains the text.
    ///
    /// - Throws: ``LedgerError`` with `unknown`.
    public func keys(named text: String) throws(LedgerError) -> [TrustedKey] {
        let identifier = KeyIdentifierText.decode(text)
        let exact = keys.filter { $0.keyIdentifier == identifier }
        if !exact.isEmpty { return exact }
        let folded = text.lowercased()
        let found = keys.filter { !folded.isEmpty && $0.subject.description.lowercased().contains(folded) }
        guard !found.isEmpty else {
            throw LedgerError(
                .unknown, "no trusted key has the key id or subject '\(text)'", hint: .step("trust.see"))
        }
        return found
    }
}
