import MatterDataModel
import MatterTLV
import Testing

@testable import MatterInteraction
@testable import MatterSimulator

/// What the catalogue asks of every device type, asked of every kind that can be simulated.
@Suite("Device types against the catalogue")
struct DeviceTypeConformanceTests {
    static let kinds = DeviceKind.all.map(\.name)

    @Test("every kind has its mandatory clusters, as server and as client", arguments: kinds)
    func clusters(_ kind: String) throws {
        let bench = try ClusterBench(kind)
        for (number, endpoint) in bench.node.endpoints {
            for type in endpoint.deviceTypes {
                let definition = try #require(Catalogue.standard.deviceType(type.id))
                #expect(type.revision == definition.revision)
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

    @Test("every cluster has its mandatory attributes and commands, with values of the right type", arguments: kinds)
    func elements(_ kind: String) throws {
        let bench = try ClusterBench(kind)
        for (number, endpoint) in bench.node.endpoints where number != 0 {
            for entry in endpoint.clusters.values {
                let definition = entry.model.definition
                let place = "endpoint \(number), \(definition.name)"
                for attribute in definition.attributes {
                    if !attribute.isOptional, !attribute.isProvisional, !attribute.isDeprecated {
                        #expect(entry.values[attribute.id] != nil, "\(place) lacks \(attribute.name)")
                    }
                }
                for command in definition.commands {
                    if !command.isOptional, !command.isProvisional, !command.isDeprecated {
                        #expect(entry.acceptedCommands.contains(command.id), "\(place) lacks \(command.name)")
                    }
                }
                for (attribute, _) in entry.values {
                    let known = try #require(entry.model.attributes[attribute], "\(place): \(attribute)")
                    let path = ConcreteAttributePath(endpoint: number, cluster: entry.id, attribute: attribute)
                    let value = try #require(bench.node.read(path))
                    // The lock sets bits for modes that nobody has thought of yet: they are not supported.
                    let isOpenEnded =
                        entry.id == ClusterID.doorLock && attribute == LockAttribute.supportedOperatingModes
                    #expect(throws: Never.self, "\(place): \(known.name)") {
                        try ValueValidator.check(value, known.type, isOpenEnded ? .form : .everything)
                    }
                }
                let commands = entry.acceptedCommands.filter { entry.model.commands[$0] == nil }
                #expect(commands.isEmpty, "\(place)")
            }
        }
    }

    @Test("several kinds share one node")
    func together() throws {
        let kinds = try Self.kinds.map { try DeviceKind.named($0) }
        let bench = try ClusterBench { DeviceKind.plans(kinds) }
        #expect(bench.node.endpointNumbers.count == DeviceKind.plans(kinds).count + 1)
    }
}
