import MatterController

extension Report {
    init(_ map: NetworkMap) {
        self.init {
            Field("threadNetworks", map.meshes.map { Report($0) })
            Field("accessPoints", map.accessPoints.map { Report($0) })
            Field("ethernet", map.wired.map { Report(place: $0) })
            Field("bridges", map.bridges.map { Report(bridge: $0) })
            Field("elsewhere", map.elsewhere.map { Report(place: $0) })
            Field(
                "silent",
                map.silent.map { silent in
                    Report {
                        Report(place: silent.node)
                        Field("error", NodeRound.error(silent.error, of: silent.node))
                    }
                })
            Field(
                "findings",
                map.findings.map { finding in
                    Report {
                        Field("kind", finding.kind.rawValue)
                        Field("devices", finding.devices)
                        Field("text", finding.text)
                    }
                })
            Field("obstacle", map.obstacle)
            Field("readAt", map.readAt > 0 ? DateText.time(map.readAt) : nil)
        }
    }

    private init(place node: NodeRecord) {
        self.init {
            Field("node", node.nodeID)
            Field("name", node.name)
        }
    }

    private init(bridge node: NodeRecord) {
        self.init {
            Report(place: node)
            Field(
                "devices",
                node.bridged.map { bridged in
                    Report {
                        Field("endpoint", bridged.endpoint.number)
                        Field("label", bridged.device.title)
                        Field("reachable", bridged.device.isReachable)
                    }
                })
        }
    }

    private init(_ accessPoint: AccessPoint) {
        self.init {
            Field("bssid", accessPoint.address)
            Field("ssid", accessPoint.ssid)
            Field("channel", accessPoint.channel)
            Field(
                "nodes",
                accessPoint.stations.map { station in
                    Report {
                        Report(place: station.node)
                        Field("rssi", station.rssi)
                        Field("quality", station.quality?.rawValue)
                    }
                })
        }
    }

    private init(_ mesh: ThreadMesh) {
        self.init {
            Field("extendedPanId", mesh.extendedPANID.map { Hex.number($0, digits: 16, uppercase: true) })
            Field("name", mesh.name)
            Field("channel", mesh.channel)
            Field(
                "partitions",
                mesh.partitions.map { partition in
                    Report {
                        Field("id", partition.id)
                        Field("leader", partition.leader)
                    }
                })
            Field("devices", mesh.devices.map { Report($0) })
            Field("links", mesh.links.map { Report($0) })
            Field("ignoredRows", mesh.ignoredRows > 0 ? mesh.ignoredRows : nil)
        }
    }

    private init(_ device: MeshDevice) {
        self.init {
            Field("id", device.id)
            Field("node", device.node?.nodeID)
            Field("name", device.node?.name)
            Field(
                "borderRouter",
                device.borderRouter.map { router in
                    Report {
                        Field("instance", router.instance)
                        Field("vendor", router.vendor)
                        Field("model", router.model)
                        Field("active", router.isActive)
                        Field("addresses", router.addresses.map(\.description))
                    }
                })
            Field("role", device.role?.rawValue)
            Field("extAddress", device.extAddress.map { Hex.number($0, digits: 16, uppercase: true) })
            Field("rloc16", device.rloc16.map { Hex.number($0, digits: 4, uppercase: true) })
            Field("partition", device.partitionID)
            Field("parent", device.parent)
            Field("nextHop", device.nextHop)
            Field("hops", device.hops)
            Field("unknownChildren", device.unknownChildren > 0 ? device.unknownChildren : nil)
            Field("wayOut", device.wayOut.word)
            Field("through", device.wayOut.choke)
        }
    }

    private init(_ link: MeshLink) {
        self.init {
            Field("one", link.one)
            Field("other", link.other)
            Field("quality", link.quality?.rawValue)
            Field("oneSided", link.isOneSided)
            Field("stale", link.isStale)
            Field("parent", link.isOfParent)
            Field("hears", link.hearing.map { Report($0) })
            Field("isHeard", link.otherHearing.map { Report($0) })
        }
    }

    private init(_ hearing: MeshLink.Hearing) {
        self.init {
            Field("lqi", hearing.lqi)
            Field("rssi", hearing.rssi)
            Field("age", hearing.age)
            Field("frameErrors", hearing.frameErrors)
            Field("messageErrors", hearing.messageErrors)
            Field("stale", hearing.isStale)
        }
    }
}

extension MeshDevice.WayOut {
    /// For programs; `nil` if it is not known.
    fileprivate var word: String? {
        switch self {
        case .unknown: nil
        case .several: "several"
        case .single: "single"
        case .none: "none"
        }
    }

    /// The device that all ways lead through.
    var choke: MeshDevice.ID? { if case .single(let through) = self { through } else { nil } }
}
