import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

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

    @Test("a bitmap is a list even if its cluster names no bits; plain bits are a number")
    func namelessBits() throws {
        let features = try catalogue.type("descriptor", "feature-map")
        #expect(printer.text(.uint(0), as: try catalogue.type("binding", "feature-map")) == "[]")
        #expect(printer.text(.uint(0), as: features) == "[]")
        #expect(printer.text(.uint(6), as: features) == "[6]")
        #expect(ValuePrinter(numeric: true).text(.uint(0), as: features) == "0")
        #expect(printer.text(.uint(0), as: catalogue.attribute(cluster: 0xFFF1_FC99, 0xFFFC)?.type) == "[]")
        #expect(printer.text(.uint(3), as: try simple("bitmap8")) == "3")
    }

    @Test("the id of a fabric is 16 hexadecimal digits, which are read again")
    func fabricIDs() throws {
        let type = try simple("fabric-id")
        #expect(printer.json(.uint(0x0BD6_8829_0DF8_6EC4), as: type) == "0BD688290DF86EC4")
        #expect(printer.text(.uint(10), as: type) == "000000000000000A")
        let parser = ValueParser()
        for (word, number) in [
            ("0BD688290DF86EC4", 0x0BD6_8829_0DF8_6EC4), ("0000000000000010", 16), ("10", 10), ("0x10", 16),
        ] as [(String, UInt64)] {
            #expect(try parser.value(word: word, as: type, at: "id").value == .uint(number), "\(word)")
        }
        #expect(try parser.value(json: "000000000000000A", as: type, at: "id").value == .uint(10))
        #expect(code { _ = try parser.value(word: "0BD688290DF86ECX", as: type, at: "id") } == .wrongType)
    }

    @Test(
        "people get the names of clusters, device types, attributes and commands, and the version of the specification")
    func glossary() throws {
        func lines(_ value: TLVValue, _ cluster: String, _ attribute: String, numeric: Bool = false) throws -> [String]
        {
            let definition = try catalogue.cluster(named: cluster)
            let found = try definition.attribute(named: attribute)
            let printer = numeric ? ValuePrinter(numeric: true) : ValuePrinter(forPeopleWith: catalogue)
            return printer.lines(value, as: found.type, cluster: definition.id, attribute: found.id)
        }
        func list(_ numbers: UInt64...) -> TLVValue { .array(numbers.map { TLVElement(.anonymous, .uint($0)) }) }
        let types = TLVValue.array([TLVElement(.anonymous, .structure([.init(0, .uint(257)), .init(1, .uint(3))]))])
        #expect(
            try lines(types, "descriptor", "device-type-list") == [
                "- deviceType: Dimmable Light (0x0101)", "  revision: 3",
            ])
        #expect(try lines(types, "descriptor", "device-type-list", numeric: true).first == "- deviceType: 257")
        #expect(try lines(list(6, 0xFFF1_0001), "descriptor", "server-list") == ["on-off (0x0006), 0xFFF10001"])
        #expect(try lines(list(6), "descriptor", "client-list") == ["on-off (0x0006)"])
        #expect(
            try lines(list(0, 0x40, 9), "on-off", "accepted-command-list") == [
                "off (0x0000), off-with-effect (0x0040), 0x0009"
            ])
        #expect(
            try lines(list(0, 0xFFFD), "on-off", "attribute-list") == ["on-off (0x0000), cluster-revision (0xFFFD)"])
        #expect(try lines(list(0, 0xFFFD), "on-off", "attribute-list", numeric: true) == ["0, 65533"])
        #expect(try lines(.uint(17_170_432), "basic-information", "specification-version") == ["1.6"])
        #expect(try lines(.uint(0x0104_0200), "basic-information", "specification-version") == ["1.4.2"])
        #expect(try lines(.uint(0), "basic-information", "specification-version") == ["0"])
        #expect(try lines(.int(2150), "thermostat", "occupied-heating-setpoint") == ["21.50 °C"])
        #expect(try lines(.uint(76), "level-control", "current-level") == ["30% (76)"])
        #expect(try lines(.uint(370), "color-control", "color-temperature-mireds") == ["2703 K"])
        #expect(try lines(.uint(85), "color-control", "current-hue") == ["120° (85)"])
        #expect(try lines(.uint(0xFFFF), "color-control", "enhanced-current-hue") == ["360° (65535)"])
        #expect(try lines(.uint(20493), "color-control", "current-x") == ["0.3127 (20493)"])
        #expect(try lines(.uint(20493), "color-control", "current-x", numeric: true) == ["20493"])
        #expect(try lines(.uint(76), "level-control", "current-level", numeric: true) == ["76"])
        #expect(try lines(.null, "level-control", "on-level") == ["null"])
        #expect(try lines(.uint(0x130A), "basic-information", "vendor-id") == ["Eve (0x130A)"])
        let interface = TLVValue.array([
            TLVElement(
                .anonymous, .structure([.init(4, .octets([2, 0, 0, 0, 0, 1])), .init(5, list(0))]))
        ])
        #expect(
            try lines(interface, "general-diagnostics", "network-interfaces").first
                == "- hardwareAddress: 02:00:00:00:00:01")
        let setting = try catalogue.cluster(named: "thermostat").command(named: "setpoint-raise-lower")
        let fields = TLVValue.structure([.init(0, .uint(0)), .init(1, .int(5))])
        #expect(
            ValuePrinter(forPeopleWith: catalogue).json(fields: fields, of: setting.fields)
                == ["mode": "Heat", "amount": "0.5 °C"])
        // Programs get the numbers.
        #expect(printer.text(list(6), as: try catalogue.type("descriptor", "server-list")) == "[6]")
    }

    @Test("values are laid out over lines for people: nothing is lost, nothing steers the terminal")
    func layout() throws {
        func lines(_ text: String) throws -> [String] { ValueLayout.lines(try MatterDataModelTests.json(text)) }
        #expect(try lines("5") == ["5"])
        #expect(try lines("[]") == ["[]"])
        #expect(try lines("{}") == ["{}"])
        #expect(try lines(#"[1,"a",null]"#) == ["1, a, null"])
        #expect(
            try lines(#"[{"a":1,"list":[1,2],"b":{"c":"x","d":[]}},{"a":""}]"#) == [
                "- a: 1", "  list: 1, 2", "  b:", "    c: x", "    d: []", "- a:",
            ])
        #expect(try lines(#"{"n\u001b":[[1],[2,3]]}"#) == ["n\\x1b:", "  - 1", "  - 2, 3"])
        #expect(try lines(#""\u001b[2J""#) == ["\\x1b[2J"])
        let numbers = (100..<160).map(String.init)
        let wrapped = ValueLayout.wrapped(numbers, width: 40)
        #expect(wrapped.allSatisfy { $0.count <= 40 } && wrapped.count > 5)
        #expect(wrapped.joined(separator: " ") == numbers.joined(separator: ", "))
        // A text that is longer than a line stands alone on one.
        #expect(ValueLayout.wrapped(["a", String(repeating: "b", count: 50)], width: 40).count == 2)
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
        #expect(try meaning("percent100ths", .uint(1234)) == "12.34%")
        #expect(try meaning("percent", .uint(50)) == "50%")
        #expect(try meaning("epoch-s", .uint(848_568_600)) == "2026-11-21T09:30:00Z")
        #expect(try meaning("elapsed-s", .uint(5)) == "5 s")
        #expect(try meaning("power-mw", .int(-1500)) == "-1.500 W")
        #expect(try meaning("ipadr", .octets([192, 168, 1, 2])) == "192.168.1.2")
        #expect(try meaning("ipadr", .octets([1])) == nil)
        #expect(try meaning("uint8", .uint(5)) == nil)
        #expect(try meaning("temperature", .null) == nil)
        #expect(printer.meaning(.uint(127), as: try catalogue.type("level-control", "current-level")) == "50% (127)")
        #expect(
            printer.meaning(.uint(370), as: try catalogue.type("color-control", "color-temperature-mireds")) == "2703 K"
        )
        for (unit, value, said) in [
            (.watts, .float(12.3456), "12.346 W"), (.kilowattHours, .double(0.5), "0.5 kWh"),
            (.volts, .float(230), "230 V"),
            (.deciwatts, .uint(123), "12.3 W"), (.millihertz, .int(49_990), "49.990 Hz"),
            (.kilopascalTenths, .int(1013), "101.3 kPa"), (.flowTenths, .uint(5), "0.5 m³/h"),
            (.illuminance, .uint(20_001), "100 lx"), (.illuminance, .uint(0), "too dark to measure"),
            (.degrees, .uint(90), "90°"), (.watts, .double(.infinity), nil), (.watts, .float(.nan), nil),
        ] as [(ValueUnit, TLVValue, String?)] {
            #expect(printer.meaning(value, as: DataType(name: "x", kind: .unsigned(bits: 64), unit: unit)) == said)
        }
        for unit in ValueUnit.allCases {
            // Devices send any number.
            for number: TLVValue in [.uint(.max), .int(.min), .int(.max), .uint(0)] {
                _ = printer.meaning(number, as: DataType(name: "x", kind: .unsigned(bits: 64), unit: unit))
            }
        }
    }
}
