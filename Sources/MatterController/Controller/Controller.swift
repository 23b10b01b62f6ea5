public import Logging
public import MatterState

/// A fabric at work: commissions devices onto it, and controls its nodes.
///
/// It is opened on the folder where fabrics and nodes are kept, and closed when done. Nothing is read, opened or looked up
/// before it is needed. What can be done with a fabric stands in its services.
public final class Controller: Sendable {
    /// Tells the user of something that is wrong and stops nothing, with what to do about it. The text may quote a device.
    public typealias Warn = @Sendable (String, Hint?) -> Void

    /// How a controller works.
    public struct Options: Sendable {
        /// Where everything is kept.
        public var state: StateDirectory
        /// The fabric to work with; `nil` for the only or the chosen one.
        public var fabric: String?
        /// Whether a commissioning makes a fabric of that name if there is none.
        var makesFabric = false
        /// Talks to these addresses only, without discovery, unless there are none.
        public var addresses: [PeerAddress]
        /// How long a device may take to do what it is told, beyond the delivery of messages.
        public var processing = Duration.seconds(10)
        /// The kind of its sessions: a process that keeps them for long takes the one long slot of each node.
        public var sessions = SlotKind.short
        /// The same for a command or a write that the device has acknowledged, where the user said how long to wait. The
        /// end of the budget holds all the same.
        public var patience: Duration?
        /// How long a node may say nothing to what only reads.
        public var silence = SilenceLimit.wholeTime
        /// Whether a node that sleeps for long times is waited for before anything is sent to it.
        public var waitsForCheckIn = false
        /// How long it is waited for; `nil` for as long as it may sleep.
        public var checkInPatience: Duration?
        /// Where sessions are kept between processes; `nil` if none are.
        public var runtime: RuntimeDirectory?
        /// This moment in the clocks of the machine, for what is kept there.
        package var moment: @Sendable () -> MachineMoment? = MachineMoment.now
        /// True if kept sessions are closed instead of used.
        public var isFresh = false
        /// Told of every session in which a node has answered: how it came to be, and the time until the answer.
        public var sessionProgress: (@Sendable (NodeRecord, SessionRung, Duration) -> Void)?
        /// Told of every wait for a node.
        public var waits: (any NodeWaits)?
        /// False if sessions are closed at the end instead of kept.
        public var keepsSessions = true
        /// Throws for a node to which no link may be set up; `nil` if all may be reached.
        public var admits: (@Sendable (NodeRecord) throws -> Void)?
        /// Shows every message that is sent and received.
        public var trace: MessageTrace?
        /// Finds nodes and devices in place of Avahi.
        package var discovery: (any Discovery)?
        /// Finds devices over Bluetooth; called when a commissioning may need it. `nil` where there is none.
        public var bluetooth: (@Sendable () -> any BluetoothCentral)?
        /// How long D-Bus and Avahi may be silent before discovery is taken for broken.
        public var discoveryPatience = AvahiDiscovery.standardPatience
        package var logger: Logger
        /// Tells the user of something that is wrong and stops nothing; the log by default.
        public var warn: Warn
        /// The services that may issue for a fabric.
        public var services: [any IssuerService] = []
        package var random: any RandomSource
        /// The clock, and what carries messages.
        package var time: any TimeSource = SystemTime()
        package var links: any LinkProvider = UDPLinks()
        /// Seconds since 1970.
        public var unixTime: @Sendable () -> Int64

        /// Options with everything else as usual.
        public init(
            state: StateDirectory, fabric: String? = nil, addresses: [PeerAddress] = [], logger: Logger,
            random: any RandomSource = SystemRandom(), unixTime: @escaping @Sendable () -> Int64 = WallClock.unixTime
        ) {
            self.state = state
            self.fabric = fabric
            self.addresses = addresses
            self.logger = logger
            warn = { text, _ in logger.warning("\(text)") }
            self.random = random
            self.unixTime = unixTime
        }
    }

    /// The fabric in use, and what its services share.
    public let context: FabricContext
    private let pool: LinkPool
    /// The links to nodes.
    public let links: NodeLinks
    /// Nodes that sleep for long times.
    public let sleepers: SleeperService
    /// Who issues certificates on the fabric.
    public let issuers: Issuers
    /// The nodes of the fabric, by names, places and kinds.
    public let nodes: NodeService
    /// The abilities of devices: verbs, readings, states.
    public let devices: DeviceService
    /// An administrator's work on a node: windows, rights, bindings, networks, removal.
    public let administration: AdministrationService
    /// Hands devices to other controllers.
    public let sharing: ShareService
    /// Groups of nodes that take one message together.
    public let groups: GroupService
    /// Reports of nodes.
    public let subscriptions: SubscriptionService
    /// Which makers of devices are trusted.
    public let trust: TrustService
    /// Fabrics of other programs, which can be taken over or joined.
    public let neighbours: NeighbourService
    /// Fabrics as one document, for another machine or as a backup.
    public let exports: ExportService
    /// Work that has to reach every node.
    public let jobs: JobService
    /// The reasons why devices are not reached.
    public let doctor: DoctorService
    /// The map of the network of the house.
    public let maps: MapService
    /// The examination of nodes by the official data model.
    public let conformance: ConformanceService
    /// Devices before they are sold.
    public let deviceChecks: DeviceCheckService
    /// Keys and certificates that age.
    public let rotations: RotationService
    /// Administrators with keys of their own.
    public let members: MemberService
    /// Firmware for nodes.
    public let updates: UpdateService
    /// Sessions with cameras.
    public let cameras: CameraService
    /// How devices come onto the fabric.
    public let commissioning: CommissioningService

    /// A controller that works in this way. Nothing is read or sent before it is asked to.
    public init(_ options: Options) {
        context = FabricContext(options)
        pool = LinkPool(context)
        sleepers = SleeperService(context, pool)
        links = NodeLinks(context, pool, gate: sleepers)
        issuers = Issuers(context, links)
        nodes = NodeService(context, links, issuers)
        devices = DeviceService(context, links, nodes)
        administration = AdministrationService(context, links, nodes, issuers)
        sharing = ShareService(context, links, administration)
        groups = GroupService(context, links, nodes)
        subscriptions = SubscriptionService(context, pool, links, sleepers)
        trust = TrustService(context, links)
        neighbours = NeighbourService(context)
        exports = ExportService(context)
        jobs = JobService(context, links)
        doctor = DoctorService(context, links, exports)
        maps = MapService(context, links, nodes)
        conformance = ConformanceService(context, links)
        deviceChecks = DeviceCheckService(context, trust)
        rotations = RotationService(context, links, jobs)
        members = MemberService(context, links)
        updates = UpdateService(context, links)
        cameras = CameraService(context)
        commissioning = CommissioningService(
            context, issuers, trust,
            CommissioningService.Aftercare(
                register: { [sleepers] node, options in await sleepers.register(with: node, as: options) },
                admit: { [members] node, deadline in await members.admit(node, deadline: deadline) },
                remove: { [administration] node, deadline, serviceDeadline in
                    try await administration.remove(node, deadline: deadline, serviceDeadline: serviceDeadline)
                }, catchUp: { [jobs] node in try await jobs.catchUp(with: node.nodeID) }))
    }

    /// How it works.
    public var options: Options { context.options }
    /// The fabrics that are kept.
    public var fabrics: FabricStore { context.fabrics }

    /// The vendor id of fabrics that are made without one: a test vendor's.
    public static let testVendor = VendorID(0xFFF1)

    /// Ends the sessions with all nodes and closes the socket. Subscriptions end.
    public func close() async {
        context.endReports()
        await pool.close()
        await sleepers.close()
        await context.close()
    }
}
