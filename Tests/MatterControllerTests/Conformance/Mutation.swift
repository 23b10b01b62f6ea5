import TestSupport

@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// A fault to plant in a virtual device, and the rules of which at least one has to notice it.
struct Mutation {
    /// The kinds of device that can have it; `nil` for all.
    var kinds: [String]?
    var rules: Set<ConformanceRule>
    /// Plants it, in a place that the generator chooses; `nil` if the device has no such place.
    var plant: (ConformanceBench, inout SeededGenerator) throws -> String?

    init(
        _ rules: ConformanceRule..., kinds: [String]? = nil,
        plant: @escaping (ConformanceBench, inout SeededGenerator) throws -> String?
    ) {
        self.rules = Set(rules)
        self.kinds = kinds
        self.plant = plant
    }
}

/// A cluster of the device with what the model demands of it.
struct MutationSpot {
    var endpoint: EndpointID
    var entry: ClusterEntry
    var demands: ClusterDemands
    var facts: Conformance.Facts

    var name: String { "\(endpoint)/\(demands.name)" }

    /// All clusters of a device, of which the one in hand is chosen.
    static func all(_ bench: ConformanceBench) throws -> [MutationSpot] {
        let statement = try bench.statement()
        return bench.node.endpointNumbers.flatMap { endpoint -> [MutationSpot] in
            (bench.node.endpoints[endpoint]?.clusterNumbers ?? []).compactMap { id in
                guard let entry = bench.node.endpoints[endpoint]?.clusters[id],
                    let demands = ConformanceModel.cluster(id), !demands.isProvisional,
                    let cluster = statement.cluster(endpoint, id)
                else { return nil }
                return MutationSpot(
                    endpoint: endpoint, entry: entry, demands: demands,
                    facts: ConformanceExamination.facts(cluster, demands))
            }
        }
    }

    /// Something of some cluster, by the dice.
    static func pick<Found>(
        _ bench: ConformanceBench, _ dice: inout SeededGenerator, _ choices: (MutationSpot) -> [Found]
    ) throws -> (spot: MutationSpot, found: Found)? {
        // A cluster first, so that those with many elements are not preferred.
        let spots = try all(bench).map { ($0, choices($0)) }.filter { !$0.1.isEmpty }
        guard let (spot, found) = spots.randomElement(using: &dice), let one = found.randomElement(using: &dice) else {
            return nil
        }
        return (spot, one)
    }

    var attributes: Set<AttributeID> { Set(entry.values.keys) }

    /// The attributes of the cluster with a value of a certain type, not the global ones.
    func attributes(_ isWanted: (DataType) -> Bool) -> [AttributeDefinition] {
        entry.model.definition.attributes.filter { entry.values[$0.id] != nil && isWanted($0.type) }
    }
}

extension Mutation {
    private static let removedEverywhere: Set<ClusterID> = [Descriptor.id]

    static var elements: [Mutation] {
        [
            Mutation(.attributeMissing) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.attributes.filter {
                                $0.conformance.verdict(spot.facts) == .mandatory && spot.attributes.contains($0.id)
                            }
                        })
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.removed = [attribute.id] }
                return "\(spot.name) without \(attribute.name)"
            },
            Mutation(.attributeNotAllowed) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.attributes.filter {
                                $0.conformance.verdict(spot.facts) == .notApplicable
                                    && !spot.attributes.contains($0.id) && spot.entry.model.attributes[$0.id] != nil
                            }
                        })
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.forced = [attribute.id: .uint(0)] }
                return "\(spot.name) with \(attribute.name)"
            },
            Mutation(.attributeProvisional, .attributeDeprecated) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.attributes.filter {
                                [.provisional, .deprecated].contains($0.conformance.verdict(spot.facts))
                                    && !spot.attributes.contains($0.id) && spot.entry.model.attributes[$0.id] != nil
                            }
                        })
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.forced = [attribute.id: .uint(0)] }
                return "\(spot.name) with \(attribute.name)"
            },
            Mutation(.attributeDeprecated, kinds: ["occupancy-sensor"]) { bench, _ in
                // Of the one delay that HoldTime has replaced.
                bench.breakServer(1, OccupancySensing.id) {
                    $0.forced = [OccupancySensing.Attribute.pirOccupiedToUnoccupiedDelay: .uint(10)]
                    $0.removed = [OccupancySensing.Attribute.holdTime]
                }
                return "1/OccupancySensing with PIROccupiedToUnoccupiedDelay"
            },
            list(.attributeUnknown, GlobalAttribute.attributeList, 0x4FF0),
            list(.attributeID, GlobalAttribute.attributeList, 0x5001),
            list(.attributeManufacturer, GlobalAttribute.attributeList, 0x1234_0001),
            list(.commandUnknown, GlobalAttribute.acceptedCommandList, 0xF1),
            list(.commandID, GlobalAttribute.acceptedCommandList, 0x1001),
            list(.commandManufacturer, GlobalAttribute.acceptedCommandList, 0x1234_0001),
            list(.elementTestVendor, GlobalAttribute.attributeList, 0xFFF1_0001),
            list(.elementTestVendor, GlobalAttribute.acceptedCommandList, 0xFFF2_0001),
            list(.responseUnknown, GlobalAttribute.generatedCommandList, 0xF1),
            Mutation(.commandMissing) { bench, dice in
                guard
                    let (spot, command) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.requests.filter {
                                $0.conformance.verdict(spot.facts) == .mandatory
                                    && spot.entry.acceptedCommands.contains($0.id)
                            }
                        })
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) {
                    $0.commands = spot.entry.acceptedCommands.filter { $0 != command.id }
                }
                return "\(spot.name) without \(command.name)"
            },
            Mutation(.commandNotAllowed) { bench, dice in
                guard
                    let (spot, command) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.requests.filter {
                                $0.conformance.verdict(spot.facts) == .notApplicable
                                    && !spot.entry.acceptedCommands.contains($0.id)
                            }
                        })
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) {
                    $0.commands = spot.entry.acceptedCommands + [command.id]
                }
                return "\(spot.name) with \(command.name)"
            },
            Mutation(.responseMissing) { bench, dice in
                guard
                    let (spot, response) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.responses.filter { $0.conformance.verdict(spot.facts) == .mandatory }
                        })
                else { return nil }
                bench.forgeList(spot.endpoint, spot.demands.id, GlobalAttribute.generatedCommandList) { items in
                    items.removeAll { CommandID(tlv: $0) == response.id }
                }
                return "\(spot.name) without \(response.name)"
            },
            Mutation(.responseNotAllowed) { bench, dice in
                guard
                    let (spot, response) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.responses.filter { $0.conformance.verdict(spot.facts) == .notApplicable }
                        })
                else { return nil }
                bench.forgeList(spot.endpoint, spot.demands.id, GlobalAttribute.generatedCommandList) {
                    $0.append(response.id.tlv)
                }
                return "\(spot.name) with \(response.name)"
            },
        ]
    }

    /// A number more in a global list.
    private static func list(_ rule: ConformanceRule, _ attribute: AttributeID, _ number: UInt64) -> Mutation {
        Mutation(rule) { bench, dice in
            guard let spot = try MutationSpot.all(bench).randomElement(using: &dice) else { return nil }
            bench.forgeList(spot.endpoint, spot.demands.id, attribute) { $0.append(.uint(number)) }
            return "\(spot.name): \(hexadecimal(UInt32(number))) in list \(hexadecimal(attribute))"
        }
    }

    // MARK: Features, revisions, lists

    static var clusters: [Mutation] {
        [
            Mutation(.featureNotAllowed) { bench, dice in
                try claim(bench, &dice) { $0 == .notApplicable || $0 == .disallowed }
            },
            Mutation(.featureProvisional) { bench, dice in try claim(bench, &dice) { $0 == .provisional } },
            // An optional feature makes something mandatory that the server lacks.
            Mutation(.attributeMissing, .commandMissing) { bench, dice in
                try claim(bench, &dice, ifDemanded: true) { if case .optional = $0 { true } else { false } }
            },
            Mutation(.featureUnknown) { bench, dice in
                guard let spot = try MutationSpot.all(bench).randomElement(using: &dice) else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) {
                    $0.features = $0.featureMap.union(.init(bit: 30))
                }
                return "\(spot.name) with bit 30"
            },
            Mutation(.featureChoice) { bench, dice in
                guard
                    let (spot, choice) = try MutationSpot.pick(
                        bench, &dice,
                        { spot in
                            spot.demands.features.compactMap { feature -> Conformance.Choice? in
                                guard case .optional(let choice?) = feature.conformance.verdict(spot.facts) else {
                                    return nil
                                }
                                return choice
                            }
                        })
                else { return nil }
                let members = spot.demands.features.filter {
                    $0.conformance.verdict(spot.facts) == .optional(choice)
                }.reduce(UInt32(0)) { $0 | ConformanceExamination.bit($1.id) }
                bench.breakServer(spot.endpoint, spot.demands.id) {
                    $0.features = FeatureMap(rawValue: $0.featureMap.rawValue & ~members)
                }
                return "\(spot.name) without any feature of choice \(choice.letter)"
            },
            Mutation(.attributeChoice) { bench, _ in
                let camera: ClusterID = 0x0551
                guard let control = ConformanceModel.cluster(camera)?.features.first(where: { $0.name == "ICTL" })
                else {
                    return nil
                }
                func report(_ attribute: AttributeID, _ value: TLVValue) {
                    bench.added[.init(endpoint: 1, cluster: camera, attribute: attribute)] = value
                }
                report(GlobalAttribute.featureMap, .uint(UInt64(ConformanceExamination.bit(control.id))))
                report(GlobalAttribute.attributeList, .array(of: GlobalAttribute.all.map(\.tlv)))
                return "a camera that neither turns nor mirrors its picture"
            },
            Mutation(.featureMissing, kinds: ["door-lock"]) { bench, _ in
                bench.breakServer(1, DoorLock.id) { $0.features = $0.featureMap.subtracting(DoorLock.Feature.user) }
                return "a lock with PIN codes and without users"
            },
            Mutation(.clusterRevision) { bench, dice in
                guard let spot = try MutationSpot.all(bench).randomElement(using: &dice) else { return nil }
                let revision = spot.demands.revision + (Bool.random(using: &dice) ? 1 : 40)
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.ownRevision = revision }
                return "\(spot.name) revision \(revision)"
            },
            Mutation(.globalRevision) { bench, dice in
                guard let spot = try MutationSpot.all(bench).randomElement(using: &dice) else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.ownRevision = 0 }
                return "\(spot.name) revision 0"
            },
            Mutation(.globalMissing) { bench, dice in
                guard let spot = try MutationSpot.all(bench).randomElement(using: &dice),
                    let attribute = GlobalAttribute.all.randomElement(using: &dice)
                else { return nil }
                bench.breakServer(spot.endpoint, spot.demands.id) { $0.missingGlobals = [attribute] }
                return "\(spot.name) without \(hexadecimal(attribute))"
            },
            Mutation(.globalRepeats) { bench, dice in
                guard let spot = try MutationSpot.all(bench).randomElement(using: &dice) else { return nil }
                bench.forgeList(spot.endpoint, spot.demands.id, GlobalAttribute.attributeList) { $0.append($0[0]) }
                return "\(spot.name): AttributeList with one entry twice"
            },
            Mutation(.globalAttributeList) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(bench, &dice, { $0.attributes { _ in true } })
                else { return nil }
                if Bool.random(using: &dice) {
                    bench.forged[.init(endpoint: spot.endpoint, cluster: spot.demands.id, attribute: attribute.id)] =
                        .some(nil)
                    return "\(spot.name): no report of \(attribute.name)"
                }
                bench.forgeList(spot.endpoint, spot.demands.id, GlobalAttribute.attributeList) { items in
                    items.removeAll { AttributeID(tlv: $0) == attribute.id }
                }
                return "\(spot.name): AttributeList without \(attribute.name)"
            },
            Mutation(.valueUnreadable) { bench, dice in
                guard
                    let (spot, attribute) = try MutationSpot.pick(bench, &dice, { $0.attributes { _ in true } })
                else { return nil }
                bench.refused[.init(endpoint: spot.endpoint, cluster: spot.demands.id, attribute: attribute.id)] =
                    .failure
                return "\(spot.name): \(attribute.name) answers FAILURE"
            },
        ]
    }

    /// Claims a feature.
    private static func claim(
        _ bench: ConformanceBench, _ dice: inout SeededGenerator, ifDemanded: Bool = false,
        _ isWanted: (Conformance.Verdict) -> Bool
    ) throws -> String? {
        guard
            let (spot, feature) = try MutationSpot.pick(
                bench, &dice,
                { spot in
                    spot.demands.features.filter { feature in
                        let bit = ConformanceExamination.bit(feature.id)
                        let lacks =
                            (spot.demands.attributes.filter { !spot.attributes.contains($0.id) }
                            .map(\.conformance.text)
                            + spot.demands.requests.filter { !spot.entry.acceptedCommands.contains($0.id) }
                            .map(\.conformance.text)).contains(feature.name)
                        return (spot.entry.server?.featureMap.rawValue ?? 0) & bit == 0
                            && isWanted(feature.conformance.verdict(spot.facts)) && (lacks || !ifDemanded)
                    }
                })
        else { return nil }
        bench.breakServer(spot.endpoint, spot.demands.id) {
            $0.features = $0.featureMap.union(.init(bit: UInt32(feature.id)))
        }
        return "\(spot.name) claims \(feature.name)"
    }
}
