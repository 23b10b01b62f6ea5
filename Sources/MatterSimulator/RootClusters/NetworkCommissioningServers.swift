import MatterDataModel
import MatterTLV

/// Network Commissioning of a device on a cable: there is nothing to commission (Matter core specification 11.9).
struct EthernetCommissioningServer: ClusterServer {
    let id = NetworkCommissioning.id

    var featureMap: FeatureMap { NetworkCommissioning.Feature.ethernetNetworkInterface }
    var initialAttributes: [AttributeID: TLVValue] {
        [
            NetworkCommissioning.Attribute.maxNetworks: .uint(1),
            NetworkCommissioning.Attribute.networks: .array(of: [
                .structure([TLVElement(0, .octets(Array("eth0".utf8))), TLVElement(1, .bool(true))])
            ]),
            NetworkCommissioning.Attribute.interfaceEnabled: .bool(true),
            NetworkCommissioning.Attribute.lastNetworkingStatus: .null,
            NetworkCommissioning.Attribute.lastNetworkID: .null,
            NetworkCommissioning.Attribute.lastConnectErrorValue: .null,
        ]
    }
    var persistentAttributes: Set<AttributeID> { [NetworkCommissioning.Attribute.interfaceEnabled] }
}

/// Network Commissioning of a device with a radio that does not exist.
///
/// In reach are `simulated` (WPA2, password `simulated-password`), `simulated-open` without a password, and `far-away`
/// (WPA2), which cannot be joined whatever the password.
struct WiFiCommissioningServer: ClusterServer {
    struct Station: Sendable {
        var ssid: String
        /// Empty for an open network; `nil` for one that cannot be joined.
        var password: String?
        var channel: UInt16
        var rssi: Int8
    }

    static let stations = [
        Station(ssid: "simulated", password: "simulated-password", channel: 6, rssi: -48),
        Station(ssid: "simulated-open", password: "", channel: 11, rssi: -61),
        Station(ssid: "far-away", password: nil, channel: 1, rssi: -91),
    ]

    private struct Network: Equatable {
        var ssid: [UInt8]
        var credentials: [UInt8]
        var isConnected = false
    }

    private enum Status: UInt64 {
        case success = 0
        case outOfRange = 1
        case boundsExceeded = 2
        case networkIDNotFound = 3
        case networkNotFound = 5
        case authFailure = 7
        case otherConnectionFailure = 9
    }

    private typealias Command = NetworkCommissioning.Command

    private static let mostNetworks = 4
    private static let joiningTakes = Duration.seconds(2)
    private static let scanningTakes = Duration.milliseconds(700)

    let id = NetworkCommissioning.id
    private var networks: [Network] = []

    var featureMap: FeatureMap { NetworkCommissioning.Feature.wiFiNetworkInterface }
    var initialAttributes: [AttributeID: TLVValue] {
        [
            NetworkCommissioning.Attribute.maxNetworks: .uint(UInt64(Self.mostNetworks)),
            NetworkCommissioning.Attribute.networks: .array([]),
            NetworkCommissioning.Attribute.scanMaxTimeSeconds: .uint(10),
            NetworkCommissioning.Attribute.connectMaxTimeSeconds: .uint(20),
            NetworkCommissioning.Attribute.interfaceEnabled: .bool(true),
            NetworkCommissioning.Attribute.lastNetworkingStatus: .null,
            NetworkCommissioning.Attribute.lastNetworkID: .null,
            NetworkCommissioning.Attribute.lastConnectErrorValue: .null,
            NetworkCommissioning.Attribute.supportedWiFiBands: .array(of: [.uint(0)]),
        ]
    }
    var acceptedCommands: [CommandID] {
        [
            Command.scanNetworks, Command.addOrUpdateWiFiNetwork, Command.removeNetwork, Command.connectNetwork,
            Command.reorderNetwork,
        ]
    }
    var persistentAttributes: Set<AttributeID> { [NetworkCommissioning.Attribute.interfaceEnabled] }
    var selfCheckedCommands: Set<CommandID> { Set(acceptedCommands) }

    // MARK: State

    var savedState: TLVValue? {
        .array(
            of: networks.map {
                .structure([
                    TLVElement(0, .octets($0.ssid)), TLVElement(1, .octets($0.credentials)),
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
                    ssid: try fields.octets(0), credentials: try fields.octets(1), isConnected: try fields.bool(2)))
        }
        networks = restored
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let signal = signal as? RollBack else { return }
        try? restore(signal.state)
        context.touch(NetworkCommissioning.Attribute.networks)
        context.markUnsaved()
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == NetworkCommissioning.Attribute.networks else { return nil }
        return .array(
            of: networks.map {
                .structure([TLVElement(0, .octets($0.ssid)), TLVElement(1, .bool($0.isConnected))])
            })
    }

    // MARK: Commands

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        if command.id == Command.scanNetworks { return try scan(command, context) }
        guard let failSafe = context.node.failSafe, failSafe.fabricIndex == context.caller.fabricIndex else {
            throw .failsafeRequired
        }
        let network = try command.octets(0)
        guard (1...32).contains(network.count) else { throw .constraintError }
        switch command.id {
        case Command.addOrUpdateWiFiNetwork:
            let credentials = try command.octets(1)
            try setBreadcrumb(command, 2, context)
            return configAnswer(add(network, credentials), network, context)
        case Command.removeNetwork:
            try setBreadcrumb(command, 1, context)
            guard let position = networks.firstIndex(where: { $0.ssid == network }) else {
                return configAnswer((.networkIDNotFound, nil), network, context)
            }
            networks.remove(at: position)
            return configAnswer((.success, position), network, context)
        case Command.reorderNetwork:
            let target: UInt8 = try command.unsigned(1)
            try setBreadcrumb(command, 2, context)
            guard let position = networks.firstIndex(where: { $0.ssid == network }) else {
                return configAnswer((.networkIDNotFound, nil), network, context)
            }
            guard Int(target) < networks.count else { return configAnswer((.outOfRange, nil), network, context) }
            networks.insert(networks.remove(at: position), at: Int(target))
            return configAnswer((.success, Int(target)), network, context)
        default:
            try setBreadcrumb(command, 1, context)
            return connect(network, context)
        }
    }

    private func setBreadcrumb(_ command: CommandCall, _ tag: UInt8, _ context: ClusterContext) throws(ClusterFailure) {
        if let breadcrumb: UInt64 = try command.optionalUnsigned(tag) { context.node.setBreadcrumb(breadcrumb) }
    }

    private func scan(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let wanted = try command.optionalOctets(0)
        try setBreadcrumb(command, 1, context)
        let found = Self.stations.filter { wanted == nil || wanted == Array($0.ssid.utf8) }
        context.delayAnswer(by: Self.scanningTakes)
        let results = found.map { station -> TLVValue in
            let security: UInt64 = station.password == "" ? 1 : 8
            return .structure([
                TLVElement(0, .uint(security)), TLVElement(1, .octets(Array(station.ssid.utf8))),
                TLVElement(2, .octets([2, 0, 0, 0, 1, UInt8(truncatingIfNeeded: station.channel)])),
                TLVElement(3, .uint(UInt64(station.channel))), TLVElement(4, .uint(0)),
                TLVElement(5, .int(Int64(station.rssi))),
            ])
        }
        let status: Status = found.isEmpty ? .networkNotFound : .success
        note(status, nil, context)
        return .response(
            Command.scanNetworksResponse,
            [
                TLVElement(0, .uint(status.rawValue)), TLVElement(1, .string("")), TLVElement(2, .array(of: results)),
            ])
    }

    private mutating func add(_ ssid: [UInt8], _ credentials: [UInt8]) -> (Status, Int?) {
        guard [0, 5, 13].contains(credentials.count) || (8...64).contains(credentials.count) else {
            return (.outOfRange, nil)
        }
        if let position = networks.firstIndex(where: { $0.ssid == ssid }) {
            networks[position].credentials = credentials
            return (.success, position)
        }
        guard networks.count < Self.mostNetworks else { return (.boundsExceeded, nil) }
        networks.append(Network(ssid: ssid, credentials: credentials))
        return (.success, networks.count - 1)
    }

    private func configAnswer(
        _ result: (status: Status, index: Int?), _ network: [UInt8], _ context: ClusterContext
    ) -> CommandAnswer {
        note(result.status, network, context)
        if result.status == .success {
            context.touch(NetworkCommissioning.Attribute.networks)
            context.markUnsaved()
        }
        var members = [TLVElement(0, .uint(result.status.rawValue)), TLVElement(1, .string(""))]
        if let index = result.index { members.append(TLVElement(2, .uint(UInt64(index)))) }
        return .response(Command.networkConfigResponse, members)
    }

    private mutating func connect(_ network: [UInt8], _ context: ClusterContext) -> CommandAnswer {
        context.delayAnswer(by: Self.joiningTakes)
        let status: Status
        if let position = networks.firstIndex(where: { $0.ssid == network }) {
            let station = Self.stations.first { Array($0.ssid.utf8) == network }
            switch station {
            case nil: status = .networkNotFound
            case .some(let station) where station.password == nil: status = .otherConnectionFailure
            case .some(let station) where Array((station.password ?? "").utf8) != networks[position].credentials:
                status = .authFailure
            default: status = .success
            }
            if status == .success {
                for index in networks.indices { networks[index].isConnected = index == position }
                context.touch(NetworkCommissioning.Attribute.networks)
                context.markUnsaved()
            }
        } else {
            status = .networkIDNotFound
        }
        note(status, network, context)
        let errorValue: TLVValue = status == .success ? .null : .int(Int64(status.rawValue))
        context[NetworkCommissioning.Attribute.lastConnectErrorValue] = errorValue
        return .response(
            Command.connectNetworkResponse,
            [TLVElement(0, .uint(status.rawValue)), TLVElement(1, .string("")), TLVElement(2, errorValue)])
    }

    private func note(_ status: Status, _ network: [UInt8]?, _ context: ClusterContext) {
        context[NetworkCommissioning.Attribute.lastNetworkingStatus] = .uint(status.rawValue)
        if let network { context[NetworkCommissioning.Attribute.lastNetworkID] = .octets(network) }
    }
}
