import TestSupport

@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// Values that are wrong on the wire.
extension Mutation {
    static var values: [Mutation] {
        [
            value(.valueType, { _ in true }) { type, dice in
                if type.isList { return .uint(1) }
                return switch type.kind {
                case .string, .octets: .uint(7)
                case .structure: .array([])
                default: .string(Bool.random(using: &dice) ? "odd" : "")
                }
            },
            value(.valueNull, { !$0.isNullable }) { _, _ in .null },
            value(.valueRange, { Self.outside($0) != nil }) { type, _ in Self.outside(type) },
            value(
                .valueEnumeration,
                { type in
                    if case .enumeration(let definition) = type.kind {
                        !type.isList && !definition.values.isEmpty
                    } else {
                        false
                    }
                }
            ) { _, _ in .uint(0xFD) },
            value(
                .valueBits,
                { type in
                    if case .bitmap(let definition) = type.kind {
                        !type.isList && !definition.fields.isEmpty && Self.unknownBit(definition) != nil
                    } else {
                        false
                    }
                }
            ) { type, _ in
                if case .bitmap(let definition) = type.kind {
                    Self.unknownBit(definition).map { .uint($0) }
                } else {
                    nil
                }
            },
            value(
                .valueLength,
                { type in
                    if case .string = type.kind { !type.isList && type.limits.maximumLength != nil } else { false }
                }
            ) { type, _ in .string(String(repeating: "x", count: (type.limits.maximumLength ?? 0) + 1)) },
            value(
                .valueText,
                { type in
                    if case .string = type.kind { !type.isList } else { false }
                }
            ) { _, _ in .string("a\u{FFFD}") },
            value(.valueCount, { $0.isList && ($0.limits.maximumItems != nil || $0.limits.minimumItems ?? 0 > 0) }) {
                type, _ in
                guard let most = type.limits.maximumItems else { return .array([]) }
                return .array(of: [TLVValue](repeating: .uint(0), count: most + 1))
            },
            Mutation(.valueField) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.attributes { type in
                                if case .structure(let definition) = type.kind {
                                    definition.fields.contains {
                                        !$0.isOptional && !$0.isProvisional && !$0.isFabricSensitive && $0.id < 254
                                    }
                                } else {
                                    false
                                }
                            }
                        })
                else { return nil }
                let empty = TLVValue.structure([])
                bench.breakServer(spot.endpoint, spot.demands.id) {
                    $0.forced = [attribute.id: attribute.type.isList ? .array(of: [empty]) : empty]
                }
                return "\(spot.name)/\(attribute.name) with an empty structure"
            },
        ]
    }

    private static func value(
        _ rule: ConformanceRule, _ isWanted: @escaping (DataType) -> Bool,
        _ wrong: @escaping (DataType, inout SeededGenerator) -> TLVValue?
    ) -> Mutation {
        Mutation(rule) { bench, dice in
            guard
                let (spot, attribute) = try MutationSpot.pick(
                    bench, &dice, { spot in spot.attributes { isWanted($0) } }),
                let value = wrong(attribute.type, &dice)
            else { return nil }
            bench.breakServer(spot.endpoint, spot.demands.id) { $0.forced = [attribute.id: value] }
            return "\(spot.name)/\(attribute.name) = \(value)"
        }
    }

    /// A number that the type holds, outside of its limits.
    private static func outside(_ type: DataType) -> TLVValue? {
        guard !type.isList else { return nil }
        let (low, high): (Int64, Int64)
        switch type.kind {
        case .unsigned(let bits): (low, high) = (0, bits >= 63 ? .max : (1 << Int64(bits)) - 1)
        case .signed(let bits):
            (low, high) = bits >= 64 ? (.min, .max) : (-(1 << Int64(bits - 1)), (1 << Int64(bits - 1)) - 1)
        default: return nil
        }
        if let most = type.limits.maximum, most < high { return .int(most + 1) }
        if let least = type.limits.minimum, least > low { return .int(least - 1) }
        return nil
    }

    private static func unknownBit(_ definition: BitmapDefinition) -> UInt64? {
        let known = definition.fields.reduce(0) { $0 | $1.mask }
        return (0..<definition.bits).lazy.map { UInt64(1) << UInt64($0) }.first { $0 & known == 0 }
    }
}
