import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

@Suite("ValueParser") struct ValueParserTests {
    let catalogue = Catalogue.standard
    let parser = ValueParser()

    private func simple(_ name: String, list: Bool = false, nullable: Bool = false) throws -> DataType {
        try #require(GlobalDefinitions.shared.scope.resolve(name, isList: list, isNullable: nullable))
    }

    @Test(
        "words of scalar types",
        arguments: [
            ("bool", "true", .bool(true)), ("bool", "Off", .bool(false)), ("bool", "1", .bool(true)),
            ("uint8", "127", .uint(127)),
            ("uint8", "0x7F", .uint(127)), ("uint64", "18446744073709551615", .uint(.max)),
            ("uint32", "1_000", .uint(1000)),
            ("int8", "-5", .int(-5)), ("int8", "5", .int(5)), ("int64", "-9223372036854775808", .int(.min)),
            ("int64", "-0x10", .int(-16)), ("int16", "+7", .int(7)), ("single", "1.5", .float(1.5)),
            ("double", "-1e300", .double(-1e300)),
            ("single", "inf", .float(.infinity)), ("string", "kitchen", .string("kitchen")),
            ("string", "null", .string("null")),
            ("string", "\"null\"", .string("null")), ("string", "\"a\\nb\"", .string("a\nb")),
            ("string", "", .string("")),
            ("string", "\"", .string("\"")), ("string", "50%", .string("50%")),
            ("octets", "hex:0A0B", .octets([10, 11])),
            ("octets", "hex:", .octets([])), ("octets", "text:abc", .octets([97, 98, 99])),
            ("percent", "50%", .uint(50)),
            ("percent", "50", .uint(50)), ("percent100ths", "50%", .uint(5000)), ("temperature", "21.5C", .int(2150)),
            ("temperature", "70F", .int(2111)), ("temperature", "-5C", .int(-500)), ("temperature", "2150", .int(2150)),
            ("elapsed-s", "1h", .uint(3600)), ("systime-ms", "2s", .uint(2000)),
            ("power-mw", "-1.5kW", .int(-1_500_000)),
            ("epoch-s", "2026-11-21T09:30:00Z", .uint(848_568_600)),
            ("epoch-us", "2000-01-01T00:00:01Z", .uint(1_000_000)),
            ("posix-ms", "1970-01-01T00:00:01Z", .uint(1000)), ("epoch-s", "12", .uint(12)),
            ("ipadr", "192.168.1.2", .octets([192, 168, 1, 2])),
            ("ipadr", "hex:C0A80102", .octets([192, 168, 1, 2])),
            ("hwadr", "02:00:00:00:00:01", .octets([2, 0, 0, 0, 0, 1])),
            ("ipv6pre", "fd00::/8", .octets([8, 0xFD])),
            ("node-id", "0x1122334455667788", .uint(0x1122_3344_5566_7788)),
            ("cluster-id", "on-off", .uint(6)), ("cluster-id", "6", .uint(6)),
            ("devtype-id", "dimmable-light", .uint(0x101)),
            ("status", "UNSUPPORTED_ENDPOINT", .uint(0x7F)), ("status", "UnsupportedEndpoint", .uint(0x7F)),
            ("priority", "critical", .uint(2)),
            ("enum8", "3", .uint(3)), ("bitmap8", "0x81", .uint(0x81)), ("bitmap8", "[1,128]", .uint(0x81)),
            ("bitmap8", "1|2", .uint(3)),
        ] as [(String, String, TLVValue)])
    func scalars(type: String, word: String, expected: TLVValue) throws {
        #expect(try parser.quietly(word, as: simple(type)) == expected)
    }

    @Test("a bare number is asked about where people use another unit, and both readings are possible")
    func bareNumbers() throws {
        let setpoint = try catalogue.type("thermostat", "occupied-heating-setpoint")
        let level = try catalogue.type("level-control", "on-level")
        let time = try catalogue.type("on-off", "on-time")
        let strict = ValueParser(isStrict: true)
        for (word, type) in [
            ("21", setpoint), ("-5", setpoint), ("5", try simple("percent100ths")), ("16", try simple("amperage-ma")),
        ] {
            let error = #expect(throws: DataModelError.self) { try strict.value(word: word, as: type, at: "x") }
            #expect(throws: Never.self) { try parser.value(word: word, as: type, at: "x") }
            #expect(error?.code == .ambiguousNumber && error?.suggestions.last == "raw:\(word)", "\(word)")
        }
        for (word, type, value) in [
            ("2100", setpoint, .int(2100)), ("0", setpoint, .int(0)), ("21C", setpoint, .int(2100)),
            ("raw:21", setpoint, .int(21)), ("raw:-5", setpoint, .int(-5)), ("0x15", setpoint, .int(21)),
            ("127", level, .uint(127)), ("50", level, .uint(50)), ("5", time, .uint(5)), ("raw:50", level, .uint(50)),
            ("50%", level, .uint(127)),
            ("raw:5", try simple("uint8"), .uint(5)), ("null", level, .null),
        ] as [(String, DataType, TLVValue)] {
            #expect(try strict.quietly(word, as: type) == value, "\(word)")
        }
        // JSON has numbers of steps.
        for json in [21, "21"] as [JSONValue] {
            #expect(try strict.value(json: json, as: setpoint, at: "x").value == .int(21))
        }
        let error = #expect(throws: DataModelError.self) { try strict.value(word: "21", as: setpoint, at: "setpoint") }
        #expect(error?.reason == "setpoint: 21 can mean 21.00 °C or 0.21 °C" && error?.suggestions.first == "21C")

        for (meaning, number) in [(BareNumber.Meaning.unit, 2100), (.steps, 21)] as [(BareNumber.Meaning, Int64)] {
            let person = ValueParser(isStrict: true) { _ in meaning }
            #expect(try person.value(word: "21", as: setpoint, at: "x").value == .int(number))
        }
        #expect(code { _ = try parser.value(word: "raw:x", as: setpoint, at: "x") } == .wrongType)
    }

    @Test(
        "a value of another type is an error that names the field and the form",
        arguments: [
            ("bool", "maybe"), ("uint8", "-1"), ("uint8", "abc"), ("uint8", ""), ("uint8", "1.5"), ("uint8", "50%"),
            ("uint8", "1e2"),
            ("uint8", "0x"), ("uint8", "null"), ("uint64", "18446744073709551616"), ("int64", "9223372036854775808"),
            ("int8", "--1"), ("single", "1e300"), ("single", "abc"), ("double", "0x1p3"), ("double", "infinity"),
            ("octets", "0A0B"),
            ("octets", ""), ("percent", "50s"), ("percent", "-1"), ("temperature", "warm"), ("epoch-s", "2026-02-30"),
            ("epoch-s", "1999-01-01"),
            ("ipadr", "300.1.1.1"), ("ipv6pre", "fd00::"), ("enum8", "Foo"), ("bitmap8", "Foo"), ("bitmap8", ""),
            ("string", "\"bad\u{1}\""),
        ])
    func wrongTypes(type: String, word: String) throws {
        let type = try simple(type)
        do {
            _ = try parser.value(word: word, as: type, at: "level")
            Issue.record("\(word) was accepted")
        } catch {
            #expect(error.code == .wrongType || error.code == .malformedValue)
            #expect(error.reason.contains("level"))
            #expect(error.place == "level")
        }
    }

    @Test("half an octet and bad digits are named")
    func badHex() throws {
        for word in ["hex:0", "hex:0G", "hex:0A0"] {
            #expect(code { _ = try parser.value(word: word, as: simple("octets"), at: "x") } == .malformedValue)
        }
    }

    @Test("ranges and lengths are warnings, and the value is kept")
    func warnings() throws {
        let level = try catalogue.field("level-control", "move-to-level", "level").type
        let parsed = try parser.value(word: "255", as: level, at: "level")
        #expect(parsed.value == .uint(255))
        #expect(parsed.warnings == [ValueWarning(place: "level", reason: "255 is outside 0…254")])
        let checks: [(String, String, TLVValue)] = [
            ("uint8", "300", .uint(300)), ("int8", "-129", .int(-129)), ("percent", "150%", .uint(150)),
            ("percent100ths", "10001", .uint(10_001)), ("temperature", "-300C", .int(-30_000)),
            ("temperature", "21.555C", .int(2156)),
            ("enum8", "256", .uint(256)), ("bitmap8", "256", .uint(256)), ("status", "2", .uint(2)),
        ]
        for (type, word, value) in checks {
            let parsed = try parser.value(word: word, as: simple(type), at: "x")
            #expect(parsed.value == value)
            #expect(parsed.warnings.count == 1, "\(type) \(word)")
        }
        let label = try catalogue.type("basic-information", "node-label")
        #expect(try parser.value(word: String(repeating: "x", count: 33), as: label, at: "x").warnings.count == 1)
        #expect(try parser.value(word: String(repeating: "x", count: 32), as: label, at: "x").warnings.isEmpty)
        // 16 characters, 32 octets: octets count.
        #expect(try parser.value(word: String(repeating: "ü", count: 17), as: label, at: "x").warnings.count == 1)
        let key = try catalogue.cluster(named: "group-key-management").structs.first { $0.name == "GroupKeySetStruct" }
        let epochKey = try #require(key?.fields.named("epoch-key-0")).type
        #expect(try parser.value(word: "hex:00", as: epochKey, at: "x").warnings.count == 1)
    }

    @Test("enums by name, number and label")
    func enums() throws {
        let type = try catalogue.type("on-off", "start-up-on-off")
        #expect(try parser.quietly("Toggle", as: type) == .uint(2))
        #expect(try parser.quietly("toggle", as: type) == .uint(2))
        #expect(try parser.quietly("2", as: type) == .uint(2))
        #expect(try parser.quietly("null", as: type) == .null)
        let strange = try parser.value(word: "9", as: type, at: "x")
        #expect(strange.value == .uint(9))
        #expect(strange.warnings.count == 1)
        let error = try #require(failure { _ = try parser.value(word: "togle", as: type, at: "startUpOnOff") })
        #expect(error.code == .unknownValue)
        #expect(error.suggestions == ["Toggle"])
        #expect(
            try #require(failure { _ = try parser.value(word: "zzz", as: type, at: "x") }).reason.contains(
                "Off, On, Toggle"))
        let battery = try catalogue.type("power-source", "bat-common-designation")
        let size = try #require(try parser.quietly("523", as: battery).integer(as: UInt64.self))
        #expect(size != 523)
        #expect(ValuePrinter().text(.uint(size), as: battery) == "523")
    }

    @Test("bitmaps by names, numbers and parts")
    func bitmaps() throws {
        let type = try catalogue.type("level-control", "options")
        for word in [
            "ExecuteIfOff,CoupleColorTempToLevel", "execute-if-off|couple-color-temp-to-level", "3",
            "[\"ExecuteIfOff\",2]", "{\"ExecuteIfOff\":true,\"coupleColorTempToLevel\":1}",
        ] {
            #expect(try parser.quietly(word, as: type) == .uint(3), "\(word)")
        }
        #expect(try parser.quietly("[]", as: type) == .uint(0))
        #expect(try parser.quietly("{\"ExecuteIfOff\":false}", as: type) == .uint(0))
        #expect(try parser.value(word: "[\"ExecuteIfOff\",64]", as: type, at: "x").warnings.count == 1)
        #expect(code { _ = try parser.value(word: "ExecuteIfOf", as: type, at: "x") } == .unknownValue)
        #expect(code { _ = try parser.value(word: "{\"ExecuteIfOf\":true}", as: type, at: "x") } == .unknownValue)
        #expect(code { _ = try parser.value(word: "{\"ExecuteIfOff\":2}", as: type, at: "x") } == .wrongType)
        #expect(code { _ = try parser.value(word: "[true]", as: type, at: "x") } == .wrongType)
        let operation = try catalogue.type("window-covering", "operational-status")
        #expect(try parser.quietly("Global=2,Lift=1", as: operation) == .uint(0b0110))
        #expect(code { _ = try parser.value(word: "Global=4", as: operation, at: "x") } == .wrongType)
        let features = try catalogue.type("on-off", "feature-map")
        #expect(try parser.quietly("LT,dead-front-behavior", as: features) == .uint(3))
    }

    @Test("units of plain numbers whose meaning is known")
    func hintedUnits() throws {
        let move = try catalogue.cluster(named: "level-control").command(named: "move-to-level")
        let parsed = try parser.fields(words: ["level=50%", "transition-time=2s"], of: move)
        #expect(
            parsed.value
                == .structure([.init(0, .uint(127)), .init(1, .uint(20)), .init(2, .uint(0)), .init(3, .uint(0))]))
        #expect(parsed.warnings.isEmpty)
        let color = try catalogue.field("color-control", "move-to-color-temperature", "color-temperature-mireds").type
        #expect(try parser.quietly("2700K", as: color) == .uint(370))
        #expect(
            try parser.quietly("19.5C", as: catalogue.type("thermostat", "occupied-heating-setpoint")) == .int(1950))
        #expect(
            try parser.quietly("0.5C", as: catalogue.field("thermostat", "setpoint-raise-lower", "amount").type)
                == .int(5))
        #expect(try parser.quietly("45%", as: catalogue.type("fan-control", "percent-setting")) == .uint(45))
        #expect(
            try parser.quietly(
                "3m",
                as: catalogue.field(
                    "administrator-commissioning", "open-basic-commissioning-window", "commissioning-timeout"
                ).type) == .uint(180))
    }

    @Test("structures and lists as JSON")
    func composites() throws {
        let acl = try catalogue.type("access-control", "acl")
        let word =
            #"[{"privilege":"Administer","authMode":2,"subjects":[112233,"18446744073709551615"],"targets":null},{"1":"view","auth-mode":"CASE","Subjects":null,"targets":[{"cluster":"on-off","endpoint":null,"deviceType":null}],"fabricIndex":1}]"#
        let expected = TLVValue.array([
            .init(
                .anonymous,
                .structure([
                    .init(1, .uint(5)), .init(2, .uint(2)),
                    .init(3, .array([.init(.anonymous, .uint(112_233)), .init(.anonymous, .uint(.max))])),
                    .init(4, .null),
                ])),
            .init(
                .anonymous,
                .structure([
                    .init(1, .uint(1)), .init(2, .uint(2)), .init(3, .null),
                    .init(
                        4,
                        .array([.init(.anonymous, .structure([.init(0, .uint(6)), .init(1, .null), .init(2, .null)]))])),
                    .init(254, .uint(1)),
                ])),
        ])
        #expect(try parser.quietly(word, as: acl) == expected)
        #expect(try parser.quietly("[]", as: acl) == .array([]))
        let errors: [(String, DataModelError.Code, String)] = [
            (
                #"[{"privilege":"Admin","authMode":2,"subjects":null,"targets":null}]"#, .unknownValue,
                "acl[0].privilege"
            ),
            (#"[{"authMode":2,"subjects":null,"targets":null}]"#, .missingField, "acl[0].privilege"),
            (#"[{"privilege":5,"authMode":2,"subject":null,"targets":null}]"#, .unknownField, "acl[0].subject"),
            (
                #"[{"privilege":5,"Privilege":5,"authMode":2,"subjects":null,"targets":null}]"#, .duplicateField,
                "acl[0].Privilege"
            ),
            (#"[{"privilege":5,"1":5,"authMode":2,"subjects":null,"targets":null}]"#, .duplicateField, "acl[0].1"),
            (#"[{"privilege":5,"authMode":2,"subjects":[1,"x"],"targets":null}]"#, .wrongType, "acl[0].subjects[1]"),
            (#"[{"privilege":5,"authMode":2,"subjects":[1,null],"targets":null}]"#, .wrongType, "acl[0].subjects[1]"),
            (#"[{"privilege":null,"authMode":2,"subjects":null,"targets":null}]"#, .wrongType, "acl[0].privilege"),
            (#"[7]"#, .wrongType, "acl[0]"), (#"{}"#, .wrongType, "acl"), (#"[{]"#, .malformedValue, "acl"),
            ("", .wrongType, "acl"),
        ]
        for (word, code, place) in errors {
            do {
                _ = try parser.value(word: word, as: acl, at: "acl")
                Issue.record("\(word) was accepted")
            } catch {
                #expect(error.code == code, "\(word)")
                #expect(error.place == place, "\(word)")
                #expect(
                    error.reason.contains(place) || code == .unknownField || code == .duplicateField
                        || code == .missingField, "\(error.reason)")
            }
        }
    }

    @Test("lists of scalars in short form")
    func shortLists() throws {
        #expect(
            try parser.quietly("1,2,0x3", as: simple("uint8", list: true))
                == .array([1, 2, 3].map { .init(.anonymous, .uint($0)) }))
        #expect(try parser.quietly("7", as: simple("uint8", list: true)) == .array([.init(.anonymous, .uint(7))]))
        #expect(try parser.quietly("null", as: simple("uint8", list: true, nullable: true)) == .null)
        #expect(code { _ = try parser.value(word: "", as: simple("uint8", list: true), at: "x") } == .wrongType)
        #expect(code { _ = try parser.value(word: "1,,2", as: simple("uint8", list: true), at: "x") } == .wrongType)
        let limited = try catalogue.type("general-commissioning", "basic-commissioning-info")
        #expect(!limited.isList)
    }

    @Test("numbers of items are warnings")
    func itemLimits() throws {
        let presets = try catalogue.type("thermostat", "preset-types")
        #expect(presets.limits.maximumItems == 7)
        #expect(try parser.value(word: "[]", as: presets, at: "x").warnings.count == 1)
    }

    @Test("an unknown field by number is kept, with a warning")
    func unknownFields() throws {
        let target = try catalogue.type("access-control", "acl")
        let parsed = try parser.value(
            word: #"[{"privilege":5,"authMode":2,"subjects":null,"targets":null,"77":{"0":"hex:01","1":-5}}]"#,
            as: target, at: "acl")
        guard case .array(let entries) = parsed.value, case .structure(let members) = entries.first?.value else {
            Issue.record("no entry")
            return
        }
        #expect(members.last == TLVElement(77, .structure([.init(0, .octets([1])), .init(1, .int(-5))])))
        #expect(parsed.warnings.map(\.place) == ["acl[0].77"])
    }
}
