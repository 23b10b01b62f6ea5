import JSON
import MatterController
import Testing

@testable import HouseServer

/// Values of every attribute and command of the model, from JSON to TLV and back.
@Suite struct ValueRoundTripTests {
    @Test func valuesOfEveryAttributeSurviveAndAreSound() throws {
        var random = SeededGenerator(seed: 1)
        var count = 0
        for cluster in Catalogue.standard.clusters {
            for attribute in cluster.attributes + cluster.globalAttributes {
                let path = ConcreteAttributePath(endpoint: 1, cluster: cluster.id, attribute: attribute.id)
                for _ in 0..<3 {
                    let json = random.json(attribute.type)
                    let value = try CommandPayload.value(json, for: path, in: .standard)
                    #expect(ValueEncoding.json(value) == json, "\(cluster.name).\(attribute.name)")
                    #expect(ValueSoundness.isSound(value, as: attribute.type), "\(cluster.name).\(attribute.name)")
                    var text: [UInt8] = []
                    ValueEncoding.append(value, to: &text)
                    #expect(try JSONValue(parsing: String(decoding: text, as: UTF8.self)) == json)
                    // The names of what was encoded lead back to it.
                    let named = NamedEncoding.json(value, as: attribute.type)
                    #expect(
                        try CommandPayload.value(named, for: path, in: .standard) == value,
                        "\(cluster.name).\(attribute.name): \(named.serialized())")
                    count += 1
                }
            }
        }
        #expect(count > 4000)
    }

    @Test func fieldsOfEveryCommandSurviveByNamesAndByTags() throws {
        var random = SeededGenerator(seed: 2)
        var count = 0
        for cluster in Catalogue.standard.clusters {
            for command in cluster.commands {
                for _ in 0..<3 {
                    var tags = JSONObject()
                    for field in command.fields { tags[String(field.id)] = random.json(field.type) }
                    let value = try CommandPayload.fields(tags, of: command)
                    let named = try #require(NamedEncoding.json(value, of: command.fields).objectValue)
                    #expect(try CommandPayload.fields(named, of: command) == value, "\(cluster.name).\(command.name)")
                    count += 1
                }
            }
        }
        #expect(count > 1000)
    }
}

extension SeededGenerator {
    /// A value as clients send it, structures by tags.
    fileprivate mutating func json(_ type: DataType) -> JSONValue {
        if type.isNullable, Int.random(in: 0..<5, using: &self) == 0 { return .null }
        guard type.isList else { return single(type) }
        return .array((0..<Int.random(in: 0...2, using: &self)).map { _ in json(type.entry) })
    }

    private mutating func single(_ type: DataType) -> JSONValue {
        switch type.kind {
        case .boolean: return .bool(Bool.random(using: &self))
        case .unsigned(let bits): return .uint(unsigned(bits))
        case .enumeration(let definition): return .uint(unsigned(definition.bits))
        case .bitmap(let definition): return .uint(unsigned(definition.bits))
        case .signed(let bits):
            let most = Int64.max >> Int64(64 - bits)
            return .int(Bool.random(using: &self) ? Int64.random(in: -most - 1...most, using: &self) : -most - 1)
        case .single: return .double(Double(Float.random(in: -1e6...1e6, using: &self)))
        case .double: return .double(Double.random(in: -1e200...1e200, using: &self))
        case .string: return .string(text())
        case .octets: return .string(Base64Text.encoded(octets()))
        case .structure(let definition):
            var object = JSONObject()
            for field in definition.fields.sorted(by: { $0.id < $1.id })
            where field.id != FieldSpelling.fabricIndex.tag {
                let value = json(field.type)
                // Null stands for what is left out.
                if case .null = value, field.isOptional { continue }
                if field.isOptional, Bool.random(using: &self) { continue }
                object[String(field.id)] = value
            }
            return .object(object)
        }
    }

    private mutating func unsigned(_ bits: Int) -> UInt64 {
        let most = bits < 64 ? UInt64(1) << UInt64(bits) - 1 : .max
        return Bool.random(using: &self) ? UInt64.random(in: 0...most, using: &self) : most
    }
}
