import TestSupport
import Testing

@testable import MatterCrypto

@Suite("development attestation")
struct DevelopmentAttestationTests {
    static func make() throws -> DevelopmentAttestation {
        try DevelopmentAttestation.make(
            vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 0x0100, now: TestDevice.now,
            random: SeededRandom(11))
    }

    static func verify(
        _ attestation: DevelopmentAttestation, trust: TrustStore, nonce: [UInt8] = [UInt8](0..<32)
    ) throws -> AttestationReport {
        let challenge = [UInt8](0..<16)
        let credentials = attestation.credentials
        let evidence = AttestationEvidence(
            dac: try #require(credentials.certificate(type: 1)), pai: try #require(credentials.certificate(type: 2)),
            response: try credentials.respond(nonce: nonce, attestationChallenge: challenge), nonce: nonce,
            attestationChallenge: challenge, vendorID: VendorID(0xFFF1), productID: 0x8001)
        return AttestationVerifier(trust: trust).verify(evidence, at: .now(TestDevice.now))
    }

    @Test("a device of our own making is trusted where one trusts its root and declaration key")
    func trusted() throws {
        let attestation = try Self.make()
        let key = attestation.declarationKey.publicKey
        var store = TrustStore(files: [TrustFile(path: "paa", contents: attestation.paa.certificate.der)])
        #expect(try Self.verify(attestation, trust: store).result == .declarationNoCertificateFound)
        store.add(
            DeclarationSigner(
                keyIdentifier: key.keyIdentifier, publicKey: key, subject: AttestationName(commonName: "CD"),
                origin: .directory(file: "cd")))
        let report = try Self.verify(attestation, trust: store)
        #expect(report.verdict == .trusted)
        #expect(
            report.checks.first { $0.step == .declarationRules }?.detail
                == "the certification of this product is for development and test")
        #expect(report.dac?.validity.description.hasSuffix("9999-12-31T23:59:59Z") == true)
    }

    @Test("the certificates follow the profiles of their places")
    func profiles() throws {
        let attestation = try Self.make()
        #expect(throws: Never.self) {
            try attestation.paa.certificate.checkProfile(as: .paa)
            try attestation.pai.certificate.checkProfile(as: .pai)
            try AttestationCertificate(der: attestation.credentials.dac).checkProfile(as: .dac)
        }
        #expect(attestation.credentials.certificate(type: 0) == nil)
        #expect(attestation.credentials.certificate(type: 3) == nil)
    }

    @Test("root and declaration key can be kept for further devices")
    func kept() throws {
        let first = try Self.make()
        let second = try DevelopmentAttestation.make(
            vendorID: VendorID(0xFFF2), productID: 1, deviceTypeID: 1, now: TestDevice.now, paa: first.paa,
            declarationKey: first.declarationKey, random: SeededRandom(12))
        #expect(second.paa.certificate == first.paa.certificate)
        #expect(second.pai.certificate != first.pai.certificate)
        #expect(second.pai.certificate.isSigned(by: first.paa.key.publicKey))
        let declaration = try CertificationDeclaration(cms: second.credentials.certificationDeclaration)
        #expect(declaration.isSigned(by: first.declarationKey.publicKey))
    }

    @Test("a device answers no nonce but one of 32 octets")
    func nonce() throws {
        let credentials = try Self.make().credentials
        #expect(throws: AttestationError.self) {
            try credentials.respond(nonce: [UInt8](0..<31), attestationChallenge: [UInt8](0..<16))
        }
    }
}
