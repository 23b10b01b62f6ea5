import MatterState

/// The tables of a node about its networks, as it tells them.
struct NodeTables: Sendable, Equatable {
    /// Thread Network Diagnostics (Matter core specification 11.14), and the address of the radio.
    struct Thread: Sendable, Equatable {
        var extendedPANID: UInt64?
        var networkName: String?
        var channel: UInt16?
        var role: MeshDevice.Role?
        var partitionID: UInt32?
        var leaderRouterID: UInt8?
        var extAddress: UInt64?
        var rloc16: UInt16?
        var neighbors: [Neighbor] = []
        var routes: [Route] = []
        /// Whether the node told its neighbours.
        var hasTables = false
        /// Rows that a table has no room for.
        var ignoredRows = 0
    }

    /// A row of NeighborTable.
    struct Neighbor: Sendable, Equatable {
        var extAddress: UInt64?
        var rloc16: UInt16?
        var age: UInt32?
        var lqi: UInt8?
        var rssi: Int8?
        var frameErrors: UInt8?
        var messageErrors: UInt8?
        var isAwake = true
        var isFull = true
        var isChild = false
    }

    /// A row of RouteTable.
    struct Route: Sendable, Equatable {
        var extAddress: UInt64?
        var rloc16: UInt16?
        var lqiIn: UInt8 = 0
        var lqiOut: UInt8 = 0
        var age: UInt8?
    }

    /// Wi-Fi Network Diagnostics (Matter core specification 11.15).
    struct WiFi: Sendable, Equatable {
        var bssid: [UInt8]?
        var ssid: String?
        var channel: UInt16?
        var rssi: Int8?
    }

    var thread: Thread?
    var wifi: WiFi?
    var isWired = false
    /// The labels of devices behind a bridge and whether it reaches them, by endpoint.
    var bridged: [UInt16: BridgedDevice] = [:]
}

/// The answer of a node to the question for its tables.
struct MapReading: Sendable {
    var node: NodeRecord
    var tables: Result<NodeTables, any Error>
    /// Seconds since 1970.
    var readAt: Int64 = 0
}

// MARK: Reading

extension NodeTables {
    /// A Thread network has at most 32 routers, with 511 children each.
    private static let mostRows = 576

    private static func paths(_ cluster: ClusterID, _ attributes: AttributeID...) -> [AttributePath] {
        attributes.map { AttributePath(cluster: cluster, attribute: $0) }
    }

    // At the endpoints that have them, and in requests of at most nine paths, which every node takes.

    /// The attributes of all nodes.
    static let interfaces: [AttributePath] = {
        typealias WiFi = WiFiNetworkDiagnostics.Attribute
        typealias Bridged = BridgedDeviceBasicInformation.Attribute
        return paths(GeneralDiagnostics.id, GeneralDiagnostics.Attribute.networkInterfaces)
            + paths(WiFiNetworkDiagnostics.id, WiFi.bssid, WiFi.channelNumber, WiFi.rssi)
            + paths(NetworkCommissioning.id, NetworkCommissioning.Attribute.networks, GlobalAttribute.featureMap)
            + paths(BridgedDeviceBasicInformation.id, Bridged.nodeLabel, Bridged.reachable)
    }()

    /// Those of a node on Thread.
    static let thread: [AttributePath] = {
        typealias Thread = ThreadNetworkDiagnostics.Attribute
        return paths(
            ThreadNetworkDiagnostics.id, Thread.channel, Thread.routingRole, Thread.networkName, Thread.extendedPanId,
            Thread.partitionId, Thread.leaderRouterId, Thread.extAddress, Thread.rloc16)
    }()

    /// Its long lists.
    static let lists = paths(
        ThreadNetworkDiagnostics.id, ThreadNetworkDiagnostics.Attribute.neighborTable,
        ThreadNetworkDiagnostics.Attribute.routeTable)

    /// All of these.
    static let all = interfaces + thread + lists

    /// Whether a node has a Thread radio, by its record or by its interfaces.
    static func isOnThread(_ node: NodeRecord, _ result: ReadResult) -> Bool {
        node.endpoints.contains { $0.serverClusters.contains(ThreadNetworkDiagnostics.id.rawValue) }
            || interfaces(result).contains { $0[Interface.type] == .thread }
    }

    init(_ result: ReadResult) {
        let interfaces = Self.interfaces(result)
        func isUsed(_ type: GeneralDiagnostics.InterfaceType) -> Bool {
            interfaces.contains { $0[Interface.type] == type && $0[Interface.isOperational] != false }
        }
        thread = Self.thread(result, interfaces)
        wifi = Self.wifi(result, isUsed: isUsed(.wiFi))
        isWired = isUsed(.ethernet)
        for report in result.attributes where report.path.cluster == BridgedDeviceBasicInformation.id {
            guard let value = report.value else { continue }
            var device = bridged[report.path.endpoint.rawValue] ?? BridgedDevice()
            switch report.path.attribute {
            case BridgedDeviceBasicInformation.Attribute.nodeLabel:
                device.label = String(tlv: value).flatMap { $0.isEmpty ? nil : $0 }
            case BridgedDeviceBasicInformation.Attribute.reachable: device.isReachable = Bool(tlv: value)
            default: continue
            }
            bridged[report.path.endpoint.rawValue] = device
        }
    }

    private typealias Interface = GeneralDiagnostics.NetworkInterface.Field

    private static func interfaces(
        _ result: ReadResult
    ) -> [PartialStructure<GeneralDiagnostics.NetworkInterface>] {
        (result.entries(GeneralDiagnostics.networkInterfaces) ?? []).prefix(mostInterfaces).map { $0 }
    }

    /// Matter core specification 11.12.6.1.
    private static let mostInterfaces = 8

    private static func thread(
        _ result: ReadResult, _ interfaces: [PartialStructure<GeneralDiagnostics.NetworkInterface>]
    ) -> Thread? {
        guard result.attributes.contains(where: { $0.path.cluster == ThreadNetworkDiagnostics.id && $0.value != nil })
        else { return nil }
        typealias Cluster = ThreadNetworkDiagnostics
        var thread = Thread()
        thread.extendedPANID = result.first(Cluster.extendedPanId).flatMap { $0 }
        thread.networkName = result.first(Cluster.networkName).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 }
        thread.channel = result.first(Cluster.channel).flatMap { $0 }
        thread.role = result.first(Cluster.routingRole).flatMap { $0 }.flatMap(role)
        thread.partitionID = result.first(Cluster.partitionId).flatMap { $0 }
        thread.leaderRouterID = result.first(Cluster.leaderRouterId).flatMap { $0 }
        thread.rloc16 = result.first(Cluster.rloc16).flatMap { $0 }
        thread.extAddress =
            result.first(Cluster.extAddress).flatMap { $0 }
            ?? interfaces.first { $0[Interface.type] == .thread }?[Interface.hardwareAddress].flatMap { octets in
                octets.count == 8 ? octets.reduce(0) { $0 << 8 | UInt64($1) } : nil
            }
        let neighbors = result.entries(Cluster.neighborTable) ?? []
        let routes = result.entries(Cluster.routeTable) ?? []
        thread.hasTables = result.entries(Cluster.neighborTable) != nil
        thread.neighbors = neighbors.prefix(mostRows).map(neighbor)
        thread.routes = routes.prefix(mostRows).compactMap(route)
        thread.ignoredRows = max(0, neighbors.count - mostRows) + max(0, routes.count - mostRows)
        return thread
    }

    private static func role(_ role: ThreadNetworkDiagnostics.RoutingRole) -> MeshDevice.Role? {
        switch role {
        case .unassigned: .detached
        case .sleepyEndDevice: .sleepyEndDevice
        case .endDevice: .endDevice
        case .reed: .eligible
        case .router: .router
        case .leader: .leader
        default: nil
        }
    }

    private static func neighbor(_ row: PartialStructure<ThreadNetworkDiagnostics.NeighborTable>) -> Neighbor {
        typealias Field = ThreadNetworkDiagnostics.NeighborTable.Field
        return Neighbor(
            extAddress: row[Field.extAddress], rloc16: row[Field.rloc16], age: row[Field.age], lqi: row[Field.lqi],
            rssi: row[Field.averageRssi] ?? row[Field.lastRssi], frameErrors: row[Field.frameErrorRate],
            messageErrors: row[Field.messageErrorRate], isAwake: row[Field.rxOnWhenIdle] ?? true,
            isFull: row[Field.fullThreadDevice] ?? true, isChild: row[Field.isChild] ?? false)
    }

    /// - Returns: `nil` for a router that is not a neighbour.
    private static func route(_ row: PartialStructure<ThreadNetworkDiagnostics.RouteTable>) -> Route? {
        typealias Field = ThreadNetworkDiagnostics.RouteTable.Field
        guard row[Field.linkEstablished] == true, row[Field.allocated] != false else { return nil }
        let route = Route(
            extAddress: row[Field.extAddress], rloc16: row[Field.rloc16], lqiIn: row[Field.lqiIn] ?? 0,
            lqiOut: row[Field.lqiOut] ?? 0, age: row[Field.age])
        return route.lqiIn == 0 && route.lqiOut == 0 ? nil : route
    }

    private static func wifi(_ result: ReadResult, isUsed: Bool) -> WiFi? {
        let bssid = result.first(WiFiNetworkDiagnostics.bssid).flatMap { $0 }
        let rssi = result.first(WiFiNetworkDiagnostics.rssi).flatMap { $0 }
        guard isUsed || bssid != nil || rssi != nil else { return nil }
        return WiFi(
            bssid: bssid.flatMap { $0.count == 6 && $0.contains { $0 != 0 } ? $0 : nil }, ssid: ssid(result),
            channel: result.first(WiFiNetworkDiagnostics.channelNumber).flatMap { $0 }, rssi: rssi)
    }

    /// The name of the network that a Wi-Fi interface is connected to.
    private static func ssid(_ result: ReadResult) -> String? {
        typealias Field = NetworkCommissioning.NetworkInfo.Field
        let radios = result.attributes.filter { report in
            report.path.cluster == NetworkCommissioning.id && report.path.attribute == GlobalAttribute.featureMap
                && report.value.flatMap { FeatureMap(tlv: $0) }.map {
                    $0.contains(NetworkCommissioning.Feature.wiFiNetworkInterface)
                } == true
        }.map(\.path.endpoint)
        let lists = result.attributes.filter { report in
            report.path.cluster == NetworkCommissioning.id
                && report.path.attribute == NetworkCommissioning.Attribute.networks
                && radios.contains(report.path.endpoint)
        }
        for list in lists {
            for item in list.value?.items ?? [] {
                guard let network = PartialStructure<NetworkCommissioning.NetworkInfo>(tlv: item),
                    network[Field.connected] == true, let octets = network[Field.networkID], !octets.isEmpty
                else { continue }
                return String(decoding: octets, as: UTF8.self)
            }
        }
        return nil
    }
}
