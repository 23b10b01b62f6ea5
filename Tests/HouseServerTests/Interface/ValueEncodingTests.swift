import JSON
import MatterController
import Testing

@testable import HouseServer

@Suite struct ValueEncodingTests {
    private static func text(_ value: TLVValue) -> String {
        var text: [UInt8] = []
        ValueEncoding.append(value, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(
        "each type has its JSON, and both forms agree",
        arguments: [
            (TLVValue.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.uint(0), "0"), (.int(0), "0"),
            (.uint(10), "10"), (.uint(1 << 53 + 1), "9007199254740993"), (.uint(.max), "18446744073709551615"),
            (.int(.min), "-9223372036854775808"), (.int(-1), "-1"), (.double(0.5), "0.5"),
            (.float(21.3), "21.299999237060547"), (.double(1), "1.0"), (.float(.nan), "null"),
            (.double(.infinity), "null"), (.double(-.infinity), "null"), (.double(.nan), "null"),
            (.string(""), "\"\""), (.string("Küche ☃ 💡"), "\"Küche ☃ 💡\""), (.string("a\"b\\c"), #""a\"b\\c""#),
            (.string("\u{1B}[31m\u{202E}\n"), #""\u001b[31m\u202e\n""#), (.octets([]), "\"\""),
            (.octets([0xFB, 0xFF]), "\"+/8=\""), (.array([]), "[]"),
        ])
    func scalars(value: TLVValue, expected: String) {
        #expect(Self.text(value) == expected)
        #expect(ValueEncoding.json(value).serialized() == expected)
    }

    @Test func aStructureHasDecimalTagsAndAListIsAnArray() {
        let value = TLVValue.array(of: [
            .structure([TLVElement(.context(0), .uint(22)), TLVElement(.context(1), .uint(1))]),
            .structure([
                TLVElement(.context(254), .uint(1)), TLVElement(.context(2), .list([TLVElement(.anonymous, .null)])),
            ]),
        ])
        #expect(Self.text(value) == #"[{"0":22,"1":1},{"254":1,"2":[null]}]"#)
        #expect(ValueEncoding.json(value).serialized() == Self.text(value))
    }

    @Test(
        "tags that no structure may have are encoded still, and no key comes twice",
        arguments: [
            ([TLVTag.anonymous, .context(1)], #"{"anonymous":0,"1":1}"#),
            ([.context(1), .context(2), .context(1)], #"{"1":0,"2":1}"#),
            ([.fullyQualified(vendor: 1, profile: 2, tag: 3)], #"{"1:2:3":0}"#),
        ])
    func oddTags(tags: [TLVTag], expected: String) {
        let value = TLVValue.structure(tags.enumerated().map { TLVElement($1, .uint(UInt64($0))) })
        #expect(Self.text(value) == expected)
        #expect(ValueEncoding.json(value).serialized() == expected)
    }

    @Test func aLargeStructureIsSearchedForDoubleTagsToo() throws {
        let members = (0..<300).map { TLVElement(.context(UInt8(truncatingIfNeeded: $0)), .uint(UInt64($0))) }
        let object = try #require(ValueEncoding.json(.structure(members)).objectValue)
        #expect(object.members.count == 256 && object["0"] == .int(0))
        #expect(try JSONValue(parsing: Self.text(.structure(members))) == .object(object))
    }

    @Test func bothFormsAgreeOnValuesAtRandom() {
        var random = SeededGenerator(seed: 34)
        for _ in 0..<3000 {
            let value = random.value(depth: 0)
            #expect(Self.text(value) == ValueEncoding.json(value).serialized(), "\(value)")
        }
    }
}

/// Repeatable random numbers (SplitMix64), and values of TLV made of them.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private static let texts = ["", "a", "Küche", "\"", "\\", "\u{0}", "\u{7F}", "\u{85}", "\u{2028}", "💡", "x\ty"]

    mutating func text() -> String {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in Self.texts.randomElement(using: &self) ?? "" }.joined()
    }

    mutating func octets() -> [UInt8] {
        (0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    mutating func value(depth: Int) -> TLVValue {
        switch Int.random(in: 0..<(depth < 3 ? 11 : 8), using: &self) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self))
        case 2: .uint(next() >> UInt64.random(in: 0...63, using: &self))
        case 3: .int(Int64(bitPattern: next()) >> Int64.random(in: 0...63, using: &self))
        case 4: .double(Double(bitPattern: next()))
        case 5: .float(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
        case 6: .string(text())
        case 7: .octets(octets())
        case 8: .array(members(depth) { _ in .anonymous })
        case 9: .list(members(depth) { _ in .anonymous })
        default: .structure(members(depth) { .context(UInt8.random(in: 0...20, using: &$0)) })
        }
    }

    private mutating func members(_ depth: Int, _ tag: (inout Self) -> TLVTag) -> [TLVElement] {
        (0..<Int.random(in: 0...16, using: &self)).map { _ in TLVElement(tag(&self), value(depth: depth + 1)) }
    }
}
