import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct HashTests {
    private let abc = Array("abc".utf8)

    @Test("SHA-256 gives the digests of FIPS 180-4's examples")
    func sha256() {
        #expect(
            hexString(SHA256.hash(abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hexString(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hexString(SHA256.hash(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test("the digest of a secret is the digest of its octets")
    func secretMessage() {
        #expect(SHA256.hash(SecretBytes(abc)).copyBytes() == SHA256.hash(abc))
    }

    @Test("a message hashed piece by piece gives the same digest, whatever the pieces")
    func incremental() {
        let message = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
        for size in [1, 7, 63, 64, 65, 499] {
            var hash = SHA256()
            for start in stride(from: 0, to: message.count, by: size) {
                hash.update(Array(message[start..<min(start + size, message.count)]))
            }
            hash.update([])
            #expect(hash.digest() == SHA256.hash(message))
        }
    }

    @Test("a digest taken on the way, or a copy, does not disturb what follows")
    func snapshots() {
        var hash = SHA256()
        hash.update(Array("a".utf8))
        #expect(hash.digest() == SHA256.hash(Array("a".utf8)))
        var fork = hash
        fork.update(Array("x".utf8))
        hash.update(Array("bc".utf8))
        #expect(hash.digest() == SHA256.hash(abc))
        #expect(fork.digest() == SHA256.hash(Array("ax".utf8)))
    }

    @Test("SHA-1 gives the digests of FIPS 180-4's examples")
    func sha1() {
        #expect(hexString(SHA1.hash(abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hexString(SHA1.hash([])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    }
}
