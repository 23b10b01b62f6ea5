import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct AES128CCMTests {
    private struct Example: Sendable {
        var key, nonce, aad, plaintext, sealed: String
        var tagLength = 16
    }

    private struct File: Decodable {
        struct Case: Decodable {
            var name, key, nonce, aad, plaintext, ciphertext, tag, expected: String
        }
        var vectors: [Case]
    }

    private static let sp800Key = "404142434445464748494a4b4c4d4e4f"
    private static let plainKey = "000102030405060708090a0b0c0d0e0f"

    /// NIST SP 800-38C examples 1 to 3, RFC 3610 vector 1, and four computed with Python's cryptography.
    private static let examples = [
        Example(
            key: sp800Key, nonce: "10111213141516", aad: "0001020304050607", plaintext: "20212223",
            sealed: "7162015b4dac255d", tagLength: 4),
        Example(
            key: sp800Key, nonce: "1011121314151617", aad: "000102030405060708090a0b0c0d0e0f",
            plaintext: "202122232425262728292a2b2c2d2e2f", sealed: "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd",
            tagLength: 6),
        Example(
            key: sp800Key, nonce: "101112131415161718191a1b", aad: "000102030405060708090a0b0c0d0e0f10111213",
            plaintext: "202122232425262728292a2b2c2d2e2f3031323334353637",
            sealed: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951", tagLength: 8),
        Example(
            key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000003020100a0a1a2a3a4a5", aad: "0001020304050607",
            plaintext: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
            sealed: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0", tagLength: 8),
        Example(
            key: plainKey, nonce: "4e434153455f5369676d615331", aad: "", plaintext: "",
            sealed: "48a87f32dcbfdbf6aeed934339838e64"),
        Example(
            key: plainKey, nonce: "4e434153455f5369676d61324e", aad: "", plaintext: "4d6174746572",
            sealed: "82f0309325fffd9071dd9ab11d1b9abdc158c6892d89"),
        Example(
            key: plainKey, nonce: "4e434153455f5369676d61324e", aad: "686561646572", plaintext: "",
            sealed: "0be9950449db3cb41bb2e049c7e3a678"),
    ]

    @Test("published examples seal and open", arguments: examples)
    private func published(_ example: Example) throws {
        let ccm = try AES128CCM(key: SecretBytes(hex(example.key)))
        let sealed = try ccm.seal(
            hex(example.plaintext), nonce: hex(example.nonce), aad: hex(example.aad), tagLength: example.tagLength)
        #expect(hexString(sealed) == example.sealed)
        let opened = try ccm.open(
            sealed, nonce: hex(example.nonce), aad: hex(example.aad), tagLength: example.tagLength)
        #expect(opened == hex(example.plaintext))
    }

    @Test(
        "the shared vectors hold", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("aes-ccm.json", atLeast: 28) { (file: File) in file.vectors })
    private func vectors(vector: File.Case) throws {
        let ccm = try AES128CCM(key: SecretBytes(hex(vector.key)))
        let (nonce, aad, tagLength) = (hex(vector.nonce), hex(vector.aad), vector.tag.count / 2)
        let open = {
            try ccm.open(hex(vector.ciphertext + vector.tag), nonce: nonce, aad: aad, tagLength: tagLength)
        }
        if vector.expected == "ok" {
            let sealed = try ccm.seal(hex(vector.plaintext), nonce: nonce, aad: aad, tagLength: tagLength)
            #expect(hexString(sealed) == vector.ciphertext + vector.tag, "\(vector.name)")
            #expect(try open() == hex(vector.plaintext), "\(vector.name)")
        } else {
            #expect(code { _ = try open() } == .authenticationFailed, "\(vector.name)")
        }
    }

    @Test("lengths outside the algorithm's are refused")
    func lengths() throws {
        #expect(code { _ = try AES128CCM(key: SecretBytes(Array(repeating: 0, count: 15))) } == .invalidLength)
        #expect(code { _ = try AES128CCM(key: SecretBytes(Array(repeating: 0, count: 32))) } == .invalidLength)
        let ccm = try AES128CCM(key: SecretBytes(hex(Self.plainKey)))
        let nonce = [UInt8](repeating: 0, count: 13)
        for count in [0, 6, 14] {
            let wrong = [UInt8](repeating: 0, count: count)
            #expect(code { _ = try ccm.seal([1], nonce: wrong) } == .invalidLength)
            #expect(code { _ = try ccm.open(nonce + nonce, nonce: wrong) } == .invalidLength)
        }
        for tagLength in [-2, 0, 2, 3, 5, 15, 18] {
            #expect(code { _ = try ccm.seal([1], nonce: nonce, tagLength: tagLength) } == .invalidLength)
            #expect(code { _ = try ccm.open(nonce + nonce, nonce: nonce, tagLength: tagLength) } == .invalidLength)
        }
        #expect(code { _ = try ccm.open(Array(repeating: 0, count: 15), nonce: nonce) } == .invalidLength)
        let long = [UInt8](repeating: 0, count: 65536)
        #expect(code { _ = try ccm.seal(long, nonce: nonce) } == .invalidLength)
        let longest = try ccm.seal(Array(long.dropLast()), nonce: nonce)
        #expect(try ccm.open(longest, nonce: nonce) == Array(long.dropLast()))
        #expect(try ccm.open(ccm.seal(long, nonce: Array(nonce.dropLast())), nonce: Array(nonce.dropLast())) == long)
    }

    @Test("another key, nonce or header opens nothing, and the next good message opens still")
    func wrongContext() throws {
        let ccm = try AES128CCM(key: SecretBytes(hex(Self.plainKey)))
        let other = try AES128CCM(key: SecretBytes(hex(Self.sp800Key)))
        let nonce = [UInt8](0..<13)
        for message in [[], [UInt8](repeating: 0x55, count: 40)] {
            let sealed = try ccm.seal(message, nonce: nonce, aad: [1, 2])
            #expect(code { _ = try other.open(sealed, nonce: nonce, aad: [1, 2]) } == .authenticationFailed)
            #expect(code { _ = try ccm.open(sealed, nonce: nonce.reversed(), aad: [1, 2]) } == .authenticationFailed)
            #expect(code { _ = try ccm.open(sealed, nonce: nonce, aad: [1, 3]) } == .authenticationFailed)
            #expect(code { _ = try ccm.open(sealed, nonce: nonce) } == .authenticationFailed)
            #expect(try ccm.open(sealed, nonce: nonce, aad: [1, 2]) == message)
        }
    }

    @Test("20000 damaged messages are refused unless they are whole")
    func mutations() throws {
        let ccm = try AES128CCM(key: SecretBytes(hex(Self.plainKey)))
        let nonce = [UInt8](0..<13)
        let whole = try [[], [7], [UInt8](repeating: 0x55, count: 40)].map { try ccm.seal($0, nonce: nonce, aad: [9]) }
        var mutator = Mutator(seed: 0xCC3, corpus: whole)
        var refused = 0
        for _ in 0..<Effort.inputs(20_000) {
            let bytes = mutator.next()
            do {
                _ = try ccm.open(bytes, nonce: nonce, aad: [9])
                #expect(whole.contains(bytes))
            } catch {
                #expect(error.code == (bytes.count < 16 ? .invalidLength : .authenticationFailed))
                refused += 1
            }
        }
        #expect(refused > Effort.inputs(10_000))
        #expect(try ccm.open(#require(whole.last), nonce: nonce, aad: [9]).count == 40)
    }

    @Test("one key serves several threads at once")
    func threads() async throws {
        let ccm = try AES128CCM(key: SecretBytes(hex(Self.plainKey)))
        let intact = try await withThrowingTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 as Range<UInt8> {
                group.addTask {
                    for round in 0..<200 as Range<UInt8> {
                        let nonce = [worker, round] + [UInt8](repeating: 0, count: 11)
                        let message = [UInt8](repeating: worker ^ round, count: Int(round))
                        let sealed = try ccm.seal(message, nonce: nonce, aad: [worker])
                        guard try ccm.open(sealed, nonce: nonce, aad: [worker]) == message else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(intact)
    }
}

@Suite struct AES128CTRTests {
    private let key = SecretBytes(hex("2b7e151628aed2a6abf7158809cf4f3c"))
    private let block = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    private let plaintext = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    private let ciphertext = hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff")

    @Test("NIST SP 800-38A example F.5.1 holds, both ways")
    func published() throws {
        #expect(try AES128CTR.apply(key: key, iv: block, data: plaintext) == ciphertext)
        #expect(try AES128CTR.apply(key: key, iv: block, data: ciphertext) == plaintext)
    }

    @Test("data need not fill a block")
    func partialBlocks() throws {
        #expect(
            try AES128CTR.apply(key: key, iv: block, data: Array(plaintext.prefix(20))) == Array(ciphertext.prefix(20)))
        #expect(try AES128CTR.apply(key: key, iv: block, data: []) == [])
    }

    @Test("the counter carries through the whole block")
    func carry() throws {
        let last = [UInt8](repeating: 0xFF, count: 16)
        let zero = [UInt8](repeating: 0, count: 32)
        let stream = try AES128CTR.apply(key: key, iv: last, data: zero)
        let wrapped = try AES128CTR.apply(key: key, iv: Array(zero.prefix(16)), data: Array(zero.prefix(16)))
        #expect(Array(stream.suffix(16)) == wrapped)
    }

    @Test("a key or a first block of another length is refused")
    func lengths() {
        #expect(code { _ = try AES128CTR.apply(key: SecretBytes([1]), iv: block, data: []) } == .invalidLength)
        #expect(code { _ = try AES128CTR.apply(key: key, iv: [1], data: []) } == .invalidLength)
    }
}
