import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct KeyDerivationTests {
    struct File: Decodable {
        struct PBKDF2Case: Decodable {
            var name: String
            var password: String?
            var salt: String
            var iterations: Int
            var dkLen: Int
            var key: String
            var expected: String
        }
        struct HKDFCase: Decodable {
            var name, ikm, salt, info, okm: String
        }
        struct HMACCase: Decodable {
            var name, key, message, mac: String
        }
        var pbkdf2: [PBKDF2Case]
        var hkdf: [HKDFCase]
        var hmac: [HMACCase]
    }

    private func pbkdf2(
        password: [UInt8] = Array("password".utf8), salt: [UInt8] = Array(0x30..<0x48), iterations: Int = 3,
        count: Int = 40
    ) throws -> [UInt8] {
        try PBKDF2.sha256(password: SecretBytes(password), salt: salt, iterations: iterations, count: count)
            .copyBytes()
    }

    @Test("HMAC-SHA256 gives the codes of RFC 4231, cases 1, 2 and 6")
    func hmac() throws {
        let cases: [(key: [UInt8], message: String, code: String)] = [
            (
                Array(repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for (key, message, code) in cases {
            #expect(try hexString(HMACSHA256.authenticate(key: key, message: Array(message.utf8))) == code)
            #expect(try hexString(HMACSHA256.authenticate(key: SecretBytes(key), message: Array(message.utf8))) == code)
        }
    }

    @Test("HMAC-SHA256 takes an empty key and an empty message")
    func emptyHMAC() throws {
        let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(try hexString(HMACSHA256.authenticate(key: [], message: [])) == expected)
        #expect(try hexString(HMACSHA256.authenticate(key: SecretBytes([]), message: [])) == expected)
    }

    @Test("HKDF-SHA256 gives the keys of RFC 5869, cases 1 and 3")
    func hkdf() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = try HKDF.sha256(
            secret: secret, salt: Array(0...0x0C), info: Array(0xF0...0xF9), count: 42)
        #expect(
            hexString(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = try HKDF.sha256(secret: SecretBytes(secret), salt: [], info: [], count: 42)
        #expect(
            hexString(third.copyBytes())
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test("HKDF-SHA256 refuses an empty secret and counts that it cannot give")
    func hkdfBounds() throws {
        let secret: [UInt8] = [1]
        #expect(code { _ = try HKDF.sha256(secret: [UInt8](), salt: [], info: [], count: 16) } == .invalidLength)
        #expect(code { _ = try HKDF.sha256(secret: secret, salt: [], info: [], count: 0) } == .invalidLength)
        #expect(code { _ = try HKDF.sha256(secret: secret, salt: [], info: [], count: -1) } == .invalidLength)
        #expect(code { _ = try HKDF.sha256(secret: secret, salt: [], info: [], count: 8161) } == .invalidLength)
        #expect(try HKDF.sha256(secret: secret, salt: [], info: [], count: 8160).count == 8160)
    }

    @Test("PBKDF2 gives the key that another implementation gives")
    func pbkdf2Key() throws {
        // Computed with Python's hashlib.
        #expect(
            try hexString(pbkdf2())
                == "2cbe07280a8ddff725b003b124cc419b4b647c153fcdfc93e0b5387a21ca90a00d1bb217c28f37ce")
    }

    @Test("PBKDF2 refuses an empty password, salts outside 16 to 32 octets, and empty work")
    func pbkdf2Bounds() throws {
        #expect(code { _ = try pbkdf2(password: []) } == .invalidLength)
        #expect(code { _ = try pbkdf2(salt: Array(repeating: 1, count: 15)) } == .invalidLength)
        #expect(code { _ = try pbkdf2(salt: Array(repeating: 1, count: 33)) } == .invalidLength)
        #expect(code { _ = try pbkdf2(count: 0) } == .invalidLength)
        #expect(code { _ = try pbkdf2(iterations: 0) } == .invalidParameter)
        #expect(code { _ = try pbkdf2(iterations: -5) } == .invalidParameter)
        #expect(code { _ = try pbkdf2(iterations: 1 << 40) } == .invalidParameter)
    }

    @Test(
        "the shared vectors of PBKDF2 hold", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("kdf.json", atLeast: 13) { (file: File) in file.pbkdf2 })
    func pbkdf2Vectors(vector: File.PBKDF2Case) throws {
        let derive = {
            try pbkdf2(
                password: hex(vector.password ?? ""), salt: hex(vector.salt), iterations: vector.iterations,
                count: vector.dkLen)
        }
        if vector.expected == "ok" {
            #expect(try derive() == hex(vector.key))
        } else {
            #expect(code { _ = try derive() } == .invalidLength)
        }
    }

    @Test(
        "the shared vectors of HKDF hold", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("kdf.json", atLeast: 3) { (file: File) in file.hkdf })
    func hkdfVectors(vector: File.HKDFCase) throws {
        let key = try HKDF.sha256(
            secret: hex(vector.ikm), salt: hex(vector.salt), info: hex(vector.info), count: vector.okm.count / 2)
        #expect(hexString(key) == vector.okm)
    }

    @Test(
        "the shared vectors of HMAC hold", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("kdf.json", atLeast: 2) { (file: File) in file.hmac })
    func hmacVectors(vector: File.HMACCase) throws {
        let code = try HMACSHA256.authenticate(key: hex(vector.key), message: hex(vector.message))
        #expect(hexString(code) == vector.mac)
    }
}
