import JSON
import MatterBase
import TestSupport
import Testing

@Suite("TLVValue and plain JSON")
struct TLVValueJSONTests {
    static let printed: [(TLVValue, String)] = [
        (.uint(5), "5"), (.int(-5), "-5"),
        (.uint(1 << 53), "9007199254740992"), (.uint((1 << 53) + 1), #""9007199254740993""#),
        (.int(-(1 << 53) - 1), #""-9007199254740993""#),
        (.bool(true), "true"), (.null, "null"),
        (.float(17.9), "17.9"), (.double(17.9), "17.9"),
        (.float(.nan), #""nan""#), (.double(-.infinity), #""-inf""#),
        (.string("a\u{1B}b"), #""a\u001bb""#), (.octets([0x0A, 0x0B]), #""hex:0A0B""#),
        (.array([TLVElement(.anonymous, .uint(1)), TLVElement(.anonymous, .null)]), "[1,null]"),
        (.structure([TLVElement(0, .uint(1)), TLVElement(254, .array([]))]), #"{"0":1,"254":[]}"#),
        (.list([TLVElement(1, .uint(1)), TLVElement(2, .uint(2))]), #"{"1":1,"2":2}"#),
        (.list([TLVElement(1, .uint(1)), TLVElement(1, .uint(2))]), #"[{"1":1},{"1":2}]"#),
        (.list([TLVElement(1, .uint(1)), TLVElement(.anonymous, .uint(3))]), #"[{"1":1},3]"#),
    ]

    @Test("values print as plain JSON", arguments: printed)
    func print(_ value: TLVValue, _ json: String) {
        #expect(JSONValue(value).serialized() == json)
    }

    static let parsed: [(String, TLVValue)] = [
        ("5", .uint(5)), ("-5", .int(-5)),
        ("18446744073709551615", .uint(.max)), ("-9223372036854775808", .int(.min)),
        ("true", .bool(true)), ("null", .null), ("1.5", .double(1.5)),
        (#""text""#, .string("text")), (#""hex:0a0B""#, .octets([0x0A, 0x0B])), (#""hex:""#, .octets([])),
        ("[1,[]]", .array([TLVElement(.anonymous, .uint(1)), TLVElement(.anonymous, .array([]))])),
        (#"{"2":null,"0":1}"#, .structure([TLVElement(0, .uint(1)), TLVElement(2, .null)])),
        (#"{"type":"int16","value":5}"#, .int(5)), (#"{"type":"float32","value":1}"#, .float(1)),
        (#"{"type":"utf8","value":"hex:00"}"#, .string("hex:00")),
        (
            #"{"0":{"type":"list","members":[{"tag":1,"type":"uint","value":2}]}}"#,
            .structure([TLVElement(0, .list([TLVElement(1, .uint(2))]))])
        ),
    ]

    @Test("plain JSON becomes the value that it most likely means", arguments: parsed)
    func parse(_ json: String, _ value: TLVValue) throws {
        #expect(try TLVValue(json: JSONValue(parsing: json)) == value)
    }

    static let refused: [(String, String)] = [
        (#"{"on":1}"#, "$:"), (#"{"256":1}"#, "$:"), (#"{"01":1}"#, "$:"), (#"{"+1":1}"#, "$:"),
        (#"[1,"hex:0"]"#, "$[1]:"), (#"{"3":{"x":1}}"#, "$.3:"), (#"[{"type":"uint8","value":300}]"#, "$[0].value:"),
    ]

    @Test("JSON without a meaning in TLV is refused with its path", arguments: refused)
    func refuse(_ json: String, _ path: String) throws {
        let value = try JSONValue(parsing: json)
        let error = #expect(throws: TLVError.self) { try TLVValue(json: value) }
        #expect(error?.reason.hasPrefix(path) == true, "\(error?.reason ?? "")")
    }
}
