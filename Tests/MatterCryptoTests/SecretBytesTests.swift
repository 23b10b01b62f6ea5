import MatterCrypto
import TestSupport
import Testing

@Suite struct SecretBytesTests {
    struct Holder {
        let secret = SecretBytes([0xDE, 0xAD])
    }

    @Test("equality goes by the octets")
    func equality() {
        #expect(SecretBytes([1, 2, 3]) == SecretBytes([1, 2, 3]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2, 4]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2]))
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test("plain octets compare like secrets")
    func plainEquality() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([7, 8], [7, 8]))
        #expect(!constantTimeEqual([7, 8], [7, 9]))
        #expect(!constantTimeEqual([7, 8], [7, 8, 0]))
        #expect(!constantTimeEqual([7], []))
    }

    @Test("no way of printing shows the octets")
    func redaction() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        let prints = [
            "\(holder.secret)", String(reflecting: holder.secret), "\(holder)", String(reflecting: holder), dumped,
        ]
        for text in prints {
            #expect(text.contains("<2 secret bytes>"))
            for leak in ["222", "173", "dead", "DEAD", "de, ", "0xDE"] { #expect(!text.contains(leak)) }
        }
    }

    @Test("a part is cut where it is asked for, and nowhere else")
    func parts() throws {
        let secret = SecretBytes(0..<48)
        #expect(try secret.part(16..<32).copyBytes() == Array(16..<32))
        #expect(try secret.part(48..<48).isEmpty)
        #expect(code { _ = try secret.part(40..<49) } == .invalidLength)
        #expect(code { _ = try secret.part(-1..<4) } == .invalidLength)
        #expect(code { _ = try secret.part(50..<51) } == .invalidLength)
    }

    @Test("a secret is zero until it is filled, and an error of the filler comes through")
    func filling() throws {
        #expect(SecretBytes(count: 3) { $0[1] = 9 }.copyBytes() == [0, 9, 0])
        #expect(
            code {
                _ = try SecretBytes(count: 3) { (_) throws(CryptoError) in throw CryptoError(.randomFailed, "dry") }
            } == .randomFailed)
    }

    @Test("the octets are lent in place")
    func lending() {
        let secret = SecretBytes([5, 6, 7])
        #expect(secret.count == 3)
        #expect(secret.withUnsafeBytes { Array($0) } == [5, 6, 7])
    }
}
