import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

@Suite("Check-in messages") struct CheckInTests {
    private struct File: Decodable {
        struct Vector: Decodable {
            var name, key: String
            var counter: UInt32
            var applicationData, nonce, payload: String
            var valid: Bool
        }
        var vectors: [Vector]
    }

    private static func key(_ digits: String = "000102030405060708090a0b0c0d0e0f") throws -> CheckInKey {
        try CheckInKey(SecretBytes(hex(digits)))
    }

    /// Made with another implementation of AES-CCM.
    private static let message =
        "8bee65c960bd92ce9e00636f253159ab02c5e6bf37fe1d3d2cc913f42a44f1545f4f5a"

    @Test("a message is sealed and opened byte for byte; the counter comes first, then how long the device stays awake")
    func bytes() throws {
        let message = CheckInMessage(counter: 1, activeThreshold: 5000)
        #expect(hexString(try message.sealed(with: Self.key())) == Self.message)
        let opened = try CheckInMessage(opening: hex(Self.message), with: Self.key())
        #expect(opened == message && opened.activeThreshold == 5000)
        let bare = try CheckInMessage(
            opening: hex("b7a35deafa7e12ab726b1cb9ba3b6e93fd7eb65ae43c3d4f5e97c8bd4233d22a78"),
            with: Self.key("404142434445464748494a4b4c4d4e4f"))
        #expect(bare.counter == 0xFFFF_FFFE && bare.activeThreshold == nil && bare.applicationData.isEmpty)
        let long = CheckInMessage(counter: 2, applicationData: [0x10, 0x27, 9, 9])
        #expect(try CheckInMessage(opening: long.sealed(with: Self.key()), with: Self.key()).activeThreshold == 10_000)
    }

    @Test("a nonce that does not belong to the counter is refused, although the key is right")
    func foreignNonce() throws {
        let payload = hex("0c27afb37e38d746bbb0ba29f3ba4981cda389c5fa32a12e866733529174993431411a")
        #expect(code(payload) == .otherKey)
    }

    private func code(_ payload: [UInt8]) -> CheckInError.Code? {
        do {
            _ = try CheckInMessage(opening: payload, with: Self.key())
            return nil
        } catch let error as CheckInError {
            return error.code
        } catch {
            return nil
        }
    }

    @Test("a message that is cut off, damaged in any bit, too long, or under another key is refused")
    func hostile() throws {
        let payload = hex(Self.message)
        for count in payload.indices {
            let cut = code(Array(payload.prefix(count)))
            #expect(cut == (count < CheckInMessage.leastCount ? .malformed : .otherKey), "\(count)")
        }
        for bit in 0..<(8 * payload.count) {
            var damaged = payload
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(code(damaged) == .otherKey, "\(bit)")
        }
        #expect(code(payload + [0]) == .otherKey && code([UInt8](repeating: 0, count: 1200)) == .malformed)
        #expect(throws: CheckInError.self) {
            try CheckInMessage(opening: payload, with: try CheckInKey.random(SystemRandom()))
        }
        #expect(throws: CryptoError.self) { try CheckInKey(SecretBytes([1, 2, 3])) }
    }

    @Test(
        "the shared vectors", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("icd-checkin.json", atLeast: 6) { (file: File) in file.vectors })
    private func vectors(vector: File.Vector) throws {
        let key = try Self.key(vector.key)
        let message = CheckInMessage(counter: vector.counter, applicationData: hex(vector.applicationData))
        guard vector.valid else {
            #expect(throws: CheckInError.self) { try CheckInMessage(opening: hex(vector.payload), with: key) }
            return
        }
        let sealed = try message.sealed(with: key)
        #expect(hexString(sealed) == vector.payload && hexString(sealed.prefix(13)) == vector.nonce)
        #expect(try CheckInMessage(opening: hex(vector.payload), with: key) == message)
    }

    @Test("a counter is accepted once, and only if it is newer than all before, also beyond the largest number")
    func counters() {
        var counter = CheckInCounter(start: 0xFFFF_FFFE)
        #expect(counter.newest == nil)
        #expect(counter.take(0xFFFF_FFFE) == .replayed)
        #expect(counter.take(0xFFFF_FFFF) == .accepted && counter.take(0xFFFF_FFFF) == .replayed)
        #expect(counter.take(3) == .accepted && counter.newest == 3 && counter.offset == 5)
        for old in [0xFFFF_FFFF, 0, 2, 3] as [UInt32] { #expect(counter.take(old) == .replayed) }
    }

    @Test("when half of the counters are used, the key has to be replaced, and nothing is taken before that")
    func refresh() {
        var counter = CheckInCounter(start: 10)
        #expect(counter.take(10 + (1 << 31)) == .accepted)
        let before = counter
        #expect(counter.take(11 + (1 << 31)) == .needsNewKey && counter == before)
        #expect(counter.take(11 + (1 << 31)) == .needsNewKey)
    }

    @Test("one from before the start is a recording, and asks for no new key", arguments: [0, 1, 1 << 29] as [UInt32])
    func beforeTheStart(offset: UInt32) {
        var counter = CheckInCounter(start: 1000, offset: offset)
        let before = counter
        for old in [999, 500, 0, 0xFFFF_FFFF, 0xC000_0000] as [UInt32] { #expect(counter.take(old) == .replayed) }
        #expect(counter == before && counter.take(1001 + offset) == .accepted)
    }
}
