import MatterState

/// The state of this machine, as far as devices depend on it. What is `nil` could not be found out.
struct HostFacts: Sendable {
    /// An address of an interface.
    struct Address: Sendable, Equatable {
        /// 16 bytes.
        var octets: [UInt8]
        /// The length of its prefix in bits.
        var length: Int
        /// Whether it is still being tested for being the only one of its kind.
        var isTentative = false
        /// Whether another host has the same.
        var isDuplicate = false

        /// fe80::/10
        var isLinkLocal: Bool { octets.count == 16 && octets[0] == 0xFE && octets[1] & 0xC0 == 0x80 }
        /// fc00::/7 or 2000::/3
        var isRoutable: Bool { octets.count == 16 && (octets[0] & 0xFE == 0xFC || octets[0] & 0xE0 == 0x20) }
    }

    /// A bridge between interfaces.
    struct Bridge: Sendable, Equatable {
        var isSnooping: Bool
        var isQuerier: Bool
    }

    /// A network interface.
    struct Interface: Sendable, Equatable {
        var name: String
        var index: UInt32 = 0
        var isUp = true
        var isRunning = true
        var isMulticast = true
        var isLoopback = false
        var addresses: [Address] = []
        var isIPv6Disabled: Bool?
        /// `accept_ra`: whether the kernel listens to routers.
        var acceptsAdvertisements: Int?
        /// `accept_ra_rt_info_max_plen`: the longest prefix that it takes a route for.
        var longestRoute: Int?
        var isForwarding: Bool?
        /// The program that listens to routers in place of the kernel.
        var manager: String?
        var bridge: Bridge?

        /// Whether it belongs to containers or virtual machines on this host.
        var isForContainers: Bool {
            ["docker", "br-", "virbr", "lxc", "lxd", "cni", "flannel", "cali", "podman", "vnet"]
                .contains(where: name.hasPrefix) || (name.hasPrefix("veth") && name.count > 6)
        }
    }

    /// A route of the kernel.
    struct Route: Sendable, Equatable {
        var prefix: [UInt8]
        var length: Int
        /// 16 bytes; all 0 where the destination is on the link.
        var gateway: [UInt8]
        var interface: String
        var metric: UInt32 = 0
        /// Whether it says that there is no way.
        var isUnreachable = false

        var isDefault: Bool { length == 0 }
    }

    /// A socket on the port of multicast DNS.
    struct Responder: Sendable, Equatable {
        var isIPv6: Bool
        /// The user that it belongs to.
        var user: UInt32
        /// The name of the program; `nil` where we may not look.
        var program: String?
    }

    /// How discovery answers.
    enum Service: Sendable, Equatable {
        case answers
        /// The bus or its socket is not there.
        case noBus(String)
        /// The daemon, or its library, is not there.
        case absent(String)
    }

    /// The rules of the firewall.
    enum Firewall: Sendable, Equatable {
        /// The text that `nft list ruleset` prints.
        case rules(String)
        /// Why they cannot be read.
        case unreadable(String)
    }

    /// The record of the last backup.
    enum Backup: Sendable, Equatable {
        /// There is no fabric, so there is nothing to keep.
        case noFabric
        case none
        /// Seconds since 1970, and the place.
        case made(Int64, String)
    }

    /// The folder with the state.
    enum State: Sendable, Equatable {
        case absent
        case sound
        /// It belongs to another user, or others may read it, or it cannot be read.
        case fault(String)
    }

    // MARK: The network

    var interfaces: [Interface] = []
    /// Whether the kernel has IPv6 at all.
    var hasIPv6: Bool = true
    var routes: [Route] = []
    var firewall: Firewall = .unreadable("")
    /// The seconds after which the kernel forgets a peer that said nothing; `nil` where it does not look after that.
    var trackingTime: Int?
    /// The most bytes that wait for a program in a socket.
    var largestReceiveBuffer: Int?
    /// The kind of container that this process is in; `nil` if it is in none.
    var container: String?

    /// The access point that an interface is connected to; `nil` if none is, or the kernel does not say.
    var accessPoint: (interface: String, bssid: [UInt8])?

    // MARK: Discovery

    var service: Service?
    var responders: [Responder]?
    /// The text of Avahi's configuration.
    var responderConfiguration: String?

    // MARK: The machine

    /// Seconds since 1970, by our clock.
    var now: Int64 = 0
    /// The newest time that is known to lie in the past, and the evidence for it.
    var past: (time: Int64, evidence: String)?
    /// The clock of the hardware, seconds since 1970.
    var hardwareClock: Int64?
    var isClockSynchronized: Bool?
    var hasEntropy: Bool?
    /// The Bluetooth adapters by name.
    var adapters: [String] = []
    /// Why no session is kept from command to command; `nil` if they are.
    var obstacleToKeeping: String?
    var mostOpenFiles: Int?

    // MARK: The state

    var state: State = .absent
    var nodeCount = 0
    /// Whether a node is known to be on Thread.
    var hasThreadNodes = false
    /// When the trust data were brought up to date, in seconds since 1970.
    var trustDate: Int64?
    var backup: Backup = .noFabric
    /// Where the fabric was used before; `nil` if it was not.
    var provenance: FabricProvenance?

    /// The interfaces that lead to devices: all but the loopback and those of containers, unless there are no others.
    var uplinks: [Interface] {
        let outer = interfaces.filter { !$0.isLoopback }
        let main = outer.filter { !$0.isForContainers }
        return main.isEmpty ? outer : main
    }

    /// The route that the kernel takes to an address: the longest prefix, and of several the lowest metric.
    func route(to address: [UInt8]) -> Route? {
        routes.filter { LocalPrefix.contains($0.prefix, $0.length, address) }
            .max { ($0.length, UInt32.max - $0.metric) < ($1.length, UInt32.max - $1.metric) }
    }
}

/// Prefixes of addresses.
enum LocalPrefix {
    /// Whether an address begins with the first bits of another one.
    static func contains(_ prefix: [UInt8], _ length: Int, _ address: [UInt8]) -> Bool {
        guard address.count == prefix.count, (0...prefix.count * 8).contains(length) else { return false }
        let whole = length / 8
        guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (length % 8))
        return mask == 0 || (address[whole] ^ prefix[whole]) & mask == 0
    }

    /// An address or a prefix in words.
    static func text(_ octets: [UInt8]) -> String {
        PeerAddress(octets: octets, port: 0)?.host ?? "?"
    }
}
