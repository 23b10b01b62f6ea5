import JSON
import MatterBase
import TestSupport
import Testing

@Suite("TLVDocument")
struct TLVDocumentTests {
    @Test("every element shows the form of its tag, its type and its value, in that order")
    func shape() throws {
        let json = try TLVDocument.json(decoding: hex("15 25 01 F4 01 29 02 C4 F1 FF ED DE 07 00 2A 30 03 01 AB 18"))
        #expect(
            json.serialized()
                == #"{"tagControl":"anonymous","type":"structure","members":["#
                + #"{"tagControl":"context","type":"uint16","tag":1,"value":500},"#
                + #"{"tagControl":"context","type":"true","tag":2},"#
                + #"{"tagControl":"full6","type":"uint8","tag":{"vendor":65521,"profile":57069,"number":7},"value":42},"#
                + #"{"tagControl":"context","type":"bytes-1","tag":3,"value":"ab"}]}"#)
    }

    @Test(
        "widths, tag forms and odd numbers survive the way to JSON text and back",
        arguments: [
            "07 01 00 00 00 00 00 00 00", "03 FF FF FF FF FF FF FF FF", "0F 01 00 00 00 00 00 00 00 61",
            "13 00 00 00 00 00 00 00 00", "64 01 00 00 00 09", "A4 01 00 00 00 2A", "E4 00 00 00 00 01 00 00 00 2A",
            "07 01 00 00 00 00 00 20 00", "03 FF FF FF FF FF FF DF FF", "07 FF FF FF FF FF FF FF FF",
            "03 00 00 00 00 00 00 00 80", "0A 00 00 C0 7F", "0A 01 00 80 7F", "0A 00 00 C0 FF", "0A 00 00 80 FF",
            "0A 00 00 00 80", "0B 00 00 00 00 00 00 F8 7F", "0B 01 00 00 00 00 00 F0 7F", "0B 00 00 00 00 00 00 F0 7F",
            "0B 01 00 00 00 00 00 00 00", "0A 01 00 00 00", "0B FF FF FF FF FF FF EF 7F", "0A FF FF 7F 7F",
            "0C 07 1B 5B 33 6D 22 5C 00", "0C 03 E2 80 AE", "0C 04 F0 9F 92 A1",
            "17 04 01 04 01 18", "15 36 01 18 35 00 18 18",
        ])
    func exact(_ encoding: String) throws {
        let text = try TLVDocument.json(decoding: hex(encoding)).serialized()
        #expect(try TLVDocument.octets(encoding: JSONValue(parsing: text)) == hex(encoding), "\(text)")
    }

    @Test("integers beyond 2^53 are decimal strings, smaller ones numbers")
    func integers() throws {
        #expect(try TLVDocument.json(decoding: hex("07 00 00 00 00 00 00 20 00"))["value"] == 9_007_199_254_740_992)
        #expect(try TLVDocument.json(decoding: hex("07 01 00 00 00 00 00 20 00"))["value"] == "9007199254740993")
        #expect(try TLVDocument.json(decoding: hex("03 FF FF FF FF FF FF DF FF"))["value"] == "-9007199254740993")
    }

    @Test(
        "documents written by hand may leave the widths and the tag form to us",
        arguments: [
            (#"{"type":"uint","value":300}"#, "05 2C 01"), (#"{"type":"int","value":-1}"#, "00 FF"),
            (#"{"type":"int","value":"-9223372036854775808"}"#, "03 00 00 00 00 00 00 00 80"),
            (#"{"type":"uint","value":18446744073709551615}"#, "07 FF FF FF FF FF FF FF FF"),
            (#"{"type":"bool","value":true}"#, "09"), (#"{"type":"utf8","value":"hi"}"#, "0C 02 68 69"),
            (#"{"type":"bytes","value":"hex:0a 0B"}"#, "10 02 0A 0B"),
            (#"{"type":"float32","value":1}"#, "0A 00 00 80 3F"),
            (#"{"type":"structure","members":[{"tag":1,"type":"null"}]}"#, "15 34 01 18"),
            (#"{"tag":{"vendor":1,"profile":2,"number":3},"type":"null"}"#, "D4 01 00 02 00 03 00"),
            (#"{"tag":{"vendor":1,"profile":2,"number":65536},"type":"null"}"#, "F4 01 00 02 00 00 00 01 00"),
        ])
    func byHand(_ json: String, _ encoding: String) throws {
        #expect(try TLVDocument.octets(encoding: JSONValue(parsing: json)) == hex(encoding))
    }

    @Test(
        "a document that describes no element is refused with the path of the fault",
        arguments: [
            ("5", "$"), (#"{"value":5}"#, "$"), (#"{"type":"uint9","value":5}"#, "$.type"),
            (#"{"type":"end"}"#, "$.type"), (#"{"type":"uint8","value":256}"#, "$.value"),
            (#"{"type":"uint8","value":-1}"#, "$.value"), (#"{"type":"uint8"}"#, "$.value"),
            (#"{"type":"uint8","value":1.0}"#, "$.value"), (#"{"type":"null","value":1}"#, "$.value"),
            (#"{"type":"utf8-1","value":5}"#, "$.value"), (#"{"type":"bytes-1","value":"0"}"#, "$.value"),
            (#"{"type":"float32","value":1e300}"#, "$.value"), (#"{"type":"float32","value":"nan:0"}"#, "$.value"),
            (#"{"type":"array"}"#, "$"), (#"{"type":"uint8","value":1,"members":[]}"#, "$"),
            (#"{"type":"uint8","valeu":1}"#, "$"), (#"{"tagControl":"contxt","type":"null"}"#, "$.tagControl"),
            (#"{"tagControl":"anonymous","tag":1,"type":"null"}"#, "$.tag"),
            (#"{"type":"structure","members":[{"tag":256,"type":"null"}]}"#, "$.members[0].tag"),
            (#"{"type":"structure","members":[{"tag":1,"type":"null"},{"type":"null"}]}"#, "$.members[1]"),
            (#"{"type":"structure","members":[{"tag":1,"type":"null"},{"tag":1,"type":"null"}]}"#, "$.members[1]"),
            (
                #"{"type":"array","members":[{"type":"array","members":[{"tag":1,"type":"null"}]}]}"#,
                "$.members[0].members[0]"
            ),
            (#"{"tag":1,"type":"null"}"#, "$"),
        ])
    func refusals(_ json: String, _ path: String) throws {
        let value = try JSONValue(parsing: json)
        let error = #expect(throws: TLVError.self) { try TLVDocument.octets(encoding: value) }
        #expect(error?.reason.hasPrefix(path + ": ") == true, "\(error?.reason ?? "")")
    }

    @Test("a document as deep as TLV may nest passes through text, a deeper one is refused")
    func depth() throws {
        let octets = Array(repeating: UInt8(0x16), count: 32) + Array(repeating: 0x18, count: 32)
        let text = try TLVDocument.json(decoding: octets).serialized()
        #expect(try TLVDocument.octets(encoding: JSONValue(parsing: text)) == octets)
        let deeper = try JSONValue(parsing: #"{"type":"array","members":["# + text + "]}")
        let error = #expect(throws: TLVError.self) { try TLVDocument.octets(encoding: deeper) }
        #expect(error?.code == .limitExceeded)
    }
}
