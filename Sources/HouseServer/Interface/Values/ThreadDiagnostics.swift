import MatterController

/// The diagnostics of Thread networks in the form of the interface (version 12): what the nodes say in their cluster Thread Network
/// Diagnostics, and the border routers that advertise themselves. These are not asked, which takes the network's credentials; so the
/// source is `none`, and the batch says that it is partial.
struct ThreadDiagnostics {
    private typealias Cluster = ThreadNetworkDiagnostics

    private struct Network {
        var name: String?
        var nodes: [JSONValue] = []
        var addresses: Set<UInt64> = []
    }

    private var networks: [UInt64: Network] = [:]

    /// - Parameter routers: the border routers of all networks.
    init(_ nodes: [HouseBoard.Node], _ routers: [BorderRouter]) {
        for node in nodes {
            guard let id = Self.network(of: node) else { continue }
            var network = networks[id] ?? Network()
            network.name = network.name ?? Self.value(Cluster.networkName, of: node).flatMap { $0 }
            let address = Self.address(of: node)
            if let address { network.addresses.insert(address) }
            network.nodes.append(Self.node(node, address))
            networks[id] = network
        }
        for router in routers {
            guard let octets = router.extendedPANID else { continue }
            let id = octets.reduce(0) { $0 << 8 | UInt64($1) }
            var network = networks[id] ?? Network()
            network.name = network.name ?? router.networkName
            defer { networks[id] = network }
            guard let address = router.extendedAddress, network.addresses.insert(address).inserted else { continue }
            var object: JSONObject = ["extMacAddress": .string(Self.hexadecimal(address))]
            object["vendorName"] = router.vendor.map { .string($0) }
            object["vendorModel"] = router.model.map { .string($0) }
            network.nodes.append(.object(object))
        }
    }

    /// The networks by their ids.
    var ids: [UInt64] { networks.keys.sorted() }

    /// The batch of a network; `nil` if it is not known.
    ///
    /// - Parameter milliseconds: the time, since 1970.
    func batch(_ id: UInt64, at milliseconds: Int64) -> [UInt8]? {
        networks[id].map { network in
            JSONValue.object([
                "extPanIdHex": .string(Self.hexadecimal(id)), "networkName": .string(network.name ?? ""),
                "collectedAt": .int(milliseconds), "source": "none", "nodes": .array(network.nodes),
                "partialReason": "no_source",
            ]).utf8()
        }
    }

    /// The extended PAN id of the network that a node is on; `nil` if it is on none.
    static func network(of node: HouseBoard.Node) -> UInt64? { value(Cluster.extendedPanId, of: node).flatMap { $0 } }

    // MARK: A node

    private static func value<Value>(_ attribute: TypedAttribute<Value>, of node: HouseBoard.Node) -> Value? {
        node.attributes[CachePath(0, attribute.cluster.rawValue, attribute.id.rawValue)].flatMap { Value(tlv: $0) }
    }

    private static func rows<Row: ClusterStructure>(
        _ attribute: TypedAttribute<[Row]>, of node: HouseBoard.Node
    ) -> [PartialStructure<Row>] {
        let value = node.attributes[CachePath(0, attribute.cluster.rawValue, attribute.id.rawValue)]
        return (value?.items ?? []).compactMap { PartialStructure(tlv: $0) }
    }

    private static func hexadecimal(_ number: UInt64) -> String { Hex.number(number, digits: 16, uppercase: true) }

    private static func address(of node: HouseBoard.Node) -> UInt64? {
        typealias Field = GeneralDiagnostics.NetworkInterface.Field
        if let address = value(Cluster.extAddress, of: node).flatMap({ $0 }) { return address }
        let radio = rows(GeneralDiagnostics.networkInterfaces, of: node).first { $0[Field.type] == .thread }
        return radio?[Field.hardwareAddress].flatMap { octets in
            octets.count == 8 ? octets.reduce(0) { $0 << 8 | UInt64($1) } : nil
        }
    }

    private static func node(_ node: HouseBoard.Node, _ address: UInt64?) -> JSONValue {
        var object: JSONObject = [:]
        object["extMacAddress"] = address.map { .string(hexadecimal($0)) }
        object["rloc16"] = value(Cluster.rloc16, of: node).flatMap { $0 }.map { .int(Int64($0)) }
        object["leaderData"] = leader(node)
        object["route64"] = routes(node)
        object["childTable"] = children(node)
        object["vendorName"] = value(BasicInformation.vendorName, of: node).map { .string($0) }
        object["vendorModel"] = value(BasicInformation.productName, of: node).map { .string($0) }
        object["vendorSwVersion"] = value(BasicInformation.softwareVersionString, of: node).map { .string($0) }
        return .object(object)
    }

    /// Only whole: clients do not take parts.
    private static func leader(_ node: HouseBoard.Node) -> JSONValue? {
        guard let partition = value(Cluster.partitionId, of: node).flatMap({ $0 }),
            let weighting = value(Cluster.weighting, of: node).flatMap({ $0 }),
            let version = value(Cluster.dataVersion, of: node).flatMap({ $0 }),
            let stable = value(Cluster.stableDataVersion, of: node).flatMap({ $0 }),
            let router = value(Cluster.leaderRouterId, of: node).flatMap({ $0 })
        else { return nil }
        return [
            "partitionId": .int(Int64(partition)), "weighting": .int(Int64(weighting)),
            "dataVersion": .int(Int64(version)), "stableDataVersion": .int(Int64(stable)),
            "leaderRouterId": .int(Int64(router)),
        ]
    }

    /// The routers that the node knows. Matter does not tell the sequence of their ids.
    private static func routes(_ node: HouseBoard.Node) -> JSONValue? {
        typealias Field = Cluster.RouteTable.Field
        let entries: [JSONValue] = rows(Cluster.routeTable, of: node).compactMap { row in
            guard row[Field.allocated] != false, let router = row[Field.routerId] else { return nil }
            return [
                "routerId": .int(Int64(router)), "linkQualityIn": .int(Int64(row[Field.lqiIn] ?? 0)),
                "linkQualityOut": .int(Int64(row[Field.lqiOut] ?? 0)),
                "routeCost": .int(Int64(row[Field.pathCost] ?? 0)),
            ]
        }
        return entries.isEmpty ? nil : ["idSequence": 0, "entries": .array(entries)]
    }

    /// The children of the node. Matter does not tell how long it keeps one that is silent.
    private static func children(_ node: HouseBoard.Node) -> JSONValue? {
        typealias Field = Cluster.NeighborTable.Field
        let entries: [JSONValue] = rows(Cluster.neighborTable, of: node).compactMap { row in
            guard row[Field.isChild] == true, let locator = row[Field.rloc16] else { return nil }
            return [
                "timeoutExponent": 0, "timeoutSeconds": 0, "incomingLinkQuality": .int(Int64(row[Field.lqi] ?? 0)),
                // The lower 9 bits of the locator.
                "childId": .int(Int64(locator & 0x1FF)),
                "mode": [
                    "rxOnWhenIdle": .bool(row[Field.rxOnWhenIdle] ?? true),
                    "ftd": .bool(row[Field.fullThreadDevice] ?? true),
                    "fullNetworkData": .bool(row[Field.fullNetworkData] ?? true),
                ],
            ]
        }
        return entries.isEmpty ? nil : .array(entries)
    }
}
