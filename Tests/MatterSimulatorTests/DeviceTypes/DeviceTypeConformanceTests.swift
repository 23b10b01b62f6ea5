import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

/// The catalogue's demands on every device type, for every kind that can be simulated.
@Suite("Device types against the catalogue", .beside)
struct DeviceTypeConformanceTests {
    static let kinds = SimulatedType.all.map(\.name)

    @Test("every kind has its mandatory clusters, as server and as client", arguments: kinds)
    func clusters(_ kind: String) throws {
        let bench = try ClusterBench(kind)
        for (number, endpoint) in bench.node.endpoints {
            for type in endpoint.deviceTypes {
                let definition = try #require(Catalogue.standard.deviceType(type.id))
                #expect(type.revision == ConformanceModel.revision(of: type.id))
                let mandatory = definition.requiredServerClusters.filter {
                    !(Catalogue.standard.cluster($0)?.isProvisional ?? true)
                }
                let missing = mandatory.filter { endpoint.clusters[$0] == nil }
                #expect(missing.isEmpty, "endpoint \(number), device type \(type.id)")
                let clients = definition.requiredClientClusters.filter {
                    !(Catalogue.standard.cluster($0)?.isProvisional ?? true)
                }
                #expect(clients.allSatisfy(endpoint.clients.contains), "endpoint \(number), device type \(type.id)")
            }
        }
    }

    /// Nodes whose root endpoints differ.
    static let roots: [(@Sendable (inout NodeConfiguration) -> Void)] = [
        { $0.network = .ethernet }, { $0.network = .wifi }, { $0.network = .thread },
        { $0.add(RainMakerOptions(revision: 2, nodeID: "x")) },
        { $0.add(RainMakerOptions(revision: 3, nodeID: "x")) },
        { $0.updates = UpdateBehaviour() },
    ]

    static func root(_ index: Int) throws -> ClusterBench { try ClusterBench(changing: roots[index]) { [] } }

    @Test("every cluster has its mandatory attributes and commands, with values of the right type", arguments: kinds)
    func elements(_ kind: String) throws {
        let bench = try ClusterBench(kind)
        try checkElements(bench) { $0 != 0 }
    }

    @Test("so have those of the root endpoint", arguments: roots.indices)
    func rootElements(_ index: Int) throws { try checkElements(try Self.root(index)) { $0 == 0 } }

    private func checkElements(_ bench: ClusterBench, _ isChecked: (EndpointID) -> Bool) throws {
        for (number, endpoint) in bench.node.endpoints where isChecked(number) {
            for entry in endpoint.clusters.values {
                let definition = entry.model.definition
                let place = "endpoint \(number), \(definition.name)"
                for attribute in definition.attributes {
                    if !attribute.isOptional, !attribute.isProvisional, !attribute.isDeprecated,
                        Self.isPart(attribute.sinceRevision, attribute.untilRevision, of: entry)
                    {
                        #expect(entry.values[attribute.id] != nil, "\(place) lacks \(attribute.name)")
                    }
                }
                for command in definition.commands {
                    if !command.isOptional, !command.isProvisional, !command.isDeprecated,
                        Self.isPart(command.sinceRevision, command.untilRevision, of: entry)
                    {
                        #expect(entry.acceptedCommands.contains(command.id), "\(place) lacks \(command.name)")
                    }
                }
                for (attribute, _) in entry.values {
                    let known = try #require(entry.model.attributes[attribute], "\(place): \(attribute)")
                    let path = ConcreteAttributePath(endpoint: number, cluster: entry.id, attribute: attribute)
                    let value = try #require(bench.node.read(path))
                    // The lock sets bits for modes that are not defined yet: they are not supported.
                    let isOpenEnded =
                        entry.id == DoorLock.id && attribute == DoorLock.Attribute.supportedOperatingModes
                    #expect(throws: Never.self, "\(place): \(known.name)") {
                        try ValueValidator.check(value, known.type, isOpenEnded ? .form : .everything)
                    }
                }
                let commands = entry.acceptedCommands.filter { entry.model.commands[$0] == nil }
                #expect(commands.isEmpty, "\(place)")
            }
        }
    }

    /// Whether a vendor's element is part of the revision that is played.
    private static func isPart(_ since: UInt16?, _ until: UInt16?, of entry: ClusterEntry) -> Bool {
        let revision: UInt16 = entry.values[GlobalAttribute.clusterRevision]?.integer() ?? 0
        return revision >= since ?? 0 && revision <= until ?? .max
    }

    @Test("every attribute that is listed can be read by itself", arguments: kinds)
    func readable(_ kind: String) throws { try checkReadable(try ClusterBench(kind)) }

    @Test("so can those of the root endpoint", arguments: roots.indices)
    func rootReadable(_ index: Int) throws { try checkReadable(try Self.root(index)) }

    private func checkReadable(_ bench: ClusterBench) throws {
        for (number, endpoint) in bench.node.endpoints {
            for (cluster, entry) in endpoint.clusters {
                let listed = try #require(bench.read(cluster, GlobalAttribute.attributeList, endpoint: number)?.items)
                #expect(listed.count == entry.values.count)
                for attribute in listed.compactMap({ $0.id(as: AttributeID.self) }) {
                    let path = AttributePath(endpoint: number, cluster: cluster, attribute: attribute)
                    let reports = try bench.node.turn(at: bench.moment) {
                        try bench.node.read(ReadRequest(attributePaths: [path]), caller: bench.caller).attributes
                    }
                    #expect(reports.count == 1 && reports[0].value != nil, "\(path): \(reports)")
                }
            }
        }
    }

    @Test("every command that is listed is known to its server", arguments: kinds)
    func invocable(_ kind: String) throws {
        try checkInvocable { try ClusterBench(kind) }
    }

    @Test("so are those of the root endpoint", arguments: roots.indices)
    func rootInvocable(_ index: Int) throws {
        try checkInvocable { try Self.root(index) }
    }

    /// Invokes each command, on a node of its own, with the least that the catalogue asks for.
    private func checkInvocable(_ make: () throws -> ClusterBench) throws {
        let model = try make()
        for (number, endpoint) in model.node.endpoints {
            for (cluster, entry) in endpoint.clusters {
                for id in entry.acceptedCommands {
                    let command = try #require(entry.model.commands[id])
                    let bench = try make()
                    bench.caller.attestationChallenge = SecretBytes([UInt8](repeating: 3, count: 16))
                    let outcome = try bench.invoke(cluster, id, Self.sample(command), endpoint: number)
                    let place = "endpoint \(number), \(entry.model.definition.name).\(command.name)"
                    let refusals: [IMStatus] = [
                        .unsupportedCommand, .unsupportedAccess, .unsupportedCluster, .unsupportedEndpoint, .busy,
                        .needsTimedInteraction,
                    ]
                    #expect(!refusals.contains(outcome.status), "\(place): \(outcome)")
                    if case .response(let response, _) = outcome {
                        #expect(entry.model.definition.response(to: command)?.id == response, "\(place)")
                    } else if outcome.status == .success {
                        #expect(command.response == nil, "\(place) answers a plain SUCCESS")
                    }
                }
            }
        }
    }

    private static func sample(_ command: CommandDefinition) -> TLVValue {
        if command.bareFieldsOnWire, let field = command.fields.first { return sample(field.type) }
        return sample(command.fields)
    }

    private static func sample(_ fields: [FieldDefinition]) -> TLVValue {
        .structure(
            fields.filter { !$0.isOptional && !$0.isProvisional && $0.id != FieldDefinition.fabricIndexTag }
                .map { TLVElement($0.id, sample($0.type)) })
    }

    /// The smallest value of a type.
    private static func sample(_ type: DataType) -> TLVValue {
        if type.isNullable { return .null }
        if type.isList {
            return .array(of: [TLVValue](repeating: sample(type.entry), count: type.limits.minimumItems ?? 0))
        }
        let length = type.limits.minimumLength ?? 0
        switch type.kind {
        case .boolean: return .bool(false)
        case .signed: return .int(max(0, type.limits.minimum ?? 0))
        case .unsigned: return .uint(UInt64(max(0, type.limits.minimum ?? 0)))
        case .single: return .float(0)
        case .double: return .double(0)
        case .string: return .string(String(repeating: "x", count: length))
        case .octets: return .octets([UInt8](repeating: 0, count: length))
        // The lock has PINs and no other credentials.
        case .enumeration(let definition) where definition.name == "CredentialTypeEnum": return .uint(1)
        case .enumeration(let definition): return .uint(definition.values.first?.number ?? 0)
        case .bitmap: return .uint(0)
        case .structure(let definition): return sample(definition.fields)
        }
    }

    /// The elements that a feature makes mandatory (Matter application cluster specification), as the catalogue cannot say it.
    struct FeatureRule: Sendable {
        let cluster: ClusterID
        let feature: String
        var attributes: [AttributeID] = []
        var commands: [CommandID] = []
    }

    static let featureRules: [FeatureRule] = [
        FeatureRule(
            cluster: OnOff.id, feature: "LT", attributes: [0x4000, 0x4001, 0x4002, 0x4003],
            commands: [0x40, 0x41, 0x42]),
        FeatureRule(cluster: LevelControl.id, feature: "LT", attributes: [0x0001, 0x4000]),
        FeatureRule(
            cluster: ColorControl.id, feature: "HS", attributes: [0, 1], commands: [0, 1, 2, 3, 4, 5, 6, 0x47]),
        FeatureRule(
            cluster: ColorControl.id, feature: "EHUE", attributes: [0x4000], commands: [0x40, 0x41, 0x42, 0x43]),
        FeatureRule(
            cluster: ColorControl.id, feature: "CL", attributes: [0x4002, 0x4003, 0x4004, 0x4005, 0x4006],
            commands: [0x44]),
        FeatureRule(cluster: ColorControl.id, feature: "XY", attributes: [3, 4], commands: [7, 8, 9, 0x47]),
        FeatureRule(
            cluster: ColorControl.id, feature: "CT", attributes: [7, 0x400B, 0x400C, 0x400D, 0x4010],
            commands: [0x0A, 0x47, 0x4B, 0x4C]),
        FeatureRule(
            cluster: DoorLock.id, feature: "PIN", attributes: [0x12, 0x17, 0x18, 0x30, 0x31]),
        FeatureRule(
            cluster: DoorLock.id, feature: "USR", attributes: [0x11, 0x1B, 0x1C],
            commands: [0x1A, 0x1B, 0x1D, 0x22, 0x24, 0x26]),
        FeatureRule(
            cluster: DoorLock.id, feature: "WDSCH", attributes: [0x14], commands: [0x0B, 0x0C, 0x0D]),
        FeatureRule(
            cluster: DoorLock.id, feature: "YDSCH", attributes: [0x15], commands: [0x0E, 0x0F, 0x10]),
        FeatureRule(cluster: DoorLock.id, feature: "COTA", attributes: [0x33]),
        FeatureRule(cluster: 0x0201, feature: "HEAT", attributes: [0x12]),
        FeatureRule(cluster: 0x0201, feature: "COOL", attributes: [0x11]),
        FeatureRule(cluster: 0x0201, feature: "AUTO", attributes: [0x19]),
        FeatureRule(cluster: 0x0202, feature: "SPD", attributes: [4, 5, 6]),
        FeatureRule(cluster: 0x0202, feature: "STEP", commands: [0]),
        FeatureRule(cluster: 0x0102, feature: "PA_LF", attributes: [0x0B, 0x0E], commands: [5]),
        FeatureRule(cluster: 0x0102, feature: "PA_TL", attributes: [0x0C, 0x0F], commands: [8]),
        FeatureRule(
            cluster: NetworkCommissioning.id, feature: "WI", attributes: [0, 1, 2, 3, 4, 5, 6, 7],
            commands: [0, 2, 4, 6, 8]),
        FeatureRule(cluster: NetworkCommissioning.id, feature: "ET", attributes: [0, 1, 4, 5, 6, 7]),
        FeatureRule(cluster: AdministratorCommissioning.id, feature: "BC", commands: [1]),
    ]

    @Test("what a feature makes mandatory is there, and every feature is one of the cluster's")
    func features() throws {
        let kinds = try Self.kinds.map { try SimulatedType.named($0) }
        let nodes = [try ClusterBench { SimulatedType.plans(kinds) }] + (try Self.roots.indices.map(Self.root))
        var seen: Set<String> = []
        for bench in nodes {
            for (number, endpoint) in bench.node.endpoints {
                for (cluster, entry) in endpoint.clusters {
                    let map: UInt32 = entry.values[GlobalAttribute.featureMap]?.integer() ?? 0
                    let features = entry.model.definition.features
                    let known = features.filter { !$0.isDisallowed }.reduce(UInt32(0)) { $0 | 1 << UInt32($1.bit) }
                    #expect(map & ~known == 0, "endpoint \(number), \(entry.model.definition.name)")
                    for rule in Self.featureRules where rule.cluster == cluster {
                        let feature = try #require(features.first { $0.code == rule.feature }, "\(rule)")
                        guard map >> UInt32(feature.bit) & 1 == 1 else { continue }
                        seen.insert("\(cluster) \(rule.feature)")
                        let place = "endpoint \(number), \(rule)"
                        #expect(rule.attributes.filter { entry.values[$0] == nil } == [], "\(place)")
                        #expect(rule.commands.filter { !entry.acceptedCommands.contains($0) } == [], "\(place)")
                    }
                }
            }
        }
        let never = Self.featureRules.filter { !seen.contains("\($0.cluster) \($0.feature)") }.map(\.feature)
        #expect(never == [], "rules that nothing was measured by")
    }

    @Test("siblings of the same type are told apart by tags, as the Descriptor's feature TagList says")
    func tags() throws {
        let bench = try ClusterBench("on-off-plug", "contact-sensor", "on-off-plug")
        func tag(_ number: UInt64) -> TLVValue {
            // The namespace of numbers.
            .array(of: [
                .structure([TLVElement(0, .null), TLVElement(1, .uint(7)), TLVElement(2, .uint(number))])
            ])
        }
        #expect(bench.read(Descriptor.id, 4, endpoint: 1) == tag(1))
        #expect(bench.read(Descriptor.id, 4, endpoint: 3) == tag(2))
        #expect(bench.number(Descriptor.id, GlobalAttribute.featureMap, endpoint: 3) == 1)
        #expect(bench.read(Descriptor.id, 4, endpoint: 2) == nil)
        #expect(bench.number(Descriptor.id, GlobalAttribute.featureMap, endpoint: 2) == 0)
        let bridges = try ClusterBench("aggregator", "aggregator")
        #expect(bridges.read(Descriptor.id, 4, endpoint: 5) == tag(2))
        #expect(
            bridges.read(Descriptor.id, 4, endpoint: 2) == nil, "each bridge has a light of this type only once")
    }

    @Test("several kinds share one node")
    func together() throws {
        let kinds = try Self.kinds.map { try SimulatedType.named($0) }
        let bench = try ClusterBench { SimulatedType.plans(kinds) }
        #expect(bench.node.endpointNumbers.count == SimulatedType.plans(kinds).count + 1)
    }
}
