import MatterDataModel
package import MatterTLV
import MatterTransport

/// A device type on an endpoint.
package struct DeviceTypeRevision: Hashable, Sendable {
    package var id: UInt32
    package var revision: UInt16

    package init(_ id: UInt32, revision: UInt16) {
        self.id = id
        self.revision = revision
    }
}

/// What an endpoint is made of, before it is part of a node.
package struct EndpointPlan {
    package var deviceTypes: [DeviceTypeRevision]
    package var servers: [any ClusterServer]
    /// Clusters that it is a client of.
    package var clients: [UInt32]
    /// The endpoints below it, relative to it: 1 for the next one.
    package var parts: [UInt16]
    /// Semantic tags, as TagList holds them.
    package var tags: [TLVValue]

    package init(
        deviceTypes: [DeviceTypeRevision], servers: [any ClusterServer], clients: [UInt32] = [], parts: [UInt16] = [],
        tags: [TLVValue] = []
    ) {
        self.deviceTypes = deviceTypes
        self.servers = servers
        self.clients = clients
        self.parts = parts
        self.tags = tags
    }
}

/// An endpoint of a running node.
struct NodeEndpoint {
    var deviceTypes: [DeviceTypeRevision]
    var clients: [UInt32]
    var parts: [UInt16]
    var tags: [TLVValue]
    /// Ascending by cluster.
    var clusters: [UInt32: ClusterEntry]
    var clusterNumbers: [UInt32]
}

/// A cluster of a running node: its server and its attributes.
final class ClusterEntry {
    let id: UInt32
    let model: ClusterModel
    /// `nil` while a call to it is under way.
    var server: (any ClusterServer)?
    var values: [UInt32: TLVValue]
    var dataVersion: UInt32
    /// Ascending, global ones included.
    let attributeNumbers: [UInt32]
    let acceptedCommands: [UInt32]
    let persistentAttributes: Set<UInt32>
    let quietAttributes: Set<UInt32>
    let selfCheckedCommands: Set<UInt32>
    let observedClusters: Set<UInt32>

    init(_ server: any ClusterServer, model: ClusterModel, dataVersion: UInt32) {
        id = server.id
        self.model = model
        self.server = server
        self.dataVersion = dataVersion
        let initial = server.initialAttributes
        acceptedCommands = server.acceptedCommands.sorted()
        persistentAttributes = server.persistentAttributes
        quietAttributes = server.quietAttributes
        selfCheckedCommands = server.selfCheckedCommands
        observedClusters = server.observedClusters
        let missing = server.missingGlobalAttributes
        attributeNumbers = initial.keys.sorted() + GlobalAttribute.all.filter { !missing.contains($0) }
        var generated: Set<UInt32> = []
        for command in acceptedCommands {
            if let definition = model.commands[command], let response = model.definition.response(to: definition) {
                generated.insert(response.id)
            }
        }
        func numbers(_ numbers: some Sequence<UInt32>) -> TLVValue { .array(of: numbers.map { .uint(UInt64($0)) }) }
        values = initial
        values[GlobalAttribute.generatedCommandList] = numbers(generated.sorted())
        values[GlobalAttribute.acceptedCommandList] = numbers(acceptedCommands)
        values[GlobalAttribute.attributeList] = numbers(attributeNumbers)
        values[GlobalAttribute.featureMap] = .uint(UInt64(server.featureMap))
        values[GlobalAttribute.clusterRevision] = .uint(UInt64(server.revision ?? model.definition.revision ?? 1))
        for attribute in missing { values[attribute] = nil }
    }
}

/// Names a timer of a cluster.
struct TimerKey: Hashable {
    var endpoint: UInt16
    var cluster: UInt32
    var name: String
}
