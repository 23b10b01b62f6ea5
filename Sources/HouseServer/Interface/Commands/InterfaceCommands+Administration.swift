import Logging
import MatterController
import Synchronization

/// Commissioning, windows, networks, fabrics.
extension InterfaceCommands {
    // MARK: Commissioning

    func commissionWithCode(_ arguments: InterfaceArguments) async throws -> Result {
        let code = try arguments.text("code")
        var settings = commissioning(try arguments.optionalInteger("discovery_timeout_s", as: Int64.self))
        settings.networks = try networks(arguments)
        if try arguments.flag("network_only", or: false) || !self.settings.hasBluetooth { settings.way = .network }
        return try await commission(code, settings)
    }

    private func commissioning(_ discovery: Int64?) -> CommissioningSettings {
        var settings = CommissioningSettings()
        settings.trust = self.settings.trust
        settings.time = discovery.map { .seconds(min(max($0, 10), 900)) } ?? self.settings.discovery
        return settings
    }

    private func commission(_ code: String, _ settings: CommissioningSettings) async throws -> Result {
        let node: Node
        do {
            node = try await controller.commission(code, settings) { [logger] update in
                if case .began(let stage) = update { logger.info("commissioning: \(stage.rawValue)") }
            }
        } catch {
            throw InterfaceError(.commissionFailed, MatterError(error).message)
        }
        let id = NodeID(node.id)
        try await house.takeRecords()
        await house.waitForNode(id, atMost: .seconds(30))
        labelInBackground(id)
        return [NodeEncoding.object(try await house.node(id))]
    }

    func commissionOnNetwork(_ arguments: InterfaceArguments) async throws -> Result {
        let passcode = try arguments.integer("setup_pin_code", as: UInt32.self)
        var settings = commissioning(try arguments.optionalInteger("discovery_timeout_s", as: Int64.self))
        settings.way = .network
        settings.address = try arguments.optionalText("ip_addr").map { $0.contains(":") ? "[\($0)]" : $0 }
        let filter = try arguments.optionalInteger("filter_type", as: Int.self) ?? 0
        let value = try arguments.optionalInteger("filter", as: UInt32.self)
        let code: String
        switch (filter, value) {
        case (2, let long?):
            code = try Self.code(passcode, discriminator: UInt16(clamping: long))
        case (1, let short?):
            code = try Self.code(passcode, shortDiscriminator: UInt8(clamping: short))
        default:
            code = try await codeOfOnlyDevice(passcode, filter, value, isPlaced: settings.address != nil)
        }
        return try await commission(code, settings)
    }

    private static func code(_ passcode: UInt32, discriminator: UInt16) throws -> String {
        do {
            return try SetupPayload(
                discriminator: SetupDiscriminator(long: discriminator), passcode: SetupPasscode(passcode)
            ).qrCode()
        } catch { throw InterfaceError(.invalidArguments, MatterError(error).message) }
    }

    private static func code(_ passcode: UInt32, shortDiscriminator: UInt8) throws -> String {
        do {
            return try SetupPayload(
                discriminator: SetupDiscriminator(short: shortDiscriminator), passcode: SetupPasscode(passcode)
            ).manualCode()
        } catch { throw InterfaceError(.invalidArguments, MatterError(error).message) }
    }

    /// A device that is meant by something else than its discriminator.
    private func codeOfOnlyDevice(
        _ passcode: UInt32, _ filter: Int, _ value: UInt32?, isPlaced: Bool
    ) async throws -> String {
        // Where the address is given, nothing is searched for.
        if isPlaced { return try Self.code(passcode, discriminator: 0) }
        let found = try await commissionable().filter { device in
            switch filter {
            case 3: value.map { device.record.vendorID == UInt16(exactly: $0) } ?? true
            case 4: value.map { device.record.deviceType == $0 } ?? true
            default: true
            }
        }
        guard let discriminator = found.lazy.compactMap(\.record.longDiscriminator).first else {
            throw InterfaceError(.commissionFailed, "no device on the network is open for commissioning")
        }
        return try Self.code(passcode, discriminator: discriminator)
    }

    private func commissionable() async throws -> [CommissionableDevice] {
        let events = AvahiDiscovery(logger: logger, patience: .seconds(3)).browseCommissionable(.commissioningMode)
        let found = CommissionableList()
        let search = house.time.start { () async -> (any Error)? in
            do {
                for try await event in events { found.take(event) }
                return nil
            } catch { return error }
        }
        let end = house.time.now + .seconds(4)
        while house.time.now < end, !found.isQuiet(at: house.time.now) {
            try await house.time.sleep(for: .milliseconds(100))
        }
        search.cancel()
        if let error = await search.value, !(error is CancellationError) {
            throw InterfaceError(.unknown, MatterError(error).message)
        }
        return found.devices
    }

    func discover() async throws -> Result {
        let items: [JSONValue] = try await commissionable().map { device in
            [
                "instance_name": .string(device.instance),
                "host_name": .string(device.host.hasSuffix(".local") ? String(device.host.dropLast(6)) : device.host),
                "port": .int(Int64(device.port)),
                "long_discriminator": device.record.longDiscriminator.map { .int(Int64($0)) } ?? .null,
                "vendor_id": device.record.vendorID.map { .int(Int64($0)) } ?? .null,
                "product_id": device.record.productID.map { .int(Int64($0)) } ?? .null,
                "commissioning_mode": .int(Int64(device.record.commissioningMode.rawValue)),
                "device_type": device.record.deviceType.map { .int(Int64($0)) } ?? .null,
                "device_name": device.record.deviceName.map { .string($0) } ?? .null,
                "pairing_instruction": device.record.pairingInstruction.map { .string($0) } ?? .null,
                "pairing_hint": device.record.pairingHint.map { .int(Int64($0)) } ?? .null,
                "mrp_retry_interval_idle": .null, "mrp_retry_interval_active": .null, "supports_tcp": .bool(false),
                "addresses": .array(device.addresses.map { .string("\($0)") }), "rotating_id": .null,
            ]
        }
        return [JSONValue.array(items).utf8()]
    }

    // MARK: Windows

    func openWindow(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let record = try await ready(id)
        let seconds = try arguments.optionalInteger("timeout", as: Int64.self) ?? 300
        guard (180...900).contains(seconds) else {
            throw InterfaceError(.invalidArguments, "a window is open for 180 to 900 seconds")
        }
        let isBasic = try arguments.optionalInteger("option", as: Int.self) ?? 1 == 0
        let node = try controller.node(id.rawValue)
        if let known = memory.content.withLock({ $0.windows[id] }), known.window.end > WallClock.unixTime(),
            try await node.window().isOurs
        {
            return Self.window(known.window, known.passcode)
        }
        let opened = try await controller.administration.openWindow(
            of: record, isBasic: isBasic, for: .seconds(seconds), title: record.title,
            budget: Budget(nil, usual: .seconds(30)))
        let window = try Window(opened)
        let passcode = opened.payload?.passcode.value ?? 0
        memory.content.withLock { $0.windows[id] = isBasic ? nil : (window, passcode) }
        return Self.window(window, passcode)
    }

    /// A window that was opened.
    struct Window: Sendable {
        var qrCode: String
        var manualCode: String
        /// Seconds since 1970.
        var end: Int64

        init(_ opened: OpenedWindow) throws {
            qrCode = try opened.payload?.qrCode() ?? ""
            manualCode = try opened.payload?.manualCode() ?? ""
            end = opened.end
        }
    }

    private static func window(_ window: Window, _ passcode: UInt32) -> Result {
        [
            JSONValue.object([
                "setup_pin_code": .int(Int64(passcode)), "setup_manual_code": .string(window.manualCode),
                "setup_qr_code": .string(window.qrCode),
            ]).utf8()
        ]
    }

    // MARK: Networks

    func setWiFiCredentials(_ arguments: InterfaceArguments) async throws -> Result {
        let (ssid, password) = (try arguments.text("ssid"), try arguments.text("credentials"))
        return try await save(arguments) { try NetworkAccess.wifi(ssid, password: password).credential }
    }

    func setThreadDataset(_ arguments: InterfaceArguments) async throws -> Result {
        let dataset = try arguments.text("dataset")
        return try await save(arguments) { try NetworkAccess.thread(dataset: dataset).credential }
    }

    private func save(
        _ arguments: InterfaceArguments, _ credential: () throws -> NetworkCredential
    ) async throws -> Result {
        let entry = try Self.entryID(arguments)
        do {
            let network = StoredNetwork(try credential())
            try NetworkStore(controller.options.state).save(network)
            try await NetworkEntries(controller).set(entry, network)
        } catch {
            throw InterfaceError(.invalidArguments, MatterError(error).message)
        }
        await house.tellInfo()
        return Self.null
    }

    /// The id of an entry of credentials; clients of version 11 know one.
    private static func entryID(_ arguments: InterfaceArguments) throws -> String {
        let id = try arguments.optionalText("id") ?? NetworkEntries.usual
        guard (1...64).contains(id.utf8.count) else {
            throw InterfaceError(.invalidArguments, "the id of an entry has 1 to 64 characters")
        }
        return id
    }

    func removeCredentials(_ arguments: InterfaceArguments, _ kind: StoredNetwork.Kind) async throws -> Result {
        let store = NetworkStore(controller.options.state)
        let entry = try Self.entryID(arguments)
        let entries = NetworkEntries(controller)
        for network in try store.all() where network.kind == kind {
            guard try entries.id(of: network) == entry else { continue }
            try store.forget(network)
            try await entries.remove(entry, kind)
        }
        await house.tellInfo()
        return [Array("{}".utf8)]
    }

    func allCredentials() throws -> Result {
        let networks = try NetworkStore(controller.options.state).all()
        let entries = NetworkEntries(controller)
        func list(_ kind: StoredNetwork.Kind, _ name: String) throws -> JSONValue {
            var items: [JSONValue] = []
            for network in networks where network.kind == kind {
                var item: JSONObject = ["id": .string(try entries.id(of: network))]
                item[name] = .string(network.name)
                items.append(.object(item))
            }
            return .array(items)
        }
        return [
            JSONValue.object([
                "wifi": try list(.wifi, "ssid"), "thread": try list(.thread, "networkName"),
            ]).utf8()
        ]
    }

    /// The networks that a client has chosen for a device; none for all that are kept.
    private func networks(_ arguments: InterfaceArguments) throws -> [NetworkAccess] {
        var chosen: [NetworkAccess] = []
        for (key, kind) in [("wifi_credentials_id", StoredNetwork.Kind.wifi), ("thread_dataset_id", .thread)] {
            guard let id = try arguments.optionalText(key) else { continue }
            let entries = NetworkEntries(controller)
            let network = try NetworkStore(controller.options.state).all().first {
                try $0.kind == kind && entries.id(of: $0) == id
            }
            guard let credential = network?.credential else {
                throw InterfaceError(.invalidArguments, "there are no credentials '\(id.prefix(64))'")
            }
            chosen.append(.kept(credential))
        }
        return chosen
    }

    // MARK: Fabrics

    func setFabricLabel(_ arguments: InterfaceArguments) async throws -> Result {
        let label = try arguments.optionalText("label").map { String($0.prefix(32)) }
        memory.content.withLock { $0.fabricLabel = label }
        if label != nil {
            for node in await house.board.sorted where node.isAvailable { labelInBackground(node.record.nodeID) }
        }
        return Self.null
    }

    /// Names our fabric on a node, if a name was given; a failure is no one's business.
    private func labelInBackground(_ id: NodeID) {
        guard let label = memory.content.withLock({ $0.fabricLabel }), !label.isEmpty else { return }
        house.time.start { [controller, logger, house] in
            do {
                let node = try await house.node(id)
                guard node.isAvailable else { return }
                try await controller.node(id.rawValue).labelFabric(label)
            } catch {
                logger.debug("node \(id.rawValue) does not take the label of the fabric: \(error)")
            }
        }
    }

    func fabricLabel() -> Result {
        let label = memory.content.withLock { $0.fabricLabel }
        return [JSONValue.object(["fabric_label": label.map { .string($0) } ?? .null]).utf8()]
    }

    func fabrics(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        _ = try await ready(id)
        let fabrics = try await controller.node(id.rawValue).fabrics()
        let items: [JSONValue] = fabrics.map { fabric in
            [
                "fabric_id": .uint(fabric.fabricID), "vendor_id": .int(Int64(fabric.vendorID)),
                "fabric_index": fabric.index.map { .int(Int64($0)) } ?? .null, "fabric_label": .string(fabric.label),
                "vendor_name": Self.vendorName(fabric.vendorID).map { .string($0) } ?? .null,
            ]
        }
        return [JSONValue.array(items).utf8()]
    }

    func removeFabric(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        _ = try await ready(id)
        try await controller.node(id.rawValue).removeFabric(try arguments.integer("fabric_index", as: UInt8.self))
        return [Array("{}".utf8)]
    }

    // MARK: Names

    func vendorNames(_ arguments: InterfaceArguments) async throws -> Result {
        var ids: [UInt16]?
        if arguments["filter_vendors"] != nil {
            ids = try arguments.list("filter_vendors").compactMap { InterfaceArguments.integer($0, as: UInt16.self) }
        }
        var object = JSONObject()
        for id in ids ?? VendorNames.ids {
            if let name = Self.vendorName(id) { object["\(id)"] = .string(name) }
        }
        return [JSONValue.object(object).utf8()]
    }

    /// The name of a vendor, with that of test vendors as clients know it.
    private static func vendorName(_ id: UInt16) -> String? {
        (0xFFF1...0xFFF4).contains(id) ? "Test" : VendorNames.name(of: id)
    }

    // MARK: Test nodes

    func importTestNode(_ arguments: InterfaceArguments) async throws -> Result {
        let text = try arguments.text("dump")
        guard let dump = try? JSONValue(parsing: text), case .object(let object) = dump,
            case .object(let data)? = object["data"]
        else { throw InterfaceError(.invalidArguments, "the dump is not a file of diagnostics") }
        var nodes: [JSONValue] = []
        if let node = data["node"] { nodes = [node] }
        if case .object(let server)? = data["server"], case .array(let all)? = server["nodes"] { nodes += all }
        for node in nodes {
            guard case .object(var object) = node else { continue }
            let encoded = memory.content.withLock { content in
                let id = (content.testNodes.keys.max() ?? 899_999) + 1
                object["node_id"] = .uint(id)
                let encoded = JSONValue.object(object).utf8()
                content.testNodes[id] = encoded
                return encoded
            }
            await house.tellTestNode(encoded)
        }
        return Self.null
    }
}

/// The devices that a search has found.
private final class CommissionableList: Sendable {
    private struct Content {
        var devices: [String: CommissionableDevice] = [:]
        var quietSince: Instant?
    }

    private let content = Mutex(Content())

    var devices: [CommissionableDevice] { content.withLock { $0.devices.values.sorted { $0.instance < $1.instance } } }

    func take(_ event: CommissionableEvent) {
        content.withLock { content in
            switch event {
            case .found(let device): content.devices[device.instance] = device
            case .lost(let instance): content.devices[instance] = nil
            case .allForNow: content.quietSince = .now
            }
        }
    }

    /// Whether everything has answered that answers at once, and the others have had their time.
    func isQuiet(at now: Instant) -> Bool {
        content.withLock { content in content.quietSince.map { now - $0 > .seconds(2) } ?? false }
    }
}
