import JSON
import Testing

@Suite("Hex")
struct HexTests {
    @Test("digits of either case, blanks between octets and a prefix are read")
    func decode() throws {
        #expect(try Hex.decode("hex:0aFF") == [0x0A, 0xFF])
        #expect(try Hex.decode(" 0x".dropFirst() + "01 02\n03") == [1, 2, 3])
        #expect(try Hex.decode("").isEmpty)
        #expect(Hex.encode([0x0A, 0xFF]) == "0aff")
        #expect(Hex.encode([0x0A, 0xFF], uppercase: true) == "0AFF")
    }

    @Test(
        "other characters and half octets are refused", arguments: ["0", "0g", "0 1", "0x0x00", "００", "hex:1", "12:34"])
    func refuse(_ text: String) {
        #expect(throws: HexError.self) { try Hex.decode(text) }
    }
}
