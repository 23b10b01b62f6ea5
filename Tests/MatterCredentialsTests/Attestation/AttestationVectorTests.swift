import Foundation
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("attestation vectors", .vectors, .enabled(if: Vectors.available))
struct AttestationVectorTests {
    struct Index: Decodable {
        struct Case: Decodable {
            let commissionerExpected: String
        }
        let cases: [String: Case]
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isAccepted: Bool

        var testDescription: String { name }

        func vector() throws -> AttestationVector { try Vectors.load("attestation/\(name)/test_case_vector.json") }
    }

    static func cases() throws -> [Case] {
        let cases = try Vectors.cases("attestation/index.json", atLeast: 80) { (index: Index) in
            index.cases.sorted { $0.key < $1.key }
        }
        return cases.map { Case(name: $0.key, isAccepted: $0.value.commissionerExpected == "success") }
    }

    @Test("there are as many refusals as we know reasons for")
    func counts() throws {
        #expect(try Self.cases().count { !$0.isAccepted } == AttestationCases.refusals)
    }

    @Test("every case ends as a commissioner must end it, for its reason", arguments: try cases())
    func verdicts(_ given: Case) throws {
        let report = try given.vector().verify(trust: AttestationVector.trust())
        let refusal = AttestationCases.refusal(given.name)
        let failure = Comment(rawValue: report.failure ?? "accepted")
        #expect((refusal == nil) == given.isAccepted)
        #expect(report.verdict == (given.isAccepted ? .test : .untrusted), failure)
        #expect(report.result?.rawValue == refusal?.code ?? 0, failure)
        #expect(report.failedCheck?.step.rawValue == refusal?.step, failure)
        guard let failed = report.failedCheck else { return }
        #expect(failed.expected != nil && failed.found != nil && !failed.detail.isEmpty, "\(failed)")
        #expect(report.hint != nil)
    }

    @Test("the constants of the development authorities do as well as their certificates", arguments: try cases())
    func constants(_ given: Case) throws {
        let report = try given.vector().verify(trust: TrustStore(allowTestDevices: true))
        #expect((report.result == .success) == given.isAccepted, "\(report.failure ?? "accepted")")
    }

    @Test("without the development declaration key every case fails", arguments: try cases())
    func withoutDeclarationKey(_ given: Case) throws {
        let report = try given.vector().verify(trust: AttestationVector.authorities())
        #expect(report.verdict == .untrusted)
        if given.isAccepted { #expect(report.result == .declarationNoCertificateFound) }
    }

    @Test("without any authority a good case fails for want of the PAA", arguments: try cases().filter(\.isAccepted))
    func withoutAuthorities(_ given: Case) throws {
        #expect(try given.vector().verify(trust: TrustStore()).result == .paaNotFound)
    }

    @Test(
        "revoked credentials are found",
        arguments: [
            ("revoked-dac-01", AttestationResult.dacRevoked), ("revoked-dac-02", .dacRevoked),
            ("revoked-dac-03", .dacRevoked), ("revoked-pai", .paiRevoked), ("revoked-dac-and-pai", .paiAndDACRevoked),
            ("indirect-revoked-dac-01", .dacRevoked), ("indirect-revoked-pai-03", .paiRevoked),
            ("indirect-revoked-dac-01-pai-03", .paiAndDACRevoked),
        ])
    func revoked(name: String, expected: AttestationResult) throws {
        let vector: AttestationVector = try Vectors.load("revocation/dac-provider-test-vectors/\(name).json")
        let set = try RevocationSet(json: Array(try Vectors.data("revocation/revocation-sets/revocation-set.json")))
        #expect(set.count == 7)
        let report = try vector.verify(trust: AttestationVector.trust(), revocation: set)
        #expect(report.result == expected)
        #expect(try vector.verify(trust: AttestationVector.trust()).result == .success)
    }

    @Test("every authority of the ledger's mirror is usable, and the Alliance's signers are told from them")
    func mirror() throws {
        let folder = try #require(Vectors.folder).appendingPathComponent("paa")
        let production = try TrustDirectory.read(folder.appendingPathComponent("production").path)
        let store = TrustStore(files: production.files, unreadable: production.unreadable)
        #expect(store.unusable.isEmpty, "\(store.unusable)")
        #expect(store.authorities.count == production.files.count)
        for anchor in store.authorities {
            #expect(throws: Never.self) { try anchor.certificate?.checkProfile(as: .paa) }
            #expect(throws: Never.self) { try VendorAndProduct(subject: anchor.subject) }
        }
        let development = try TrustDirectory.read(folder.appendingPathComponent("development").path)
        #expect(TrustStore(files: development.files).unusable.isEmpty)

        let signers = try TrustDirectory.read(folder.appendingPathComponent("cd-signers").path)
        let signing = TrustStore(files: signers.files)
        #expect(signing.unusable.isEmpty)
        #expect(
            signing.authorities.map(\.subject) == [
                AttestationName(
                    organization: "CSA", commonName: "Matter Certification and Testing CA", vendorID: VendorID(0xC5A0))
            ])
        #expect(signing.declarationSigners.count == 6)
    }

    @Test("the constants are those of the published certificates")
    func publishedKeys() throws {
        let known = WellKnownKeys.declarationSigners + WellKnownKeys.developmentDeclarationSigners
        for name in (1...5).map({ "CSA_Matter_CD_Signing_Key_00\($0).cert.der" }) + ["Chip-Test-CD-Cert.der"] {
            let certificate = try AttestationCertificate(der: Array(try Vectors.data("paa/cd-signers/\(name)")))
            let signer = try #require(known.first { $0.keyIdentifier == certificate.subjectKeyIdentifier })
            #expect(signer.publicKey == certificate.publicKey)
            #expect(signer.subject == certificate.subject)
            guard !signer.isDevelopment else { continue }
            let authority = try #require(WellKnownKeys.declarationAuthority)
            #expect(certificate.issuer == authority.subject)
            #expect(certificate.authorityKeyIdentifier == authority.keyIdentifier)
            #expect(certificate.isSigned(by: authority.publicKey))
        }
        for name in ["Chip-Test-PAA-FFF1-Cert.der", "Chip-Test-PAA-NoVID-Cert.der"] {
            let certificate = try AttestationCertificate(der: try AttestationVector.trustFile(name).contents)
            let anchor = try #require(
                WellKnownKeys.developmentAuthorities.first { $0.keyIdentifier == certificate.subjectKeyIdentifier })
            #expect(anchor.publicKey == certificate.publicKey)
            #expect(anchor.subject == certificate.subject)
        }
    }
}
