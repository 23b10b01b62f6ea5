import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterLedger

@Suite("Plan of a trust update") struct TrustPlanTests {
    /// 2026-11-22.
    private static let now: Int64 = 1_795_305_600

    private static func snapshot(_ scene: LedgerScene, _ net: LedgerNet = .main) throws -> LedgerSnapshot {
        var snapshot = LedgerSnapshot(net: net, origin: "https://ledger.example")
        func identifier(_ entry: LedgerScene.Entry) -> LedgerCertificateID {
            LedgerCertificateID(subject: entry.subject, keyIdentifier: entry.keyIdentifier)
        }
        snapshot.roots = scene.roots.map(identifier)
        snapshot.revokedRoots = scene.revoked.map(identifier)
        snapshot.signers = scene.signers.map(identifier)
        for entry in scene.roots + scene.signers {
            var certificate = LedgerCertificate(identifier: identifier(entry), pem: "")
            if entry.vendorID != 0 { certificate.vendorID = entry.vendorID }
            if entry.type == "OperationalPKI" { certificate.kind = .operational }
            snapshot.certificates[identifier(entry)] = entry.pems.map {
                certificate.pem = $0
                return certificate
            }
        }
        return snapshot
    }

    private static func plan(
        _ scene: LedgerScene, old: TrustSet? = nil, builtIn: [TrustAnchor] = [], _ net: LedgerNet = .main
    ) throws -> TrustPlan {
        try TrustPlan(old: old, snapshot: snapshot(scene, net), builtIn: builtIn, now: now)
    }

    private static func roots(_ count: Int) throws -> [LedgerScene.Entry] {
        try (0..<count).map { try LedgerScene.root("Root \($0)", vendorID: UInt16($0 + 1)) }
    }

    @Test("sound roots are added; of a second update nothing is new, and the dates of the first stay")
    func additions() throws {
        var scene = LedgerScene()
        scene.roots = try Self.roots(3)
        let first = try Self.plan(scene)
        #expect(first.additions.count == 3 && first.set.authorities.count == 3 && first.reservations.isEmpty)
        #expect(first.refusals.isEmpty && first.hasChanges)
        let second = try TrustPlan(
            old: first.set, snapshot: Self.snapshot(scene), builtIn: [], now: Self.now + 1000)
        #expect(!second.hasChanges && second.set.date == Self.now + 1000)
        #expect(second.set.authorities == first.set.authorities)
    }

    /// A root that is wrong in one way, and a word of the reason.
    private static func broken() throws -> [(LedgerScene.Entry, String)] {
        let sound = try LedgerScene.root("Sound", vendorID: 0x1234)
        func changed(_ change: (inout LedgerScene.Entry) throws -> Void) rethrows -> LedgerScene.Entry {
            var entry = sound
            try change(&entry)
            return entry
        }
        let key = try P256PrivateKey.generate()
        let paa = try AttestationAuthority.root(
            commonName: "Other", key: key, validity: .unlimited(from: 700_000_000))
        let pai = try paa.intermediate(
            commonName: "Between", vendorID: VendorID(0x1234), key: .generate(),
            validity: .unlimited(from: 700_000_000), random: SystemRandom()
        )
        var unsigned = try AttestationCertificate(der: try PEM.decode(sound.pems[0])[0].contents).der
        unsigned[unsigned.count - 1] ^= 1
        let name = AttestationName(commonName: "Product", vendorID: VendorID(0x1234), productID: 7)
        let product = try AttestationCertificateTemplate(
            .paa, subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key.publicKey,
            validity: .unlimited(from: 700_000_000), random: SystemRandom()
        ).signed(with: key)
        let flat = AttestationName(commonName: "Not an authority")
        let device = try AttestationCertificateTemplate(
            .dac, subject: flat, publicKey: key.publicKey, issuer: flat, issuerKey: key.publicKey,
            validity: .unlimited(from: 700_000_000), random: SystemRandom()
        ).signed(with: key)
        return try [
            (changed { $0.pems = [PEM.encode(unsigned, label: PEM.certificate)] }, "own key"),
            (LedgerScene.Entry(pai.certificate.der, vendorID: 0x1234), "own key"),
            (LedgerScene.Entry(device), "basic constraints"),
            (LedgerScene.Entry(product, vendorID: 0x1234), "product"),
            (changed { $0.vendorID = 0x4321 }, "another vendor"),
            (changed { $0.type = "OperationalPKI" }, "another purpose"),
            (changed { $0.keyIdentifier[0] ^= 1 }, "key identifier"),
            (changed { $0.subject = paa.certificate.subject.der }, "subject"),
            (changed { $0.pems = [$0.pems[0] + $0.pems[0]] }, "exactly one"),
            (changed { $0.pems = ["-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----"] }, "base64"),
            (changed { $0.pems = ["nothing"] }, "exactly one"),
            (changed { $0.pems = [] }, "no certificate"),
            (LedgerScene.root("Future", from: 900_000_000), "not valid yet"),
        ]
    }

    @Test("a root that is wrong in one way is refused with its reason, and the others are taken")
    func refusals() throws {
        let good = try LedgerScene.root("Good")
        for (entry, reason) in try Self.broken() {
            var scene = LedgerScene()
            scene.roots = [good, entry]
            let plan = try Self.plan(scene)
            #expect(plan.set.authorities.map(\.keyIdentifier) == [good.keyIdentifier], "\(reason)")
            #expect(
                plan.refusals.count == 1 && plan.refusals.first?.reason.contains(reason) == true, "\(plan.refusals)")
        }
    }

    @Test("an expired root, line ends of DOS, two certificates under one name, and two roots of one name are taken")
    func oddities() throws {
        let key = try P256PrivateKey.generate()
        let name = AttestationName(commonName: "Twin")
        let twins = try (0..<2).map { _ in try LedgerScene.root("Twin") }
        let expired = try (0..<2).map { _ in
            try AttestationCertificateTemplate(
                .paa, subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key.publicKey,
                validity: CertificateValidity(notBefore: 600_000_000, notAfter: 600_000_001), random: SystemRandom()
            ).signed(with: key)
        }
        var again = try LedgerScene.Entry(expired[0])
        again.pems.append(PEM.encode(expired[1], label: PEM.certificate))
        var dos = try LedgerScene.root("DOS")
        dos.pems = dos.pems.map { $0.split(separator: "\n").joined(separator: "\r\n") }
        var scene = LedgerScene()
        scene.roots = twins + [again, dos]
        let plan = try Self.plan(scene)
        #expect(plan.refusals.isEmpty, "\(plan.refusals)")
        #expect(plan.set.authorities.count == 5 && plan.additions.count == 4)
    }

    @Test("the Alliance's root for declarations is no authority, and its signers need its signature")
    func declarations() throws {
        let root = try #require(WellKnownKeys.declarationAuthority)
        var entry = try LedgerScene.root("Good")
        let good = entry
        entry.subject = root.subject.der
        entry.keyIdentifier = root.keyIdentifier
        // It calls itself what a signer is called, and its issuer what the root is called; only the signature is missing.
        let key = try P256PrivateKey.generate()
        let forged = try AttestationCertificateTemplate(
            .pai, subject: AttestationName(organization: "CSA", commonName: "Signing Key", vendorID: VendorID(0xC5A0)),
            publicKey: key.publicKey, issuer: root.subject, issuerKey: root.publicKey,
            validity: .unlimited(from: 700_000_000), random: SystemRandom()
        ).signed(with: key)
        var scene = LedgerScene()
        scene.roots = [good, entry]
        scene.signers = [try LedgerScene.Entry(forged)]
        let plan = try Self.plan(scene)
        #expect(plan.set.authorities.count == 1 && plan.set.signers.isEmpty)
        #expect(plan.refusals.map(\.reason) == ["the Alliance's root for declarations did not certify it"])
    }

    @Test("revoked and vanished roots are told apart, stay withdrawn, and come back when they are listed again")
    func withdrawal() throws {
        var scene = LedgerScene()
        scene.roots = try Self.roots(30)
        let first = try Self.plan(scene)
        scene.revoked = [scene.roots.removeLast()]
        let vanished = scene.roots.removeLast()
        let second = try Self.plan(scene, old: first.set)
        #expect(second.removals.count == 2 && second.removals.count { $0.isRevoked } == 1)
        #expect(second.reservations.isEmpty)
        let third = try Self.plan(scene, old: second.set)
        #expect(third.removals.isEmpty && third.set.withdrawn == second.set.withdrawn)
        scene.roots.append(vanished)
        let fourth = try Self.plan(scene, old: third.set)
        #expect(fourth.additions.count == 1 && fourth.set.withdrawn.count == 1)
    }

    @Test("losing more than a tenth of the points at which lists are published needs a person")
    func lostPoints() throws {
        let revocation = try RevocationScene()
        var scene = LedgerScene()
        scene.roots = try Self.roots(1)
        var old = try Self.plan(scene).set
        func plan(_ count: Int) throws -> TrustPlan {
            var snapshot = try Self.snapshot(scene)
            snapshot.points = try (0..<count).map { try RevocationScene.point(of: revocation.pai, label: "\($0)") }
            return try TrustPlan(old: old, snapshot: snapshot, builtIn: [], now: Self.now)
        }
        old = try plan(20).set
        #expect(try plan(18).reservations.isEmpty)
        #expect(try plan(17).reservations == ["it has 17 revocation points where there were 20"])
        #expect(try plan(0).reservations.count == 1)
    }

    @Test("losing a tenth is allowed, losing more needs a person, and losing all is an error")
    func shrinking() throws {
        var scene = LedgerScene()
        scene.roots = try Self.roots(20)
        let first = try Self.plan(scene)
        scene.roots.removeLast(2)
        #expect(try Self.plan(scene, old: first.set).reservations.isEmpty)
        scene.roots.removeLast()
        #expect(try Self.plan(scene, old: first.set).reservations == ["it has 17 authorities where there were 20"])
        scene.roots = []
        let error = #expect(throws: LedgerError.self) { try Self.plan(scene, old: first.set) }
        #expect(error?.code == .empty)
    }

    @Test("dropping one of the program's own roots needs a person, who is asked only once")
    func builtIn() throws {
        var scene = LedgerScene()
        scene.roots = try Self.roots(20)
        let all = try scene.roots.map { entry in
            try #require(
                TrustAnchor(
                    AttestationCertificate(der: try PEM.decode(entry.pems[0])[0].contents), origin: .builtIn))
        }
        #expect(try !Self.plan(scene, builtIn: all).hasChanges)
        scene.revoked = [scene.roots.removeLast()]
        let plan = try Self.plan(scene, builtIn: all)
        #expect(plan.reservations == ["it drops 1 authority of this program"])
        #expect(try Self.plan(scene, old: plan.set, builtIn: all).reservations.isEmpty)
    }
}
