import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("revocation set")
struct RevocationSetTests {
    /// An entry of a set, as text that a test may damage.
    static func entry(
        issuer: AttestationName, key: P256PublicKey, serials: [String], signer: [UInt8], delegator: [UInt8]? = nil,
        type: String = "revocation_set"
    ) -> String {
        let keyIdentifier = hexString(key.keyIdentifier).uppercased()
        let list = serials.map { "\"\($0)\"" }.joined(separator: ",")
        let delegate = delegator.map { ",\"crl_signer_delegator\":\"\(Data($0).base64EncodedString())\"" } ?? ""
        return """
            {"type":"\(type)","issuer_subject_key_id":"\(keyIdentifier)",\
            "issuer_name":"\(Data(issuer.der).base64EncodedString())","revoked_serial_numbers":[\(list)],\
            "crl_signer_cert":"\(Data(signer).base64EncodedString())"\(delegate)}
            """
    }

    static func set(_ entries: String...) throws -> RevocationSet {
        try RevocationSet(json: Array("[\(entries.joined(separator: ","))]".utf8))
    }

    static func serial(_ template: AttestationCertificateTemplate) -> String {
        hexString(template.serialNumber).uppercased()
    }

    @Test("DAC, PAI and both are found")
    func codes() throws {
        let device = try TestDevice()
        let root = try device.paa.signed(with: device.paaKey)
        let intermediate = try device.pai.signed(with: device.paaKey)
        let dac = Self.entry(
            issuer: device.pai.subject, key: device.paiKey.publicKey, serials: ["01", Self.serial(device.dac)],
            signer: intermediate)
        let pai = Self.entry(
            issuer: device.paa.subject, key: device.paaKey.publicKey, serials: [Self.serial(device.pai)], signer: root)
        #expect(try device.verify(revocation: Self.set(dac)).result == .dacRevoked)
        #expect(try device.verify(revocation: Self.set(pai)).result == .paiRevoked)
        #expect(try device.verify(revocation: Self.set(dac, pai)).result == .paiAndDACRevoked)
        let none = try device.verify(revocation: Self.set())
        #expect(none.verdict == .trusted)
        #expect(Self.outcome(none) == .notJudged && none.revocation?.verdict == .notKnown)
        let clean = try device.verify(
            revocation: Self.set(
                dac.replacing(Self.serial(device.dac), with: "02"), pai.replacing(Self.serial(device.pai), with: "02")))
        #expect(Self.outcome(clean) == .passed && clean.revocation?.verdict == .good)
    }

    private static func outcome(_ report: AttestationReport) -> AttestationCheck.Outcome? {
        report.checks.first { $0.step == .revocation }?.outcome
    }

    @Test("an entry only counts if the authority that answers for it is the issuer")
    func signers() throws {
        let device = try TestDevice()
        let root = try device.paa.signed(with: device.paaKey)
        let intermediate = try device.pai.signed(with: device.paaKey)
        func entry(_ signer: [UInt8], _ delegator: [UInt8]? = nil) -> String {
            Self.entry(
                issuer: device.pai.subject, key: device.paiKey.publicKey, serials: [Self.serial(device.dac)],
                signer: signer, delegator: delegator)
        }
        let wrong = try device.verify(revocation: Self.set(entry(root)))
        #expect(wrong.verdict == .trusted)
        #expect(Self.outcome(wrong) == .notJudged && wrong.notes.count == 1)
        #expect(try device.verify(revocation: Self.set(entry([0x30]))).verdict == .trusted)
        #expect(try device.verify(revocation: Self.set(entry(intermediate, root))).verdict == .trusted)
        #expect(try device.verify(revocation: Self.set(entry(root, intermediate))).result == .dacRevoked)
        // A worthless entry does not hide a good one.
        #expect(try device.verify(revocation: Self.set(entry(root), entry(intermediate))).result == .dacRevoked)
    }

    @Test("another serial number, issuer or key is another certificate")
    func mismatches() throws {
        let device = try TestDevice()
        let intermediate = try device.pai.signed(with: device.paaKey)
        let serial = Self.serial(device.dac)
        let entries = [
            Self.entry(
                issuer: device.pai.subject, key: device.paiKey.publicKey, serials: ["00" + serial + "00"],
                signer: intermediate),
            Self.entry(
                issuer: device.paa.subject, key: device.paiKey.publicKey, serials: [serial], signer: intermediate),
            Self.entry(
                issuer: device.pai.subject, key: device.paaKey.publicKey, serials: [serial], signer: intermediate),
            Self.entry(
                issuer: device.pai.subject, key: device.paiKey.publicKey, serials: [serial], signer: intermediate,
                type: "other"),
        ]
        for entry in entries { #expect(try device.verify(revocation: Self.set(entry)).verdict == .trusted) }
    }

    @Test("the zero that keeps a serial number positive does not count")
    func leadingZero() throws {
        var device = try TestDevice()
        device.dac.serialNumber = [0x00, 0x9A, 0x01]
        let intermediate = try device.pai.signed(with: device.paaKey)
        for text in ["9A01", "009A01"] {
            let set = try Self.set(
                Self.entry(
                    issuer: device.pai.subject, key: device.paiKey.publicKey, serials: [text], signer: intermediate))
            #expect(try device.verify(revocation: set).result == .dacRevoked)
        }
    }

    @Test("what is not known is refused by a strict check only, and a check that is not made knows nothing")
    func strictness() throws {
        let device = try TestDevice()
        let evidence = try device.evidence()
        func report(_ check: RevocationCheck?) throws -> AttestationReport {
            AttestationVerifier(trust: try device.trust(), revocation: check).verify(
                evidence, at: .now(TestDevice.now))
        }
        let strict = try report(RevocationCheck(isStrict: true))
        #expect(strict.result == .revocationNotKnown && strict.failedStep == .revocation)
        #expect(strict.hint == .step("attestation.fetch-lists"))
        #expect(strict.revocation?.reason == "no list of revoked certificates is at hand")
        let soft = try report(RevocationCheck())
        #expect(soft.verdict == .trusted && soft.revocation == strict.revocation)
        #expect(soft.notes == ["revocation is not known: no list of revoked certificates is at hand"])
        let off = try report(nil)
        #expect(off.verdict == .trusted && off.revocation == nil)
    }

    @Test("a set that revokes counts before one that knows the issuer, and that before one that does not")
    func sources() throws {
        let device = try TestDevice()
        let intermediate = try device.pai.signed(with: device.paaKey)
        func set(_ serial: String) throws -> RevocationSet {
            try Self.set(
                Self.entry(
                    issuer: device.pai.subject, key: device.paiKey.publicKey, serials: [serial], signer: intermediate))
        }
        let dac = try AttestationCertificate(der: device.dac.signed(with: device.paiKey))
        let pai = try AttestationCertificate(der: intermediate)
        func status(_ sources: [RevocationSet]) -> RevocationStatus {
            RevocationCheck(sources: sources).judge(dac: dac, pai: pai, now: nil).dac
        }
        let (nothing, other, this) = (try Self.set(), try set("01"), try set(Self.serial(device.dac)))
        let list = RevocationList(origin: "revocation set")
        #expect(status([nothing]) == .notKnown("no list of its issuer is at hand", nil))
        #expect(status([nothing, other]) == .good(list))
        for all in [[nothing, other, this], [this, other, nothing]] {
            #expect(status(all) == .revoked(since: nil, list))
        }
    }

    @Test("malformed sets are refused")
    func malformed() throws {
        let device = try TestDevice()
        let good = Self.entry(
            issuer: device.pai.subject, key: device.paiKey.publicKey, serials: ["AB"], signer: [1])
        #expect(try Self.set(good).count == 1)
        let identifier = hexString(device.paiKey.publicKey.keyIdentifier).uppercased()
        for (old, new) in [
            ("\"AB\"", "\"ABC\""), ("\"AB\"", "\"\""), ("\"AB\"", "1"), (identifier, "AB"), (identifier, "zz"),
            ("\"issuer_name\":\"", "\"issuer_name\":\"*"), ("issuer_name", "issuer"),
            ("\"crl_signer_cert\":\"", "\"x\":\""),
            ("revoked_serial_numbers", "x"), ("\"type\"", "\"x\""),
        ] {
            let text = good.replacing(old, with: new)
            #expect(text != good)
            let error = #expect(throws: AttestationError.self, "\(new)") { try Self.set(text) }
            #expect(error?.code == .malformedRevocationSet)
        }
        for text in ["", "{}", "[1]", "[", String(repeating: "[", count: 100_000)] {
            #expect(throws: AttestationError.self) { try RevocationSet(json: Array(text.utf8)) }
        }
    }
}
