import MatterNetwork

/// A device type on an endpoint.
package struct DeviceTypeRevision: Hashable, Sendable {
    package var id: DeviceTypeID
    package var revision: UInt16

    package init(_ id: DeviceTypeID, revision: UInt16) {
        self.id = id
        self.revision = revision
    }
}

/// The parts of an endpoint, before it is part of a node.
package struct EndpointPlan {
    package var deviceTypes: [DeviceTypeRevision]
    package var servers: [any ClusterServer]
    /// Clusters that it is a client of.
    package var clients: [ClusterID] = []
    /// The endpoints below it, relative to it: 1 for the next one.
    package var parts: [UInt16] = []
    /// Semantic tags, as TagList holds them.
    package var tags: [TLVValue] = []
}

/// An endpoint of a running node.
struct NodeEndpoint {
    var deviceTypes: [DeviceTypeRevision]
    var clients: [ClusterID]
    var parts: [EndpointID]
    var tags: [TLVValue]
    /// Ascending by cluster.
    var clusters: [ClusterID: ClusterEntry]
    var clusterNumbers: [ClusterID]
}

/// A cluster of a running node: its server and its attributes.
final class ClusterEntry {
    let id: ClusterID
    let model: ClusterModel
    /// `nil` while a call to it is under way.
    var server: (any ClusterServer)?
    var values: [AttributeID: TLVValue]
    var dataVersion: UInt32
    /// Ascending, global ones included.
    let attributeNumbers: [AttributeID]
    let acceptedCommands: [CommandID]
    let persistentAttributes: Set<AttributeID>
    let quietAttributes: Set<AttributeID>
    let selfCheckedCommands: Set<CommandID>
    let observedClusters: Set<ClusterID>

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
        var generated: Set<CommandID> = []
        for command in acceptedCommands {
            if let definition = model.commands[command], let response = model.definition.response(to: definition) {
                generated.insert(response.id)
            }
        }
        func numbers(_ numbers: some Sequence<some DataModelID>) -> TLVValue { .array(of: numbers.map(\.tlv)) }
        values = initial
        values[GlobalAttribute.generatedCommandList] = numbers(generated.sorted())
        values[GlobalAttribute.acceptedCommandList] = numbers(acceptedCommands)
        values[GlobalAttribute.attributeList] = numbers(attributeNumbers)
        values[GlobalAttribute.featureMap] = server.featureMap.tlv
        values[GlobalAttribute.clusterRevision] = .uint(
            UInt64(server.revision ?? ConformanceModel.revision(of: server.id) ?? model.definition.revision ?? 1))
        for attribute in missing { values[attribute] = nil }
    }
}

/// Names a timer of a cluster.
struct TimerKey: Hashable {
    var endpoint: EndpointID
    var cluster: ClusterID
    var name: String
}
