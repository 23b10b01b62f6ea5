/// Where a peer is reached: the kind of link, and the name that the link has for the peer.
///
/// A new kind of link adds a case here; no layer above looks into it.
public enum PeerAddress: Hashable, Sendable {
    /// By UDP.
    case udp(UDPAddress)
    /// A host of a ``MemoryNetwork``, by its name.
    case memory(String)
    /// A Bluetooth device or central, as its connection calls it. It lives as long as the connection, and is in no record.
    case bluetooth(String)

    /// Parses the form that records and the command line use: `HOST`, `HOST:PORT`, `[IPv6%interface]:PORT` with a
    /// numeric host.
    package init(parsing text: String, defaultPort: UInt16 = UDPAddress.defaultPort) throws(TransportError) {
        self = .udp(try UDPAddress(parsing: text, defaultPort: defaultPort))
    }

    /// A UDP address.
    ///
    /// - Returns: `nil` unless there are 4 or 16 bytes.
    package init?(octets: [UInt8], scope: UInt32 = 0, port: UInt16) {
        guard let address = UDPAddress(octets: octets, scope: scope, port: port) else { return nil }
        self = .udp(address)
    }

    /// The multicast address of a group (Matter core specification 2.5.6.2): site-local, with the fabric id as its prefix.
    package init(group: UInt16, ofFabric fabricID: UInt64) {
        self = .udp(UDPAddress(group: group, ofFabric: fabricID))
    }

    /// The UDP address, if it is one.
    public var udp: UDPAddress? {
        switch self {
        case .udp(let address): address
        case .memory, .bluetooth: nil
        }
    }

    /// Whether the peer is on an IP network now (a memory network stands for one), and needs none to be reached.
    package var isOnNetwork: Bool {
        switch self {
        case .udp, .memory: true
        case .bluetooth: false
        }
    }

    /// The peer's host: several devices may be on one.
    package var host: String {
        switch self {
        case .udp(let address): address.host
        case .memory(let name), .bluetooth(let name): name
        }
    }

    /// True if messages with the peer arrive once and in order, whatever the link promises of others.
    var isReliable: Bool {
        switch self {
        case .udp, .memory: false
        case .bluetooth: true
        }
    }
}

extension PeerAddress: CustomStringConvertible {
    /// `192.0.2.7:5540` or `[fe80::1%eth0]:5540`.
    public var description: String {
        switch self {
        case .udp(let address): address.description
        case .memory(let name): name
        case .bluetooth(let name): "Bluetooth \(name)"
        }
    }
}
