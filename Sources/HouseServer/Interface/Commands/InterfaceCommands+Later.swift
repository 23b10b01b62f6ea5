import Logging
import MatterController
import Synchronization

/// The commands of the versions 12 and 13 of the interface: sleeping devices, the network, cameras.
extension InterfaceCommands {
    /// How old the tables of a Thread network may be that are told again.
    private static let tableAge = Duration.seconds(60)
    private static let mapTime = Duration.seconds(20)

    // MARK: Sleeping devices

    private static func path(_ attribute: AttributeID) -> CachePath {
        CachePath(0, IcdManagement.id.rawValue, attribute.rawValue)
    }

    func sleeperState(_ arguments: InterfaceArguments) async throws -> Result {
        [try await sleeper(try arguments.node())]
    }

    private func sleeper(_ id: NodeID) async throws -> [UInt8] {
        let node = try await house.node(id)
        let features = node.attributes[Self.path(AttributeID(0xFFFC))]?.integer(as: UInt32.self)
        let mode = node.attributes[Self.path(IcdManagement.Attribute.operatingMode)]?.integer(as: UInt8.self)
        let registration = try controller.context.registrations().registration(of: id)
        let next = registration.flatMap { known in
            known.last.map { ($0.at + Int64(known.sleep.idle)) * 1000 }
        }
        let isLong =
            features.map { FeatureMap(rawValue: $0).contains(IcdManagement.Feature.longIdleTimeSupport) } ?? false
        return JSONValue.object([
            "supported": .bool(features != nil), "lit_supported": .bool(isLong),
            "registered": .bool(registration != nil),
            "operating_mode": mode.map { .string($0 == 1 ? "LIT" : "SIT") } ?? .null,
            // Only the device knows at any moment.
            "awake": .null, "available": .bool(node.isAvailable),
            "next_expected_checkin": next.map { .int($0) } ?? .null,
        ]).utf8()
    }

    func registerSleeper(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let record = try await ready(id)
        if try !arguments.flag("allow_multi_admin", or: false) {
            var ignored: Set<UInt16> = []
            if arguments.has("ignored_vendors"), arguments["ignored_vendors"] != nil {
                ignored = Set(
                    try arguments.list("ignored_vendors").compactMap { InterfaceArguments.integer($0, as: UInt16.self) }
                )
            }
            let others = try await controller.node(id.rawValue).fabrics().filter { !$0.isOurs }
                .map(\.vendorID).filter { !ignored.contains($0) }
            guard others.isEmpty else {
                let details: JSONObject = [
                    "message": "other administrators of the device may not bear that it sleeps for long",
                    "admin_vendor_ids": .array(others.map { .int(Int64($0)) }),
                ]
                throw InterfaceError(.icdMultiAdmin, String(decoding: JSONValue.object(details).utf8(), as: UTF8.self))
            }
        }
        _ = try await controller.sleepers.register(
            with: record, title: record.title, budget: Budget(nil, usual: .seconds(30)))
        return [try await sleeper(id)]
    }

    func unregisterSleeper(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let record = try await house.node(id).record
        try await controller.sleepers.unregister(
            from: record, isGone: try arguments.flag("force", or: false), title: record.title,
            budget: Budget(nil, usual: .seconds(30)))
        return [try await sleeper(id)]
    }

    /// Registers once more, under a new key.
    func resyncSleeper(_ arguments: InterfaceArguments) async throws -> Result {
        let record = try await ready(try arguments.node())
        _ = try await controller.sleepers.register(
            with: record, title: record.title, budget: Budget(nil, usual: .seconds(30)))
        return Self.null
    }

    // MARK: The network

    func borderRouters() async throws -> Result {
        let items: [JSONValue] = try await controller.maps.borderRouters().map { router in
            var object: JSONObject = [
                "instance": .string(router.instance),
                "addresses": .array(router.addresses.map { .string("\($0)") }),
            ]
            object["networkName"] = router.networkName.map { .string($0) }
            object["extPanId"] = router.extendedPANID.map { .string(Hex.encode($0, uppercase: true)) }
            object["vendorName"] = router.vendor.map { .string($0) }
            object["modelName"] = router.model.map { .string($0) }
            object["active"] = router.isActive.map { .bool($0) }
            return .object(object)
        }
        return [JSONValue.array(items).utf8()]
    }

    /// Without the id of a network: all that is known, at once; what is read then comes as events. With one: what its nodes say now.
    func threadDiagnostics(_ arguments: InterfaceArguments) async throws -> Result {
        let isForced = try arguments.flag("force", or: false)
        guard let text = try arguments.optionalText("ext_pan_id") else {
            let known = await threadBatches(memory.content.withLock(\.routers))
            house.time.start { [self] in await refreshThread(nil, isForced) }
            return AnswerMessage.list(known.map(\.json))
        }
        guard text.utf8.count == 16, let id = UInt64(text, radix: 16) else {
            throw InterfaceError(.invalidArguments, "ext_pan_id is not 16 hexadecimal digits")
        }
        let fresh = await refreshThread(id, isForced)
        return fresh.first { $0.id == id }.map { [$0.json] } ?? Self.null
    }

    private func threadBatches(_ routers: [BorderRouter]) async -> [(id: UInt64, json: [UInt8])] {
        let diagnostics = ThreadDiagnostics(await house.board.sorted, routers)
        let now = Int64(clamping: house.time.unixMicroseconds / 1000)
        return diagnostics.ids.compactMap { id in diagnostics.batch(id, at: now).map { (id, $0) } }
    }

    /// Reads the tables of the nodes of a network, or of all, unless that was done shortly before; and tells those who have asked.
    @discardableResult
    private func refreshThread(_ network: UInt64?, _ isForced: Bool) async -> [(id: UInt64, json: [UInt8])] {
        let now = house.time.now
        let isDue = memory.content.withLock { content in
            let key = network ?? 0
            guard isForced || content.threadReadAt[key].map({ now - $0 >= Self.tableAge }) ?? true else { return false }
            content.threadReadAt[key] = now
            return true
        }
        if isDue {
            // Without Avahi there are none.
            if let routers = try? await controller.maps.borderRouters() {
                memory.content.withLock { $0.routers = routers }
            }
            await house.readThread(of: network)
        }
        let batches = await threadBatches(memory.content.withLock(\.routers))
        for batch in batches where network == nil || batch.id == network {
            await house.tell(.thread(batch.id), batch.json)
        }
        return batches
    }

    func topology(_ arguments: InterfaceArguments) async throws -> Result {
        let map =
            try arguments.flag("refresh", or: false)
            ? try await controller.maps.map(budget: Budget(nil, usual: Self.mapTime))
            : try await controller.maps.known()
        let drawn = await encoded(map)
        memory.content.withLock { $0.map = drawn.content }
        return [drawn.json]
    }

    private func encoded(_ map: NetworkMap) async -> TopologyEncoding {
        let available = await house.board.nodes.mapValues(\.isAvailable)
        return TopologyEncoding(map, isAvailable: { available[$0] ?? false })
    }

    /// Draws the map from memory, and tells it to the clients that follow it, if it is another one than before.
    func drawMap() async {
        do {
            let drawn = await encoded(try await controller.maps.known())
            let isNew = memory.content.withLock { content in
                defer { content.map = drawn.content }
                return content.map != drawn.content
            }
            if isNew { await house.tell(.topology, drawn.json) }
        } catch { logger.debug("the map cannot be drawn: \(error)") }
    }

    // MARK: Cameras

    /// A command of the cluster WebRTC Transport Provider. What the camera invokes for it later is told to all who send such commands.
    func camera(_ arguments: InterfaceArguments) async throws -> Result {
        let name = try arguments.text("command_name")
        let command = try CommandPayload.command(name, of: WebRTCTransportProvider.id, in: catalogue).id
        let (node, endpoint) = (try arguments.node(), try arguments.endpoint())
        var payload = try arguments.object("payload")
        let begins =
            command == WebRTCTransportProvider.Command.solicitOffer
            || command == WebRTCTransportProvider.Command.provideOffer
        let key = payload.members.first { FieldSpelling.isSame($0.key, "webRTCSessionID") }?.key
        let number = key.flatMap { payload[$0] }.flatMap { InterfaceArguments.integer($0, as: UInt16.self) }
        let cameras = controller.cameras
        if begins {
            // The endpoint at which our node takes what the camera invokes.
            payload["originatingEndpointID"] = .int(0)
        } else if command != WebRTCTransportProvider.Command.endSession {
            guard let number, cameras.isKnown(number, with: node) else {
                throw InterfaceError(.invalidArguments, "the payload names no session that was begun here")
            }
        }
        let opening = begins ? cameras.begin(with: node) : nil
        if let opening { arguments.afterwards.add { cameras.finish(opening) } }
        let response = try await response(
            to: InterfaceArguments([
                "node_id": arguments["node_id"] ?? .null, "endpoint_id": arguments["endpoint_id"] ?? .null,
                "cluster_id": .int(Int64(WebRTCTransportProvider.id.rawValue)), "command_name": .string(name),
                "payload": .object(payload),
            ]))
        if command == WebRTCTransportProvider.Command.endSession, let number { cameras.forget(number, with: node) }
        guard let response else { return Self.null }
        if let opening, let number = Self.session(response.id, response.fields) {
            cameras.opened(number, at: endpoint.rawValue, by: opening)
        }
        return [
            NamedEncoding.response(response.fields, response.id, of: WebRTCTransportProvider.id, in: catalogue).utf8()
        ]
    }

    /// The session that a camera's response names.
    private static func session(_ response: CommandID, _ fields: TLVValue) -> UInt16? {
        switch response {
        case WebRTCTransportProvider.SolicitOfferResponse.id:
            WebRTCTransportProvider.SolicitOfferResponse(tlv: fields)?.webRTCSessionID
        case WebRTCTransportProvider.ProvideOfferResponse.id:
            WebRTCTransportProvider.ProvideOfferResponse(tlv: fields)?.webRTCSessionID
        default: nil
        }
    }
}

/// The network of a house in the form of the interface (version 13).
struct TopologyEncoding {
    private var nodes: [JSONValue] = []
    private var connections: [JSONValue] = []
    private let time: Int64

    /// The JSON.
    var json: [UInt8] {
        JSONValue.object([
            "collected_at": .int(time), "nodes": .array(nodes), "connections": .array(connections),
        ]).utf8()
    }

    /// The JSON without its time, to tell one map from another.
    var content: [UInt8] { JSONValue.array([.array(nodes), .array(connections)]).utf8() }

    init(_ map: NetworkMap, isAvailable: (NodeID) -> Bool) {
        time = (map.readAt > 0 ? map.readAt : WallClock.unixTime()) * 1000
        let bridges = Set(map.bridges.map(\.nodeID))
        func matter(_ node: NodeRecord, _ network: String, _ more: JSONObject = JSONObject()) -> JSONValue {
            var object: JSONObject = [
                "id": .string("node-\(node.nodeID.rawValue)"), "kind": "matter", "network_type": .string(network),
                "node_id": .uint(node.nodeID.rawValue), "available": .bool(isAvailable(node.nodeID)),
                "is_bridge": .bool(bridges.contains(node.nodeID)),
            ]
            for member in more.members { object[member.key] = member.value }
            return .object(object)
        }
        for mesh in map.meshes {
            for device in mesh.devices { nodes.append(Self.device(device, of: mesh, matter)) }
            for link in mesh.links { connections.append(Self.link(link)) }
        }
        for point in map.accessPoints {
            let id = "access-point-\(point.address ?? point.ssid ?? "unknown")"
            var place: JSONObject = [:]
            place["ssid"] = point.ssid.map { .string($0) }
            place["bssid"] = point.address.map { .string($0) }
            var object: JSONObject = ["id": .string(id), "kind": "wifi_ap", "network_type": "wifi"]
            for member in place.members { object[member.key] = member.value }
            nodes.append(.object(object))
            for station in point.stations {
                nodes.append(matter(station.node, "wifi", place))
                var direction: JSONObject = ["strength": .string(Self.strength(station.quality))]
                direction["rssi"] = station.rssi.map { .int(Int64($0)) }
                connections.append([
                    "source": .string("node-\(station.node.nodeID.rawValue)"), "target": .string(id), "network": "wifi",
                    "strength": .string(Self.strength(station.quality)), "source_to_target": .object(direction),
                ])
            }
        }
        nodes += map.wired.map { matter($0, "ethernet") }
        nodes += map.elsewhere.map { matter($0, "unknown") }
        nodes += map.silent.map { matter($0.node, "unknown") }
    }

    private static func device(
        _ device: MeshDevice, of mesh: ThreadMesh, _ matter: (NodeRecord, String, JSONObject) -> JSONValue
    ) -> JSONValue {
        var more: JSONObject = [:]
        more["ext_pan_id"] = mesh.extendedPANID.map { .string(Hex.number($0, digits: 16)) }
        more["network_name"] = mesh.name.map { .string($0) }
        more["role"] = device.role.map { .string($0.rawValue.replacing(" ", with: "_")) }
        more["ext_address"] = device.extAddress.map { .string(Hex.number($0, digits: 16)) }
        more["rloc16"] = device.rloc16.map { .int(Int64($0)) }
        if let node = device.node { return matter(node, "thread", more) }
        var object: JSONObject = [
            "id": .string(device.id), "kind": device.borderRouter == nil ? "thread_unknown" : "border_router",
            "network_type": "thread",
        ]
        if let router = device.borderRouter {
            object["host_name"] = .string(router.instance)
            object["vendor_name"] = router.vendor.map { .string($0) }
            object["model_name"] = router.model.map { .string($0) }
        }
        for member in more.members { object[member.key] = member.value }
        return .object(object)
    }

    private static func link(_ link: MeshLink) -> JSONValue {
        func direction(_ hearing: MeshLink.Hearing?) -> JSONValue? {
            guard let hearing else { return nil }
            var object: JSONObject = ["strength": .string(level(hearing.lqi))]
            object["lqi"] = hearing.lqi.map { .int(Int64($0)) }
            object["rssi"] = hearing.rssi.map { .int(Int64($0)) }
            return .object(object)
        }
        let best = max(link.hearing?.lqi ?? 0, link.otherHearing?.lqi ?? 0)
        var object: JSONObject = [
            "source": .string(link.one), "target": .string(link.other), "network": "thread",
            "strength": .string(level(best)),
        ]
        // The source hears the target, as a row of its table says.
        object["source_to_target"] = direction(link.hearing)
        object["target_to_source"] = direction(link.otherHearing)
        return .object(object)
    }

    private static func level(_ lqi: Int?) -> String {
        switch lqi ?? 0 {
        case ...0: "none"
        case 1: "weak"
        case 2: "medium"
        default: "strong"
        }
    }

    private static func strength(_ quality: LinkQuality?) -> String {
        switch quality {
        case .good?: "strong"
        case .fair?: "medium"
        case .weak?: "weak"
        case .unusable?, nil: "none"
        }
    }
}
