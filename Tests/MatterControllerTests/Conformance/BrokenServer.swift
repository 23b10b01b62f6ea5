@testable import MatterModel
@testable import MatterSimulator

/// A server with a fault: it has other elements than the sound one, or other values on the wire.
struct BrokenServer: ClusterServer {
    private var sound: any ClusterServer
    var removed: Set<AttributeID> = []
    /// Values in place of the sound ones, also of attributes that the sound server lacks.
    var forced: [AttributeID: TLVValue] = [:]
    var features: FeatureMap?
    var ownRevision: UInt16?
    var commands: [CommandID]?
    var missingGlobals: Set<AttributeID> = []

    init(_ sound: any ClusterServer) { self.sound = sound }

    var id: ClusterID { sound.id }
    var revision: UInt16? { ownRevision ?? sound.revision }
    var featureMap: FeatureMap { features ?? sound.featureMap }
    var missingGlobalAttributes: Set<AttributeID> { sound.missingGlobalAttributes.union(missingGlobals) }
    var acceptedCommands: [CommandID] { commands ?? sound.acceptedCommands }
    var initialAttributes: [AttributeID: TLVValue] {
        sound.initialAttributes.filter { !removed.contains($0.key) }.merging(forced) { $1 }
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        forced[attribute] ?? sound.read(attribute, context)
    }
}

extension ConformanceBench {
    /// Breaks the server of a cluster.
    func breakServer(_ endpoint: EndpointID, _ cluster: ClusterID, _ change: (inout BrokenServer) -> Void) {
        guard let entry = node.endpoints[endpoint]?.clusters[cluster], let server = entry.server else { return }
        var broken = BrokenServer(server)
        change(&broken)
        place(broken, entry.model, endpoint)
    }

    /// Adds a server to an endpoint.
    func add(_ server: any ClusterServer, to endpoint: EndpointID) {
        guard let model = ClusterModel.model(of: server.id) else { return }
        place(server, model, endpoint)
    }

    func remove(_ cluster: ClusterID, from endpoint: EndpointID) {
        node.endpoints[endpoint]?.clusters[cluster] = nil
        node.endpoints[endpoint]?.clusterNumbers.removeAll { $0 == cluster }
    }

    private func place(_ server: any ClusterServer, _ model: ClusterModel, _ endpoint: EndpointID) {
        let values = node.endpoints[endpoint]?.clusters[server.id]?.values ?? [:]
        let entry = ClusterEntry(server, model: model, dataVersion: 1)
        // Values that have changed since the first start stay.
        for (attribute, value) in values
        where entry.values[attribute] != nil && !GlobalAttribute.all.contains(attribute) {
            if (server as? BrokenServer)?.forced[attribute] == nil { entry.values[attribute] = value }
        }
        node.endpoints[endpoint]?.clusters[server.id] = entry
        let numbers = node.endpoints[endpoint]?.clusters.keys.sorted() ?? []
        node.endpoints[endpoint]?.clusterNumbers = numbers
    }

    /// Makes a global attribute say something else.
    func forge(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue) {
        node.endpoints[endpoint]?.clusters[cluster]?.values[attribute] = value
    }

    /// A global list with other entries.
    func forgeList(
        _ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID, _ change: (inout [TLVValue]) -> Void
    ) {
        var items = node.endpoints[endpoint]?.clusters[cluster]?.values[attribute]?.items ?? []
        change(&items)
        forge(endpoint, cluster, attribute, .array(of: items))
    }
}
