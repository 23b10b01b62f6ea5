import Testing

@testable import HouseServer

@Suite struct Base64TextTests {
    /// RFC 4648, section 10.
    @Test(
        "the vectors of the RFC",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(octets: String, text: String) {
        #expect(Base64Text.encoded(Array(octets.utf8)) == text)
        #expect(Base64Text.decoded(text) == Array(octets.utf8))
        #expect(Base64Text.decoded(text.filter { $0 != "=" }) == Array(octets.utf8))
    }

    @Test func bothAlphabetsAreReadAndTheStandardOneIsWritten() {
        #expect(Base64Text.decoded("-_-_") == [0xFB, 0xFF, 0xBF])
        #expect(Base64Text.decoded("+/+/") == [0xFB, 0xFF, 0xBF])
        #expect(Base64Text.encoded([0xFB, 0xFF, 0xBF]) == "+/+/")
    }

    @Test(
        "what no octets give is refused",
        arguments: ["A", "AAAAA", "AB", "Zm9", "Z===", "Zg=", "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zé==", "====", "="])
    func refused(text: String) {
        #expect(Base64Text.decoded(text) == nil)
    }

    @Test func everyLengthSurvives() {
        for count in 0..<70 {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            #expect(Base64Text.decoded(Base64Text.encoded(octets)) == octets)
        }
    }
}
