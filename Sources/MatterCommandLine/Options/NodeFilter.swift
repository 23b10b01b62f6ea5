import ArgumentParser
import MatterModel
import MatterState

/// What the nodes that are meant have in common.
struct NodeFilter: ParsableArguments {
    /// A property, in words that follow "no node", and the test for it.
    struct Criterion {
        let said: String
        /// Of a device behind a bridge, or of a node without those.
        fileprivate let test: (NodeRecord, BridgedEndpoint?) -> Bool

        /// - Parameter device: behind the node, if it is a bridge.
        func isMet(by node: NodeRecord, _ device: BridgedEndpoint? = nil) -> Bool { test(node, device) }

        /// Whether the node or a device behind it has the property.
        func isMet(within node: NodeRecord) -> Bool {
            test(node, nil) || node.bridged.contains { test(node, $0) }
        }
    }

    @Option(help: ArgumentHelp("The nodes of this room.", valueName: "ROOM")) var room: String?
    @Option(name: .customLong("type"), help: ArgumentHelp("The nodes with this device type.", valueName: "TYPE"))
    var deviceType: String?
    @Option(help: ArgumentHelp("The nodes with this cluster.", valueName: "CLUSTER")) var cluster: String?

    init() {}

    init(_ line: PlainLine) { (room, deviceType, cluster) = (nil, nil, nil) }

    var isGiven: Bool { room != nil || needsEndpoints }

    /// Whether a node has to have told what it is.
    var needsEndpoints: Bool { deviceType != nil || cluster != nil }

    /// - Throws: `DataModelError` for a type or a cluster that no definition has.
    func criteria(in catalogue: Catalogue) throws -> [Criterion] {
        var criteria: [Criterion] = []
        if let room {
            criteria.append(
                Criterion(said: "is in the room '\(room)'") { node, device in
                    device?.isIn(room) ?? node.isIn(room)
                })
        }
        if let deviceType {
            let id = try Self.id(deviceType) {
                DeviceTypeID($0)
            } named: {
                try catalogue.deviceType(named: $0).id
            }
            criteria.append(
                Criterion(said: "is known to have the device type '\(deviceType)'") { node, device in
                    (device.map { [$0.endpoint] } ?? node.ownEndpoints).contains {
                        $0.deviceTypes.contains(id.rawValue)
                    }
                })
        }
        if let cluster {
            let id = try Self.id(cluster) {
                ClusterID($0)
            } named: {
                try catalogue.cluster(named: $0).id
            }
            criteria.append(
                Criterion(said: "is known to have the cluster '\(cluster)'") { node, device in
                    (device.map { [$0.endpoint] } ?? node.ownEndpoints).contains {
                        $0.serverClusters.contains(id.rawValue)
                    }
                })
        }
        return criteria
    }

    private static func id<ID>(_ text: String, number: (UInt32) -> ID, named: (String) throws -> ID) throws -> ID {
        if let value = NameRule.parseNumber(text), let short = UInt32(exactly: value) { return number(short) }
        return try named(text)
    }
}

extension NodeRecord {
    /// The endpoints that are no devices behind a bridge.
    var ownEndpoints: [Endpoint] { endpoints.filter { $0.bridged == nil } }
}
