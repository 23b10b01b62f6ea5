import Logging
import MatterController
import Synchronization

/// The commands of the interface: each takes arguments and gives JSON.
struct InterfaceCommands: Sendable {
    /// The properties of a server that its user chose.
    struct Settings: Sendable {
        /// The version that clients are told: 11, or 13 with the commands that come with it.
        var schema = 11
        /// The text by which the server names itself.
        var version = "matterctl"
        /// Which devices may be commissioned.
        var trust = TrustPolicy()
        /// The way to the Alliance's ledger, which knows firmware; `nil` if it is not asked.
        var ledger: LedgerConnection?
        /// How many seconds discovery may take.
        var discovery = Duration.seconds(180)
        /// Whether devices may be commissioned over Bluetooth.
        var hasBluetooth = false
    }

    /// The memory that lasts while the server runs.
    final class Memory: Sendable {
        struct Content {
            /// The codes of windows that we opened, by node, until they end.
            var windows: [NodeID: (window: Window, passcode: UInt32)] = [:]
            var fabricLabel: String?
            /// The last map of the network, without its time.
            var map: [UInt8]?
            /// The border routers that were seen last.
            var routers: [BorderRouter] = []
            /// When the tables of a Thread network were read last; of all, by 0.
            var threadReadAt: [UInt64: Instant] = [:]
            /// Nodes that only exist here, for clients' tests.
            var testNodes: [UInt64: [UInt8]] = [:]
            /// The nodes that get other firmware.
            var updates: Set<NodeID> = []
        }

        /// How many nodes get firmware at a time: it fills a Thread network.
        private static let mostUpdates = 3

        let content = Mutex(Content())

        func beginUpdate(of node: NodeID) throws(InterfaceError) {
            try content.withLock { content throws(InterfaceError) in
                guard !content.updates.contains(node) else {
                    throw InterfaceError(.update, "node \(node.rawValue) is being updated already")
                }
                guard content.updates.count < Self.mostUpdates else {
                    throw InterfaceError(.update, "\(Self.mostUpdates) other nodes are being updated; try again later")
                }
                content.updates.insert(node)
            }
        }

        func endUpdate(of node: NodeID) { content.withLock { _ = $0.updates.remove(node) } }
    }

    typealias Result = [[UInt8]]
    typealias Handler = @Sendable (InterfaceCommands, InterfaceArguments) async throws -> Result

    static let oldestSchema = 9
    private static let fabricLabel = "set_default_fabric_label"
    static let null: Result = [Array("null".utf8)]

    let house: House
    let settings: Settings
    let logger: Logger
    let catalogue: Catalogue
    var shares: HouseShares?
    let firmware: HouseFirmware
    let memory = Memory()

    var controller: Controller { house.controller }

    /// The commands by name, with the version of the interface that they come with.
    static let table: [String: (schema: Int, handler: Handler)] = [
        "server_info": (0, { commands, _ in [await commands.serverInfo()] }),
        "diagnostics": (0, { commands, _ in await commands.diagnostics() }),
        "get_nodes": (0, { try await $0.getNodes($1) }),
        "get_node": (0, { try await $0.getNode($1) }),
        "commission_with_code": (0, { try await $0.commissionWithCode($1) }),
        "commission_on_network": (0, { try await $0.commissionOnNetwork($1) }),
        "set_wifi_credentials": (0, { try await $0.setWiFiCredentials($1) }),
        "set_thread_dataset": (0, { try await $0.setThreadDataset($1) }),
        "remove_wifi_credentials": (0, { try await $0.removeCredentials($1, .wifi) }),
        "remove_thread_dataset": (0, { try await $0.removeCredentials($1, .thread) }),
        "open_commissioning_window": (0, { try await $0.openWindow($1) }),
        "discover": (0, { commands, _ in try await commands.discover() }),
        "discover_commissionable_nodes": (0, { commands, _ in try await commands.discover() }),
        "interview_node": (0, { try await $0.interview($1) }),
        "device_command": (0, { try await $0.deviceCommand($1) }),
        "read_attribute": (0, { try await $0.readAttribute($1) }),
        "write_attribute": (0, { try await $0.writeAttribute($1) }),
        "ping_node": (0, { try await $0.ping($1) }),
        "get_node_ip_addresses": (0, { try await $0.addresses($1) }),
        "remove_node": (0, { try await $0.removeNode($1) }),
        "get_vendor_names": (0, { try await $0.vendorNames($1) }),
        "import_test_node": (0, { try await $0.importTestNode($1) }),
        "check_node_update": (0, { try await $0.checkUpdate($1) }),
        "update_node": (0, { try await $0.updateNode($1) }),
        "set_default_fabric_label": (0, { try await $0.setFabricLabel($1) }),
        "set_acl_entry": (0, { try await $0.setAccessList($1) }),
        "set_node_binding": (0, { try await $0.setBinding($1) }),
        "get_matter_fabrics": (0, { try await $0.fabrics($1) }),
        "remove_matter_fabric": (0, { try await $0.removeFabric($1) }),
        "get_loglevel": (0, { commands, _ in commands.logLevel() }),
        "set_loglevel": (0, { commands, _ in commands.logLevel() }),
        "subscribe_attribute": (0, { _, _ in [Array("{}".utf8)] }),
        giveUpShare: (0, { try await $0.giveUpShare($1) }),
        "get_all_credentials": (12, { commands, _ in try commands.allCredentials() }),
        "get_fabric_label": (12, { commands, _ in commands.fabricLabel() }),
        "get_thread_border_routers": (12, { commands, _ in try await commands.borderRouters() }),
        "get_thread_diagnostics": (12, { try await $0.threadDiagnostics($1) }),
        "get_icd_state": (12, { try await $0.sleeperState($1) }),
        "register_icd": (12, { try await $0.registerSleeper($1) }),
        "unregister_icd": (12, { try await $0.unregisterSleeper($1) }),
        "resync_icd": (12, { try await $0.resyncSleeper($1) }),
        "send_webrtc_provider_command": (12, { try await $0.camera($1) }),
        "get_network_topology": (13, { try await $0.topology($1) }),
        "initiate_ota_upload": (13, { try $0.uploadFirmware($1) }),
    ]

    func isKnown(_ command: String) -> Bool {
        command == "start_listening" || Self.table[command].map { $0.schema <= settings.schema } ?? false
    }

    /// Decides whether a visitor may ask for something.
    ///
    /// - Throws: ``InterfaceError``.
    func check(_ request: InterfaceRequest, of visitor: Visitor) async throws(InterfaceError) {
        guard isKnown(request.command) else {
            throw InterfaceError(.invalidCommand, "there is no command \(request.command.prefix(64))")
        }
        let record =
            if let node = node(of: request) { await house.board.nodes[node]?.record } else { nil as NodeRecord? }
        let needed = Rights.needs(request.command, .object(request.arguments)) { _, endpoint in
            let places = (record?.endpoints ?? []).filter { endpoint == nil || $0.number == endpoint }
            return places.isEmpty ? nil : Set(places.flatMap(\.deviceTypes))
        }
        let missing = needed.filter { !visitor.may($0) }
        // Home Assistant gives up its whole set-up where this one fails.
        guard missing.isEmpty || request.command == Self.fabricLabel else {
            let roles = missing.map(\.rawValue).sorted().joined(separator: ", ")
            throw InterfaceError(.unknown, "\(visitor.name) may not do this: it needs the role \(roles)")
        }
        if let record { try await checkShare(of: record, request.command) }
    }

    /// The node that a request is about; `nil` if it is about none.
    func node(of request: InterfaceRequest) -> NodeID? {
        InterfaceArguments(request.arguments)["node_id"].flatMap { InterfaceArguments.integer($0, as: UInt64.self) }
            .map { NodeID($0) }
    }

    /// The result of a command that the visitor may ask for.
    ///
    /// - Parameter afterwards: gets what is to be done once the answer is on its way.
    func result(
        of request: InterfaceRequest, for visitor: Visitor, _ afterwards: Afterwards
    ) async throws -> Result {
        if request.command == Self.fabricLabel, !visitor.may(.administer) { return Self.null }
        guard let command = Self.table[request.command] else {
            throw InterfaceError(.invalidCommand, "there is no command \(request.command.prefix(64))")
        }
        return try await command.handler(self, InterfaceArguments(request.arguments, of: visitor, afterwards))
    }

    // MARK: The server

    /// The server's description of itself.
    func serverInfo() async -> [UInt8] { JSONValue.object(info()).utf8() }

    private func info() -> JSONObject {
        let fabric = try? controller.context.fabric()
        let networks = (try? NetworkStore(controller.options.state).all()) ?? []
        var object: JSONObject = [
            "fabric_id": .uint(fabric?.fabricID.rawValue ?? 0),
            "compressed_fabric_id": .uint(fabric?.compressedFabricID.rawValue ?? 0),
            "schema_version": .int(Int64(settings.schema)),
            "min_supported_schema_version": .int(Int64(Self.oldestSchema)),
            "sdk_version": .string(settings.version),
            "wifi_credentials_set": .bool(networks.contains { $0.kind == .wifi }),
            "thread_credentials_set": .bool(networks.contains { $0.kind == .thread }),
            "bluetooth_enabled": .bool(settings.hasBluetooth),
        ]
        if settings.schema > 11 {
            object["fabric_index"] = .int(1)
            object["controller_node_id"] = .uint(fabric?.nodeID.rawValue ?? 0)
        }
        return object
    }

    private func diagnostics() async -> Result {
        let nodes = await house.nodes { !$0.attributes.isEmpty }
        let events = await house.board.lastEvents
        return [Array("{\"info\":".utf8), await serverInfo(), Array(",\"nodes\":".utf8)] + AnswerMessage.list(nodes)
            + [Array(",\"events\":".utf8)] + AnswerMessage.list(events) + [Array("}".utf8)]
    }

    private func logLevel() -> Result {
        [JSONValue.object(["console_loglevel": .string("\(logger.logLevel)"), "file_loglevel": .null]).utf8()]
    }

    // MARK: Nodes

    private func getNodes(_ arguments: InterfaceArguments) async throws -> Result {
        let isOnly = try arguments.flag("only_available", or: false)
        var nodes = await house.nodes { !$0.attributes.isEmpty && (!isOnly || $0.isAvailable) }
        nodes += memory.content.withLock { $0.testNodes.sorted { $0.key < $1.key }.map(\.value) }
        return AnswerMessage.list(nodes)
    }

    private func getNode(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        if let node = memory.content.withLock({ $0.testNodes[id.rawValue] }) { return [node] }
        return [NodeEncoding.object(try await house.node(id))]
    }

    private func interview(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        guard !isTest(id) else { return Self.null }
        do {
            try await house.interview(id)
        } catch let error as InterfaceError {
            throw error
        } catch {
            throw InterfaceError(.interviewFailed, InterfaceFailure.error(error).details)
        }
        return Self.null
    }

    func isTest(_ id: NodeID) -> Bool { memory.content.withLock { $0.testNodes[id.rawValue] != nil } }

    /// A node that can be asked for something now.
    func ready(_ id: NodeID) async throws(InterfaceError) -> NodeRecord {
        guard let node = await house.board.nodes[id], node.isAvailable else {
            throw InterfaceError(.nodeNotReady, "Node \(id.rawValue) is not (yet) available.")
        }
        return node.record
    }

    private func ping(_ arguments: InterfaceArguments) async throws -> Result {
        let record = try await house.node(arguments.node()).record
        let attempts = try arguments.optionalInteger("attempts", as: Int.self) ?? 1
        var isThere = false
        for _ in 0..<min(max(attempts, 1), 10) where !isThere {
            do {
                let link = try await controller.links.link(to: record)
                let path = AttributePath(
                    endpoint: 0, cluster: BasicInformation.id,
                    attribute: BasicInformation.Attribute.dataModelRevision)
                _ = try await link.read([path], deadline: house.time.now + .seconds(record.isLongIdleTime ? 60 : 10))
                isThere = true
            } catch {
                logger.debug("ping: \(error)")
            }
        }
        var object = JSONObject()
        for address in try await addresses(of: record, isScoped: false) { object[address] = .bool(isThere) }
        return [JSONValue.object(object).utf8()]
    }

    private func addresses(_ arguments: InterfaceArguments) async throws -> Result {
        let record = try await house.node(arguments.node()).record
        let addresses = try await addresses(of: record, isScoped: try arguments.flag("scoped", or: false))
        return [JSONValue.array(addresses.map { .string($0) }).utf8()]
    }

    private func addresses(of record: NodeRecord, isScoped: Bool) async throws -> [String] {
        var known: [String] = []
        for address in try await controller.nodes.addresses(of: record) {
            let text = isScoped ? address : String(address.prefix { $0 != "%" })
            if !known.contains(text) { known.append(text) }
        }
        return known
    }

    private func removeNode(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        if memory.content.withLock({ $0.testNodes.removeValue(forKey: id.rawValue) }) != nil { return Self.null }
        let record = try await house.node(id).record
        await house.leave(id)
        do {
            try await controller.administration.remove(record, deadline: house.time.now + .seconds(20))
        } catch {
            // The client has decided that it goes.
            logger.warning("\(record.title) could not be told that it leaves the fabric: \(error)")
            try await controller.administration.forget(id)
        }
        await house.forget(id)
        return Self.null
    }
}
