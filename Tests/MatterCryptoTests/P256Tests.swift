import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct P256PublicKeyTests {
    private struct File: Decodable {
        struct Case: Decodable {
            var point: String
            var valid: Bool
        }
        var pointValid: [Case]
    }

    static let generator = hex(
        """
        04 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296
           4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
        """)
    /// The point with x = 5, computed independently.
    private static let five = hex(
        """
        04 0000000000000000000000000000000000000000000000000000000000000005
           459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc
        """)

    @Test("a point on the curve is kept as it came")
    func valid() throws {
        for point in [Self.generator, Self.five] { #expect(try P256PublicKey(x963: point).x963 == point) }
        #expect(try P256PublicKey(x963: Self.generator) == P256PublicKey(x963: Self.generator))
        #expect(try P256PublicKey(x963: Self.generator) != P256PublicKey(x963: Self.five))
        #expect(try "\(P256PublicKey(x963: Self.generator))" == hexString(Self.generator))
    }

    @Test("every other form and every other point is refused")
    func invalid() {
        var offCurve = Self.generator
        offCurve[64] ^= 1
        var hybrid = Self.generator
        hybrid[0] = 0x07
        let unreduced = hex(
            """
            04 ffffffff00000001000000000000000000000001000000000000000000000004
               459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc
            """)
        let compressed = [0x03] + Self.generator[1...32]
        let inputs: [[UInt8]] = [
            [], [0], [0x04], offCurve, hybrid, unreduced, compressed, compressed + [UInt8](repeating: 0, count: 32),
            Self.generator + [0], Array(Self.generator.dropLast()), [UInt8](repeating: 0, count: 65),
            [0x04] + [UInt8](repeating: 0, count: 64), [0x04] + [UInt8](repeating: 0xFF, count: 64),
        ]
        for input in inputs {
            #expect(code { _ = try P256PublicKey(x963: input) } == .invalidPoint, "\(hexString(input))")
        }
    }

    @Test(
        "the shared points are told apart", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("spake2p.json", atLeast: 40) { (file: File) in file.pointValid })
    private func vectors(vector: File.Case) throws {
        let refusal = code { _ = try P256PublicKey(x963: hex(vector.point)) }
        #expect(refusal == (vector.valid ? nil : .invalidPoint), "\(vector.point)")
    }

    @Test("of 20000 damaged points none passes but the whole ones")
    func mutations() throws {
        let whole = [Self.generator, Self.five, hex(SPAKE2PlusTests.pA), hex(SPAKE2PlusTests.pB)]
        var mutator = Mutator(seed: 0x256, corpus: whole)
        var refused = 0
        for _ in 0..<Effort.inputs(20_000) {
            let point = mutator.next()
            do {
                let key = try P256PublicKey(x963: point)
                #expect(key.x963 == point)
                #expect(whole.contains(point))
            } catch {
                #expect(error.code == .invalidPoint)
                refused += 1
            }
        }
        #expect(refused > Effort.inputs(10_000))
    }
}

@Suite struct P256PrivateKeyTests {
    private struct File: Decodable {
        struct Case: Decodable {
            var localKey: String
            var remoteKey: String
            var secret: String

            enum CodingKeys: String, CodingKey {
                case localKey = "local_pvt_key"
                case remoteKey = "remote_pub_key"
                case secret = "shared_secret"
            }
        }
        var ecdhP256: [Case]
    }

    /// The order of P-256.
    private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    private static let orderLess1 = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550")
    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let one = [UInt8](repeating: 0, count: 31) + [1]

    /// The key of RFC 6979, A.2.5, and its signature of "sample".
    private static let scalar = hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
    private static let point = hex(
        """
        04 60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6
           7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299
        """)
    private static let signature = hex(
        """
        efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716
        f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8
        """)
    private let sample = Array("sample".utf8)

    @Test("the public key follows from the scalar")
    func publicKey() throws {
        #expect(try P256PrivateKey(scalar: SecretBytes(Self.scalar)).publicKey.x963 == Self.point)
        #expect(try P256PrivateKey(scalar: SecretBytes(Self.one)).publicKey.x963 == P256PublicKeyTests.generator)
        let last = try P256PrivateKey(scalar: SecretBytes(Self.orderLess1)).publicKey.x963
        #expect(last.prefix(33) == P256PublicKeyTests.generator.prefix(33))
        #expect(last != P256PublicKeyTests.generator)
    }

    @Test("a scalar is 32 octets of a number from 1 below the order")
    func scalars() {
        #expect(code { _ = try P256PrivateKey(scalar: SecretBytes(Self.zero)) } == .invalidScalar)
        #expect(code { _ = try P256PrivateKey(scalar: SecretBytes(Self.order)) } == .invalidScalar)
        let most = [UInt8](repeating: 0xFF, count: 32)
        #expect(code { _ = try P256PrivateKey(scalar: SecretBytes(most)) } == .invalidScalar)
        for count in [0, 31, 33] {
            let scalar = SecretBytes([UInt8](repeating: 1, count: count))
            #expect(code { _ = try P256PrivateKey(scalar: scalar) } == .invalidLength)
        }
    }

    @Test("a number is reduced modulo the order")
    func reduction() throws {
        #expect(try P256.reduce(SecretBytes(Self.order)).copyBytes() == Self.zero)
        #expect(try P256.reduce(SecretBytes([])).copyBytes() == Self.zero)
        #expect(try P256.reduce(SecretBytes(Self.zero + [1])).copyBytes() == Self.one)
        #expect(try P256.reduce(SecretBytes(Self.orderLess1)).copyBytes() == Self.orderLess1)
        // 2^320 - 1, computed independently.
        #expect(
            try hexString(P256.reduce(SecretBytes([UInt8](repeating: 0xFF, count: 40))).copyBytes())
                == "fffffffe00000001431905529c0166cd22159165b6faae70f756a571fc632550")
    }

    @Test("the signatures of RFC 6979 verify")
    func publishedSignatures() throws {
        let key = try P256PublicKey(x963: Self.point)
        #expect(key.isValidSignature(Self.signature, for: sample))
        let test = hex(
            """
            f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367
            019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083
            """)
        #expect(key.isValidSignature(test, for: Array("test".utf8)))
        #expect(!key.isValidSignature(test, for: sample))
    }

    @Test("a signature verifies for its own message and key only")
    func signing() throws {
        let key = try P256PrivateKey(scalar: SecretBytes(Self.scalar))
        let other = try P256PrivateKey.generate()
        for message in [[], sample, [UInt8](repeating: 0xA5, count: 3000)] {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
            #expect(!other.publicKey.isValidSignature(signature, for: message))
        }
    }

    @Test("many signatures, short numbers among them, have 64 octets and verify")
    func manySignatures() throws {
        let key = try P256PrivateKey.generate()
        var short = 0
        for index in 0..<600 as Range<UInt16> {
            let message = [UInt8(index >> 8), UInt8(index & 0xFF)]
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            if signature[0] == 0 || signature[32] == 0 { short += 1 }
            if signature[0] == 0 || signature[32] == 0 || index < 20 {
                #expect(key.publicKey.isValidSignature(signature, for: message))
            }
        }
        #expect(short < 60)
    }

    @Test("what is no signature is refused")
    func refusedSignatures() throws {
        let key = try P256PublicKey(x963: Self.point)
        let (r, s) = (Array(Self.signature[..<32]), Array(Self.signature[32...]))
        let wrong: [[UInt8]] = [
            [], Array(Self.signature.dropLast()), Self.signature + [0], r + r, s + r, Self.zero + s, r + Self.zero,
            Self.zero + Self.zero, r + Self.order, Self.order + s, [UInt8](repeating: 0xFF, count: 64),
        ]
        for signature in wrong { #expect(!key.isValidSignature(signature, for: sample)) }
        for bit in 0..<512 {
            var damaged = Self.signature
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.isValidSignature(damaged, for: sample))
        }
    }

    @Test("ECDH agrees with RFC 5903, 8.1, from both sides")
    func publishedECDH() throws {
        let ours = try P256PrivateKey(
            scalar: SecretBytes(hex("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")))
        let theirs = try P256PrivateKey(
            scalar: SecretBytes(hex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")))
        let secret = hex("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        #expect(try ours.sharedSecret(with: theirs.publicKey).copyBytes() == secret)
        #expect(try theirs.sharedSecret(with: ours.publicKey).copyBytes() == secret)
    }

    @Test(
        "ECDH agrees with the shared vectors", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("fabric.json", atLeast: 3) { (file: File) in file.ecdhP256 })
    private func vectors(vector: File.Case) throws {
        // One of the keys has a leading zero octet, as a DER integer would.
        let key = try P256PrivateKey(scalar: SecretBytes(hex(vector.localKey).suffix(32)))
        let secret = try key.sharedSecret(with: P256PublicKey(x963: hex(vector.remoteKey)))
        #expect(hexString(secret.copyBytes()) == vector.secret)
    }

    @Test("a key is generated from the first scalar in range that the source gives")
    func generation() throws {
        let random = ScriptedRandom([Self.zero, Self.order, Self.scalar])
        #expect(try P256PrivateKey.generate(random).publicKey.x963 == Self.point)
        #expect(try P256PrivateKey.generate().publicKey != P256PrivateKey.generate().publicKey)
    }

    @Test("a source that gives no scalar is an error, not an endless search")
    func brokenSources() {
        for script in [[Self.zero], [Self.order], [[1, 2, 3]], []] {
            #expect(code { _ = try P256PrivateKey.generate(ScriptedRandom(script)) } == .randomFailed)
        }
    }

    @Test("a private key does not print its scalar")
    func redaction() throws {
        var dumped = ""
        dump(try P256PrivateKey(scalar: SecretBytes(Self.scalar)), to: &dumped)
        #expect(dumped.contains("<32 secret bytes>"))
        let numbers = dumped.split(whereSeparator: { !$0.isNumber }).compactMap { UInt8($0) }
        #expect(numbers.contains(Self.point.suffix(8)))
        #expect(!numbers.contains(Self.scalar.prefix(3)))
    }
}
