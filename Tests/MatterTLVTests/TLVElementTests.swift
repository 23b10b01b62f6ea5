import MatterBase
import TestSupport
import Testing

@Suite("TLVElement")
struct TLVElementTests {
    /// One encoding per element type, from the table of the specification.
    static let types: [(String, TLVValue)] = [
        ("00 80", .int(-128)), ("00 7F", .int(127)),
        ("01 00 80", .int(-32768)), ("02 00 00 00 80", .int(-2_147_483_648)),
        ("03 00 00 00 00 00 00 00 80", .int(.min)), ("03 FF FF FF FF FF FF FF 7F", .int(.max)),
        ("04 FF", .uint(255)), ("05 00 01", .uint(256)), ("06 00 00 01 00", .uint(65536)),
        ("07 FF FF FF FF FF FF FF FF", .uint(.max)),
        ("08", .bool(false)), ("09", .bool(true)),
        ("0A 00 00 80 3F", .float(1)), ("0B 00 00 00 00 00 00 F0 BF", .double(-1)),
        ("0C 03 C3 A4 21", .string("ä!")), ("0C 00", .string("")),
        ("10 02 00 FF", .octets([0, 255])), ("10 00", .octets([])),
        ("14", .null),
        ("15 18", .structure([])), ("16 18", .array([])), ("17 18", .list([])),
    ]

    @Test("each element type decodes to its value and is written the same way", arguments: types)
    func roundTrip(_ encoding: String, _ value: TLVValue) throws {
        let element = try TLVElement(decoding: hex(encoding))
        #expect(element == TLVElement(.anonymous, value))
        #expect(element.encoded() == hex(encoding))
    }

    static let wide: [(String, TLVValue)] = [
        ("05 2A 00", TLVValue.uint(42)), ("06 2A 00 00 00", .uint(42)), ("07 2A 00 00 00 00 00 00 00", .uint(42)),
        ("01 FF FF", .int(-1)), ("03 FF FF FF FF FF FF FF FF", .int(-1)),
        ("0D 01 00 61", .string("a")), ("0E 01 00 00 00 61", .string("a")),
        ("0F 01 00 00 00 00 00 00 00 61", .string("a")),
        ("11 01 00 61", .octets([0x61])), ("12 01 00 00 00 61", .octets([0x61])),
        ("13 01 00 00 00 00 00 00 00 61", .octets([0x61])),
    ]

    @Test(
        "wider fields than needed are read",
        arguments: wide)
    func wider(_ encoding: String, _ value: TLVValue) throws {
        #expect(try TLVElement(decoding: hex(encoding)).value == value)
    }

    static let tagForms: [(String, TLVTag)] = [
        ("04 01", TLVTag.anonymous), ("44 34 12 01", .commonProfile(0x1234)),
        ("64 78 56 34 12 01", .commonProfile(0x1234_5678)), ("84 34 12 01", .implicitProfile(0x1234)),
        ("A4 78 56 34 12 01", .implicitProfile(0x1234_5678)),
        ("C4 F1 FF ED DE 34 12 01", .fullyQualified(vendor: 0xFFF1, profile: 0xDEED, tag: 0x1234)),
        ("E4 F1 FF ED DE 78 56 34 12 01", .fullyQualified(vendor: 0xFFF1, profile: 0xDEED, tag: 0x1234_5678)),
    ]

    @Test(
        "each tag form is read and written",
        arguments: tagForms)
    func tags(_ encoding: String, _ tag: TLVTag) throws {
        let element = try TLVElement(decoding: hex(encoding))
        #expect(element == TLVElement(tag, .uint(1)))
        #expect(element.encoded() == hex(encoding))
    }

    @Test("a context tag belongs in a container")
    func contextTag() throws {
        #expect(try TLVElement(decoding: hex("15 24 FF 01 18")).value == .structure([TLVElement(255, .uint(1))]))
        #expect(code("24 01 01") == .invalidTag)
    }

    static let malformed: [(String, TLVError.Code)] = [
        ("", TLVError.Code.truncated), ("04", .truncated), ("07 00 00 00 00 00 00 00", .truncated),
        ("0A 00 00 80", .truncated), ("0C 05 61", .truncated), ("0E FF FF FF FF 61", .truncated),
        ("0F FF FF FF FF FF FF FF FF 61", .truncated), ("13 00 00 00 00 00 00 00 80 61", .truncated),
        ("0D 01", .truncated), ("15", .truncated), ("15 24 00", .truncated), ("C4 F1 FF ED", .truncated),
        ("15 35 00 18", .truncated), ("19", .malformed), ("1F", .malformed), ("18", .malformed),
        ("15 38 18", .malformed), ("16 04 01 18 18", .trailingData), ("04 01 00", .trailingData),
        ("15 04 01 18", .invalidTag), ("16 24 00 01 18", .invalidTag), ("15 24 00 01 24 00 02 18", .invalidTag),
        ("0C 01 FF", .invalidUTF8), ("0C 02 C0 80", .invalidUTF8), ("0C 03 ED A0 80", .invalidUTF8),
    ]

    @Test(
        "a malformed encoding is refused with the code that says why",
        arguments: malformed)
    func refusals(_ encoding: String, _ expected: TLVError.Code) {
        #expect(code(encoding) == expected)
    }

    @Test("what is no UTF-8 in a string is replaced where the caller says so, and only in strings")
    func repairedText() throws {
        let octets = hex("16 0C 03 61 FF 62 0C 02 C3 A9 0C 03 C3 A9 C3 10 01 FF 18")
        #expect(
            try TLVElement(decoding: octets, text: .repaired).value
                == .array(
                    [.string("a\u{FFFD}b"), .string("é"), .string("é\u{FFFD}"), .octets([0xFF])]
                        .map { TLVElement(.anonymous, $0) }))
        #expect(throws: TLVError.self) { try TLVElement(decoding: hex("0C 02 61"), text: .repaired) }
    }

    @Test("octets after the element are ignored where the caller says so")
    func trailing() throws {
        #expect(try TLVElement(decoding: hex("04 01 FF"), allowTrailing: true).value == .uint(1))
    }

    @Test("an error names the octet where the bad element begins")
    func offset() {
        let error = #expect(throws: TLVError.self) { try TLVElement(decoding: hex("15 24 00 01 2C 01 05 61 18")) }
        #expect(error?.offset == 4)
    }

    @Test("containers nest up to the limit and no deeper")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: 0x16, count: depth) + Array(repeating: 0x18, count: depth)
        }
        _ = try TLVElement(decoding: nested(32))
        #expect(throws: TLVError.self) { try TLVElement(decoding: nested(33)) }
        let error = #expect(throws: TLVError.self) { try TLVElement(decoding: nested(100_000)) }
        #expect(error?.code == .limitExceeded)
        #expect(throws: TLVError.self) { try TLVElement(decoding: nested(3), limits: TLVLimits(depth: 2)) }
    }

    @Test("an encoding holds up to the limit of elements and no more")
    func elements() throws {
        let limits = TLVLimits(elements: 4)
        _ = try TLVElement(decoding: hex("16 14 14 14 18"), limits: limits)
        let error = #expect(throws: TLVError.self) {
            try TLVElement(decoding: hex("16 14 14 14 14 18"), limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("a list keeps order, duplicate tags and members without tags")
    func list() throws {
        let element = try TLVElement(decoding: hex("17 00 01 20 00 2A 00 02 20 00 EF 18"))
        #expect(
            element.value
                == .list([
                    TLVElement(.anonymous, .int(1)), TLVElement(0, .int(42)), TLVElement(.anonymous, .int(2)),
                    TLVElement(0, .int(-17)),
                ]))
        #expect(element.encoded() == hex("17 00 01 20 00 2A 00 02 20 00 EF 18"))
    }

    @Test("numbers are written in the smallest form that holds them")
    func smallest() {
        func written(_ value: TLVValue) -> Int { TLVElement(.anonymous, value).encoded().count }
        #expect(written(.uint(255)) == 2 && written(.uint(256)) == 3 && written(.uint(65536)) == 5)
        #expect(written(.uint(1 << 32)) == 9 && written(.int(-129)) == 3 && written(.int(-32769)) == 5)
        #expect(written(.int(1 << 31)) == 9 && written(.int(-1)) == 2)
        #expect(
            TLVElement(.anonymous, .octets(Array(repeating: 0, count: 256))).encoded().prefix(3) == hex("11 00 01")[...]
        )
    }

    private func code(_ encoding: String) -> TLVError.Code? {
        do {
            _ = try TLVElement(decoding: hex(encoding))
            return nil
        } catch {
            return error.code
        }
    }
}
