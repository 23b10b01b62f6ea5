import TestSupport
import Testing

@testable import MatterCrypto

@Suite("PEM")
struct PEMTests {
    @Test("blocks are written in lines of 64 and read back")
    func roundTrip() throws {
        for count in [1, 47, 48, 49, 300] {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let text = PEM.encode(octets, label: "TEST")
            #expect(text.hasPrefix("-----BEGIN TEST-----\n"))
            #expect(text.hasSuffix("\n-----END TEST-----\n"))
            #expect(text.split(separator: "\n").dropFirst().dropLast().allSatisfy { (1...64).contains($0.count) })
            #expect(try PEM.decode(text) == [PEM.Block(label: "TEST", contents: octets)])
        }
    }

    @Test(
        "one long line, line ends in two characters, carriage returns and text around are accepted",
        arguments: [
            "-----BEGIN X-----\nAQIDBA==\n-----END X-----",
            "-----BEGIN X-----\\nAQID\\nBA==\\n-----END X-----\\n",
            "-----BEGIN X-----\r\nAQID\r\nBA==\r\n-----END X-----\r\n",
            "subject: light\n-----BEGIN X-----AQIDBA==-----END X-----\nthe end",
        ])
    func lenient(text: String) throws {
        #expect(try PEM.decode(text) == [PEM.Block(label: "X", contents: [1, 2, 3, 4])])
    }

    @Test(
        "a block that does not end or is no base64 is refused",
        arguments: [
            "-----BEGIN X-----\nAQIDBA==\n", "-----BEGIN X", "-----BEGIN X-----\nAQIDBA==\n-----END Y-----",
            "-----BEGIN X-----\nA*ID\n-----END X-----", "-----BEGIN X-----\nAQIDB\n-----END X-----",
            "-----BEGIN X-----\n-----END X-----", "-----BEGIN X-----\\AQIDBA==n-----END X-----",
        ])
    func malformed(text: String) {
        #expect(throws: CredentialsError.self) { _ = try PEM.decode(text) }
    }

    @Test("certificates are read from PEM, DER and TLV alike")
    func forms() throws {
        let certificate = try MatterCertificate(der: OpenSSLSample.root)
        #expect(try MatterCertificate(anyForm: OpenSSLSample.root) == certificate)
        #expect(try MatterCertificate(anyForm: certificate.tlv) == certificate)
        #expect(try MatterCertificate(anyForm: Array(certificate.pem().utf8)) == certificate)
        #expect(throws: CredentialsError.self) { _ = try MatterCertificate(anyForm: []) }
        #expect(throws: CredentialsError.self) { _ = try MatterCertificate(anyForm: Array("nothing".utf8)) }
        let two = try certificate.pem() + certificate.pem()
        #expect(throws: CredentialsError.self) { _ = try MatterCertificate(pem: two) }
    }
}

@Suite("private key files")
struct PrivateKeyFileTests {
    @Test("every known form gives the same key")
    func forms() throws {
        let expected = try MatterCertificate(der: OpenSSLSample.noc).publicKey
        let key = try PrivateKeyFile.decode(OpenSSLSample.sec1Key)
        #expect(key.publicKey == expected)
        let scalar = key.scalar.copyBytes()
        for form in [
            OpenSSLSample.pkcs8Key, Array(OpenSSLSample.pemKey.utf8), scalar, expected.x963 + scalar,
            Array(PEM.encode(OpenSSLSample.pkcs8Key, label: "PRIVATE KEY").utf8),
        ] {
            #expect(try PrivateKeyFile.decode(form).publicKey == expected)
        }
    }

    @Test("everything else is refused")
    func refused() throws {
        let key = try PrivateKeyFile.decode(OpenSSLSample.sec1Key)
        let other = try TestAuthority().nodeKey.publicKey.x963
        let wrong: [[UInt8]] = [
            [], [UInt8](repeating: 0, count: 32), other + key.scalar.copyBytes(), OpenSSLSample.noc,
            OpenSSLSample.sec1Key.dropLast(), OpenSSLSample.sec1Key + [0], Array("-----BEGIN".utf8),
            Array(PEM.encode(OpenSSLSample.pkcs8Key, label: "ENCRYPTED PRIVATE KEY").utf8),
        ]
        for form in wrong {
            #expect(throws: CredentialsError.self) { _ = try PrivateKeyFile.decode(form) }
        }
        // Another curve: secp521r1 does not even fit, secp256k1 would.
        var curve = OpenSSLSample.pkcs8Key
        let index = try #require(curve.indices.first { curve[$0...].starts(with: hex("2a8648ce3d030107")) })
        curve[index + 7] = 6
        let changed = curve
        let error = #expect(throws: CredentialsError.self) { _ = try PrivateKeyFile.decode(changed) }
        #expect(error?.code == .unsupportedAlgorithm)
    }
}
