import MatterController

extension Report {
    /// The row of a node.
    public init(_ node: NodeRecord) {
        let endpoints = node.endpoints.map(EndpointNames.init)
        self.init {
            Field("node", node.nodeID, label: "node", column: "NODE")
            Field("name", node.name, label: "name", column: "NAME")
            Field("room", node.room, label: "room")
            Field("vendorId", node.vendorID)
            Field("productId", node.productID)
            Field("vendorName", node.vendorName)
            Field(label: "vendor", Self.label(node.vendorName, node.vendorID))
            Field("productName", node.productName, column: "PRODUCT")
            Field(label: "product", Self.label(node.productName, node.productID))
            Field("serialNumber", node.serialNumber, label: "serial")
            Field("firmware", node.firmware, label: "firmware")
            Field("lastSeen", node.seenAt.map { DateText.time($0) })
            if let verdict = node.attestation {
                let isAccepted = verdict.isRefusal
                Field(
                    "attestation",
                    Report {
                        Field("verdict", verdict.rawValue)
                        if isAccepted { Field("accepted", true) }
                    })
                if isAccepted { Field(label: "attestation", ["\(verdict.rawValue), accepted by you"]) }
            }
            Field("addresses", node.addresses.map(\.description))
            Field(column: "ADDRESS", node.addresses.first.map { [$0.description] })
            for address in node.addresses { Field(label: "address", [address.description]) }
            Field("endpoints", endpoints.map(\.report))
            for endpoint in endpoints { Field(label: "endpoint \(endpoint.number)", endpoint.texts) }
            Field("state", "commissioned", column: "STATE")
            Field(column: "ROOM", node.room.map { [$0] })
            Field(column: "TYPE", Self.types(node.ownEndpoints))
        }
    }

    /// A device behind a bridge.
    init(_ bridged: BridgedEndpoint) {
        let (device, endpoint) = (bridged.device, EndpointNames(bridged.endpoint))
        self.init {
            Field("node", bridged.node.nodeID)
            Field("bridge", bridged.node.name)
            Field("endpoint", bridged.endpoint.number)
            Field(label: "bridge", column: "NODE", ["\(bridged.node.nodeID.rawValue)/\(bridged.endpoint.number)"])
            Field("name", device.title, label: "name", column: "NAME")
            Field("label", device.label, label: "label")
            Field("room", bridged.room, label: "room")
            Field("reachable", device.isReachable, label: "reachable")
            Field(column: "PRODUCT", nil)
            Field(column: "ADDRESS", nil)
            Field("deviceTypes", endpoint.deviceTypes)
            Field("clusters", endpoint.clusters)
            Field(label: "endpoint \(endpoint.number)", endpoint.texts)
            Field(column: "STATE", [device.isReachable == false ? "unreachable" : "bridged"])
            Field(column: "ROOM", bridged.room.map { [$0] })
            Field(column: "TYPE", Self.types([bridged.endpoint]))
        }
    }

    init(_ node: PendingNode) {
        self.init {
            Field("node", node.nodeID, column: "NODE")
            Field("name", node.name, column: "NAME")
            Field("room", node.room)
            Field("vendorId", node.vendorID)
            Field("productId", node.productID)
            Field(column: "PRODUCT", nil)
            Field(column: "ADDRESS", nil)
            Field("state", "pending", column: "STATE")
            Field(column: "ROOM", node.room.map { [$0] })
            Field(column: "TYPE", nil)
        }
    }

    /// The device types of the endpoints beyond the root, each once.
    private static func types(_ endpoints: [NodeRecord.Endpoint]) -> [String]? {
        var types: [String] = []
        for type in endpoints.filter({ $0.number != 0 }).flatMap({ EndpointNames($0).deviceTypes })
        where !types.contains(type) { types.append(type) }
        return types.isEmpty ? nil : types
    }

    private static func label(_ name: String?, _ id: UInt16?) -> [String]? {
        let parts = [name, id.map { hexadecimal(UInt32($0)) }].compactMap { $0 }
        return parts.isEmpty ? nil : [parts.joined(separator: " ")]
    }
}

/// An endpoint with names where they are known.
struct EndpointNames {
    let number: UInt16
    let deviceTypes: [String]
    fileprivate let clusters: [String]
    private let bridged: BridgedDevice?

    init(_ endpoint: NodeRecord.Endpoint) {
        number = endpoint.number
        bridged = endpoint.bridged
        deviceTypes = endpoint.deviceTypes.map {
            Catalogue.standard.deviceType(DeviceTypeID($0))?.label ?? hexadecimal($0)
        }
        clusters = endpoint.serverClusters.map { Catalogue.standard.clusterName(ClusterID($0)) ?? hexadecimal($0) }
    }

    var report: Report {
        Report {
            Field("endpoint", number)
            Field("deviceTypes", deviceTypes)
            Field("clusters", clusters)
            Field("bridged", bridged)
        }
    }

    /// The device types before the first cluster.
    fileprivate var texts: [String] {
        let title = bridged?.title.map { "\($0), " } ?? ""
        let types = title + deviceTypes.joined(separator: ", ") + ":"
        return clusters.isEmpty ? [types] : ["\(types) \(clusters[0])"] + clusters.dropFirst()
    }
}
