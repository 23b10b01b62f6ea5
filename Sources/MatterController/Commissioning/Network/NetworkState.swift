public import MatterModel

/// How a node is connected: the networks that it knows, and its interfaces (Matter core specification 11.9.6, 11.12.6).
public struct NetworkState: Sendable {
    /// The status of a command of Network Commissioning (Matter core specification, 11.9.5.3).
    public typealias Status = NetworkCommissioning.NetworkCommissioningStatus

    /// A network that a node knows.
    public struct Network: Sendable, Equatable {
        /// The SSID, the extended PAN id, or the name of an interface.
        public let id: [UInt8]
        /// Whether the interface is connected to it.
        public let isConnected: Bool

        // memberwise: package
    }

    /// An endpoint that can be told which networks to join.
    public struct Commissioning: Sendable, Equatable {
        /// The endpoint of the Network Commissioning cluster.
        public let endpoint: EndpointID
        /// The kind of network; `nil` if the device does not say.
        public var kind: NetworkKind?
        /// The networks that are stored on the device.
        public var networks: [Network] = []
        /// How many networks it can store; `nil` if the device does not say.
        public var maxNetworks: UInt8?
        /// Whether the interface is enabled; `nil` if the device does not say.
        public var isEnabled: Bool?
        /// The end of the last attempt to scan, add, remove or connect; `nil` if there was none.
        public var lastStatus: Status?
        /// The id of the network that was tried last; `nil` if there is none.
        public var lastNetwork: [UInt8]?
        /// The number that the device gives the cause of a failed connection.
        public var lastError: Int32?
        /// How long a scan may take, in seconds.
        var scanTime: UInt8?
        /// How long joining a network may take, in seconds.
        var connectTime: UInt8?
        /// The bands of its radio; empty if it does not say.
        var bands: [NetworkCommissioning.WiFiBand] = []

        package init(endpoint: EndpointID, kind: NetworkKind? = nil) {
            self.endpoint = endpoint
            self.kind = kind
        }
    }

    /// A network interface.
    public struct Interface: Sendable {
        /// The name that the device gives it.
        public let name: String
        /// Whether it can carry traffic.
        public let isUp: Bool
        /// Its type; `nil` for one that is not known.
        public let type: GeneralDiagnostics.InterfaceType?
        /// The MAC address, of 6 or 8 bytes.
        public let hardwareAddress: [UInt8]
        /// Its IP addresses, of 4 or 16 bytes each.
        public let addresses: [[UInt8]]
    }

    /// By endpoint.
    public private(set) var commissioning: [Commissioning] = []
    /// The interfaces, in the order of the device.
    public private(set) var interfaces: [Interface] = []

    private typealias Attribute = NetworkCommissioning.Attribute

    package static let paths =
        [
            Attribute.maxNetworks, Attribute.networks, Attribute.scanMaxTimeSeconds, Attribute.connectMaxTimeSeconds,
            Attribute.interfaceEnabled, Attribute.lastNetworkingStatus, Attribute.lastNetworkID,
            Attribute.lastConnectErrorValue, GlobalAttribute.featureMap,
        ].map { AttributePath(endpoint: nil, cluster: NetworkCommissioning.id, attribute: $0) } + [interfacesPath]

    private static let interfacesPath = AttributePath(
        endpoint: 0, cluster: GeneralDiagnostics.id, attribute: GeneralDiagnostics.Attribute.networkInterfaces)

    /// The contents of a read of ``paths``. What a node leaves out or garbles is missing, and spoils nothing else.
    package init(_ result: ReadResult) {
        var found: [EndpointID: Commissioning] = [:]
        for report in result.attributes {
            guard let value = report.value else { continue }
            guard report.path.cluster == NetworkCommissioning.id else {
                guard report.path.cluster == GeneralDiagnostics.id else { continue }
                interfaces += (value.items ?? []).compactMap { try? Interface($0) }
                continue
            }
            var entry = found[report.path.endpoint] ?? Commissioning(endpoint: report.path.endpoint)
            switch report.path.attribute {
            case Attribute.maxNetworks: entry.maxNetworks = UInt8(tlv: value)
            case Attribute.networks: entry.networks = (value.items ?? []).compactMap { try? Network($0) }
            case Attribute.scanMaxTimeSeconds: entry.scanTime = UInt8(tlv: value)
            case Attribute.connectMaxTimeSeconds: entry.connectTime = UInt8(tlv: value)
            case Attribute.supportedWiFiBands:
                entry.bands = (value.items ?? []).compactMap { NetworkCommissioning.WiFiBand(tlv: $0) }
            case Attribute.interfaceEnabled: entry.isEnabled = value.boolean
            case Attribute.lastNetworkingStatus: entry.lastStatus = Status(tlv: value)
            case Attribute.lastNetworkID: entry.lastNetwork = value.octetString
            case Attribute.lastConnectErrorValue: entry.lastError = Int32(tlv: value)
            case GlobalAttribute.featureMap: entry.kind = FeatureMap(tlv: value).flatMap { NetworkKind($0) }
            default: break
            }
            found[report.path.endpoint] = entry
        }
        commissioning = found.values.sorted { $0.endpoint < $1.endpoint }
    }
}

/// The kind of a network (Matter core specification, 11.9).
public enum NetworkKind: String, Sendable {
    /// Wi-Fi.
    case wifi = "Wi-Fi"
    /// Thread.
    case thread = "Thread"
    /// Ethernet.
    case ethernet = "Ethernet"

    /// - Parameter features: of the cluster Network Commissioning.
    package init?(_ features: FeatureMap) {
        if features.contains(NetworkCommissioning.Feature.wiFiNetworkInterface) {
            self = .wifi
        } else if features.contains(NetworkCommissioning.Feature.threadNetworkInterface) {
            self = .thread
        } else if features.contains(NetworkCommissioning.Feature.ethernetNetworkInterface) {
            self = .ethernet
        } else {
            return nil
        }
    }
}

extension NetworkState.Commissioning {
    /// How long to wait for a scan.
    var scanPatience: Duration? { scanTime.map { .seconds(Int64($0)) } }

    /// How long to wait for the end of an attempt to join, in seconds: what most devices say that say it.
    var joiningSeconds: UInt8 { connectTime ?? 60 }

    /// True for an interface with a radio that is switched on.
    var isRadio: Bool { (kind == .wifi || kind == .thread) && isEnabled != false }

    package var isConnected: Bool { networks.contains(where: \.isConnected) }
}

extension NetworkState.Network {
    fileprivate init(_ value: TLVValue) throws(TLVError) {
        typealias Field = NetworkCommissioning.NetworkInfo.Field
        let network = try PartialStructure<NetworkCommissioning.NetworkInfo>(of: value)
        id = try network.required(Field.networkID)
        isConnected = try network.required(Field.connected)
    }
}

extension NetworkState.Interface {
    fileprivate init(_ value: TLVValue) throws(TLVError) {
        typealias Field = GeneralDiagnostics.NetworkInterface.Field
        let interface = try PartialStructure<GeneralDiagnostics.NetworkInterface>(of: value)
        name = try interface.required(Field.name)
        isUp = try interface.required(Field.isOperational)
        hardwareAddress = try interface.required(Field.hardwareAddress)
        addresses = interface.members(Field.iPv4Addresses) + interface.members(Field.iPv6Addresses)
        type = interface[Field.type]
    }
}

extension NetworkCommissioning.NetworkCommissioningStatus {
    /// For people.
    public var words: String {
        switch self {
        case .success: "success"
        case .outOfRange: "a value was out of range"
        case .boundsExceeded: "the device can keep no further network"
        case .networkIDNotFound: "the device does not have this network"
        case .duplicateNetworkID: "the device has this network already"
        case .networkNotFound: "the network was not found"
        case .regulatoryError: "the regulations of the region forbid it"
        case .authFailure: "wrong password"
        case .unsupportedSecurity: "the device does not support the security of the network"
        case .otherConnectionFailure: "the connection failed"
        case .ipv6Failed: "the device got no IPv6 address"
        case .ipBindFailed: "the device got no IP address"
        case .unknownError: "the device does not know why it failed"
        default: "NetworkingStatus \(rawValue)"
        }
    }
}
