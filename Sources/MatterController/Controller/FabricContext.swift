import Logging
public import MatterState
import Synchronization

/// The fabric in use, and what all services on it share: its records, its credentials, the socket, discovery.
///
/// Nothing is read, opened or looked up before it is needed.
public final class FabricContext: Sendable {
    /// How the controller works.
    public let options: Controller.Options
    /// The fabrics that are kept.
    public let fabrics: FabricStore
    /// The commands that nodes invoke on ours.
    let commands = IncomingCommands()
    private let opened = Mutex(Opened())

    /// The files opened, each once.
    private struct Opened {
        var fabric: FabricRecord?
        var credentials: OperationalCredentials?
        var manager: ExchangeManager?
        var discovery: (any Discovery)?
        var bluetooth: (any BluetoothCentral)?
        var directory: OperationalDirectory?
        var slots: [SlotKind: SessionSlots] = [:]
        var reports = IncomingReports()
        var known: (any KnownStates)?
        /// Whether the place of the fabric was looked at.
        var isSettled = false
    }

    init(_ options: Controller.Options) {
        self.options = options
        fabrics = FabricStore(options.state)
    }

    /// Closes the socket; a later use opens another.
    func close() async {
        let manager = opened.withLock { $0.manager.take() }
        await manager?.shutDown(drainUntil: options.time.now + .milliseconds(500))
    }

    /// Tells the states of nodes from memory from now on.
    public func use(_ known: any KnownStates) { opened.withLock { $0.known = known } }

    /// The states in memory; `nil` if there are none.
    var known: (any KnownStates)? { opened.withLock { $0.known } }

    // MARK: The fabric

    /// The fabric in use.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func fabric() throws -> FabricRecord {
        if let fabric = opened.withLock({ $0.fabric }) { return fabric }
        let record = try fabrics.select(options.fabric)
        opened.withLock { $0.fabric = record }
        return record
    }

    /// The fabric in use, made if there is none at all.
    ///
    /// - Throws: ``RecordError`` if another one is named, ``StoreError`` if a file cannot be read or written.
    @discardableResult
    public func fabricOrNew() async throws -> FabricRecord {
        let record = try await fabrics.selectOrCreate(
            options.fabric, makesNamed: options.makesFabric, vendorID: Controller.testVendor, validity: validity,
            random: options.random)
        opened.withLock { $0.fabric = record }
        return record
    }

    /// Makes the fabric in use good for use here, if it was used in another folder or on another machine before; says so, once.
    ///
    /// - Throws: ``StoreError``, ``RecordError``, also without a fabric: counters could be used twice then.
    func settled() async throws {
        guard !opened.withLock({ $0.isSettled }) else { return }
        let record = try await settled(try fabric())
        opened.withLock { opened in
            opened.fabric = record
            opened.isSettled = true
        }
    }

    /// Makes the fabric in use good for use here, if it was used in another folder or on another machine before; says so, once. A fault
    /// is told as a warning, and no fabric is none.
    public func settle() async {
        // Without a sound record, the command that needs the fabric says why.
        guard (try? fabric()) != nil else { return }
        do {
            try await settled()
        } catch {
            options.warn("it could not be noted where the fabric is used: \(error)", nil)
        }
    }

    /// A fabric, made good for use here.
    ///
    /// - Returns: its record as it is now.
    /// - Throws: ``StoreError``, ``RecordError``.
    public func settled(_ record: FabricRecord) async throws -> FabricRecord {
        guard let settled = try await fabrics.settle(record, at: options.unixTime()) else { return record }
        if let before = settled.provenance {
            options.warn(
                "the fabric '\(record.name)' was used \(before.words) before", .step("state.copied", record.name))
        }
        return settled
    }

    /// For certificates that are issued now: valid from an hour ago, without an end.
    public var validity: CertificateValidity {
        CertificateValidity.unlimited(from: MatterEpoch.seconds(unix: options.unixTime()) ?? 0)
    }

    /// The time that certificates have to be valid at.
    public var validationTime: ValidationTime { ValidationTime(unix: options.unixTime()) }

    /// Who the controller is on its fabric.
    ///
    /// - Throws: if there is no fabric, or its record cannot be read.
    public func credentials() throws -> OperationalCredentials {
        if let credentials = opened.withLock({ $0.credentials }) { return credentials }
        let credentials = try fabrics.credentials(of: fabric())
        opened.withLock { $0.credentials = credentials }
        return credentials
    }

    /// Reads them again when they are needed next: they were changed.
    func forgetCredentials() {
        opened.withLock { opened in
            opened.credentials = nil
            opened.fabric = nil
        }
    }

    // MARK: Its records

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

    /// A record that the program keeps for itself, beside those of the fabric.
    ///
    /// - Parameter name: letters, digits, `_` and `-`.
    /// - Throws: if there is no fabric.
    public func programRecord(_ name: String) throws -> ProgramRecord {
        ProgramRecord(options.state, fabric: try fabric(), name: name)
    }

    /// The devices of which commissioning has begun and not ended.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func journal() throws -> CommissioningJournal {
        let fabric = try fabric()
        return CommissioningJournal(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The nodes that check in with our node.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func registrations() throws -> ICDStore {
        let fabric = try fabric()
        return ICDStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The lists that were shown last, for numbers that mean entries of them.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func seenLists() throws -> NodeNoteStore<SeenList> {
        let fabric = try fabric()
        return NodeNoteStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The modes that nodes were last seen to have.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    func seenModes() throws -> NodeNoteStore<SeenModes> {
        let fabric = try fabric()
        return NodeNoteStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The nodes that have not answered of late.
    func silences() throws -> NodeNoteStore<Silence> {
        let fabric = try fabric()
        return NodeNoteStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The nodes' tickets for resuming sessions.
    func resumptions() throws -> ResumptionStore {
        let fabric = try fabric()
        return ResumptionStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The sessions that are kept between processes; `nil` if none are.
    func keptSessions() throws -> KeptSessionStore? {
        guard let runtime = options.runtime else { return nil }
        let fabric = try fabric()
        return KeptSessionStore(
            runtime, state: options.state, fabric: fabric.compressedFabricID, certificate: fabric.noc,
            random: options.random, moment: options.moment)
    }

    /// The sessions that this machine may have with each node at a time.
    func slots(_ kind: SlotKind) throws -> SessionSlots {
        let name = try fabric().name
        return opened.withLock { opened in
            if let slots = opened.slots[kind] { return slots }
            let slots = SessionSlots(options.state, fabric: name, kind: kind, logger: options.logger)
            opened.slots[kind] = slots
            return slots
        }
    }

    // MARK: The network

    /// The reports that subscriptions wait for.
    var reports: IncomingReports { opened.withLock { $0.reports } }

    /// Ends the wait for reports; later subscriptions have others.
    func endReports() {
        opened.withLock { opened in
            let ended = opened.reports
            opened.reports = IncomingReports()
            return ended
        }.end()
    }

    func manager() throws -> ExchangeManager {
        // A commissioning may make the fabric first: its nodes have no names yet then.
        if let shown = options.trace, opened.withLock({ $0.manager == nil }), let names = try? traceNames() {
            shown.use(names)
        }
        return try opened.withLock { opened in
            if let manager = opened.manager { return manager }
            let logger = options.logger
            var trace: (@Sendable (String) -> Void)?
            if logger.logLevel <= .trace { trace = { line in logger.trace("\(line)") } }
            let manager = try ExchangeManager(
                time: options.time, links: options.links, random: options.random,
                admission: { [reports = opened.reports, commands] protocolID, opcode, isSecure in
                    isSecure && Self.admits(protocolID, opcode, reports, commands)
                }, trace: trace, observer: options.trace)
            opened.manager = manager
            // Ends with the manager.
            options.time.start { [reports = opened.reports, commands] in await reports.serve(manager, commands) }
            return manager
        }
    }

    /// A peer may close its session, report what it was asked to, and invoke what is waited for; whatever else it begins is not for a
    /// client.
    private static func admits(
        _ protocolID: ProtocolID, _ opcode: UInt8, _ reports: IncomingReports, _ commands: IncomingCommands
    ) -> Bool {
        switch protocolID {
        case .secureChannel: opcode == SecureChannelOpcode.statusReport.rawValue
        case .interactionModel:
            switch opcode {
            case InteractionModelOpcode.reportData.rawValue: reports.isListening
            case InteractionModelOpcode.invokeRequest.rawValue: commands.isListening
            default: false
            }
        default: false
        }
    }

    /// `nil` when addresses were given, which makes discovery superfluous.
    package func discovery() -> (any Discovery)? {
        guard options.addresses.isEmpty else { return nil }
        return opened.withLock { opened in
            if let discovery = opened.discovery { return discovery }
            let discovery: any Discovery =
                options.discovery ?? AvahiDiscovery(logger: options.logger, patience: options.discoveryPatience)
            opened.discovery = discovery
            return discovery
        }
    }

    /// Makes a node of ours known to the others of the fabric.
    ///
    /// - Returns: `nil` where there is no way to advertise, as in tests.
    func advertise(_ node: NodeID, port: UInt16) async throws -> (any PublishedService)? {
        let discovery =
            options.discovery ?? AvahiDiscovery(logger: options.logger, patience: options.discoveryPatience)
        let instance = OperationalInstance(
            compressedFabricID: try fabric().compressedFabricID.rawValue, nodeID: node.rawValue)
        return try await (discovery as? any Advertiser)?.publish(
            .operational(instance, OperationalRecord(), port: port))
    }

    /// The name of the lock of the process in which our node is found: it takes the check-ins of the fabric.
    func listenerLock() throws -> String { "\(FabricStore.folder(of: try fabric().name))/icd-listener" }

    /// The traffic of this fabric so far.
    public func traffic() async -> TrafficCounts {
        guard let manager = opened.withLock({ $0.manager }) else { return TrafficCounts() }
        return await manager.traffic
    }

    /// The host's Bluetooth, shared by all commissionings, which share the adapters too; `nil` where there is none.
    func bluetooth() -> (any BluetoothCentral)? {
        guard let make = options.bluetooth else { return nil }
        return opened.withLock { opened in
            if let bluetooth = opened.bluetooth { return bluetooth }
            let bluetooth = make()
            opened.bluetooth = bluetooth
            return bluetooth
        }
    }

    /// Where the nodes are that are followed; `nil` when addresses were given.
    func directory() throws -> OperationalDirectory? {
        guard let discovery = discovery() else { return nil }
        let identity = try fabric().compressedFabricID.rawValue
        return opened.withLock { opened in
            if let directory = opened.directory { return directory }
            let directory = OperationalDirectory(discovery, compressedFabricID: identity, time: options.time)
            opened.directory = directory
            return directory
        }
    }

    /// - Parameter kind: what its sessions are for; long ones share their look-ups.
    func nodeConnector(for kind: SlotKind = .short) throws -> NodeConnector {
        NodeConnector(
            connector: Connector(manager: try manager(), logger: options.logger), credentials: try credentials(),
            resumptions: try resumptions(), discovery: kind == .long ? try directory() : discovery(),
            time: validationTime, random: options.random, logger: options.logger,
            alternatives: { [weak self] held in self?.otherCredentials(than: held) ?? [] })
    }
}

extension FabricProvenance {
    /// Where that is, in words: `on another machine ('den')`.
    public var words: String {
        let machine = isSameMachine == true ? "in another folder of this machine" : "on another machine"
        return machine + (isSameMachine == true ? "" : host.map { " ('\($0)')" } ?? "")
    }
}
