import MatterCrypto
import MatterModel

/// Network Commissioning of a device with a radio that does not exist (Matter core specification 11.9).
///
/// The lines that can be typed at it: `vanish NETWORK`, `appear NETWORK` and `password NETWORK PASSWORD`.
struct RadioCommissioningServer: ClusterServer {
    private struct Network: Equatable {
        var id: [UInt8]
        /// The password, or the dataset.
        var credentials: [UInt8]
        var isConnected = false
    }

    private typealias Status = NetworkCommissioning.NetworkCommissioningStatus
    private typealias Command = NetworkCommissioning.Command
    private typealias Attribute = NetworkCommissioning.Attribute

    private static let joiningTakes = Duration.seconds(2)
    private static let scanningTakes = Duration.milliseconds(700)
    /// How long a device that leaves the commissioner's link stays, so that its answer gets there.
    private static let lingers = Duration.milliseconds(300)
    private static let departure = "depart"
    private static let arrival = "join"
    /// The words of a well-known chip's driver about a wrong password, and about a network that it does not see.
    private static let handshakeFailure: Int32 = 15
    private static let notFound: Int32 = 201

    let id = NetworkCommissioning.id
    private let isThread: Bool
    private let isConcurrent: Bool
    /// Whether the device is on the network without having joined one.
    private let isOnNetworkFromTheStart: Bool
    /// The networks to join; empty for a Thread radio that every network admits.
    private var world: [RadioNetwork]
    private var networks: [Network] = []
    /// The network that the device is about to join, after it has answered.
    private var destination: [UInt8]?

    init(_ configuration: NodeConfiguration) {
        isThread = configuration.network == .thread
        isConcurrent = configuration.isConcurrent
        isOnNetworkFromTheStart = configuration.onboarding == .joined
        if let joined = configuration.place?.joined {
            networks = [Network(id: joined, credentials: [], isConnected: true)]
        }
        world = configuration.networksInReach ?? (isThread ? [] : RadioNetwork.usual)
    }

    /// A Thread device has room for one network, and is moved to another one.
    private var mostNetworks: Int { isThread ? 1 : 4 }

    var featureMap: FeatureMap {
        isThread
            ? NetworkCommissioning.Feature.threadNetworkInterface : NetworkCommissioning.Feature.wiFiNetworkInterface
    }
    var initialAttributes: [AttributeID: TLVValue] {
        let common: [AttributeID: TLVValue] = [
            Attribute.maxNetworks: .uint(UInt64(mostNetworks)), Attribute.networks: .array([]),
            Attribute.scanMaxTimeSeconds: .uint(10), Attribute.connectMaxTimeSeconds: .uint(20),
            Attribute.interfaceEnabled: .bool(true), Attribute.lastNetworkingStatus: .null,
            Attribute.lastNetworkID: .null, Attribute.lastConnectErrorValue: .null,
        ]
        let own: [AttributeID: TLVValue] =
            isThread
            ? [Attribute.supportedThreadFeatures: .uint(0), Attribute.threadVersion: .uint(4)]
            : [Attribute.supportedWiFiBands: .array(of: [.uint(0)])]
        return common.merging(own) { $1 }
    }
    var acceptedCommands: [CommandID] {
        [
            Command.scanNetworks, isThread ? Command.addOrUpdateThreadNetwork : Command.addOrUpdateWiFiNetwork,
            Command.removeNetwork, Command.connectNetwork, Command.reorderNetwork,
        ]
    }
    var persistentAttributes: Set<AttributeID> { [Attribute.interfaceEnabled] }
    var selfCheckedCommands: Set<CommandID> { Set(acceptedCommands) }

    // MARK: State

    var savedState: TLVValue? {
        .array(
            of: networks.map {
                .structure([
                    TLVElement(0, .octets($0.id)), TLVElement(1, .octets($0.credentials)),
                    TLVElement(2, .bool($0.isConnected)),
                ])
            })
    }

    mutating func restore(_ state: TLVValue) throws(TLVError) {
        var restored: [Network] = []
        for item in state.items ?? [] {
            let fields = try TLVFields(item, "a saved network")
            restored.append(
                Network(
                    id: try fields.octets(0), credentials: try fields.octets(1), isConnected: try fields.bool(2)))
        }
        networks = restored
    }

    func start(_ context: ClusterContext) {
        settle(context)
        context.node.setRadio(isAway: false)
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let signal = signal as? RollBack else { return }
        try? restore(signal.state)
        destination = nil
        context.cancel(Self.departure)
        context.cancel(Self.arrival)
        context.touch(Attribute.networks)
        context.markUnsaved()
        settle(context)
        // Back on the link of commissioners.
        context.node.setRadio(isAway: false)
    }

    /// Sees to it that the device is on the network if it has joined one.
    private func settle(_ context: ClusterContext) {
        context.node.setOnNetwork(isOnNetworkFromTheStart || networks.contains(where: \.isConnected))
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.networks else { return nil }
        return .array(
            of: networks.map {
                NetworkCommissioning.NetworkInfo(networkID: $0.id, connected: $0.isConnected).tlv
            })
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count >= 2 else { return false }
        let name = Array(words[1].utf8)
        guard let place = world.firstIndex(where: { $0.id == name || Array($0.name.utf8) == name }) else {
            return false
        }
        switch words[0] {
        case "vanish" where words.count == 2: world[place].isInReach = false
        case "appear" where words.count == 2: world[place].isInReach = true
        case "password" where words.count == 3: world[place].admission = .secret(SecretBytes(Array(words[2].utf8)))
        default: return false
        }
        return true
    }

    // MARK: Commands

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        if command.id == Command.scanNetworks { return try scan(try command.decoded(), context) }
        guard let failSafe = context.node.failSafe, failSafe.fabricIndex == context.caller.fabricIndex else {
            throw .failsafeRequired
        }
        switch command.id {
        case Command.addOrUpdateThreadNetwork:
            let request: NetworkCommissioning.AddOrUpdateThreadNetwork = try command.decoded()
            let dataset = request.operationalDataset
            guard (1...254).contains(dataset.count) else { throw .constraintError }
            let entries = ThreadEntries(dataset)
            guard let network = entries[.extendedPANID], entries[.networkKey] != nil else {
                return configAnswer((.outOfRange, nil), nil, context)
            }
            let result = tracked(request.breadcrumb, context) { $0.add(network, dataset) }
            return configAnswer(result, network, context)
        case Command.addOrUpdateWiFiNetwork:
            let request: NetworkCommissioning.AddOrUpdateWiFiNetwork = try command.decoded()
            let (network, credentials) = (try Self.checked(request.ssid), request.credentials)
            guard [0, 5, 13].contains(credentials.count) || (8...64).contains(credentials.count) else {
                throw .constraintError
            }
            let result = tracked(request.breadcrumb, context) { $0.add(network, credentials) }
            return configAnswer(result, network, context)
        case Command.removeNetwork:
            let request: NetworkCommissioning.RemoveNetwork = try command.decoded()
            let network = try Self.checked(request.networkID)
            return configAnswer(tracked(request.breadcrumb, context) { $0.remove(network) }, network, context)
        case Command.reorderNetwork:
            let request: NetworkCommissioning.ReorderNetwork = try command.decoded()
            let network = try Self.checked(request.networkID)
            let result = tracked(request.breadcrumb, context) { $0.reorder(network, Int(request.networkIndex)) }
            return configAnswer(result, network, context)
        default:
            let request: NetworkCommissioning.ConnectNetwork = try command.decoded()
            return connect(try Self.checked(request.networkID), request.breadcrumb, context)
        }
    }

    private static func checked(_ network: [UInt8]) throws(ClusterFailure) -> [UInt8] {
        guard (1...32).contains(network.count) else { throw .constraintError }
        return network
    }

    /// Does something, and stores the breadcrumb if it succeeds.
    private mutating func tracked(
        _ breadcrumb: UInt64?, _ context: ClusterContext, _ change: (inout Self) -> (Status, Int?)
    ) -> (Status, Int?) {
        let result = change(&self)
        if let breadcrumb, result.0 == .success { context.node.setBreadcrumb(breadcrumb) }
        return result
    }

    private func scan(
        _ request: NetworkCommissioning.ScanNetworks, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        // Null asks for all networks, as does a name that is left out.
        let wanted = request.ssid ?? nil
        let found = world.filter { $0.isInReach && (isThread || wanted == nil || wanted == $0.id) }
        context.delayAnswer(by: Self.scanningTakes)
        let status: Status = found.isEmpty ? .networkNotFound : .success
        if let breadcrumb = request.breadcrumb, status == .success { context.node.setBreadcrumb(breadcrumb) }
        note(status, nil, context)
        return .response(
            NetworkCommissioning.ScanNetworksResponse(
                networkingStatus: status, debugText: "", wiFiScanResults: isThread ? nil : found.map(wifiResult),
                threadScanResults: isThread ? found.map(threadResult) : nil))
    }

    private func wifiResult(_ network: RadioNetwork) -> NetworkCommissioning.WiFiInterfaceScanResult {
        NetworkCommissioning.WiFiInterfaceScanResult(
            security: network.admission == .everyone ? .unencrypted : .wpa2personal, ssid: network.id,
            bssid: [2, 0, 0, 0, 1, UInt8(truncatingIfNeeded: network.channel)], channel: network.channel,
            wiFiBand: ._2g4, rssi: network.rssi)
    }

    private func threadResult(_ network: RadioNetwork) -> NetworkCommissioning.ThreadInterfaceScanResult {
        NetworkCommissioning.ThreadInterfaceScanResult(
            panId: network.panID, extendedPanId: network.id.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            networkName: network.name, channel: network.channel, version: 4,
            extendedAddress: [2, 0, 0, 0, 0, 0, 0, 1], rssi: network.rssi, lqi: 200)
    }

    private mutating func add(_ network: [UInt8], _ credentials: [UInt8]) -> (Status, Int?) {
        if let position = networks.firstIndex(where: { $0.id == network }) {
            networks[position].credentials = credentials
            return (.success, position)
        }
        guard networks.count < mostNetworks else { return (.boundsExceeded, nil) }
        networks.append(Network(id: network, credentials: credentials))
        return (.success, networks.count - 1)
    }

    private mutating func remove(_ network: [UInt8]) -> (Status, Int?) {
        guard let position = networks.firstIndex(where: { $0.id == network }) else { return (.networkIDNotFound, nil) }
        networks.remove(at: position)
        return (.success, position)
    }

    private mutating func reorder(_ network: [UInt8], _ target: Int) -> (Status, Int?) {
        guard let position = networks.firstIndex(where: { $0.id == network }) else { return (.networkIDNotFound, nil) }
        guard target < networks.count else { return (.outOfRange, nil) }
        networks.insert(networks.remove(at: position), at: target)
        return (.success, target)
    }

    private func configAnswer(
        _ result: (status: Status, index: Int?), _ network: [UInt8]?, _ context: ClusterContext
    ) -> CommandAnswer {
        note(result.status, network, context)
        if result.status == .success {
            context.touch(Attribute.networks)
            context.markUnsaved()
        }
        return .response(
            NetworkCommissioning.NetworkConfigResponse(
                networkingStatus: result.status, debugText: "", networkIndex: result.index.map { UInt8(clamping: $0) }))
    }

    // MARK: Joining

    private mutating func connect(
        _ network: [UInt8], _ breadcrumb: UInt64?, _ context: ClusterContext
    ) -> CommandAnswer {
        if !isConcurrent, context.caller.isPASE, networks.contains(where: { $0.id == network }) {
            // The answer means that the device has understood; then its radio leaves the commissioner's link.
            if let breadcrumb { context.node.setBreadcrumb(breadcrumb) }
            destination = network
            context.schedule(Self.departure, after: Self.lingers)
            context.schedule(Self.arrival, after: Self.joiningTakes)
            return connectAnswer(.success, nil)
        }
        context.delayAnswer(by: Self.joiningTakes)
        let (status, error) = join(network, context)
        if let breadcrumb, status == .success { context.node.setBreadcrumb(breadcrumb) }
        return connectAnswer(status, error)
    }

    private func connectAnswer(_ status: Status, _ error: Int32?) -> CommandAnswer {
        .response(
            NetworkCommissioning.ConnectNetworkResponse(networkingStatus: status, debugText: "", errorValue: error))
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard let destination else { return }
        if timer == Self.departure {
            context.effect(.closePASESessions)
            context.node.setRadio(isAway: true)
        } else {
            self.destination = nil
            guard join(destination, context).0 == .success else { return }
            context.node.setRadio(isAway: false)
        }
    }

    private mutating func join(_ network: [UInt8], _ context: ClusterContext) -> (Status, Int32?) {
        let (status, error) = attempt(network)
        if status == .success {
            let isMove = networks.contains { $0.isConnected && $0.id != network }
            for index in networks.indices { networks[index].isConnected = networks[index].id == network }
            context.touch(Attribute.networks)
            context.markUnsaved()
            settle(context)
            context.node.reportCommissioning("network-joined", [("network", .octets(network))])
            // On another network the device has another address, of which its sessions know nothing.
            if isMove { context.node.forgetNodeSessions() }
        }
        note(status, network, context)
        context[Attribute.lastConnectErrorValue] = error.map { .int(Int64($0)) } ?? .null
        return (status, error)
    }

    private func attempt(_ network: [UInt8]) -> (Status, Int32?) {
        guard let known = networks.first(where: { $0.id == network }) else { return (.networkIDNotFound, nil) }
        // Every network admits a radio that was told of none.
        if isThread, world.isEmpty { return (.success, nil) }
        guard let there = world.first(where: { $0.id == network && $0.isInReach }) else {
            return (.networkNotFound, Self.notFound)
        }
        switch there.admission {
        case .none: return (.otherConnectionFailure, Int32(Status.otherConnectionFailure.rawValue))
        case .everyone: return known.credentials.isEmpty ? (.success, nil) : (.authFailure, Self.handshakeFailure)
        case .secret(let secret):
            let given = isThread ? ThreadEntries(known.credentials)[.networkKey] ?? [] : known.credentials
            return SecretBytes(given) == secret ? (.success, nil) : (.authFailure, Self.handshakeFailure)
        }
    }

    private func note(_ status: Status, _ network: [UInt8]?, _ context: ClusterContext) {
        context[Attribute.lastNetworkingStatus] = .uint(UInt64(status.rawValue))
        if let network { context[Attribute.lastNetworkID] = .octets(network) }
    }
}
