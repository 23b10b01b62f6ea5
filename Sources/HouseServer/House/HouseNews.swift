import MatterController

/// A change of the house, for those who listen.
enum HouseNews: Sendable, Equatable {
    case nodeAdded(NodeID)
    /// Something of the node as a whole has changed: all of it is to be told.
    case nodeUpdated(NodeID)
    case nodeRemoved(NodeID)
    case endpointAdded(NodeID, UInt16)
    case endpointRemoved(NodeID, UInt16)
    case attribute(NodeID, CachePath)
    /// An event of a node, encoded.
    case event(NodeID, [UInt8])
    /// A camera has called back, encoded; for those who have begun a session with one.
    case camera(NodeID, [UInt8])
    /// The server's description of itself has changed.
    case infoUpdated
    /// Something about the network, for those who have asked for it.
    case network(NetworkNews)
    /// The server ends.
    case shutdown
}

/// A document about the network of the house.
enum NetworkNews: Sendable, Hashable {
    /// The map of all of it.
    case topology
    /// The diagnostics of a Thread network, by its extended PAN id.
    case thread(UInt64)

    /// The name of the event.
    var event: String {
        switch self {
        case .topology: "network_topology_updated"
        case .thread: "thread_diagnostics_updated"
        }
    }
}

/// The news that a client is told of once it has sent a command for them: documents, and the callbacks of cameras. Older clients end at events that they do not know.
struct NetworkInterests: OptionSet, Sendable {
    let rawValue: UInt8

    static let topology = NetworkInterests(rawValue: 1)
    static let thread = NetworkInterests(rawValue: 2)
    static let cameras = NetworkInterests(rawValue: 4)

    func includes(_ news: NetworkNews) -> Bool {
        switch news {
        case .topology: isSuperset(of: .topology)
        case .thread: isSuperset(of: .thread)
        }
    }

    /// The interest that a command shows; none for most.
    init(command: String) {
        switch command {
        case "get_network_topology": self = .topology
        case "get_thread_diagnostics", "get_thread_border_routers": self = .thread
        case "send_webrtc_provider_command": self = .cameras
        default: self = []
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}
