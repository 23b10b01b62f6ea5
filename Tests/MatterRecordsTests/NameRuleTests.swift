import MatterBase
import Testing

@testable import MatterNetwork
@testable import MatterState

@Suite("Name rule")
struct NameRuleTests {
    @Test(
        "names that people give are allowed",
        arguments: [
            "kitchen", "Küche", "living room", "灯", "a", "lamp-2", "2nd lamp", "0xlamp", "💡", "a.b,c;d&e", "é\u{301}",
            String(repeating: "x", count: 64),
        ])
    func allowed(name: String) throws { try NameRule.check(name, what: "node") }

    @Test(
        "names that commands, paths or terminals would stumble over are refused",
        arguments: [
            "", "-", "-x", "a/b", "a:b", "*", "why?", " a", "a ", "a\tb", "a\nb", "\u{1B}[31m", "a\u{202E}b",
            "a\u{200B}b",
            "\u{7F}", "\u{0}", "a\u{FFFD}", "a\u{2028}b", "\u{E000}", "12", "0x1F", "0X1f", "18446744073709551615",
            "18446744073709551616", "99999999999999999999999999", String(repeating: "x", count: 65),
            "e" + String(repeating: "\u{301}", count: 100),
        ])
    func refused(name: String) throws {
        let error = try #require(throws: RecordError.self) { try NameRule.check(name, what: "node") }
        #expect(error.code == .invalidName && error.hint != nil && error.reason.contains("node"))
    }

    @Test("a room may be called by a number, and otherwise as anything else")
    func rooms() throws {
        for name in ["101", "0x1F", "Hall"] { try NameRule.checkRoom(name) }
        for name in ["", "a/b", "Hall*", " Hall"] {
            let error = try #require(throws: RecordError.self) { try NameRule.checkRoom(name) }
            #expect(error.code == .invalidName && error.reason.contains("room"), "\(name)")
        }
    }

    @Test(
        "ids are decimal or hexadecimal",
        arguments: [
            ("0", 0), ("12", 12), ("0x1f", 31), ("0X1F", 31), ("18446744073709551615", UInt64.max),
            ("0xFFFFFFFFFFFFFFFF", UInt64.max),
        ] as [(String, UInt64)])
    func numbers(text: String, number: UInt64) { #expect(NameRule.parseNumber(text) == number) }

    @Test(
        "everything else is no id", arguments: ["", "x", "0x", "0xG", "-1", "1.0", "1 ", "18446744073709551616", "1e3"])
    func noNumbers(text: String) { #expect(NameRule.parseNumber(text) == nil) }
}
