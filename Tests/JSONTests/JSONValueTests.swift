import JSON
import TestSupport
import Testing

@Suite("JSONValue")
struct JSONValueTests {
    @Test("objects keep the order of their keys, a second setting replaces in place")
    func order() throws {
        var object: JSONObject = ["z": 1, "a": 2, "m": 3]
        object["a"] = "two"
        object["m"] = nil
        object["b"] = nil
        #expect(JSONValue.object(object).serialized() == #"{"z":1,"a":"two"}"#)
        #expect(
            try JSONValue(parsing: #"{"z":1,"a":2,"m":{"y":0,"b":0}}"#).serialized()
                == #"{"z":1,"a":2,"m":{"y":0,"b":0}}"#)
    }

    @Test("64-bit integers are exact in both directions")
    func integers() throws {
        for text in [
            "0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        ] {
            #expect(try JSONValue(parsing: text).serialized() == text)
        }
        #expect(try JSONValue(parsing: "18446744073709551615") == .uint(.max))
        #expect(JSONValue.int(5) == .uint(5) && JSONValue.int(-1) != .uint(.max) && JSONValue.int(1) != .double(1))
        #expect(Set([JSONValue.int(5), .uint(5)]).count == 1)
    }

    @Test("ids are numbers up to 2^53 and decimal strings above")
    func ids() throws {
        #expect(JSONValue.id(1 << 53).serialized() == "9007199254740992")
        #expect(JSONValue.id((1 << 53) + 1).serialized() == #""9007199254740993""#)
        #expect(JSONValue.string("18446744073709551615").id(as: UInt64.self) == .max)
        #expect(JSONValue.int(7).id(as: UInt64.self) == 7)
        #expect(JSONValue.int(-7).id(as: UInt64.self) == nil)
        #expect(JSONValue.string("+7").id(as: UInt64.self) == nil)
        #expect(JSONValue.string("").id(as: UInt64.self) == nil)
    }

    @Test("controls, bidirectional controls and line separators are escaped")
    func escapes() {
        let text =
            "\u{0}\u{1B}[1m\u{7F}\u{9B}\u{200E}\u{200F}\u{202A}\u{202E}\u{2028}\u{2066}\u{2069}\u{FEFF}\n\t\r\"\\ä💡"
        #expect(
            JSONValue.string(text).serialized()
                == #""\u0000\u001b[1m\u007f\u009b\u200e\u200f\u202a\u202e\u2028\u2066\u2069\ufeff\n\t\r\"\\ä💡""#)
        #expect(JSONValue.object(["\u{1B}": 1]).serialized() == #"{"\u001b":1}"#)
    }

    @Test("every text comes back from its JSON form", arguments: 0..<64)
    func textRoundTrip(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var text = String.UnicodeScalarView()
        for _ in 0..<100 {
            if let scalar = Unicode.Scalar(
                UInt32.random(in: 0...(seed % 2 == 0 ? 0x2100 : 0x10FFFF), using: &generator))
            {
                text.append(scalar)
            }
        }
        let back = try JSONValue(parsing: JSONValue.string(String(text)).serialized()).stringValue
        #expect(back?.unicodeScalars.elementsEqual(text) == true)
    }

    @Test("doubles come back exactly; what JSON lacks is text")
    func doubles() throws {
        for number in [0.1, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, 1e16, 1e100, 123456789.125] {
            let value = try JSONValue(parsing: JSONValue.double(number).serialized())
            #expect(value.doubleValue?.bitPattern == number.bitPattern)
        }
        #expect(
            JSONValue.array([.double(.nan), .double(.infinity), .double(-.infinity)]).serialized()
                == #"["nan","inf","-inf"]"#)
    }

    @Test("the indented layout is for people and parses to the same value")
    func indented() throws {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": [], "d": [:]]
        let text = "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": [],\n  \"d\": {}\n}"
        #expect(value.serialized(.indented) == text)
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test("looking inside gives nil for another type")
    func inside() throws {
        let value = try JSONValue(parsing: #"{"n":5,"s":"x","b":true,"a":[1],"d":0.5,"z":null}"#)
        #expect(value["n"]?.integer(as: UInt8.self) == 5 && value["n"]?.doubleValue == 5)
        #expect(value["s"]?.stringValue == "x" && value["b"]?.boolValue == true && value["a"]?.arrayValue == [1])
        #expect(
            value["d"]?.integer(as: Int.self) == nil && value["d"]?.doubleValue == 0.5 && value["z"]?.isNull == true)
        #expect(value["s"]?.integer(as: Int.self) == nil && value["missing"] == nil && value["n"]?["n"] == nil)
    }
}
