import Foundation
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterState

@Suite("Trust update") struct TrustUpdateTests {
    private static let now: Int64 = 1_795_305_600
    private static let point =
        #"{"vid":4660,"label":"a","issuerSubjectKeyID":"0A0B","pid":0,"isPAA":true,"crlSignerCertificate":"-----BEGIN\n","#
        + #""dataURL":"http://crl.example/a","dataFileSize":"0","revocationType":1,"crlSignerDelegator":""}"#

    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private var records: TrustRecords { TrustRecords(state.directory) }

    private func scene(_ count: Int = 12) throws -> LedgerScene {
        var scene = LedgerScene()
        scene.roots = try (0..<count).map { try LedgerScene.root("Root \($0)", vendorID: UInt16($0 + 1)) }
        scene.points = [Self.point]
        return scene
    }

    private func update(_ ledger: FakeLedger, _ net: LedgerNet = .test, now: Int64 = now) async throws -> TrustPlan {
        let update = TrustUpdate(client: try ledger.client(net), records: records, now: now)
        let plan = try await update.plan()
        try update.save(plan)
        return plan
    }

    @Test("what was fetched is stored with its date and origin, and read again as it was")
    func store() async throws {
        let plan = try await update(FakeLedger(try scene()))
        let set = try #require(try records.set(.test))
        #expect(set == plan.set && set.authorities.count == 12 && set.points.count == 1)
        #expect(set.origin == "https://ledger.example" && set.date == Self.now)
        #expect(try records.set(.main) == nil)
        #expect(try !state.files().keys.contains { $0.contains("staging") })
    }

    @Test("an update that was cut short goes on with what is missing, and until then the old set counts")
    func resumption() async throws {
        var scene = try scene()
        _ = try await update(FakeLedger(scene))
        let old = try records.set(.test)
        scene.roots += try (20..<40).map { try LedgerScene.root("Root \($0)") }
        let cut = FakeLedger(scene, patience: 11)
        await #expect(throws: LedgerError.self) { _ = try await update(cut) }
        #expect(try records.set(.test) == old)
        let whole = FakeLedger(scene)
        let plan = try await update(whole)
        #expect(plan.additions.count == 20)
        // Of 32 certificates at least one had come before the cut.
        let asked = whole.requests.count { $0.hasPrefix("/dcl/pki/certificates/") }
        #expect(asked < 32 && asked > 0, "\(asked)")
        #expect(try records.set(.test)?.authorities.count == 32)
    }

    @Test("an answer that is not what was asked for leaves the old set as it was")
    func malformed() async throws {
        var scene = try scene()
        _ = try await update(FakeLedger(scene))
        let old = try records.set(.test)
        scene.roots.append(try LedgerScene.root("New"))
        var answers = scene.answers
        let other = scene.roots[0]
        for (path, body) in answers where body.contains(scene.roots[12].subjectText) && path.contains("/certificates/")
        {
            answers[path] = body.replacingOccurrences(of: scene.roots[12].subjectText, with: other.subjectText)
        }
        let ledger = FakeLedger(answers.mapValues { .init(status: 200, body: Array($0.utf8)) })
        let error = await #expect(throws: LedgerError.self) { _ = try await update(ledger) }
        #expect(error?.code == .malformed)
        #expect(try records.set(.test) == old)
    }

    @Test("a ledger without revoked roots, signers or points is one")
    func leastLedger() async throws {
        var answers = try scene().answers
        for path in answers.keys where !path.contains("certificates/") && !path.hasSuffix("/root-certificates") {
            answers[path] = nil
        }
        answers["/dcl/pki/revoked-root-certificates"] = nil
        let ledger = FakeLedger(answers.mapValues { .init(status: 200, body: Array($0.utf8)) })
        #expect(try await update(ledger).set.authorities.count == 12)
    }

    @Test("a stored root is trusted by its key identifier; one of the test ledger with test devices only")
    func trustStore() async throws {
        let scene = try scene()
        _ = try await update(FakeLedger(scene))
        let key = scene.roots[3].keyIdentifier
        let stored = try #require(try records.stored(.test) { _ in })
        #expect(stored.count == 12 && stored.isTest)
        let allowing = TrustStore(allowTestDevices: true, ledgers: [stored])
        #expect(allowing.authorities(keyIdentifier: key).map(\.keyIdentifier) == [key])
        #expect(allowing.authorities(keyIdentifier: key).allSatisfy { $0.isDevelopment })
        #expect(TrustStore(ledgers: [stored]).authorities(keyIdentifier: key).isEmpty)
        #expect(
            TrustStore(allowTestDevices: true, ledgers: [stored], distrusted: [key])
                .authorities(keyIdentifier: key).isEmpty)
        #expect(stored.authorities(keyIdentifier: [1, 2]).isEmpty)
    }

    @Test("a built-in root that the ledger has withdrawn is trusted no longer, the others are")
    func withdrawnRoot() async throws {
        let scene = try scene()
        _ = try await update(FakeLedger(scene), .main)
        let stored = try #require(try records.stored(.main) { _ in })
        let builtIn = try #require(ProductionAuthorities.all.first)
        #expect(TrustStore(ledgers: [stored]).authorities(keyIdentifier: builtIn.keyIdentifier).isEmpty)
        #expect(TrustStore().authorities(keyIdentifier: builtIn.keyIdentifier).count == 1)
        let key = scene.roots[0].keyIdentifier
        let anchors = TrustStore(ledgers: [stored]).authorities(keyIdentifier: key)
        #expect(anchors.count == 1 && anchors.allSatisfy { !$0.isDevelopment })
        // A set that is older than the program does not take away what the program knows.
        var old = try #require(try records.set(.main))
        old.date = ProductionAuthorities.date - 1
        let older = try StoredTrust(old.encoded())
        #expect(TrustStore(ledgers: [older]).authorities(keyIdentifier: builtIn.keyIdentifier).count == 1)
    }

    @Test("a damaged set is an error, and an update replaces it")
    func damage() async throws {
        #expect(throws: LedgerError.self) { try TrustSet(decoding: []) }
        for text in [
            "x", "{}", #"{"set":"moon","origin":"","date":1}"#,
            "{\"set\":\"main\",\"origin\":\"\",\"date\":1}\n{\"a\":1}",
        ] {
            let error = #expect(throws: LedgerError.self) { try TrustSet(decoding: Array(text.utf8)) }
            #expect(error?.code == .damaged)
        }
        try state.directory.write("trust/test.jsonl", Array("rubbish".utf8))
        #expect(throws: LedgerError.self) { _ = try records.stored(.test) { _ in } }
        _ = try await update(FakeLedger(try scene()))
        #expect(try records.set(.test)?.authorities.count == 12)
    }

    @Test(
        "withdrawals outlive a damaged or lost set: the previous copy counts, and is said to", arguments: [true, false])
    func previousCopy(isDamaged: Bool) async throws {
        var scene = try scene(30)
        _ = try await update(FakeLedger(scene), .main)
        scene.revoked = [scene.roots.removeLast()]
        _ = try await update(FakeLedger(scene), .main)
        let gone = try #require(scene.revoked.first)
        let newer = try await update(FakeLedger(scene), .main, now: Self.now + 100_000)
        let path = state.directory.path + "/trust/main.jsonl"
        try FileManager.default.removeItem(atPath: path)
        if isDamaged { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
        var faults: [LedgerError] = []
        let stored = try #require(try records.stored(.main) { faults.append($0) })
        #expect(faults.map(\.code) == [.damaged] && stored.date == Self.now)
        #expect(faults.first?.reason.contains("the previous list, of 2026-11-22, counts") == true, "\(faults)")
        let builtIn = try #require(ProductionAuthorities.all.first)
        #expect(TrustStore(ledgers: [stored]).authorities(keyIdentifier: builtIn.keyIdentifier).isEmpty)
        #expect(TrustStore(ledgers: [stored]).authorities(keyIdentifier: gone.keyIdentifier).isEmpty)
        // The next update keeps the days on which they were withdrawn.
        let mended = try await update(FakeLedger(scene), .main, now: Self.now + 200_000)
        #expect(mended.set.withdrawn == newer.set.withdrawn)
        for suffix in ["", ".bak"] { try Data("x".utf8).write(to: URL(fileURLWithPath: path + suffix)) }
        let error = #expect(throws: LedgerError.self) { _ = try records.stored(.main) { _ in } }
        #expect(error?.reason.contains("only those of this program count") == true)
    }

    @Test(
        "a certificate that was issued again under its subject and key replaces the old one, unless it does not verify")
    func renewal() async throws {
        var scene = try scene()
        let key = try P256PrivateKey.generate()
        let name = AttestationName(commonName: "Renewed")
        let issues = try [700_000_000, 710_000_000].map { (start: UInt32) in
            try AttestationCertificateTemplate(
                .paa, subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key.publicKey,
                validity: .unlimited(from: start), random: SystemRandom()
            ).signed(with: key)
        }
        scene.roots.append(try LedgerScene.Entry(issues[0]))
        _ = try await update(FakeLedger(scene))
        scene.roots[12] = try LedgerScene.Entry(issues[1])
        let plan = try await update(FakeLedger(scene), now: Self.now + 10)
        #expect(plan.renewals.map(\.identifier.name) == ["CN=Renewed"] && plan.hasChanges)
        #expect(plan.additions.isEmpty && plan.removals.isEmpty)
        #expect(plan.set.authorities.last?.der == issues[1] && plan.set.authorities.last?.firstSeen == Self.now + 10)
        #expect(plan.set.authorities.first?.firstSeen == Self.now)
        var forged = issues[0]
        forged[forged.count - 1] ^= 1
        scene.roots[12] = try LedgerScene.Entry(forged)
        let refused = try await update(FakeLedger(scene), now: Self.now + 20)
        #expect(refused.refusals.count == 1 && refused.renewals.isEmpty)
        #expect(refused.set.authorities.last?.der == issues[1])
    }

    @Test(
        "the ledger's authorities of the snapshot pass every check, and nothing of the program's is lost", .vectors,
        .enabled(if: Vectors.available))
    func realAuthorities() async throws {
        let folder = try #require(Vectors.folder).appendingPathComponent("paa")
        func entries(_ name: String) throws -> [LedgerScene.Entry] {
            try TrustDirectory.read(folder.appendingPathComponent(name).path).files.flatMap { file in
                try file.certificates().map { try LedgerScene.Entry($0) }
            }
        }
        var scene = LedgerScene()
        scene.roots = try entries("production")
        let all = try entries("cd-signers")
        let root = try #require(WellKnownKeys.declarationAuthority)
        let development = WellKnownKeys.developmentDeclarationSigners.map(\.keyIdentifier)
        scene.signers = all.filter {
            $0.keyIdentifier != root.keyIdentifier && !development.contains($0.keyIdentifier)
        }
        scene.roots += all.filter { $0.keyIdentifier == root.keyIdentifier }
        let plan = try await update(FakeLedger(scene), .main)
        #expect(plan.refusals.isEmpty, "\(plan.refusals)")
        #expect(plan.set.signers.count == scene.signers.count && plan.set.signers.count >= 5)
        let builtIn = ProductionAuthorities.all
        let files = Set(scene.roots.map(\.keyIdentifier))
        #expect(plan.removals.count == builtIn.count { !files.contains($0.keyIdentifier) })
        let store = TrustStore(ledgers: [try #require(try records.stored(.main) { _ in })])
        for anchor in builtIn where files.contains(anchor.keyIdentifier) {
            let found = store.authorities(keyIdentifier: anchor.keyIdentifier)
            #expect(found.count == 1 && found.first?.publicKey == anchor.publicKey)
        }
    }

    @Test("the user's own certificates are added once, trusted again after removal, and a file of nothing is refused")
    func own() async throws {
        let root = try LedgerScene.root("Mine")
        let pem = Array((root.pems[0]).utf8)
        for _ in 0..<2 {
            try await records.changeOwn { own in
                let added = try own.add(pem, file: "mine.pem", asSigners: false, now: Self.now)
                #expect(added.map(\.keyIdentifier) == [root.keyIdentifier])
            }
        }
        #expect(try records.ownTrust().added.count == 1)
        #expect(
            TrustStore(files: try records.ownTrust().files).authorities(keyIdentifier: root.keyIdentifier).count == 1)
        try await records.changeOwn { $0.remove(root.keyIdentifier, isListed: true) }
        #expect(try records.ownTrust().added.isEmpty)
        #expect(try records.ownTrust().distrusted == [root.keyIdentifier])
        try await records.changeOwn { _ = try $0.add(pem, file: "mine.pem", asSigners: false, now: Self.now) }
        #expect(try records.ownTrust().distrusted.isEmpty)
        let error = await #expect(throws: LedgerError.self) {
            try await records.changeOwn { _ = try $0.add([1, 2], file: "x", asSigners: false, now: Self.now) }
        }
        #expect(error?.code == .unusable)
    }

    @Test("answers are kept for a day, also that there is none, and old ones count while the ledger is out of reach")
    func cache() async throws {
        let cache = LedgerCache(state.directory, .main)
        let query: LedgerQuery<LedgerVendor> = .vendor(7)
        let body = #"{"vendorInfo":{"vendorID":7,"vendorName":"Seven"}}"#
        let ledger = FakeLedger([query.path: .init(status: 200, body: Array(body.utf8))])
        let client = try ledger.client()
        #expect(cache.known(query)?.answer == nil)
        for _ in 0..<2 {
            let found = try await cache.answer(query, from: client, refresh: false, now: Self.now)
            #expect(found.answer?.name == "Seven" && found.date == Self.now)
        }
        #expect(ledger.requests.count == 1)
        _ = try await cache.answer(query, from: client, refresh: true, now: Self.now)
        #expect(ledger.requests.count == 2)
        let dead = try FakeLedger([:], patience: 0).client()
        let old = try await cache.answer(query, from: dead, refresh: false, now: Self.now + 100_000)
        #expect(old.answer?.name == "Seven" && old.fault?.code == .unreachable && old.date == Self.now)
        await #expect(throws: LedgerError.self) {
            try await cache.answer(query, from: dead, refresh: true, now: Self.now)
        }
        let empty = FakeLedger([:])
        let other: LedgerQuery<LedgerVendor> = .vendor(8)
        for _ in 0..<2 {
            let found = try await cache.answer(other, from: try empty.client(), refresh: false, now: Self.now)
            #expect(found.answer == nil && found.fault == nil)
        }
        #expect(empty.requests.count == 1)
    }

    @Test("keys are old after 180 days, and a clock that goes wrong makes none older")
    func age() {
        let day: Int64 = 86_400
        let age = TrustAge(date: ProductionAuthorities.date, now: ProductionAuthorities.date + 181 * day)
        #expect(age.day == "2026-07-15" && age.days == 181 && age.isOld)
        #expect(!TrustAge(date: ProductionAuthorities.date, now: ProductionAuthorities.date + 181 * day - 1).isOld)
        #expect(TrustAge(date: ProductionAuthorities.date, now: 0).days == 0)
    }
}
