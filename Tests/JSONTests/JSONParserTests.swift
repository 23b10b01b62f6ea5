import JSON
import TestSupport
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    static let allowed: [(String, JSONValue)] = [
        (" \t\r\n[ ] ", JSONValue.array([])), ("{ }", [:]), (#"{"":{"a":[]}}"#, ["": ["a": []]]),
        ("[1 , -0 , 0.5e+1, 1E2]", [1, 0, 5.0, 100.0]), (#""\u00e4\ud83d\udca1\/\b\f""#, "ä💡/\u{8}\u{C}"),
        (#"["nan", true, false, null]"#, ["nan", true, false, nil]),
    ]

    @Test(
        "what RFC 8259 allows is read",
        arguments: allowed)
    func reads(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test("the elements of one array are handed over one by one; what is beside it is read and dropped")
    func elements() throws {
        func elements(_ text: String, _ path: String...) throws -> ([JSONValue], found: Int) {
            var elements: [JSONValue] = []
            let found = try JSONValue.forEachElement(at: path, in: Array(text.utf8)) { elements.append($0) }
            return (elements, found)
        }
        let text = #"{"x":[9],"a":{"n":1,"b":[1,{"b":[2]}, [3] ],"z":null},"y":{"b":[8]}}"#
        #expect(try elements(text, "a", "b") == ([1, ["b": [2]], [3]], 2))
        #expect(try elements("[1,2]") == ([1, 2], 0))
        #expect(try elements(text, "a", "n") == ([], 2))
        #expect(try elements(text, "a", "q") == ([], 1))
        #expect(try elements(text, "q") == ([], 0))
        #expect(try elements("7", "a") == ([], 0))
        for (text, code, line, column) in Self.forbidden {
            for path in [[], ["a"], ["a", "b"]] {
                let error = #expect(throws: JSONError.self, "\(text)") {
                    try JSONValue.forEachElement(at: path, in: Array(text.utf8)) { _ in }
                }
                #expect(error?.code == code && error?.line == line && error?.column == column, "\(text) \(path)")
            }
        }
        var seen = 0
        #expect(throws: CancellationError.self) {
            try JSONValue.forEachElement(at: [], in: Array("[1,2,3]".utf8)) { _ in
                seen += 1
                if seen == 2 { throw CancellationError() }
            }
        }
        #expect(seen == 2)
    }

    static let forbidden: [(String, JSONError.Code, Int, Int)] = [
        ("", JSONError.Code.syntax, 1, 1), ("  ", .syntax, 1, 3), ("[1,]", .syntax, 1, 4), ("[1 2]", .syntax, 1, 4),
        ("[,1]", .syntax, 1, 2), ("{\"a\":1,}", .syntax, 1, 8), ("{\"a\" 1}", .syntax, 1, 6),
        ("{a:1}", .syntax, 1, 2),
        ("{\"a\":\n  tru}", .syntax, 2, 3), ("01", .syntax, 1, 1), ("-01", .syntax, 1, 1), ("-", .syntax, 1, 2),
        ("1.", .syntax, 1, 3), (".5", .syntax, 1, 1), ("1e", .syntax, 1, 3), ("+1", .syntax, 1, 1),
        ("0x10", .trailingData, 1, 2),
        ("NaN", .syntax, 1, 1), ("'a'", .syntax, 1, 1), ("\"a", .syntax, 1, 1), ("\"a\nb\"", .syntax, 1, 3),
        ("\"\u{1B}\"", .syntax, 1, 2), (#""\x""#, .syntax, 1, 2), (#""\u12g4""#, .syntax, 1, 2),
        (#""\u12"#, .syntax, 1, 2),
        ("\"\\", .syntax, 1, 2), (#""\ud800""#, .invalidText, 1, 2), (#""\udc00""#, .invalidText, 1, 2),
        (#""\ud800\u0041""#, .invalidText, 1, 2), ("18446744073709551616", .outOfRange, 1, 1),
        ("-9223372036854775809", .outOfRange, 1, 1), ("1e999", .outOfRange, 1, 1), ("[1]\n ]", .trailingData, 2, 2),
        ("// no", .syntax, 1, 1), ("{\"a\":1,\"b\":{\"a\":1,\"a\":2}}", .duplicateKey, 1, 19),
        ("\u{FEFF}1", .syntax, 1, 1),
        (#"{"a":1,"\u0061":2}"#, .duplicateKey, 1, 8), ("[\"ä\", x]", .syntax, 1, 7), ("[", .syntax, 1, 2),
        ("{", .syntax, 1, 2),
        ("[1}", .syntax, 1, 3),
    ]

    @Test(
        "what it does not allow is refused with a code, a line and a column",
        arguments: forbidden)
    func refuses(_ text: String, _ code: JSONError.Code, _ line: Int, _ column: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(
            error?.code == code && error?.line == line && error?.column == column,
            "\(text): \(error.map(String.init(describing:)) ?? "")")
    }

    @Test("text that is not UTF-8 is refused", arguments: ["22FF22", "22C08022", "22EDA08022", "FF", "22C3"])
    func encoding(_ octets: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: hex(octets)) }
    }

    @Test("nesting, values and size are bounded")
    func limits() throws {
        let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        _ = try JSONValue(parsing: deep)
        let tests: [(String, JSONLimits)] = [
            ("[" + deep + "]", .standard), (String(repeating: "[", count: 1_000_000), .standard),
            ("[1,2]", JSONLimits(values: 2)), ("[1,2]", JSONLimits(octets: 4)),
        ]
        for (text, limits) in tests {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text, limits: limits) }
            #expect(error?.code == .limitExceeded)
        }
        #expect(try JSONValue(parsing: "[1,2]", limits: JSONLimits(depth: 1, values: 3, octets: 5)) == [1, 2])
    }
}
