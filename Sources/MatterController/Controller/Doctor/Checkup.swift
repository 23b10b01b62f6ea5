public import MatterState

/// A look at one thing that has to be right before a device can be reached.
public struct Check: Sendable, Equatable {
    /// The part of the way from a command to a device.
    public enum Layer: String, Sendable, CaseIterable {
        /// This machine.
        case host
        /// The network that it is on.
        case network
        /// A node.
        case node
    }

    /// The judgement, the best first.
    public enum Verdict: String, Sendable, CaseIterable, Comparable {
        /// It is as it should be.
        case ok
        /// It is worth knowing, and does no harm.
        case note
        /// It could not be looked at; the check says why.
        case notChecked = "not checked"
        /// It does harm at times, or will.
        case warning
        /// It keeps devices from being reached.
        case failure

        /// Which of two is better.
        public static func < (one: Verdict, other: Verdict) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The subject of the check.
    public let subject: CheckSubject
    /// The judgement.
    public let verdict: Verdict
    /// The evidence, or why there is none. It may quote a device: escape it before it reaches a terminal.
    public let seen: String
    /// The next step; `nil` where nothing is to be done.
    public let cure: Hint?
    /// The names of people's things in the evidence that no record of ours has: of other hosts, networks and folders.
    let names: [String]

    init(_ subject: CheckSubject, _ verdict: Verdict, _ seen: String, cure: Hint? = nil, names: [String] = []) {
        self.subject = subject
        self.verdict = verdict
        self.seen = seen
        self.cure = cure
        self.names = names
    }

    /// The same check, whose evidence may have these names.
    func naming(_ names: [String]) -> Check { Check(subject, verdict, seen, cure: cure, names: self.names + names) }
}

/// The subjects of checks. The names are stable.
public enum CheckSubject: String, Sendable, CaseIterable {
    // MARK: The machine

    /// A network interface that leads to devices.
    case interface
    /// IPv6, which Matter needs.
    case ipv6
    /// Addresses that another host has as well.
    case duplicateAddress = "duplicate-address"
    /// Addresses of this machine that devices on Thread can answer.
    case hostAddress = "host-address"
    /// Whether the kernel listens to routers.
    case routerAdvertisements = "router-advertisements"
    /// Whether the kernel takes routes to Thread networks.
    case routeInformation = "route-information"
    /// Whether this machine forwards packets.
    case forwarding
    /// Networks of containers and virtual machines on this machine.
    case containerNetworks = "container-networks"
    /// Bridges that may cut multicast off.
    case bridgeSnooping = "bridge-snooping"
    /// The rules about packets that come in.
    case firewall
    /// How long the firewall remembers devices that sleep.
    case connectionTracking = "connection-tracking"
    /// The room for reports that come at once.
    case receiveBuffer = "receive-buffer"
    /// The D-Bus system bus.
    case bus
    /// The service that finds devices, avahi-daemon.
    case responder
    /// Programs that share the port of multicast DNS.
    case secondResponder = "second-responder"
    /// The configuration of avahi-daemon.
    case responderConfiguration = "responder-configuration"
    /// The clock of this machine.
    case clock
    /// Whether the clock follows a time server.
    case clockSynchronization = "clock-synchronization"
    /// Random numbers of the kernel.
    case entropy
    /// Bluetooth adapters.
    case bluetooth
    /// The folder in memory for sessions that are kept.
    case runtimeFolder = "runtime-folder"
    /// How many files this process may open.
    case openFiles = "open-files"
    /// The folder with fabrics and nodes.
    case stateFolder = "state-folder"
    /// The age of the list of makers.
    case trustData = "trust-data"
    /// The age of the last backup.
    case backup
    /// Whether the fabric was used in another folder, or on another machine.
    case copies

    // MARK: The network

    /// Whether another host acts as our own node.
    case ownNode = "own-node"
    /// Whether other hosts answer a question to all.
    case multicast
    /// The border routers of Thread networks.
    case borderRouters = "border-routers"
    /// Several Thread networks, and their names.
    case threadNetworks = "thread-networks"
    /// Thread networks that are split.
    case threadPartitions = "thread-partitions"
    /// Border routers of one network that disagree.
    case threadDatasets = "thread-datasets"
    /// The routes of this machine to Thread networks.
    case threadRoutes = "thread-routes"

    // MARK: A node

    /// Whether the node advertises itself.
    case advertisement
    /// The kinds of its addresses.
    case addresses
    /// The routes of this machine to them.
    case route
    /// Whether it answers a bare message.
    case datagram
    /// Whether a session can be set up, and how fast it answers.
    case session
    /// How many sessions it has room for.
    case sessionTable = "session-table"
    /// How many subscriptions it has, and has room for.
    case subscriptions
    /// How many messages it has, and how often subscriptions are set up again.
    case load
    /// How many fabrics it is on.
    case fabrics
    /// The strength of its Wi-Fi signal.
    case wifiSignal = "wifi-signal"
    /// The radio of an access point that it is connected to.
    case accessPoint = "access-point"
    /// How often it lost its Wi-Fi.
    case wifiConnection = "wifi-connection"
    /// The best of its links in the Thread network.
    case threadLink = "thread-link"
    /// The link to the router that all of its messages go through.
    case threadParent = "thread-parent"
    /// The links to the devices whose messages go through it.
    case threadNeighbours = "thread-neighbours"
    /// Frames that it had to send again.
    case radioErrors = "radio-errors"
    /// How often it started, and why the last time.
    case reboots
    /// The faults that it tells of.
    case faults
    /// How much of its memory is free.
    case memory
    /// Its battery.
    case nodeBattery = "node-battery"
    /// Its clock.
    case nodeClock = "node-clock"
    /// The end of its certificate and of ours.
    case certificate
    /// The age of the key by which nodes are found.
    case identityKey = "identity-key"
    /// Whether the ledger has newer software for it.
    case software

    /// The part of the way that it belongs to.
    public var layer: Check.Layer {
        switch self {
        case .interface, .ipv6, .duplicateAddress, .hostAddress, .routerAdvertisements, .routeInformation, .forwarding,
            .containerNetworks, .bridgeSnooping, .firewall, .connectionTracking, .receiveBuffer, .bus, .responder,
            .secondResponder, .responderConfiguration, .clock, .clockSynchronization, .entropy, .bluetooth,
            .runtimeFolder, .openFiles, .stateFolder, .trustData, .backup, .copies:
            .host
        case .ownNode, .multicast, .borderRouters, .threadNetworks, .threadPartitions, .threadDatasets, .threadRoutes:
            .network
        default: .node
        }
    }
}

/// The outcome of several checks.
public struct Checkup: Sendable, Equatable {
    /// In the order of the way from this machine to a device.
    public let checks: [Check]

    package init(_ checks: [Check]) { self.checks = checks }

    /// The worst verdict; `ok` without checks.
    public var worst: Check.Verdict { checks.map(\.verdict).max() ?? .ok }

    /// How many checks have a verdict.
    public func count(_ verdict: Check.Verdict) -> Int { checks.count { $0.verdict == verdict } }
}
