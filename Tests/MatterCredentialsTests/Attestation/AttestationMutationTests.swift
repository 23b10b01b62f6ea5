import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

/// Damaged inputs are refused with this module's errors, or decoded to something that stands by what it says.
@Suite("attestation mutations")
struct AttestationMutationTests {
    static let count = 20_000

    @Test("certificates")
    func certificates() throws {
        let device = try TestDevice()
        let valid = [
            try device.paa.signed(with: device.paaKey), try device.pai.signed(with: device.paaKey),
            try device.dac.signed(with: device.paiKey),
        ]
        var mutator = Mutator(seed: 21, corpus: valid)
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            do throws(CredentialsError) {
                let certificate = try AttestationCertificate(der: input)
                accepted += 1
                #expect(certificate.der == input)
                #expect(!certificate.subject.description.contains("\u{1B}"))
                _ = certificate.validity.description
                _ = try VendorAndProduct(subject: certificate.subject)
                for kind in AttestationCertificateKind.allCases { try certificate.checkProfile(as: kind) }
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("certification declarations")
    func declarations() throws {
        let device = try TestDevice()
        let declaration = try CertificationDeclaration(
            content: device.elements.encoded(), signedWith: device.declarationKey)
        var mutator = Mutator(seed: 24, corpus: [declaration.cms])
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            do throws(AttestationError) {
                let damaged = try CertificationDeclaration(cms: input)
                accepted += 1
                #expect(damaged.cms + input.suffix(damaged.trailingCount) == input)
                guard damaged.content != declaration.content else { continue }
                #expect(!damaged.isSigned(by: device.declarationKey.publicKey))
            } catch {
                #expect(error.code == .malformedDeclaration && !error.reason.isEmpty)
            }
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("the content of declarations")
    func contents() throws {
        var elements = try TestDevice().elements
        let plain = elements.encoded()
        elements.origin = .init(vendorID: VendorID(1), productID: 2)
        elements.authorizedAuthorities = [[UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 20)]
        var mutator = Mutator(seed: 25, corpus: [plain, elements.encoded()])
        var accepted = 0
        for _ in 0..<Self.count {
            do throws(AttestationError) {
                let damaged = try CertificationElements(decoding: mutator.next())
                accepted += 1
                #expect(try CertificationElements(decoding: damaged.encoded()) == damaged)
            } catch {
                #expect(error.code == .malformedDeclarationContent && !error.reason.isEmpty)
            }
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("attestation elements")
    func elements() throws {
        let elements = try AttestationElements(
            certificationDeclaration: [UInt8](0..<50), nonce: [UInt8](0..<32), timestamp: 7,
            firmwareInformation: [1, 2, 3], vendorReserved: [AttestationElementsTests.reserved])
        var mutator = Mutator(seed: 26, corpus: [elements.encoded])
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            do throws(AttestationError) {
                let damaged = try AttestationElements(decoding: input)
                accepted += 1
                #expect(damaged.encoded == input && damaged.nonce.count == AttestationElements.nonceCount)
            } catch {
                #expect(error.code == .malformedElements && !error.reason.isEmpty)
            }
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("revocation sets and trusted files")
    func files() throws {
        let device = try TestDevice()
        let root = try device.paa.signed(with: device.paaKey)
        let entry = RevocationSetTests.entry(
            issuer: device.pai.subject, key: device.paiKey.publicKey, serials: ["AB", "CD"], signer: root)
        var mutator = Mutator(seed: 27, corpus: [Array("[\(entry)]".utf8)])
        var accepted = 0
        for _ in 0..<Self.count {
            do throws(AttestationError) {
                _ = try RevocationSet(json: mutator.next())
                accepted += 1
            } catch {
                #expect(error.code == .malformedRevocationSet)
            }
        }
        #expect(accepted > 0 && accepted < Self.count)

        mutator = Mutator(seed: 28, corpus: [root, Array(PEM.encode(root, label: PEM.certificate).utf8)])
        for _ in 0..<Self.count / 10 {
            let store = TrustStore(files: [TrustFile(path: "x", contents: mutator.next())])
            for anchor in store.authorities { #expect(anchor.publicKey == device.paaKey.publicKey) }
        }
    }
}
