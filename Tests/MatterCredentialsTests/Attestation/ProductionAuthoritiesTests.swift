import Foundation
import JSON
import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct ProductionAuthoritiesTests {
    private static let snapshot = Shared.folder(
        "reference/trust", lost: "the built-in authorities are not compared with their certificates")

    @Test("every line of the table is an authority with a key, a name and a validity of its own")
    func table() {
        let all = ProductionAuthorities.all
        #expect(all.count == ProductionAuthorities.count)
        #expect(Set(all.map(\.publicKey)).count == all.count)
        for anchor in all {
            #expect(ProductionAuthorities.anchors(keyIdentifier: anchor.keyIdentifier) == [anchor])
            #expect(anchor.validity.map { $0.notBefore < $0.notAfter } == true)
            #expect(!anchor.isDevelopment)
            #expect("\(anchor.origin)" == "built in, ledger \(ProductionAuthorities.day)")
        }
    }

    @Test("what is not a key identifier of the table leads to no authority", arguments: [0, 1, 19, 20, 21])
    func unknown(count: Int) {
        #expect(ProductionAuthorities.anchors(keyIdentifier: [UInt8](repeating: 7, count: count)).isEmpty)
    }

    @Test("the facts are those of the certificates", .vectors, .enabled(if: snapshot != nil))
    func certificates() throws {
        let folder = try #require(Self.snapshot)
        let index = try JSONValue(parsing: Array(Data(contentsOf: folder.appendingPathComponent("index.json"))))
        #expect(index["asOf"]?.stringValue == ProductionAuthorities.day)
        var present = 0
        for entry in try #require(index["certificates"]?.arrayValue) where entry["role"]?.stringValue == "paa" {
            let file = try #require(entry["file"]?.stringValue)
            let der = Array(try Data(contentsOf: folder.appendingPathComponent(file)))
            let certificate = try AttestationCertificate(der: der)
            try certificate.checkProfile(as: .paa)
            try certificate.checkCriticalExtensions()
            #expect(certificate.isSigned(by: certificate.publicKey), "\(file)")
            let found = ProductionAuthorities.anchors(keyIdentifier: try #require(certificate.subjectKeyIdentifier))
            if entry["mainNet"]?.stringValue?.contains("absent") == true {
                #expect(found.isEmpty, "\(file)")
                continue
            }
            present += 1
            let anchor = try #require(found.first, "\(file)")
            #expect(anchor.publicKey == certificate.publicKey)
            #expect(anchor.subject.der == certificate.subject.der)
            #expect(anchor.validity == certificate.validity)
        }
        #expect(present == ProductionAuthorities.count)
    }

    @Test("they are trusted unless a store leaves them out, and none counts twice")
    func store() throws {
        let anchor = try #require(ProductionAuthorities.all.first)
        #expect(TrustStore().authorities(keyIdentifier: anchor.keyIdentifier) == [anchor])
        #expect(TrustStore(builtIn: false).authorities(keyIdentifier: anchor.keyIdentifier).isEmpty)
        var store = TrustStore()
        store.add(anchor)
        #expect(store.authorities(keyIdentifier: anchor.keyIdentifier) == [anchor])
    }

    @Test("an authority of which only facts are known serves while it was valid when the device was made")
    func factsOnly() throws {
        let device = try TestDevice()
        let issued = MatterEpoch.unix(TestDevice.now) - 86_400
        func verify(_ validity: AttestationValidity) throws -> AttestationReport {
            var trust = TrustStore(builtIn: false)
            for signer in try device.trust().declarationSigners { trust.add(signer) }
            let key = device.paaKey.publicKey
            trust.add(
                TrustAnchor(
                    keyIdentifier: key.keyIdentifier, publicKey: key, subject: device.paa.subject, validity: validity,
                    origin: .ledger(day: "2026-07-15")))
            return try device.verify(trust: trust)
        }
        #expect(try verify(AttestationValidity(notBefore: issued, notAfter: issued)).verdict == .trusted)
        #expect(try verify(AttestationValidity(notBefore: 0, notAfter: issued - 1)).result == .dacSignatureInvalid)
        let later = AttestationValidity(notBefore: issued + 1, notAfter: .max)
        #expect(try verify(later).result == .dacSignatureInvalid)
    }

    @Test("a device that merely names a production authority is refused")
    func impostor() throws {
        let anchor = try #require(
            ProductionAuthorities.all.first {
                (try? VendorAndProduct(subject: $0.subject))?.vendorID == nil
                    && $0.publicKey.keyIdentifier == $0.keyIdentifier
            })
        var device = try TestDevice()
        device.pai = try AttestationCertificateTemplate(
            .pai, subject: device.pai.subject, publicKey: device.paiKey.publicKey, issuer: anchor.subject,
            issuerKey: anchor.publicKey,
            validity: CertificateValidity(notBefore: TestDevice.now - 86_400, notAfter: TestDevice.now + 86_400),
            random: TestDevice.random)
        let report = try device.verify()
        #expect(report.authority == anchor)
        #expect(report.verdict == .untrusted)
        #expect(report.result == .dacSignatureInvalid)
        #expect(report.checks.first { $0.step == .chain }?.detail == "the PAA did not sign the PAI")
    }
}
