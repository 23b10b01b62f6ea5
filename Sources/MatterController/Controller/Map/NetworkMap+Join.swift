import MatterState

extension NetworkMap {
    /// Joins the answers of nodes with the advertisements of border routers. It reads nothing.
    ///
    /// - Parameters:
    ///   - routers: `nil` if they were not looked for.
    ///   - obstacle: why not.
    init(_ readings: [MapReading], _ routers: [BorderRouter]?, obstacle: String? = nil) {
        self.obstacle = routers == nil ? obstacle ?? "border routers were not looked for" : nil
        readAt = readings.map(\.readAt).filter { $0 > 0 }.min() ?? 0
        var known: [(node: NodeRecord, tables: NodeTables)] = []
        for reading in readings {
            switch reading.tables {
            case .success(let tables): known.append((Self.renewed(reading.node, tables), tables))
            case .failure(let error): silent.append(SilentNode(node: reading.node, error: error))
            }
        }
        addMeshes(known, routers)
        addAccessPoints(known)
        wired = known.filter(\.tables.isWired).map(\.node)
        bridges = known.map(\.node).filter { !$0.bridged.isEmpty || $0.isBridge }
        elsewhere = known.filter { $0.tables.thread?.isPlaced != true && $0.tables.wifi == nil && !$0.tables.isWired }
            .map(\.node)
        addSignals()
        let order = Dictionary(
            uniqueKeysWithValues: MapFinding.Kind.allCases.enumerated().map { ($0.element, $0.offset) })
        findings = findings.enumerated().sorted { one, other in
            let ranks = (order[one.element.kind] ?? 0, order[other.element.kind] ?? 0)
            return ranks.0 == ranks.1 ? one.offset < other.offset : ranks.0 < ranks.1
        }.map(\.element)
    }

    /// A bridge with what it says now of the devices behind it.
    private static func renewed(_ node: NodeRecord, _ tables: NodeTables) -> NodeRecord {
        var node = node
        guard !tables.bridged.isEmpty else { return node }
        for index in node.endpoints.indices where node.endpoints[index].bridged != nil {
            guard let told = tables.bridged[node.endpoints[index].number] else {
                // The device has left the bridge.
                node.endpoints[index].bridged = nil
                continue
            }
            if let label = told.label { node.endpoints[index].bridged?.label = label }
            if let isReachable = told.isReachable { node.endpoints[index].bridged?.isReachable = isReachable }
        }
        for (number, told) in tables.bridged.sorted(by: { $0.key < $1.key })
        where !node.endpoints.contains(where: { $0.number == number }) {
            node.endpoints.append(
                NodeRecord.Endpoint(number: number, deviceTypes: [], serverClusters: [], bridged: told))
        }
        return node
    }

    private mutating func addMeshes(_ known: [(node: NodeRecord, tables: NodeTables)], _ routers: [BorderRouter]?) {
        let nodes = known.compactMap { node, tables in
            tables.thread.flatMap { $0.isPlaced ? (node: node, tables: $0) : nil }
        }
        var ids: [UInt64?] = []
        for id in nodes.map(\.tables.extendedPANID) + (routers ?? []).map(\.networkID) where !ids.contains(id) {
            ids.append(id)
        }
        for id in ids {
            let routers = (routers ?? []).filter { $0.networkID == id }
            let builder = MeshBuilder(nodes.filter { $0.tables.extendedPANID == id }, routers)
            let read = Set(builder.tables.filter(\.value.hasTables).map { builder.devices[$0.key].id })
            let (mesh, chokes) = MeshWays.judged(builder.mesh(id, routers), read: read)
            meshes.append(mesh)
            findings +=
                MeshExamination(mesh: mesh, chokes: chokes, isSearched: obstacle == nil).findings
        }
        meshes = meshes.enumerated().sorted { one, other in
            let counts = (one.element.devices.count, other.element.devices.count)
            return counts.0 == counts.1
                ? (one.element.title, one.offset) < (other.element.title, other.offset) : counts.0 > counts.1
        }.map(\.element)
    }

    private mutating func addAccessPoints(_ known: [(node: NodeRecord, tables: NodeTables)]) {
        for (node, tables) in known {
            guard let wifi = tables.wifi else { continue }
            let place =
                accessPoints.firstIndex { $0.bssid == wifi.bssid && (wifi.bssid != nil || $0.ssid == wifi.ssid) }
                ?? accessPoints.count
            if place == accessPoints.count { accessPoints.append(AccessPoint(bssid: wifi.bssid)) }
            accessPoints[place].ssid = accessPoints[place].ssid ?? wifi.ssid
            accessPoints[place].channel = accessPoints[place].channel ?? wifi.channel
            accessPoints[place].stations.append(AccessPoint.Station(node: node, rssi: wifi.rssi.map { Int($0) }))
        }
        for index in accessPoints.indices {
            accessPoints[index].stations = accessPoints[index].stations.enumerated().sorted { one, other in
                let strengths = (one.element.rssi ?? .min, other.element.rssi ?? .min)
                return strengths.0 == strengths.1 ? one.offset < other.offset : strengths.0 > strengths.1
            }.map(\.element)
        }
        accessPoints = accessPoints.enumerated().sorted { one, other in
            let counts = (one.element.stations.count, other.element.stations.count)
            return counts.0 == counts.1
                ? (one.element.address ?? "", one.offset) < (other.element.address ?? "", other.offset)
                : counts.0 > counts.1
        }.map(\.element)
    }

    private mutating func addSignals() {
        for accessPoint in accessPoints {
            for station in accessPoint.stations {
                guard let rssi = station.rssi, let quality = station.quality, quality <= .weak else { continue }
                let name = accessPoint.ssid ?? accessPoint.address ?? "its access point"
                findings.append(
                    MapFinding(
                        kind: .weakSignal, devices: ["node-\(station.node.nodeID.rawValue)"],
                        text: "\(station.node.label) hears \(name) with \(rssi) dBm, which is \(quality)"))
            }
        }
    }
}

extension NodeTables.Thread {
    /// Whether the node tells enough to be a device of a network.
    fileprivate var isPlaced: Bool { extendedPANID != nil || role != nil && role != .detached }
}

extension BorderRouter {
    fileprivate var networkID: UInt64? { extendedPANID.map { $0.reduce(0) { $0 << 8 | UInt64($1) } } }
}
