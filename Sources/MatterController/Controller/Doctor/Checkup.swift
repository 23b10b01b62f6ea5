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

    init(_ subject: CheckSubject, _ verdict: Verdict, _ seen: String, cure: Hint? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.seen = seen
        self.cure = cure
    }
}

/// The subjects of checks. The names are stable.
public enum CheckSubject: String, Sendable, CaseIterable {
    // The machine.
    case interface
    case ipv6
    case duplicateAddress = "duplicate-address"
    case hostAddress = "host-address"
    case routerAdvertisements = "router-advertisements"
    case routeInformation = "route-information"
    case forwarding
    case containerNetworks = "container-networks"
    case bridgeSnooping = "bridge-snooping"
    case firewall
    case connectionTracking = "connection-tracking"
    case receiveBuffer = "receive-buffer"
    case bus
    case responder
    case secondResponder = "second-responder"
    case responderConfiguration = "responder-configuration"
    case clock
    case clockSynchronization = "clock-synchronization"
    case entropy
    case bluetooth
    case runtimeFolder = "runtime-folder"
    case openFiles = "open-files"
    case stateFolder = "state-folder"
    case trustData = "trust-data"
    case backup
    // The network.
    case multicast
    case borderRouters = "border-routers"
    case threadNetworks = "thread-networks"
    case threadPartitions = "thread-partitions"
    case threadDatasets = "thread-datasets"
    case threadRoutes = "thread-routes"
    // A node.
    case advertisement
    case addresses
    case route
    case datagram
    case session
    case sessionTable = "session-table"
    case subscriptions
    case fabrics
    case wifiSignal = "wifi-signal"
    case threadLink = "thread-link"
    case radioErrors = "radio-errors"
    case reboots
    case faults
    case memory
    case nodeBattery = "node-battery"
    case nodeClock = "node-clock"
    case certificate
    case software

    /// The part of the way that it belongs to.
    public var layer: Check.Layer {
        switch self {
        case .interface, .ipv6, .duplicateAddress, .hostAddress, .routerAdvertisements, .routeInformation, .forwarding,
            .containerNetworks, .bridgeSnooping, .firewall, .connectionTracking, .receiveBuffer, .bus, .responder,
            .secondResponder, .responderConfiguration, .clock, .clockSynchronization, .entropy, .bluetooth,
            .runtimeFolder, .openFiles, .stateFolder, .trustData, .backup:
            .host
        case .multicast, .borderRouters, .threadNetworks, .threadPartitions, .threadDatasets, .threadRoutes: .network
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
