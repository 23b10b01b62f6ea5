import MatterBase
import TestSupport
import Testing

@testable import MatterModel

@Suite("Command fields") struct CommandFieldTests {
    let catalogue = Catalogue.standard
    let parser = ValueParser()

    private func command(_ cluster: String, _ name: String) throws -> CommandDefinition {
        try catalogue.cluster(named: cluster).command(named: name)
    }

    @Test("words become a structure in the order of the tags")
    func words() throws {
        let move = try command("level-control", "move-to-level")
        let words = ["transition-time=10", "OptionsMask=1", "level=127", "3=0"]
        #expect(
            try parser.fields(words: words, of: move).value
                == .structure([.init(0, .uint(127)), .init(1, .uint(10)), .init(2, .uint(1)), .init(3, .uint(0))]))
        #expect(try parser.fields(words: [], of: command("on-off", "toggle")).value == .structure([]))
        #expect(
            try parser.fields(words: ["level=1", "transition-time=null"], of: move).value
                == .structure([.init(0, .uint(1)), .init(1, .null), .init(2, .uint(0)), .init(3, .uint(0))]))
    }

    @Test("JSON gives the same")
    func jsonFields() throws {
        let move = try command("level-control", "move-to-level")
        #expect(
            try parser.fields(
                json: json(#"{"level":"50%","transitionTime":null,"optionsMask":["ExecuteIfOff"]}"#), of: move
            ).value
                == .structure([.init(0, .uint(127)), .init(1, .null), .init(2, .uint(1)), .init(3, .uint(0))]))
        #expect(code { _ = try parser.fields(json: json("[]"), of: move) } == .wrongType)
        #expect(code { _ = try parser.fields(json: json(#"{"level":1}"#), of: move) } == .missingField)
    }

    @Test("what is missing or odd is named as it is given: in words of a command line, or as a key of JSON")
    func spelling() throws {
        let parser = ValueParser()
        let move = try #require(Catalogue.standard.cluster(8)?.command(0))
        let words = failure { _ = try parser.fields(words: ["level=1"], of: move) }
        #expect(words?.reason == "command MoveToLevel needs field 'transition-time' (uint16?), which can be null")
        let object = failure { _ = try parser.fields(json: json(#"{"level":1}"#), of: move) }
        #expect(object?.reason == "command MoveToLevel needs field 'transitionTime' (uint16?), which can be null")
        let wrong = failure { _ = try parser.fields(words: ["level=1", "transition-time=x"], of: move) }
        #expect(wrong?.reason.hasPrefix("transition-time: expected ") == true, "\(wrong?.reason ?? "")")
        let odd = try parser.fields(words: ["level=255", "transition-time=0"], of: move)
        #expect(odd.warnings.map(\.place) == ["level"])
    }

    @Test("mistakes in words are named")
    func mistakes() throws {
        let move = try command("level-control", "move-to-level")
        let cases: [([String], DataModelError.Code, String?)] = [
            (["lvel=1", "transition-time=0"], .unknownField, "level"), (["level"], .malformedValue, nil),
            (["=1"], .malformedValue, nil),
            (["level=1", "Level=2", "transition-time=0"], .duplicateField, nil),
            (["level=1", "0=2", "transition-time=0"], .duplicateField, nil),
            (["level=1"], .missingField, nil), (["level=x", "transition-time=0"], .wrongType, nil),
            (["level=@file", "transition-time=0"], .malformedValue, nil), (["999=1"], .unknownField, nil),
        ]
        for (words, code, suggestion) in cases {
            do {
                _ = try parser.fields(words: words, of: move)
                Issue.record("\(words) was accepted")
            } catch {
                #expect(error.code == code, "\(words)")
                #expect(error.suggestions.first == suggestion, "\(words)")
            }
        }
        #expect(code { _ = try parser.fields(words: ["x=1"], of: command("on-off", "toggle")) } == .unknownField)
        let far = try #require(failure { _ = try parser.fields(words: ["zzz=1"], of: move) })
        #expect(far.hint == "its fields are level, transition-time, options-mask, options-override")
        let farKey = try #require(failure { _ = try parser.fields(json: json(#"{"zzz":1}"#), of: move) })
        #expect(farKey.hint == "its fields are level, transitionTime, optionsMask, optionsOverride")
    }

    @Test("a field beyond the model can be sent by its number")
    func beyond() throws {
        let parsed = try parser.fields(words: ["7=int:-1", "8=text:x"], of: command("on-off", "toggle"))
        #expect(parsed.value == .structure([.init(7, .int(-1)), .init(8, .string("x"))]))
        #expect(parsed.warnings.count == 2)
    }

    @Test("the FabricIndex, optional fields and unsettled ones may be left out")
    func leftOut() throws {
        let write = try command("group-key-management", "key-set-write")
        let set =
            #"{"groupKeySet":{"groupKeySetID":1,"groupKeySecurityPolicy":0,"epochKey0":null,"epochStartTime0":null,"epochKey1":null,"epochStartTime1":null,"epochKey2":null,"epochStartTime2":null}}"#
        #expect(try parser.fields(json: json(set), of: write).warnings.isEmpty)
        let scan = try command("network-commissioning", "scan-networks")
        #expect(try parser.fields(words: [], of: scan).value == .structure([]))
    }

    @Test("the model's initial values are not sent for forgotten fields")
    func noSilentDefaults() throws {
        // The model's default of UTCTime is 0: a forgotten word must not set a device's clock to the year 2000.
        let set = try command("time-synchronization", "set-utc-time")
        #expect(set.fields.named("utc-time")?.defaultValue == .int(0))
        #expect(code { _ = try parser.fields(words: ["granularity=3"], of: set) } == .missingField)
    }

    @Test("files: octets as they are, text without its line end")
    func files() throws {
        let wifi = try command("network-commissioning", "add-or-update-wi-fi-network")
        let parsed = try parser.fields(words: ["ssid=text:home", "credentials=@secret"], of: wifi) {
            (name: String) throws(DataModelError) in
            #expect(name == "secret")
            return Array("pass\n".utf8)
        }
        #expect(
            parsed.value
                == .structure([.init(0, .octets(Array("home".utf8))), .init(1, .octets(Array("pass\n".utf8)))]))
        let dataset = try command("network-commissioning", "add-or-update-thread-network").fields[0].type
        #expect(try parser.value(file: Array("hex:0E08\n".utf8), as: dataset, at: "x").value == .octets([0x0E, 8]))
        let label = try catalogue.type("basic-information", "node-label")
        #expect(try parser.value(file: Array("kitchen\n".utf8), as: label, at: "x").value == .string("kitchen"))
        #expect(code { _ = try parser.value(file: [0xFF], as: label, at: "x") } == .malformedValue)
    }

    @Test("RainMaker's SignData goes bare")
    func bare() throws {
        let sign = try command("rainmaker", "sign-data")
        #expect(try parser.fields(words: ["data=challenge"], of: sign).value == .string("challenge"))
        let configuration = try command("rainmaker", "configuration")
        #expect(
            try parser.fields(words: ["user-id-and-secret-key=u::k"], of: configuration).value
                == .structure([.init(0, .string("u::k"))]))
    }

    @Test("fields of an unknown command go by number and guess")
    func untyped() throws {
        #expect(
            try parser.untypedFields(words: [
                "2=true", "0=5", "1=-5", "3=hex:00", "4=abc", "5=[1,2]", "6=null", "7=0x10", "8=1.5", "9=single:1.5",
                "10=text:5",
            ])
                == .structure([
                    .init(0, .uint(5)), .init(1, .int(-5)), .init(2, .bool(true)), .init(3, .octets([0])),
                    .init(4, .string("abc")),
                    .init(5, .array([.init(.anonymous, .uint(1)), .init(.anonymous, .uint(2))])), .init(6, .null),
                    .init(7, .uint(16)),
                    .init(8, .double(1.5)), .init(9, .float(1.5)), .init(10, .string("5")),
                ]))
        #expect(code { _ = try parser.untypedFields(words: ["level=5"]) } == .unknownField)
        #expect(code { _ = try parser.untypedFields(words: ["256=5"]) } == .unknownField)
        #expect(code { _ = try parser.untypedFields(words: ["1=5", "1=6"]) } == .duplicateField)
        #expect(code { _ = try parser.untypedFields(words: ["1=uint:-5"]) } == .malformedValue)
        #expect(code { _ = try parser.untypedFields(words: ["1={bad"]) } == .malformedValue)
    }
}
