/// A file that may hold trusted certificates, already read.
package struct TrustFile: Sendable, Hashable {
    /// The purpose for which the user trusts a file's certificates.
    package enum Purpose: Sendable, Hashable {
        /// Roots of attestation chains; a signer of declarations has to prove itself.
        case authorities
        /// Whatever is in it signs certification declarations.
        case declarationSigners
    }

    /// The file's name in reports.
    package let path: String
    package let contents: [UInt8]
    package let purpose: Purpose
    /// Whether the user added it for good, and not only named its folder.
    package let isOwn: Bool

    // memberwise: package, purpose = .authorities, isOwn = false
}

/// A file, or a certificate of a file, that is not trusted, and why.
package struct UnusableTrustFile: Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path): \(reason)" }
}

/// The keys that attestation ends at: authorities (PAA) by key identifier, and signers of certification
/// declarations (Matter core specification, 6.2.2).
///
/// The signing keys of the Alliance and the authorities of its ledger are always in it, the development keys only if asked
/// for.
public struct TrustStore: Sendable {
    /// More files or keys than any real folder holds.
    package static let maximumCount = 4096
    /// The longest file that is looked into, bytes.
    public static let maximumFileCount = 65_536

    /// True if the development keys are in the store.
    package let allowsTestDevices: Bool
    /// True if the authorities of the ledger are trusted, as of the day of this program.
    let hasBuiltInAuthorities: Bool
    /// The data fetched from the ledger since.
    package let ledgers: [any LedgerTrust]
    /// The key identifiers that the user trusts no longer.
    private let distrusted: Set<[UInt8]>
    /// The other authorities in the order of their addition.
    package private(set) var authorities: [TrustAnchor] = []
    package private(set) var declarationSigners: [DeclarationSigner] = WellKnownKeys.declarationSigners
    /// The files that could not be used.
    package private(set) var unusable: [UnusableTrustFile] = []

    /// - Parameters:
    ///   - allowTestDevices: adds the development authorities and the development declaration key.
    ///   - builtIn: whether the authorities of the ledger are trusted as of the day of this program.
    ///   - files: the files of a folder that the user trusts.
    ///   - ledgers: what was brought from the ledger; of the ledger for tests only if development devices are allowed.
    ///   - distrusted: the key identifiers that the user trusts no longer.
    ///   - unreadable: what could not even be read, for the report.
    package init(
        allowTestDevices: Bool = false, builtIn: Bool = true, files: [TrustFile] = [],
        ledgers: [any LedgerTrust] = [], distrusted: Set<[UInt8]> = [], unreadable: [UnusableTrustFile] = []
    ) {
        allowsTestDevices = allowTestDevices
        hasBuiltInAuthorities = builtIn
        self.ledgers = ledgers.filter { allowTestDevices || !$0.isTest }
        self.distrusted = distrusted
        unusable = unreadable
        if allowTestDevices {
            authorities = WellKnownKeys.developmentAuthorities
            declarationSigners += WellKnownKeys.developmentDeclarationSigners
        }
        for file in files { add(file, origin: file.isOwn ? .own(file: file.path) : .directory(file: file.path)) }
    }

    /// Adds one authority.
    package mutating func add(_ anchor: TrustAnchor) {
        let isKnown = authorities.contains { $0.publicKey == anchor.publicKey && $0.subject == anchor.subject }
        if !isKnown { authorities.append(anchor) }
    }

    /// Adds one signer of declarations.
    package mutating func add(_ signer: DeclarationSigner) {
        let isKnown = declarationSigners.contains {
            $0.publicKey == signer.publicKey && $0.keyIdentifier == signer.keyIdentifier
        }
        if !isKnown { declarationSigners.append(signer) }
    }

    /// Adds every usable certificate of a file; what is not usable goes on the list of ``unusable`` files.
    package mutating func add(_ file: TrustFile, origin: TrustOrigin) {
        let certificates: [[UInt8]]
        do { certificates = try file.certificates() } catch {
            unusable.append(UnusableTrustFile(path: file.path, reason: error.reason))
            return
        }
        for der in certificates {
            do {
                try add(
                    TrustedCertificate(AttestationCertificate(der: der), purpose: file.purpose, origin: origin))
            } catch {
                unusable.append(UnusableTrustFile(path: file.path, reason: error.reason))
            }
        }
    }

    private mutating func add(_ certificate: TrustedCertificate) throws(CredentialsError) {
        guard authorities.count + declarationSigners.count < Self.maximumCount else {
            throw CredentialsError(.tooLarge, "there are more than \(Self.maximumCount) trusted keys")
        }
        switch certificate {
        case .authority(let anchor): add(anchor)
        case .declarationSigner(let signer): add(signer)
        }
    }

    /// The authorities with a key identifier: usually one, but names and keys may share it.
    package func authorities(keyIdentifier: [UInt8]) -> [TrustAnchor] {
        guard !distrusted.contains(keyIdentifier) else { return [] }
        let builtIn = hasBuiltInAuthorities ? ProductionAuthorities.anchors(keyIdentifier: keyIdentifier) : []
        let newer = ledgers.filter { $0.date > ProductionAuthorities.date }
        let found =
            current.flatMap { $0.authorities(keyIdentifier: keyIdentifier) }
            + builtIn.filter { anchor in
                !newer.contains {
                    !$0.isTest && $0.withdrawal(keyIdentifier: keyIdentifier, subject: anchor.subject) != nil
                }
            }
            + authorities.filter { $0.keyIdentifier == keyIdentifier }
        var known: [TrustAnchor] = []
        for anchor in found
        where !known.contains(where: { $0.publicKey == anchor.publicKey && $0.subject == anchor.subject }) {
            known.append(anchor)
        }
        return known
    }

    /// The ledgers that count. What was brought before this program was made adds nothing: its table is of the same ledger
    /// at a later time, and lacks what was taken back in between.
    private var current: [any LedgerTrust] { ledgers.filter { !isOutdated($0) } }

    private func isOutdated(_ ledger: any LedgerTrust) -> Bool {
        hasBuiltInAuthorities && !ledger.isTest && ledger.date < ProductionAuthorities.date
    }

    /// Why there is no authority with a key identifier and a name.
    package func missing(keyIdentifier: [UInt8], subject: AttestationName) -> MissingAuthority {
        if isDistrusted(keyIdentifier) { return .distrusted }
        let withdrawals = ledgers.compactMap { $0.withdrawal(keyIdentifier: keyIdentifier, subject: subject) }
        let revoked = withdrawals.filter(\.isRevoked)
        if let first = (revoked.isEmpty ? withdrawals : revoked).min(by: { $0.date < $1.date }) {
            return .withdrawn(first)
        }
        let wasListed = ledgers.contains { ledger in
            isOutdated(ledger)
                && ledger.authorities(keyIdentifier: keyIdentifier).contains { $0.subject == subject }
        }
        return wasListed
            ? .withdrawn(AuthorityWithdrawal(isRevoked: false, date: ProductionAuthorities.date)) : .unknown
    }

    /// Whether the user trusts a key no longer.
    func isDistrusted(_ keyIdentifier: [UInt8]) -> Bool { distrusted.contains(keyIdentifier) }

    /// The declaration signers with a key identifier.
    package func declarationSigners(keyIdentifier: [UInt8]) -> [DeclarationSigner] {
        guard !distrusted.contains(keyIdentifier) else { return [] }
        let known = declarationSigners.filter { $0.keyIdentifier == keyIdentifier }
        return known.isEmpty ? current.flatMap { $0.declarationSigners(keyIdentifier: keyIdentifier) } : known
    }

    /// When the ledger was last asked, in seconds since 1970.
    package var date: Int64 {
        ledgers.filter { !$0.isTest }.map(\.date).reduce(hasBuiltInAuthorities ? ProductionAuthorities.date : 0, max)
    }

    /// When the source of a trusted key was last brought up to date, in seconds since 1970; of the newest source if there is
    /// no key.
    ///
    /// - Returns: `nil` for a key that does not come from the ledger.
    package func date(of origin: TrustOrigin?) -> Int64? {
        switch origin {
        case nil, .ledger: date
        case .snapshot: ProductionAuthorities.date
        case .testLedger, .builtIn, .development, .directory, .own: nil
        }
    }

    /// Where the keys came from, a line for each source.
    package var sources: [String] {
        func counts(_ origin: (TrustOrigin) -> Bool) -> (sum: Int, signers: Int, text: String) {
            let authorities = authorities.count { origin($0.origin) }
            let signers = declarationSigners.count { origin($0.origin) }
            return (authorities + signers, signers, "authorities \(authorities), declaration keys \(signers)")
        }
        let own = counts { if case .own = $0 { true } else { false } }
        let files = counts { if case .directory = $0 { true } else { false } }
        var lines = ledgers.map {
            "\($0.isTest ? "test " : "")ledger: authorities \($0.count) as of \($0.day)"
                + (isOutdated($0) ? ", which is older than this program: only those that are built in count" : "")
        }
        lines += [
            "built in: authorities \(hasBuiltInAuthorities ? ProductionAuthorities.count : 0) as of "
                + "\(ProductionAuthorities.day), declaration keys \(counts { $0 == .builtIn }.signers)",
            "development keys: " + (allowsTestDevices ? "allowed" : "not allowed"),
        ]
        if own.sum > 0 { lines.append("added: \(own.text)") }
        if files.sum + unusable.count > 0 {
            lines.append("named folder: \(files.text), unusable files \(unusable.count)")
        }
        return lines
    }
}
