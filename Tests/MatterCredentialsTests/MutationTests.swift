import TestSupport
import Testing

@testable import MatterCrypto

/// Damaged inputs are refused with this module's error or decoded to something that stands by what it says.
@Suite("mutations")
struct MutationTests {
    static let count = 20_000

    static func corpus() throws -> [MatterCertificate] {
        let authority = try TestAuthority()
        let chain = try authority.chain(node: {
            $0.subject.append(.cat(CASEAuthenticatedTag(0x0042_0003)))
            $0.extensions.append(.future(OperationalChainTests.sampleExtension(critical: false)))
        })
        return [
            chain.noc, chain.icac ?? chain.root, chain.root, try MatterCertificate(der: OpenSSLSample.root),
            try MatterCertificate(der: OpenSSLSample.noc),
        ]
    }

    @Test("TLV certificates")
    func tlv() throws {
        var mutator = Mutator(seed: 1, corpus: try Self.corpus().map(\.tlv))
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            let certificate: MatterCertificate
            do throws(CredentialsError) { certificate = try MatterCertificate(tlv: input) } catch {
                #expect(!error.reason.isEmpty)
                continue
            }
            accepted += 1
            #expect(certificate.tlv == input)
            guard let der = try? certificate.der() else { continue }
            let again = try MatterCertificate(der: der)
            #expect(again.tbs == certificate.tbs && again.signature == certificate.signature)
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("no damaged node certificate passes for a valid one")
    func chains() throws {
        let chain = try TestAuthority().chain()
        var mutator = Mutator(seed: 6, corpus: [chain.noc.tlv])
        for _ in 0..<Self.count {
            guard let noc = try? MatterCertificate(tlv: mutator.next()) else { continue }
            let candidate = OperationalChain(noc: noc, icac: chain.icac, root: chain.root)
            guard (try? candidate.validate(at: .now(TestAuthority.now))) != nil else { continue }
            #expect(noc.tbs == chain.noc.tbs && noc.signature == chain.noc.signature)
        }
    }

    @Test("DER certificates")
    func der() throws {
        var mutator = Mutator(seed: 2, corpus: try Self.corpus().map { try $0.der() })
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            guard let certificate = try? MatterCertificate(der: input) else { continue }
            accepted += 1
            #expect(try certificate.der() == input)
            #expect(try MatterCertificate(tlv: certificate.tlv) == certificate)
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("certificate signing requests")
    func requests() throws {
        let key = try TestAuthority().nodeKey
        let valid = [
            OpenSSLSample.csr, try CertificateSigningRequest(key: key).der,
            try CertificateSigningRequest(key: key, organizationalUnit: nil).der,
        ]
        var mutator = Mutator(seed: 3, corpus: valid)
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            guard let request = try? CertificateSigningRequest(der: input) else { continue }
            accepted += 1
            // Only an undone mutation can keep the signature.
            #expect(valid.contains(request.der))
        }
        #expect(accepted < Self.count / 10)
    }

    @Test("NOCSR elements")
    func elements() throws {
        let run = try NOCSRElementsTests.Run()
        let bare = try NOCSRElements(csr: CertificateSigningRequest(key: run.deviceKey), nonce: run.nonce)
        var mutator = Mutator(seed: 4, corpus: [run.elements.encoded, bare.encoded])
        var accepted = 0
        for _ in 0..<Self.count {
            let input = mutator.next()
            guard let elements = try? NOCSRElements(decoding: input) else { continue }
            accepted += 1
            #expect(elements.encoded == input)
            #expect(elements.nonce.count == NOCSRElements.nonceCount)
        }
        #expect(accepted > 0 && accepted < Self.count)
    }

    @Test("PEM texts and private key files")
    func files() throws {
        let valid = [
            OpenSSLSample.sec1Key, OpenSSLSample.pkcs8Key, Array(OpenSSLSample.pemKey.utf8),
            Array(try MatterCertificate(der: OpenSSLSample.noc).pem().utf8),
        ]
        var mutator = Mutator(seed: 5, corpus: valid)
        for _ in 0..<Self.count {
            let input = mutator.next()
            _ = try? MatterCertificate(anyForm: input)
            if let key = try? PrivateKeyFile.decode(input) { #expect(key.scalar.count == 32) }
        }
    }
}
