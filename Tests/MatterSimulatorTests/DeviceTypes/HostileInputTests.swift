import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// Valid requests with senseless values, in any order: every kind answers, and goes on.
@Suite("Hostile input to clusters", .beside)
struct HostileInputTests {
    private static let rounds = 2000
    private static let numbers: [Int64] = [
        0, 1, 2, 3, 4, 5, 10, 60, 100, 127, 128, 153, 254, 255, 256, 500, 3600, 10_000, 32_767, 65_278, 65_279, 65_533,
        65_534, 65_535, 1 << 24, (1 << 31) - 1, (1 << 32) - 1, .max, -1, -10, -128, -32_768, .min,
    ]

    private static func value(_ type: DataType, _ generator: inout SeededGenerator) -> TLVValue {
        if Int.random(in: 0..<12, using: &generator) == 0 { return .null }
        if type.isList {
            let count = Int.random(in: 0..<4, using: &generator)
            return .array(of: (0..<count).map { _ in value(type.entry, &generator) })
        }
        let number = numbers.randomElement(using: &generator) ?? 0
        switch type.kind {
        case .boolean: return .bool(Bool.random(using: &generator))
        case .signed(let bits): return .int(number >> Int64(64 - bits))
        case .unsigned(let bits):
            return .uint(bits == 64 ? UInt64(bitPattern: number) : UInt64(bitPattern: number) & (1 << UInt64(bits) - 1))
        case .enumeration, .bitmap: return .uint(UInt64.random(in: 0...9, using: &generator))
        case .string: return .string(["", "x", "user::secret", "1234567890"].randomElement(using: &generator) ?? "")
        case .octets:
            return .octets(Array(["", "1234", "5678", "123456789"].randomElement(using: &generator)?.utf8 ?? "".utf8))
        case .structure(let definition): return structure(definition.fields, &generator)
        case .single, .double: return .double(0)
        }
    }

    private static func structure(_ fields: [FieldDefinition], _ generator: inout SeededGenerator) -> TLVValue {
        var members: [TLVElement] = []
        for field in fields where !field.isOptional || Bool.random(using: &generator) {
            members.append(TLVElement(field.id, value(field.type, &generator)))
        }
        return .structure(members)
    }

    @Test("every command and every write with every kind of value", arguments: SimulatedType.all.map(\.name))
    func everything(_ kind: String) throws {
        let bench = try ClusterBench(kind)
        var generator = SeededGenerator(seed: 20_261_121)
        let endpoints = bench.node.endpointNumbers.filter { $0 != 0 }
        var accepted = 0
        for _ in 0..<Self.rounds {
            let endpoint = endpoints.randomElement(using: &generator) ?? 1
            let clusters = bench.node.endpoints[endpoint]?.clusters ?? [:]
            guard let entry = clusters.values.sorted(by: { $0.id < $1.id }).randomElement(using: &generator) else {
                continue
            }
            if let command = entry.acceptedCommands.randomElement(using: &generator), Bool.random(using: &generator) {
                let fields = entry.model.commands[command]?.fields ?? []
                let outcome = try bench.invoke(
                    entry.id, command, Self.structure(fields, &generator), endpoint: endpoint)
                if case .status(let status) = outcome { accepted += status.isSuccess ? 1 : 0 } else { accepted += 1 }
            } else if let attribute = entry.model.definition.attributes.randomElement(using: &generator) {
                let value = Self.value(attribute.type, &generator)
                accepted += bench.write(entry.id, attribute.id, value, endpoint: endpoint).isSuccess ? 1 : 0
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bench.wait(.milliseconds(Int.random(in: 0...3000, using: &generator)))
            }
            _ = (bench.node.takeEffects(), bench.node.takeReports())
        }
        // Otherwise this would be a test of the checks before the clusters.
        let takesAny = endpoints.flatMap { bench.node.endpoints[$0]?.clusters.values.map({ $0 }) ?? [] }.contains {
            !$0.acceptedCommands.isEmpty || $0.model.definition.attributes.contains(where: \.isWritable)
        }
        #expect(!takesAny || accepted > Self.rounds / 20)
        // The outcome of it is still what the types allow, and survives a restart.
        for device in [bench, try bench.restarted()] {
            for endpoint in endpoints {
                for entry in device.node.endpoints[endpoint]?.clusters.values.map({ $0 }) ?? [] {
                    for attribute in entry.values.keys {
                        let value = device.read(entry.id, attribute, endpoint: endpoint) ?? .null
                        let definition = try #require(entry.model.attributes[attribute])
                        #expect(throws: Never.self, "\(entry.model.definition.name): \(definition.name) \(value)") {
                            try ValueValidator.check(value, definition.type, .form)
                        }
                    }
                }
            }
        }
    }
}
