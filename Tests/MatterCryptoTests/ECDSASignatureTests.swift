import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct ECDSASignatureTests {
    /// Signatures of both forms: full-length numbers, numbers with a sign octet, short ones, zero.
    private static let pairs: [(raw: [UInt8], der: [UInt8])] = [
        (
            hex(String(repeating: "11", count: 32) + String(repeating: "7f", count: 32)),
            hex("3044 0220" + String(repeating: "11", count: 32) + "0220" + String(repeating: "7f", count: 32))
        ),
        (
            hex(String(repeating: "80", count: 32) + String(repeating: "ff", count: 32)),
            hex("3046 022100" + String(repeating: "80", count: 32) + "022100" + String(repeating: "ff", count: 32))
        ),
        (
            hex(String(repeating: "00", count: 31) + "05" + String(repeating: "00", count: 31) + "80"),
            hex("3007 020105 02020080")
        ),
        (hex(String(repeating: "00", count: 64)), hex("3006 020100 020100")),
    ]

    @Test("both forms convert into each other")
    func conversion() throws {
        for (raw, der) in Self.pairs {
            #expect(try ECDSASignature.derToRaw(der) == raw)
            #expect(try ECDSASignature.rawToDER(raw) == der)
            #expect(der.count <= ECDSASignature.maximumDERCount)
        }
    }

    @Test(
        "what is not strict DER is refused",
        arguments: [
            ("nothing", ""),
            ("a tag alone", "30"),
            ("another outer tag", "3106020101020101"),
            ("an octet after the sequence", "300602010102010100"),
            ("an octet after s", "30070201010201 0100"),
            ("a missing s", "3003020101"),
            ("a sequence cut short", "3006020101020 1"),
            ("a number cut short", "3006020101020201"),
            ("another inner tag", "3006020101030101"),
            ("an outer length in long form", "308106020101020101"),
            ("an inner length in long form", "300702810101020101"),
            ("an indefinite length", "30800201010201010000"),
            ("an empty number", "30050200020101"),
            ("a negative number", "3006020180020101"),
            ("a needless leading zero", "300702020001020101"),
            ("a needless leading zero before zero", "300702020000020101"),
            ("a number of 33 octets", "3026022101" + String(repeating: "00", count: 32) + "020101"),
            ("a number of 33 octets with its sign", "302702220080" + String(repeating: "00", count: 32) + "020101"),
        ])
    func malformed(name: String, der: String) {
        #expect(code { _ = try ECDSASignature.derToRaw(hex(der)) } == .invalidSignature)
    }

    @Test("a raw signature has 64 bytes")
    func rawLength() {
        for count in [0, 63, 65, 128] {
            let raw = [UInt8](repeating: 1, count: count)
            #expect(code { _ = try ECDSASignature.rawToDER(raw) } == .invalidSignature)
        }
    }

    @Test("of 20000 damaged signatures those that are read have one encoding only")
    func mutations() throws {
        var mutator = Mutator(seed: 0xDE5, corpus: Self.pairs.map(\.der))
        var (read, refused) = (0, 0)
        for _ in 0..<Effort.inputs(20_000) {
            let der = mutator.next()
            do {
                let raw = try ECDSASignature.derToRaw(der)
                #expect(raw.count == 64)
                #expect(try ECDSASignature.rawToDER(raw) == der)
                read += 1
            } catch {
                #expect(error.code == .invalidSignature)
                refused += 1
            }
        }
        #expect(read > Effort.inputs(1000) && refused > Effort.inputs(1000))
    }
}
