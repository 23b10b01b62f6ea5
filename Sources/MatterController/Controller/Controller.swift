public import Logging
public import MatterState

/// A fabric at work: commissions devices onto it, and controls its nodes.
///
/// It is opened on the folder where fabrics and nodes are kept, and closed when done. Nothing is read, opened or looked up
/// before it is needed.
public actor Controller {
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
        package var sessions = SlotKind.short
        /// The same for a command or a write that the device has acknowledged, where the user said how long to wait. The
        /// end of the budget holds all the same.
        public var patience: Duration?
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

    /// How it works.
    public nonisolated let options: Options
    /// The fabrics that are kept.
    public nonisolated let fabrics: FabricStore
    private var openManager: ExchangeManager?
    private var openDiscovery: (any Discovery)?
    /// Shared by all commissionings, which share the adapters too.
    var openBluetooth: (any BluetoothCentral)?
    private var openDirectory: OperationalDirectory?
    private var openFabric: FabricRecord?
    private var openCredentials: OperationalCredentials?
    private var openSlots: [SlotKind: SessionSlots] = [:]
    private var links: [LinkKey: NodeLink] = [:]
    private(set) var reports = IncomingReports()
    /// The subscriptions that parts of the program share, by node.
    var followings: [NodeID: NodeFollowing] = [:]
    /// How many subscriptions are set up at a time.
    private static let mostSetUps = 32
    /// Takes the check-ins of nodes that are waited for.
    var listener: Task<Void, Never>?
    /// Why it takes none.
    private(set) var listenerFailure: (any Error)?
    nonisolated let setUps = Turns(limit: mostSetUps)

    /// Subscriptions have a link of their own, so that a command that loses its session does not end them.
    private struct LinkKey: Hashable {
        var node: NodeID
        var kind: SlotKind
    }

    /// A controller that works in this way. Nothing is read or sent before it is asked to.
    public init(_ options: Options) {
        self.options = options
        fabrics = FabricStore(options.state)
    }

    /// Ends the sessions with all nodes and closes the socket. Subscriptions end.
    public func close() async {
        reports.end()
        reports = IncomingReports()
        for link in links.values { await link.close() }
        links = [:]
        listener?.cancel()
        await listener?.value
        listener = nil
        await openManager?.shutDown(drainUntil: options.time.now + .milliseconds(500))
        openManager = nil
    }

    // MARK: What it works with

    /// The fabric in use.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func fabric() throws -> FabricRecord {
        if let openFabric { return openFabric }
        let record = try fabrics.select(options.fabric)
        openFabric = record
        return record
    }

    /// The fabric in use, made if there is none at all.
    func fabricOrNew() async throws -> FabricRecord {
        let record = try await fabrics.selectOrCreate(
            options.fabric, makesNamed: options.makesFabric, vendorID: Self.testVendor, validity: validity,
            random: options.random)
        openFabric = record
        return record
    }

    /// The vendor id of fabrics that are made without one: a test vendor's.
    public static let testVendor = VendorID(0xFFF1)

    /// For certificates that are issued now: valid from an hour ago, without an end.
    public nonisolated var validity: CertificateValidity {
        CertificateValidity.unlimited(from: MatterEpoch.seconds(unix: options.unixTime()) ?? 0)
    }

    /// Who the controller is on its fabric.
    ///
    /// - Throws: if there is no fabric, or its record cannot be read.
    public func credentials() throws -> OperationalCredentials {
        if let openCredentials { return openCredentials }
        let credentials = try fabrics.credentials(of: fabric())
        openCredentials = credentials
        return credentials
    }

    /// The nodes of the fabric.
    ///
    /// - Throws: if there is no fabric.
    public func nodes() throws -> NodeStore {
        let fabric = try fabric()
        return NodeStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The groups of the fabric.
    ///
    /// - Throws: if there is no fabric.
    public func groups() throws -> GroupStore {
        let fabric = try fabric()
        return GroupStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The rooms of the fabric.
    ///
    /// - Throws: if there is no fabric.
    public func rooms() throws -> RoomStore {
        let fabric = try fabric()
        return RoomStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    func manager() async throws -> ExchangeManager {
        if let openManager { return openManager }
        let logger = options.logger
        var trace: (@Sendable (String) -> Void)?
        if logger.logLevel <= .trace { trace = { line in logger.trace("\(line)") } }
        let manager = try ExchangeManager(
            time: options.time, links: options.links, random: options.random,
            admission: { [reports] protocolID, opcode, isSecure in
                isSecure && Self.admits(protocolID, opcode, isListening: reports.isListening)
            }, trace: trace)
        openManager = manager
        // Ends with the manager.
        options.time.start { [reports] in await reports.serve(manager) }
        return manager
    }

    /// A peer may close its session, and report what it was asked to; whatever else it begins is not for a client.
    private static func admits(_ protocolID: ProtocolID, _ opcode: UInt8, isListening: Bool) -> Bool {
        switch protocolID {
        case .secureChannel: opcode == SecureChannelOpcode.statusReport.rawValue
        case .interactionModel: isListening && opcode == InteractionModelOpcode.reportData.rawValue
        default: false
        }
    }

    /// `nil` when addresses were given, which makes discovery superfluous.
    package func discovery() -> (any Discovery)? {
        guard options.addresses.isEmpty else { return nil }
        if let openDiscovery { return openDiscovery }
        let discovery =
            options.discovery ?? AvahiDiscovery(logger: options.logger, patience: options.discoveryPatience)
        openDiscovery = discovery
        return discovery
    }

    /// Where the nodes are that are followed; `nil` when addresses were given.
    func directory() throws -> OperationalDirectory? {
        if let openDirectory { return openDirectory }
        guard let discovery = discovery() else { return nil }
        let directory = OperationalDirectory(
            discovery, compressedFabricID: try fabric().compressedFabricID.rawValue, time: options.time)
        openDirectory = directory
        return directory
    }

    /// The time that certificates have to be valid at.
    public nonisolated var validationTime: ValidationTime {
        ValidationTime(unix: options.unixTime())
    }

    /// - Parameter kind: what its sessions are for; long ones share their look-ups.
    func nodeConnector(for kind: SlotKind = .short) async throws -> NodeConnector {
        let fabric = try fabric()
        return NodeConnector(
            connector: Connector(manager: try await manager(), logger: options.logger), credentials: try credentials(),
            resumptions: ResumptionStore(
                options.state, fabric: fabric.name, identity: fabric.compressedFabricID),
            discovery: kind == .long ? try directory() : discovery(), time: validationTime, random: options.random,
            logger: options.logger)
    }

    /// The sessions that are kept between processes; `nil` if none are.
    func keptSessions() throws -> KeptSessionStore? {
        guard let runtime = options.runtime else { return nil }
        let fabric = try fabric()
        return KeptSessionStore(
            runtime, state: options.state, fabric: fabric.compressedFabricID, certificate: fabric.noc,
            random: options.random, moment: options.moment)
    }

    private func slots(_ kind: SlotKind) throws -> SessionSlots {
        if let open = openSlots[kind] { return open }
        let slots = SessionSlots(options.state, fabric: try fabric().name, kind: kind, logger: options.logger)
        openSlots[kind] = slots
        return slots
    }

    /// The link to a node; sessions are set up when it is first used.
    ///
    /// - Parameter kind: what the sessions are for; as the options say by default.
    /// - Throws: ``ControllerError`` if the node sleeps for longer than may be waited, ``RecordError`` without a fabric.
    public func link(to node: NodeRecord, for kind: SlotKind? = nil) async throws -> NodeLink {
        let key = LinkKey(node: node.nodeID, kind: kind ?? options.sessions)
        if let link = links[key] { return link }
        let hasWaited = try await meet(node, for: key.kind)
        let link = try await awakeLink(to: node, for: kind)
        if hasWaited { try await keepAwake(link) }
        return link
    }

    /// Whether there is a link to a node.
    func isLinked(to node: NodeRecord, for kind: SlotKind) -> Bool {
        links[LinkKey(node: node.nodeID, kind: kind)] != nil
    }

    /// Takes leave of a node that was not reached.
    func unlink(_ node: NodeRecord, for kind: SlotKind) async {
        await links.removeValue(forKey: LinkKey(node: node.nodeID, kind: kind))?.close()
    }

    func noteListener(_ failure: any Error) { listenerFailure = failure }

    /// The link to a node that is awake, for all that is known.
    func awakeLink(to node: NodeRecord, for kind: SlotKind? = nil) async throws -> NodeLink {
        let key = LinkKey(node: node.nodeID, kind: kind ?? options.sessions)
        if let link = links[key] { return link }
        let manager = try await manager()
        if let link = links[key] { return link }
        let link = NodeLink(
            node: node, manager: manager,
            connector: { [weak self] in
                guard let self else { throw CancellationError() }
                return try await nodeConnector(for: key.kind)
            }, onlyAddresses: options.addresses, nodes: try nodes(), slots: try slots(key.kind),
            kept: key.kind == .short ? try keptSessions() : nil, isFresh: options.isFresh,
            keepsSessions: options.keepsSessions, tell: options.sessionProgress,
            patience: NodeLink.Patience(usual: options.processing, afterAcknowledgement: options.patience),
            waits: options.waits, logger: options.logger)
        links[key] = link
        return link
    }

    /// Runs something with nodes that the given addresses do not mean, and closes its sessions.
    package func withOtherNodes<Result: Sendable>(
        _ body: @Sendable (Controller) async throws -> Result
    ) async throws -> Result {
        guard !options.addresses.isEmpty else { return try await body(self) }
        var settings = options
        settings.addresses = []
        let other = Controller(settings)
        do {
            let result = try await body(other)
            await other.close()
            return result
        } catch {
            await other.close()
            throw error
        }
    }

    /// Runs something with the link to a node, then ends its session: who works on many nodes must not hold the session
    /// slots of all of them.
    ///
    /// - Throws: as ``link(to:for:)``, and what the body throws.
    public func withLink<Result: Sendable>(
        to node: NodeRecord, _ body: @Sendable (NodeLink) async throws -> Result
    ) async throws -> Result {
        let link = try await link(to: node)
        do {
            let result = try await body(link)
            await link.close()
            return result
        } catch {
            await link.close()
            throw error
        }
    }

    /// Ends the session with a node and forgets how to resume it, so that the next one is set up from the beginning:
    /// after either side has got another certificate. The node is told, since it has our rights from the earlier one.
    package func endSession(with id: NodeID) async throws {
        for key in links.keys where key.node == id { await links.removeValue(forKey: key)?.end(deadline: lastWord) }
        // A session that no link of this process has.
        if let node = try nodes().node(id), try keptSessions()?.has(id) ?? false {
            let link = try await awakeLink(to: node, for: .short)
            await link.end(deadline: lastWord)
            links[LinkKey(node: id, kind: .short)] = nil
        }
        try forgetSessions(with: id)
    }

    /// By when a session is given up whose node is told that it ends: another process may have it for that long.
    private var lastWord: Instant { options.time.now + .seconds(1) }

    /// Forgets the sessions with a node that has forgotten us, or is not to be told.
    func abandonSessions(with id: NodeID) async throws {
        for key in links.keys where key.node == id { await links.removeValue(forKey: key)?.abandon() }
        try forgetSessions(with: id)
    }

    private func forgetSessions(with id: NodeID) throws {
        try keptSessions()?.remove(id)
        try ResumptionStore(options.state, fabric: try fabric().name).remove(id)
    }
}
