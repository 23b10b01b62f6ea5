import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

/// Makes values of a data type, edge cases among them.
private struct ValueMaker {
    var generator: SeededGenerator

    mutating func value(of type: DataType) -> TLVValue {
        if type.isNullable, Int.random(in: 0..<4, using: &generator) == 0 { return .null }
        guard type.isList else { return single(type) }
        let count = Int.random(in: 0...3, using: &generator)
        return .array((0..<count).map { _ in TLVElement(.anonymous, single(type)) })
    }

    mutating func members(of fields: [FieldDefinition]) -> [TLVElement] {
        var members: [TLVElement] = []
        for field in fields {
            let mayLack = field.isOptional || field.id == FieldDefinition.fabricIndexTag
            if mayLack, Bool.random(using: &generator) { continue }
            members.append(TLVElement(field.id, value(of: field.type)))
        }
        // A field from a newer device.
        if fields.tagged(253) == nil, Int.random(in: 0..<4, using: &generator) == 0 {
            members.append(TLVElement(253, unknown()))
        }
        return members.sortedByTag()
    }

    private mutating func unknown() -> TLVValue {
        // Without a type, plain JSON keeps what it can tell apart: beyond 2^53 numbers are strings.
        [
            .uint(bits(53)), .int(-5), .bool(true), .null, .string("new\u{1b}"), .octets([1, 2]), .double(1.25),
            .structure([.init(3, .uint(1))]), .array([.init(.anonymous, .null)]),
        ]
        .randomElement(using: &generator) ?? .null
    }

    private mutating func single(_ type: DataType) -> TLVValue {
        switch type.kind {
        case .boolean: return .bool(Bool.random(using: &generator))
        case .unsigned(let width): return .uint(bits(width))
        case .signed(let width): return .int(Int64(bitPattern: bits(64)) >> Int64(64 - width))
        case .single: return .float([0, -0.1, 1e30, .infinity, 3.25].randomElement(using: &generator) ?? 0)
        case .double: return .double([0, -0.1, 1e300, -.infinity, 3.25].randomElement(using: &generator) ?? 0)
        case .string:
            return .string(
                ["", "a", "null", "hex:00", "1,2", "\"q\"", "ü\t\u{202e}💡", "{", "50%"].randomElement(using: &generator)
                    ?? "")
        case .octets:
            return .octets(
                (0..<Int.random(in: 0...20, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
                })
        case .enumeration(let definition):
            return .uint(definition.values.randomElement(using: &generator).map(\.number) ?? bits(definition.bits))
        case .bitmap(let definition):
            // Known bits mostly, now and then one that the model does not know.
            let known = definition.fields.reduce(UInt64(0)) { $0 | $1.mask }
            return .uint(Bool.random(using: &generator) ? bits(definition.bits) & known : bits(definition.bits))
        case .structure(let definition): return .structure(members(of: definition.fields))
        }
    }

    private mutating func bits(_ width: Int) -> UInt64 {
        let random = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64(64 - width)
        return [0, random, random >> UInt64(width / 2), .max >> UInt64(64 - width)].randomElement(using: &generator)
            ?? 0
    }
}

@Suite("Round trip") struct RoundTripTests {
    /// Of someone who types the numbers that programs get.
    private let parser = ValueParser { _ in .steps }

    /// Prints a value as JSON text and reads it back, by names and by numbers.
    private func survives(_ value: TLVValue, _ type: DataType) throws -> Bool {
        for numeric in [false, true] {
            let text = ValuePrinter(numeric: numeric).json(value, as: type).serialized()
            guard try parser.value(json: JSONValue(parsing: text), as: type, at: "x").value == value else {
                return false
            }
            // Composites are words as they are; a scalar's own text is one, except where a string looks like something else.
            let word = ValuePrinter(numeric: numeric).text(value, as: type)
            switch type.kind {
            case .string where !type.isList: continue
            default: break
            }
            guard try parser.value(word: word, as: type, at: "x").value == value else { return false }
        }
        return true
    }

    @Test("every attribute of the catalogue survives printing and reading")
    func attributes() throws {
        var maker = ValueMaker(generator: SeededGenerator(seed: 1))
        var count = 0
        for cluster in Catalogue.standard.clusters {
            for attribute in cluster.attributes + cluster.globalAttributes {
                for _ in 0..<3 {
                    let value = maker.value(of: attribute.type)
                    count += 1
                    if try !survives(value, attribute.type) {
                        Issue.record("\(cluster.name).\(attribute.name): \(value)")
                    }
                }
            }
        }
        #expect(count > 5000)
    }

    @Test("the fields of every command and event survive printing and reading")
    func commandsAndEvents() throws {
        var maker = ValueMaker(generator: SeededGenerator(seed: 2))
        var count = 0
        for cluster in Catalogue.standard.clusters {
            var all = cluster.commands + cluster.responses
            for event in cluster.events {
                var command = try #require(Catalogue.standard.cluster(6)?.commands.first)
                command.name = event.name
                command.fields = event.fields
                all.append(command)
            }
            for command in all where !command.bareFieldsOnWire {
                for numeric in [false, true] {
                    let value = TLVValue.structure(maker.members(of: command.fields))
                    let text = ValuePrinter(numeric: numeric).json(fields: value, of: command.fields).serialized()
                    count += 1
                    if try parser.fields(json: JSONValue(parsing: text), of: command).value != value {
                        Issue.record("\(cluster.name).\(command.name): \(value)")
                    }
                }
            }
        }
        #expect(count > 1300)
    }

    @Test("damaged words for every kind of type are understood or refused")
    func mutations() throws {
        let catalogue = Catalogue.standard
        let types = [
            try catalogue.type("access-control", "acl"), try catalogue.type("level-control", "options"),
            try catalogue.type("on-off", "start-up-on-off"),
            try catalogue.type("thermostat", "occupied-heating-setpoint"),
            try catalogue.type("time-synchronization", "utc-time"),
            try catalogue.type("window-covering", "operational-status"),
            try catalogue.field("network-commissioning", "scan-networks", "ssid").type,
            try catalogue.type("carbon-dioxide-concentration-measurement", "measured-value"),
            try catalogue.type("basic-information", "node-label"),
            try catalogue.field("level-control", "move-to-level", "transition-time").type,
            try #require(GlobalDefinitions.shared.scope.resolve("ipv6pre")),
            try #require(GlobalDefinitions.shared.scope.resolve("int64")),
        ]
        let words = [
            #"[{"privilege":"Administer","authMode":2,"subjects":[112233],"targets":[{"cluster":6,"endpoint":null}]}]"#,
            "ExecuteIfOff|2", "Global=2,Lift=1", "Toggle", "-21.55C", "70F", "2026-11-21T09:30:00.25+01:00", "hex:0A0B",
            "1h30m", "1.5e3", "fd00::/64",
            "-9223372036854775808", "null", #"{"ExecuteIfOff":true}"#,
        ]
        var mutator = Mutator(seed: 3, corpus: words.map { Array($0.utf8) })
        let printer = ValuePrinter()
        var accepted = 0
        for index in 0..<Effort.inputs(20_000) {
            let word = String(decoding: mutator.next(), as: UTF8.self)
            let type = types[index % types.count]
            do {
                let value = try parser.value(word: word, as: type, at: "x").value
                accepted += 1
                _ = printer.meaning(value, as: type)
                // An understood value survives its own JSON.
                let again = try parser.value(json: printer.json(value, as: type), as: type, at: "x").value
                if again != value, !"\(value)".contains("nan") { Issue.record("\(word): \(value) became \(again)") }
            } catch {
                if error.reason.isEmpty { Issue.record("\(word) was refused without a reason") }
            }
            _ = try? parser.value(untyped: word, at: "x")
        }
        #expect(accepted > Effort.inputs(2000))
    }

    @Test("damaged encodings print without harm")
    func hostileDevices() throws {
        var maker = ValueMaker(generator: SeededGenerator(seed: 4))
        var inputs = 0
        var printed = 0
        for (index, attribute) in Catalogue.standard.clusters.flatMap(\.attributes).enumerated() {
            let encoding = TLVElement(.anonymous, maker.value(of: attribute.type)).encoded()
            var mutator = Mutator(seed: UInt64(index), corpus: [encoding])
            for round in 0..<16 {
                inputs += 1
                guard let element = try? TLVElement(decoding: mutator.next()) else { continue }
                printed += 1
                let text = ValuePrinter(numeric: round.isMultiple(of: 2)).text(element.value, as: attribute.type)
                if text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
                    Issue.record("a control character in \(text)")
                }
                _ = ValuePrinter().meaning(element.value, as: attribute.type)
            }
        }
        #expect(inputs >= 20_000)
        #expect(printed > 2000)
    }
}
