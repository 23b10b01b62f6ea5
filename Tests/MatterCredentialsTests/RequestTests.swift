import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("certificate signing request")
struct CertificateSigningRequestTests {
    static func code(_ der: [UInt8]) -> CredentialsError.Code? {
        do throws(CredentialsError) {
            _ = try CertificateSigningRequest(der: der)
            return nil
        } catch {
            return error.code
        }
    }

    static func replacing(_ old: String, with new: String, in der: [UInt8]) throws -> [UInt8] {
        let index = try #require(der.indices.first { der[$0...].starts(with: hex(old)) })
        var changed = der
        changed.replaceSubrange(index..<index + hex(old).count, with: hex(new))
        return changed
    }

    @Test("a request that OpenSSL made is read")
    func openSSL() throws {
        let request = try CertificateSigningRequest(der: OpenSSLSample.csr)
        #expect(request.publicKey == (try MatterCertificate(der: OpenSSLSample.noc).publicKey))
        #expect(request.der == OpenSSLSample.csr)
    }

    @Test("our own requests are read back, with and without subject")
    func own() throws {
        let key = try TestAuthority().nodeKey
        for unit in ["CSA", nil] {
            let request = try CertificateSigningRequest(key: key, organizationalUnit: unit)
            #expect(try CertificateSigningRequest(der: request.der) == request)
            #expect(request.publicKey == key.publicKey)
            #expect(try CertificateSigningRequest(pem: request.pem) == request)
        }
    }

    @Test("a request without attributes is accepted though the standard wants an empty set")
    func withoutAttributes() throws {
        let key = try TestAuthority().nodeKey
        let whole = try CertificateSigningRequest(key: key, organizationalUnit: nil).der
        // Version, empty subject, and a key of 91 octets; what follows is the empty set.
        let start = try #require(whole.indices.first { whole[$0...].starts(with: hex("0201003000")) })
        #expect(whole[(start + 96)...].starts(with: hex("a000")))
        let info = Array(whole[start..<start + 5 + 91])
        let shorter = [0x30, UInt8(info.count)] + info
        let signature = try ECDSASignature.rawToDER(key.sign(shorter))
        let body = shorter + hex("300a06082a8648ce3d040302") + [0x03, UInt8(signature.count + 1), 0] + signature
        let request = try CertificateSigningRequest(der: [0x30, 0x81, UInt8(body.count)] + body)
        #expect(request.publicKey == key.publicKey)
    }

    @Test("another version, algorithm or curve is refused")
    func wrong() throws {
        let der = OpenSSLSample.csr
        #expect(Self.code(try Self.replacing("020100305e", with: "020101305e", in: der)) == .malformedRequest)
        // ecdsa-with-SHA384, an RSA key, and secp256k1's neighbour in the same arc.
        #expect(
            Self.code(try Self.replacing("06082a8648ce3d040302", with: "06082a8648ce3d040303", in: der))
                == .unsupportedAlgorithm)
        #expect(
            Self.code(try Self.replacing("06072a8648ce3d0201", with: "06072a8648ce3d0202", in: der))
                == .unsupportedAlgorithm)
        #expect(
            Self.code(try Self.replacing("06082a8648ce3d030107", with: "06082a8648ce3d030106", in: der))
                == .unsupportedAlgorithm)
    }

    @Test("a request that another key signed or that was changed is refused")
    func forged() throws {
        #expect(Self.code(try Self.replacing("3035", with: "3036", in: OpenSSLSample.csr)) == .invalidRequestSignature)
        #expect(Self.code(try Self.replacing("357673556e", with: "367673556e", in: OpenSSLSample.csr)) != nil)
    }

    @Test("octets that are no request are refused")
    func malformed() {
        #expect(Self.code([]) == .malformedRequest)
        #expect(Self.code(OpenSSLSample.csr + [0]) == .malformedRequest)
        #expect(Self.code(OpenSSLSample.csr.dropLast()) == .malformedRequest)
        #expect(Self.code(OpenSSLSample.noc) == .malformedRequest)
        #expect(Self.code([UInt8](repeating: 0x30, count: 2049)) == .malformedRequest)
    }
}

@Suite("NOCSR elements")
struct NOCSRElementsTests {
    struct Run {
        let deviceKey: P256PrivateKey
        let attestationKey: P256PrivateKey
        let nonce = [UInt8](repeating: 3, count: 32)
        let challenge = [UInt8](repeating: 4, count: 16)
        let elements: NOCSRElements
        let signature: [UInt8]

        init() throws {
            let authority = try TestAuthority()
            deviceKey = authority.nodeKey
            attestationKey = authority.rootKey
            elements = try NOCSRElements(
                csr: CertificateSigningRequest(key: deviceKey), nonce: nonce, vendorReserved: [nil, [1, 2], nil])
            signature = try elements.sign(with: attestationKey, attestationChallenge: challenge)
        }

        func verify(
            nonce: [UInt8]? = nil, signature: [UInt8]? = nil, key: P256PublicKey? = nil, challenge: [UInt8]? = nil
        ) -> CredentialsError.Code? {
            do throws(CredentialsError) {
                _ = try elements.verify(
                    nonce: nonce ?? self.nonce, signature: signature ?? self.signature,
                    attestationKey: key ?? attestationKey.publicKey, attestationChallenge: challenge ?? self.challenge)
                return nil
            } catch {
                return error.code
            }
        }
    }

    static func code(_ members: [TLVElement]) -> CredentialsError.Code? {
        do throws(CredentialsError) {
            _ = try NOCSRElements(decoding: TLVElement(.anonymous, .structure(members)).encoded())
            return nil
        } catch {
            return error.code
        }
    }

    static let csr = TLVElement(1, .octets([1]))
    static let nonce = TLVElement(2, .octets([UInt8](repeating: 3, count: 32)))

    @Test("elements are read back and prove the device's key")
    func roundTrip() throws {
        let run = try Run()
        let decoded = try NOCSRElements(decoding: run.elements.encoded)
        #expect(decoded == run.elements)
        #expect(decoded.vendorReserved == [nil, [1, 2], nil])
        let request = try decoded.verify(
            nonce: run.nonce, signature: run.signature, attestationKey: run.attestationKey.publicKey,
            attestationChallenge: run.challenge)
        #expect(request.publicKey == run.deviceKey.publicKey)
    }

    @Test("another nonce, signature, key or session is refused")
    func refused() throws {
        let run = try Run()
        #expect(run.verify() == nil)
        #expect(run.verify(nonce: [UInt8](repeating: 5, count: 32)) == .nonceMismatch)
        #expect(run.verify(signature: run.signature.reversed()) == .invalidAttestationSignature)
        #expect(run.verify(signature: []) == .invalidAttestationSignature)
        #expect(run.verify(key: run.deviceKey.publicKey) == .invalidAttestationSignature)
        #expect(run.verify(challenge: [UInt8](repeating: 5, count: 16)) == .invalidAttestationSignature)
    }

    @Test("a sound answer with an unsound request inside is refused")
    func unsoundRequest() throws {
        let run = try Run()
        let encoded = TLVElement(.anonymous, .structure([Self.csr, Self.nonce])).encoded()
        let elements = try NOCSRElements(decoding: encoded)
        let signature = try elements.sign(with: run.attestationKey, attestationChallenge: run.challenge)
        let error = #expect(throws: CredentialsError.self) {
            _ = try elements.verify(
                nonce: run.nonce, signature: signature, attestationKey: run.attestationKey.publicKey,
                attestationChallenge: run.challenge)
        }
        #expect(error?.code == .malformedRequest)
    }

    @Test("order, types and sizes follow the schema")
    func schema() {
        #expect(Self.code([Self.csr, Self.nonce]) == nil)
        #expect(Self.code([Self.csr, Self.nonce, TLVElement(3, .octets([])), TLVElement(5, .octets([1]))]) == nil)
        #expect(Self.code([Self.csr, Self.nonce, TLVElement(6, .uint(1)), TLVElement(9, .bool(true))]) == nil)
        #expect(Self.code([Self.nonce, Self.csr]) == .malformedElements)
        #expect(Self.code([Self.csr]) == .malformedElements)
        #expect(Self.code([]) == .malformedElements)
        #expect(Self.code([Self.csr, TLVElement(2, .octets([1]))]) == .malformedElements)
        #expect(Self.code([TLVElement(1, .string("x")), Self.nonce]) == .malformedElements)
        #expect(Self.code([Self.csr, Self.nonce, TLVElement(3, .uint(1))]) == .malformedElements)
        #expect(
            Self.code([Self.csr, Self.nonce, TLVElement(5, .octets([])), TLVElement(4, .octets([]))])
                == .malformedElements)
        #expect(Self.code([Self.csr, Self.nonce, TLVElement(.commonProfile(1), .uint(1))]) == .malformedElements)
        #expect(
            Self.code([TLVElement(1, .octets([UInt8](repeating: 0, count: 880))), Self.nonce]) == .malformedElements)
    }
}

@Suite("NOCSR vectors", .vectors, .enabled(if: Vectors.available))
struct NOCSRVectorTests {
    struct File: Decodable {
        struct Entry: Decodable {
            var elements: String
            var csrNonce: String
            var attestationChallenge: String
            var attestationPublicKey: String
            var signature: String
            var wrongSignature: String
        }
        var nocsr: Entry
    }

    @Test("a reference answer verifies, its damaged signature does not")
    func reference() throws {
        let entry = try Vectors.load("attestation-elements.json", as: File.self).nocsr
        let elements = try NOCSRElements(decoding: hex(entry.elements))
        #expect(elements.nonce == hex(entry.csrNonce))
        #expect(
            elements.vendorReserved == [
                Array("sample_vendor_reserved1".utf8), nil, Array("vendor_reserved3_example".utf8),
            ])
        let key = try P256PublicKey(x963: hex(entry.attestationPublicKey))
        func verify(_ signature: String) throws {
            _ = try elements.verify(
                nonce: hex(entry.csrNonce), signature: hex(signature), attestationKey: key,
                attestationChallenge: hex(entry.attestationChallenge))
        }
        try verify(entry.signature)
        let error = #expect(throws: CredentialsError.self) { try verify(entry.wrongSignature) }
        #expect(error?.code == .invalidAttestationSignature)
        let again = try NOCSRElements(
            csr: CertificateSigningRequest(der: elements.csr), nonce: elements.nonce,
            vendorReserved: elements.vendorReserved)
        #expect(again.encoded == hex(entry.elements))
    }
}
