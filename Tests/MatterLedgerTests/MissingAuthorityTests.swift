import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterState

/// Why the authority of a device is not trusted, with the sets of a state directory.
@Suite("Missing authority") struct MissingAuthorityTests {
    private static let day: Int64 = 86_400
    private static let table = ProductionAuthorities.date

    private let scene: RevocationScene

    init() throws { scene = try RevocationScene() }

    private var key: [UInt8] { scene.paa.key.publicKey.keyIdentifier }
    private var name: AttestationName { scene.paa.certificate.subject }

    /// A stored set of the ledger with the authority of the scene.
    private func set(_ date: Int64, _ change: (inout TrustSet) -> Void = { _ in }) throws -> StoredTrust {
        var set = TrustSet(net: .main, origin: "https://ledger.example", date: date)
        set.authorities = scene.roots()
        change(&set)
        return try StoredTrust(set.encoded())
    }

    private func withdrawing(_ date: Int64, isRevoked: Bool, since: Int64) throws -> StoredTrust {
        try set(date) {
            $0.authorities = []
            $0.withdrawn = [
                TrustSet.Withdrawal(
                    LedgerCertificateID(subject: name.der, keyIdentifier: key), isRevoked: isRevoked, date: since)
            ]
        }
    }

    /// The judgement of the scene's certificates.
    private func report(_ trust: TrustStore) -> AttestationReport {
        var evidence = AttestationEvidence(
            dac: scene.dac.der, pai: scene.pai.certificate.der,
            response: AttestationResponse(elements: [], signature: []), nonce: [], attestationChallenge: [],
            vendorID: nil, productID: nil)
        evidence.source = .certificates
        return AttestationVerifier(trust: trust).verify(evidence, at: .now(838_857_600))
    }

    @Test("what a set that is older than the program has beyond its table is withdrawn, and the sources say why")
    func outdated() throws {
        let older = TrustStore(ledgers: [try set(Self.table - Self.day)])
        #expect(older.authorities(keyIdentifier: key).isEmpty)
        #expect(
            older.missing(keyIdentifier: key, subject: name)
                == .withdrawn(AuthorityWithdrawal(isRevoked: false, date: Self.table)))
        #expect(older.sources.first?.hasSuffix("only those that are built in count") == true, "\(older.sources)")
        let judged = report(older)
        #expect(judged.verdict == .withdrawn && judged.result == .authorityWithdrawn)
        #expect(judged.facts.first?.text.hasPrefix("withdrawn since 2026-07-15") == true, "\(judged.lines)")
        for date in [Self.table, Self.table + Self.day] {
            let newer = TrustStore(ledgers: [try set(date)])
            #expect(newer.authorities(keyIdentifier: key).count == 1)
            #expect(newer.sources.first?.contains("built in") == false)
        }
        // A program without a table has nothing to compare with.
        #expect(TrustStore(builtIn: false, ledgers: [try set(1)]).authorities(keyIdentifier: key).count == 1)
    }

    @Test("a declaration signer of an older set counts no more either")
    func outdatedSigner() throws {
        func store(_ date: Int64) throws -> TrustStore {
            TrustStore(ledgers: [
                try set(date) {
                    $0.signers = [
                        TrustSet.Certificate(keyIdentifier: key, der: scene.paa.certificate.der, firstSeen: 1)
                    ]
                }
            ])
        }
        #expect(try store(Self.table - 1).declarationSigners(keyIdentifier: key).isEmpty)
        #expect(try store(Self.table).declarationSigners(keyIdentifier: key).count == 1)
    }

    @Test("the age of a verdict is that of the source in which its authority was found")
    func age() throws {
        let store = TrustStore(ledgers: [try set(Self.table + 9 * Self.day)])
        #expect(store.date(of: .snapshot(day: ProductionAuthorities.day)) == Self.table)
        #expect(store.date(of: .ledger(day: "")) == Self.table + 9 * Self.day)
        #expect(store.date(of: nil) == Self.table + 9 * Self.day)
        #expect(store.date(of: .own(file: "f")) == nil)
        #expect(TrustStore(ledgers: [try set(1)]).date(of: nil) == Self.table)
    }

    @Test("an authority that the user distrusts, one that the ledger withdrew and one that is unknown are told apart")
    func verdicts() throws {
        let new = Self.table + Self.day
        let cases: [(TrustStore, AttestationVerdict, AttestationResult)] = [
            (TrustStore(), .untrusted, .paaNotFound),
            (TrustStore(ledgers: [try set(new)], distrusted: [key]), .distrusted, .authorityDistrusted),
            (
                TrustStore(ledgers: [try withdrawing(new, isRevoked: false, since: new)]), .withdrawn,
                .authorityWithdrawn
            ),
            (TrustStore(ledgers: [try withdrawing(new, isRevoked: true, since: new)]), .withdrawn, .paaRevoked),
            (
                TrustStore(ledgers: [try withdrawing(new, isRevoked: true, since: new)], distrusted: [key]),
                .distrusted, .authorityDistrusted
            ),
        ]
        for (trust, verdict, result) in cases {
            let judged = report(trust)
            #expect(judged.verdict == verdict && judged.result == result, "\(judged.lines)")
            #expect(judged.lacksOnlyAuthority == (verdict == .untrusted))
            #expect(judged.verdict.isRefusal)
        }
        // A file of the user's own answers the question.
        let own = TrustStore(
            files: [TrustFile(path: "f", contents: scene.paa.certificate.der, isOwn: true)],
            ledgers: [try withdrawing(new, isRevoked: false, since: new)])
        #expect(report(own).result == nil)
    }

    @Test("the list of keys shows what an older set adds as unlisted, and its date")
    func catalogue() throws {
        var set = TrustSet(net: .main, origin: "", date: Self.table - Self.day)
        set.authorities = scene.roots()
        let catalogue = TrustCatalogue(main: set, test: nil, own: OwnTrust())
        #expect(catalogue.outdated == set.date)
        let key = try #require(catalogue.keys.first { $0.keyIdentifier == self.key })
        #expect(key.state == .unlisted && key.date == Self.table)
        set.date = Self.table
        let current = TrustCatalogue(main: set, test: nil, own: OwnTrust())
        #expect(current.outdated == nil && current.keys.first { $0.keyIdentifier == self.key }?.state == .trusted)
    }

    @Test("certificates alone are judged as far as they go, and the verdict says what is missing")
    func bare() throws {
        let judged = report(TrustStore(ledgers: [try set(Self.table)]))
        #expect(judged.verdict == .incomplete && judged.result == nil, "\(judged.lines)")
        #expect(judged.unjudged.starts(with: [.attestationSignature, .elements, .nonce, .declarationSigner]))
        #expect(judged.notes.contains("no device was asked: only the certificates are judged"))
        #expect(judged.notes.contains { $0.hasPrefix("not judged: attestation-signature, elements, nonce") })
        #expect(judged.checks.first { $0.step == .chain }?.outcome == .passed)
    }
}
