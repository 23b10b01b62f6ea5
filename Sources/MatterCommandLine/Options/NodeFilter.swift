import ArgumentParser
import MatterDataModel
import MatterRecords

/// What the nodes that are meant have in common.
struct NodeFilter: ParsableArguments {
    /// A property, in words that follow "no node", and the test for it.
    struct Criterion {
        let said: String
        let isMet: (NodeRecord) -> Bool
    }

    @Option(help: ArgumentHelp("The nodes of this room.", valueName: "ROOM")) var room: String?
    @Option(name: .customLong("type"), help: ArgumentHelp("The nodes with this device type.", valueName: "TYPE"))
    var deviceType: String?
    @Option(help: ArgumentHelp("The nodes with this cluster.", valueName: "CLUSTER")) var cluster: String?

    var isGiven: Bool { room != nil || needsEndpoints }

    /// Whether a node has to have told what it is.
    var needsEndpoints: Bool { deviceType != nil || cluster != nil }

    /// - Throws: `DataModelError` for a type or a cluster that no definition has.
    func criteria(in catalogue: Catalogue) throws -> [Criterion] {
        var criteria: [Criterion] = []
        if let room {
            criteria.append(Criterion(said: "is in the room '\(room)'") { $0.isIn(room) })
        }
        if let deviceType {
            let id = try Self.id(deviceType) {
                DeviceTypeID($0)
            } named: {
                try catalogue.deviceType(named: $0).id
            }
            criteria.append(
                Criterion(said: "is known to have the device type '\(deviceType)'") { node in
                    node.endpoints.contains { $0.deviceTypes.contains(id.rawValue) }
                })
        }
        if let cluster {
            let id = try Self.id(cluster) {
                ClusterID($0)
            } named: {
                try catalogue.cluster(named: $0).id
            }
            criteria.append(Criterion(said: "is known to have the cluster '\(cluster)'") { $0.serves(id) })
        }
        return criteria
    }

    private static func id<ID>(_ text: String, number: (UInt32) -> ID, named: (String) throws -> ID) throws -> ID {
        if let value = NameRule.parseNumber(text), let short = UInt32(exactly: value) { return number(short) }
        return try named(text)
    }
}

extension NodeRecord {
    /// Whether an endpoint is known to have a cluster.
    func serves(_ cluster: ClusterID) -> Bool {
        endpoints.contains { $0.serverClusters.contains(cluster.rawValue) }
    }
}
