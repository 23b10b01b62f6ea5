public import MatterState

/// The network of a house, joined from what its nodes and its border routers tell.
public struct NetworkMap: Sendable {
    /// A node that gave no answer.
    public struct SilentNode: Sendable {
        /// The node, as its record has it.
        public let node: NodeRecord
        /// Why it is not on the map.
        public let error: any Error
    }

    /// The Thread networks, those with the most devices first.
    public internal(set) var meshes: [ThreadMesh] = []
    /// The Wi-Fi access points with their nodes, those with the most nodes first.
    public internal(set) var accessPoints: [AccessPoint] = []
    /// The nodes on a cable.
    public internal(set) var wired: [NodeRecord] = []
    /// The nodes that answered, and did not tell of a network that they are on.
    public internal(set) var elsewhere: [NodeRecord] = []
    /// The nodes with other devices behind them, which are on one of the networks too.
    public internal(set) var bridges: [NodeRecord] = []
    /// The nodes that gave no answer.
    public internal(set) var silent: [SilentNode] = []
    /// The remarks on all of it, the most serious first.
    public internal(set) var findings: [MapFinding] = []
    /// Why border routers were not looked for; `nil` if they were.
    public internal(set) var obstacle: String?
    /// When the first of the nodes was read, in seconds since 1970: tables change while others are read.
    public internal(set) var readAt: Int64 = 0
}

/// The strength of a link, by the limits that practitioners use (docs/commands/map.md).
public enum LinkQuality: String, Sendable, CaseIterable, Comparable {
    /// It works now and then, or not at all.
    case unusable
    /// Frames get lost.
    case weak
    /// It works, with little to spare.
    case fair
    /// It is as it should be.
    case good

    /// Which of two is worse.
    public static func < (one: LinkQuality, other: LinkQuality) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The quality of a Wi-Fi signal.
    ///
    /// - Parameter strength: in dBm.
    init(wifi strength: Int) {
        self =
            switch strength {
            case ..<(-80): .unusable
            case ..<(-70): .weak
            case ..<(-60): .fair
            default: .good
            }
    }

    /// The quality of a Thread link by the link quality that Thread reckons with (0 to 3).
    init(level: Int) {
        self =
            switch level {
            case ...0: .unusable
            case 1: .weak
            case 2: .fair
            default: .good
            }
    }
}

/// A radio of a Wi-Fi access point, and the nodes that it serves.
public struct AccessPoint: Sendable {
    /// A node on Wi-Fi.
    public struct Station: Sendable {
        /// The node, as its record has it.
        public let node: NodeRecord
        /// The strength of the access point's signal at the node, in dBm; `nil` if the node does not say.
        public let rssi: Int?

        /// The strength in words; `nil` if the node does not say.
        public var quality: LinkQuality? { rssi.map { LinkQuality(wifi: $0) } }
    }

    /// 6 bytes: the address of the radio; `nil` for nodes that do not name it.
    let bssid: [UInt8]?
    /// The name of the network; `nil` if no node tells.
    public internal(set) var ssid: String?
    /// The number of the channel; `nil` if no node tells.
    public internal(set) var channel: UInt16?
    /// The nodes, the weakest last.
    public internal(set) var stations: [Station] = []

    /// The address of the radio, such as `02:00:00:00:01:06`; `nil` for nodes that do not name it.
    public var address: String? {
        bssid.map { $0.map { Hex.number($0, digits: 2) }.joined(separator: ":") }
    }
}
