import MatterModel

extension MeshPlace {
    /// The diagnostics of its network, for the root endpoint.
    var servers: [any ClusterServer] {
        switch self {
        case .thread(let network, let device): [Self.thread(network, device)]
        case .wifi(let accessPoint, let rssi): [Self.wifi(accessPoint, rssi)]
        case .ethernet:
            [
                GivenValuesServer(
                    EthernetNetworkDiagnostics.id,
                    [
                        EthernetNetworkDiagnostics.Attribute.phyRate: EthernetNetworkDiagnostics.PHYRate.rate1G.tlv,
                        EthernetNetworkDiagnostics.Attribute.fullDuplex: .bool(true),
                    ])
            ]
        }
    }

    private static func wifi(_ accessPoint: SimulatedMesh.AccessPoint, _ rssi: Int8) -> any ClusterServer {
        typealias Attribute = WiFiNetworkDiagnostics.Attribute
        return GivenValuesServer(
            WiFiNetworkDiagnostics.id,
            [
                Attribute.bssid: .octets(accessPoint.bssid),
                Attribute.securityType: WiFiNetworkDiagnostics.SecurityType.wpa2.tlv,
                Attribute.wiFiVersion: WiFiNetworkDiagnostics.WiFiVersion.n.tlv,
                Attribute.channelNumber: .uint(UInt64(accessPoint.channel)), Attribute.rssi: .int(Int64(rssi)),
            ])
    }

    /// Without ExtAddress and Rloc16, which are provisional: General Diagnostics has the address, and neighbours the locator.
    private static func thread(
        _ network: SimulatedMesh.Network, _ device: SimulatedMesh.Device
    ) -> any ClusterServer {
        typealias Cluster = ThreadNetworkDiagnostics
        typealias Attribute = Cluster.Attribute
        let leader = network.devices.first { $0.role == .leader && $0.partition == device.partition }
        // fd00::/8, and the first bytes of the id of the network (Thread specification, 8.10.1.9).
        let prefix = [64, 0xFD] + (1..<8).map { UInt8(truncatingIfNeeded: network.extendedPANID >> ((7 - $0) * 8)) }
        let policy = Cluster.SecurityPolicy(rotationTime: 672, flags: 0xF8)
        let components = Cluster.OperationalDatasetComponents(
            activeTimestampPresent: true, pendingTimestampPresent: false, masterKeyPresent: true,
            networkNamePresent: true, extendedPanIdPresent: true, meshLocalPrefixPresent: true, delayPresent: false,
            panIdPresent: true, channelPresent: true, pskcPresent: true, securityPolicyPresent: true,
            channelMaskPresent: true)
        return GivenValuesServer(
            Cluster.id,
            [
                Attribute.channel: .uint(UInt64(network.channel)), Attribute.routingRole: device.role.tlv,
                Attribute.networkName: .string(network.name), Attribute.panId: .uint(UInt64(network.panID)),
                Attribute.extendedPanId: .uint(network.extendedPANID), Attribute.meshLocalPrefix: .octets(prefix),
                Attribute.neighborTable: .array(of: network.neighbors(of: device).map(\.tlv)),
                Attribute.routeTable: .array(of: network.routes(of: device).map(\.tlv)),
                Attribute.partitionId: .uint(UInt64(device.partition)), Attribute.weighting: .uint(64),
                Attribute.dataVersion: .uint(17), Attribute.stableDataVersion: .uint(5),
                Attribute.leaderRouterId: leader.map { .uint(UInt64($0.rloc16 >> 10)) } ?? .null,
                Attribute.securityPolicy: policy.tlv, Attribute.channelPage0Mask: .octets([0x00, 0x1F, 0xFF, 0xE0]),
                Attribute.operationalDatasetComponents: components.tlv, Attribute.activeNetworkFaultsList: .array([]),
            ])
    }
}

extension SimulatedMesh.Network {
    /// Which value of each pair is that of a device.
    private func place(of device: SimulatedMesh.Device, in link: SimulatedMesh.Link) -> Int {
        link.one == device.name ? 0 : 1
    }

    /// Those that a device hears. A child names its parent only, since it has no other link.
    func neighbors(of device: SimulatedMesh.Device) -> [ThreadNetworkDiagnostics.NeighborTable] {
        links.filter { $0.joins(device.name) }.compactMap { link in
            let side = place(of: device, in: link)
            let name = side == 0 ? link.other : link.one
            guard let other = devices.first(where: { $0.name == name }), let lqi = link.lqi[side] else { return nil }
            return ThreadNetworkDiagnostics.NeighborTable(
                extAddress: other.extAddress, age: link.age[side], rloc16: other.rloc16, linkFrameCounter: 1000,
                mleFrameCounter: 100, lqi: lqi, averageRssi: link.rssi[side], lastRssi: link.rssi[side],
                frameErrorRate: link.frameErrors[side], messageErrorRate: link.messageErrors[side],
                rxOnWhenIdle: other.role != .sleepyEndDevice, fullThreadDevice: other.isRouter || other.role == .reed,
                fullNetworkData: other.isRouter || other.role == .reed, isChild: other.parent == device.name)
        }
    }

    /// The other routers of its partition, with the cheapest ways. End devices have none.
    func routes(of device: SimulatedMesh.Device) -> [ThreadNetworkDiagnostics.RouteTable] {
        guard device.isRouter else { return [] }
        let ways = ways(from: device)
        return devices.filter { $0.isRouter && $0.partition == device.partition && $0 != device }.map { other in
            let link = links.first { $0.joins(device.name) && $0.joins(other.name) }
            let side = link.map { place(of: device, in: $0) } ?? 0
            let lqi = (link?.lqi[side] ?? 0, link?.lqi[1 - side] ?? 0)
            let way = ways[other.name]
            return ThreadNetworkDiagnostics.RouteTable(
                extAddress: other.extAddress, rloc16: other.rloc16,
                routerId: UInt8(truncatingIfNeeded: other.rloc16 >> 10),
                nextHop: way.map { UInt8(truncatingIfNeeded: $0.next.rloc16 >> 10) } ?? 63, pathCost: way?.cost ?? 0,
                lqiIn: lqi.0, lqiOut: lqi.1, age: link.map { UInt8(clamping: $0.age[side]) } ?? 0, allocated: true,
                linkEstablished: lqi.0 > 0 && lqi.1 > 0)
        }
    }

    /// The cheapest ways to the other routers: a link costs 1 with link quality 3, 2 with 2, 4 with 1 (Thread
    /// specification, 5.11.1).
    private func ways(from device: SimulatedMesh.Device) -> [String: (cost: UInt8, next: SimulatedMesh.Device)] {
        var found: [String: (cost: UInt8, next: SimulatedMesh.Device)] = [:]
        var isFinal: Set<String> = []
        var current: (name: String, cost: UInt8, next: SimulatedMesh.Device?)? = (device.name, 0, nil)
        while let place = current {
            isFinal.insert(place.name)
            for link in links where link.joins(place.name) {
                let name = link.one == place.name ? link.other : link.one
                guard let other = devices.first(where: { $0.name == name }), other.isRouter, !isFinal.contains(name),
                    let quality = [link.lqi[0] ?? 0, link.lqi[1] ?? 0].min(), quality > 0
                else { continue }
                let cost = place.cost &+ (quality >= 3 ? 1 : quality == 2 ? 2 : 4)
                if found[name].map({ cost < $0.cost }) ?? true { found[name] = (cost, place.next ?? other) }
            }
            let nearest = found.filter { !isFinal.contains($0.key) }
                .min { ($0.value.cost, $0.key) < ($1.value.cost, $1.key) }
            current = nearest.map { ($0.key, $0.value.cost, $0.value.next) }
        }
        return found
    }
}
