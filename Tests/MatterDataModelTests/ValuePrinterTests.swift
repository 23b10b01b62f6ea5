import MatterTLV
import TestSupport
import Testing

@testable import MatterDataModel

@Suite("ValuePrinter") struct ValuePrinterTests {
    let catalogue = Catalogue.standard
    let printer = ValuePrinter()

    private func simple(_ name: String, list: Bool = false) throws -> DataType {
        try #require(GlobalDefinitions.shared.scope.resolve(name, isList: list))
    }

    @Test(
        "scalars in JSON and on a terminal",
        arguments: [
            ("bool", .bool(true), "true", "true"), ("uint8", .uint(127), "127", "127"), ("int8", .int(-5), "-5", "-5"),
            ("uint8", .null, "null", "null"), ("string", .string("a\tb\u{202e}"), #""a\tb\u202e""#, "a\\x09b\\u202e"),
            ("octets", .octets([10, 11]), #""hex:0A0B""#, "hex:0A0B"),
            ("node-id", .uint(1 << 53), "9007199254740992", "9007199254740992"),
            ("node-id", .uint(9_007_199_254_740_993), #""9007199254740993""#, "9007199254740993"),
            ("uint64", .uint(.max), #""18446744073709551615""#, "18446744073709551615"),
            ("int64", .int(.min), #""-9223372036854775808""#, "-9223372036854775808"),
            ("single", .float(0.1), "0.1", "0.1"), ("double", .double(.nan), #""nan""#, "nan"),
            ("status", .uint(0x7F), #""UNSUPPORTED_ENDPOINT""#, "UNSUPPORTED_ENDPOINT"),
            ("status", .uint(2), "2", "2"), ("enum8", .uint(3), "3", "3"), ("bitmap8", .uint(3), "3", "3"),
            ("percent", .uint(50), "50", "50"),
            ("epoch-s", .uint(5), "5", "5"),
        ] as [(String, TLVValue, String, String)])
    func scalars(type: String, value: TLVValue, json: String, text: String) throws {
        let type = try simple(type)
        #expect(printer.json(value, as: type).serialized() == json)
        #expect(printer.text(value, as: type) == text)
    }

    @Test("enums print their name, bitmaps a list of names, and numbers on request")
    func names() throws {
        let start = try catalogue.type("on-off", "start-up-on-off")
        #expect(printer.text(.uint(2), as: start) == "Toggle")
        #expect(printer.text(.uint(9), as: start) == "9")
        #expect(ValuePrinter(numeric: true).text(.uint(2), as: start) == "2")
        let options = try catalogue.type("level-control", "options")
        #expect(printer.text(.uint(3), as: options) == #"["ExecuteIfOff","CoupleColorTempToLevel"]"#)
        #expect(printer.text(.uint(0), as: options) == "[]")
        #expect(printer.text(.uint(0x81), as: options) == #"["ExecuteIfOff",128]"#)
        #expect(ValuePrinter(numeric: true).text(.uint(3), as: options) == "3")
        let operation = try catalogue.type("window-covering", "operational-status")
        #expect(printer.text(.uint(0b0110), as: operation) == #"["Global=2","Lift=1"]"#)
        #expect(printer.text(.uint(1), as: try catalogue.type("on-off", "feature-map")) == #"["Lighting"]"#)
    }

    @Test("structures print their fields by name and keep what they do not know")
    func structures() throws {
        let acl = try catalogue.type("access-control", "acl")
        let value = TLVValue.array([
            .init(
                .anonymous,
                .structure([
                    .init(1, .uint(5)), .init(2, .uint(77)), .init(3, .array([.init(.anonymous, .uint(1 << 60))])),
                    .init(4, .null),
                    .init(77, .structure([.init(0, .octets([1]))])), .init(.commonProfile(5), .bool(true)),
                    .init(254, .uint(1)),
                ]))
        ])
        #expect(
            printer.json(value, as: acl).serialized()
                == #"[{"privilege":"Administer","authMode":77,"subjects":["1152921504606846976"],"targets":null,"77":{"0":"hex:01"},"common:5":true,"fabricIndex":1}]"#
        )
    }

    @Test("a value of another type than the model says prints as it came")
    func mismatches() throws {
        #expect(printer.text(.string("x"), as: try simple("uint8")) == "x")
        #expect(printer.text(.uint(5), as: try simple("uint8", list: true)) == "5")
        #expect(printer.text(.structure([.init(0, .uint(1))]), as: try simple("bool")) == #"{"0":1}"#)
        #expect(printer.text(.array([]), as: try catalogue.type("basic-information", "capability-minima")) == "[]")
        #expect(printer.text(.string("x"), as: try catalogue.type("level-control", "options")) == "x")
        #expect(printer.text(.int(-1), as: try catalogue.type("on-off", "start-up-on-off")) == "-1")
        #expect(printer.text(.int(2), as: try catalogue.type("on-off", "start-up-on-off")) == "Toggle")
        #expect(printer.text(.array([.init(.anonymous, .null)]), as: try simple("uint8", list: true)) == "[null]")
    }

    @Test("without a type everything prints plainly")
    func untyped() {
        #expect(
            printer.text(.structure([.init(0, .uint(1)), .init(1, .string("\u{1b}"))]), as: nil)
                == #"{"0":1,"1":"\u001b"}"#)
        #expect(printer.text(.string("\u{1b}x"), as: nil) == "\\x1bx")
    }

    @Test("responses print their fields in an object")
    func responses() throws {
        let lock = try catalogue.cluster(named: "door-lock")
        let response = try #require(lock.response(0x23))
        let value = TLVValue.structure([.init(0, .uint(0)), .init(1, .null), .init(2, .uint(3))])
        #expect(
            printer.json(fields: value, of: response.fields).serialized()
                == #"{"status":"Success","userIndex":null,"nextCredentialIndex":3}"#)
        #expect(printer.json(fields: nil, of: response.fields).serialized() == "{}")
        #expect(printer.json(fields: .string("bare"), of: response.fields).serialized() == #""bare""#)
    }

    @Test("a meaning for people where the type has one")
    func meanings() throws {
        func meaning(_ type: String, _ value: TLVValue) throws -> String? {
            printer.meaning(value, as: try simple(type))
        }
        #expect(try meaning("temperature", .int(2150)) == "21.50 °C")
        #expect(try meaning("temperature", .int(-5)) == "-0.05 °C")
        #expect(try meaning("percent100ths", .uint(1234)) == "12.34 %")
        #expect(try meaning("percent", .uint(50)) == "50 %")
        #expect(try meaning("epoch-s", .uint(848_568_600)) == "2026-11-21T09:30:00Z")
        #expect(try meaning("elapsed-s", .uint(5)) == "5 s")
        #expect(try meaning("power-mw", .int(-1500)) == "-1.500 W")
        #expect(try meaning("ipadr", .octets([192, 168, 1, 2])) == "192.168.1.2")
        #expect(try meaning("ipadr", .octets([1])) == nil)
        #expect(try meaning("uint8", .uint(5)) == nil)
        #expect(try meaning("temperature", .null) == nil)
        #expect(printer.meaning(.uint(127), as: try catalogue.type("level-control", "current-level")) == "50 %")
        #expect(
            printer.meaning(.uint(370), as: try catalogue.type("color-control", "color-temperature-mireds")) == "2703 K"
        )
        for unit in ValueUnit.allCases {
            // Devices send any number.
            for number: TLVValue in [.uint(.max), .int(.min), .int(.max), .uint(0)] {
                _ = printer.meaning(number, as: DataType(name: "x", kind: .unsigned(bits: 64), unit: unit))
            }
        }
    }
}
