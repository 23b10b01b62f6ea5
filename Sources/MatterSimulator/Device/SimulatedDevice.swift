package import MatterNetwork

/// A running virtual device: a ``SimulatedNode`` with a socket, sessions, advertising and a state directory.
///
/// Its executor is that of its ``ExchangeManager``, so that a request is received, served and answered on one thread.
package actor SimulatedDevice {
    /// Everything around a device.
    package struct Surroundings: Sendable {
        /// 0 for any.
        package var port: UInt16
        /// `nil` for a device that is only found by its address.
        package var advertiser: (any Advertiser)?
        /// Finds the nodes that this device is bound to.
        package var discovery: (any Discovery)?
        /// `nil` for a device that forgets everything.
        package var store: DeviceStore?
        package var random: any RandomSource
        /// The clock, and what carries messages.
        package var time: any TimeSource = SystemTime()
        package var links: any LinkProvider = UDPLinks()
        /// Where the device offers BTP, until it is on a fabric; `nil` for a device without Bluetooth.
        package var bluetooth: (any BluetoothPeripheral)?
        /// Told of everything that a person may want to see.
        package var report: @Sendable (NodeReport) -> Void
        package var trace: (@Sendable (String) -> Void)?
        /// Sees every message, and the keys that open it.
        package var observer: (any TrafficObserver)?

        package init(
            port: UInt16, advertiser: (any Advertiser)? = nil, discovery: (any Discovery)? = nil,
            store: DeviceStore? = nil, bluetooth: (any BluetoothPeripheral)? = nil,
            random: any RandomSource = SystemRandom(),
            report: @escaping @Sendable (NodeReport) -> Void = { _ in },
            trace: (@Sendable (String) -> Void)? = nil
        ) {
            self.port = port
            self.advertiser = advertiser
            self.discovery = discovery
            self.store = store
            self.bluetooth = bluetooth
            self.random = random
            self.report = report
            self.trace = trace
        }
    }

    package nonisolated let manager: ExchangeManager
    package nonisolated var unownedExecutor: UnownedSerialExecutor { manager.unownedExecutor }

    /// The clock of everything that the device does.
    nonisolated var time: any TimeSource { manager.time }
    /// Now.
    nonisolated var moment: Moment { Moment(time) }

    let configuration: NodeConfiguration
    let surroundings: Surroundings
    private let plans: @Sendable () -> [EndpointPlan]
    var node: SimulatedNode
    var sessions = DeviceSessions()
    var resumptions: ResumptionTable
    /// True if a commissioner is proving a passcode.
    var isInPASE = false
    /// CASE handshakes under way.
    var handshakes = 0
    var faults: FaultState
    private var bootCount: UInt16
    private(set) var port: UInt16 = 0
    private var timer: (deadline: Instant, task: Task<Void, Never>)?
    var published: [Publication: any PublishedService] = [:]
    /// The advertisement over Bluetooth.
    var bluetoothAdvertisement: BLEAdvertisement?
    var advertising: Task<Void, Never>?
    var sending: Task<Void, Never>?
    /// An update of the software.
    var updating: Task<Void, Never>?
    /// True once the power was lost during a download.
    var hasLostPower = false
    /// True if the device was in a group when it last looked.
    var followsGroups = false
    var joining: Task<Void, Never>?
    var saving: Task<Void, Never>?
    var isSavingAgain = false
    /// True if a command has stored something that is not known to be saved.
    var hasUnsavedStates = false
    private var isStopped = false
    private var link: ImpairedLink?
    /// `nil` for a device that never sleeps.
    private let radio: SleepingLinks?

    /// - Parameter endpoints: makes the endpoints from 1 on; called again when the device reboots.
    package init(
        _ configuration: NodeConfiguration, surroundings: Surroundings,
        endpoints: @escaping @Sendable () -> [EndpointPlan]
    ) throws {
        self.configuration = configuration
        self.surroundings = surroundings
        plans = endpoints
        let saved = try surroundings.store?.load()
        bootCount = saved?.node.bootCount ?? 0
        resumptions = ResumptionTable(saved?.resumptions ?? [])
        resumptions.keep(fabrics: saved?.node.fabrics ?? [])
        faults = FaultState(configuration.faults)
        // Behind a bad network the device has another port than peers know.
        let ownPort = configuration.faults.impairsDatagrams ? 0 : surroundings.port
        radio =
            configuration.sleep != nil || configuration.onboarding != .joined
            ? SleepingLinks(surroundings.links) : nil
        radio?.isAway = configuration.onboarding == .elsewhere && configuration.network != .ethernet
        let network: any LinkProvider = radio ?? surroundings.links
        let links = surroundings.bluetooth.map {
            BTPPeripheralLinks(network, peripheral: $0, time: surroundings.time) as any LinkProvider
        }
        manager = try ExchangeManager(
            time: surroundings.time, port: ownPort, links: links ?? network, random: surroundings.random,
            admission: Self.admits, trace: surroundings.trace, observer: surroundings.observer)
        node = try SimulatedNode(
            configuration, endpoints: endpoints(), saved: saved?.node ?? SavedNode(), random: surroundings.random,
            at: Moment(surroundings.time))
    }

    /// Handshakes come without a session, everything else on one.
    private static let admits: MessageEngine.Admission = { protocolID, opcode, isSecure in
        switch (protocolID, isSecure) {
        case (.secureChannel, false):
            opcode == SecureChannelOpcode.pbkdfParamRequest.rawValue || opcode == SecureChannelOpcode.sigma1.rawValue
        case (.secureChannel, true): opcode == SecureChannelOpcode.statusReport.rawValue
        case (.interactionModel, true): true
        default: false
        }
    }

    // MARK: Life

    /// Opens the socket and starts to advertise.
    ///
    /// - Returns: the port.
    @discardableResult
    package func start() async throws -> UInt16 {
        port = try await manager.open()
        if let impairment = faults.impairment {
            let link = try ImpairedLink(port: surroundings.port, device: port, impairment: impairment)
            self.link = link
            port = link.port
        }
        advertise()
        followGroups()
        await groupsFollowed()
        afterTurn()
        return port
    }

    /// Serves until it is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await message in self.manager.groupMessages { await self.serve(message) } }
            for await incoming in manager.incoming {
                group.addTask { await self.serve(incoming) }
            }
        }
    }

    /// Saves what is to be saved and takes everything back that was advertised.
    package func stop() async {
        guard !isStopped else { return }
        isStopped = true
        updating?.cancel()
        timer?.task.cancel()
        timer = nil
        await saving?.value
        saveEverything()
        await advertising?.value
        for service in published.values { await service.withdraw() }
        published = [:]
        await manager.shutDown(drainUntil: time.now + .milliseconds(200))
        link?.close()
    }

    /// Starts again from what is saved, as after a power cut.
    func reboot() async {
        updating?.cancel()
        updating = nil
        for session in sessions.all.values { await manager.remove(session.reference) }
        sessions = DeviceSessions()
        isInPASE = false
        var saved = SavedNode()
        saved.fabrics = node.savedFabrics
        resumptions.keep(fabrics: saved.fabrics)
        saveResumptions()
        saved.clusters = node.savedClusters
        saved.nextEventNumber = node.reserveEventNumbers()
        bootCount &+= 1
        saved.bootCount = bootCount
        guard
            let fresh = try? SimulatedNode(
                configuration, endpoints: plans(), saved: saved, random: surroundings.random, at: moment)
        else { return }
        node = fresh
        followGroups()
        timer?.task.cancel()
        timer = nil
        advertise()
        afterTurn()
    }

    // MARK: Turns

    /// Performs what follows from a turn of the node.
    func afterTurn() {
        for effect in node.takeEffects() { perform(effect) }
        var reboots = false
        for report in node.takeReports() {
            surroundings.report(report)
            if case .commissioning(let step, _) = report, faults.rebootsAt(step) { reboots = true }
        }
        save()
        for report in node.takeDueReports(at: moment) {
            time.start { await self.publish(report) }
        }
        setTimer()
        // The sessions go at once, so that no peer learns of the change.
        if reboots { startAgain() }
    }

    func startAgain() {
        surroundings.report(.fault("reboot"))
        time.start { await self.reboot() }
    }

    private func perform(_ effect: NodeEffect) {
        switch effect {
        case .adoptFabric(let session, let fabric):
            sessions[session]?.fabricIndex = fabric
        case .closeSession(let session):
            close(session)
        case .closeSessions(let fabric, let kept):
            for session in sessions.all.values
            where session.fabricIndex == fabric && !session.isPASE && session.reference != kept {
                close(session.reference)
            }
        case .closePASESessions:
            for session in sessions.all.values where session.isPASE { close(session.reference) }
        case .forgetResumptions(let fabric):
            resumptions.forget(fabric: fabric)
            saveResumptions()
        case .advertise:
            advertise()
        case .reboot:
            time.start { await self.reboot() }
        case .command(let command):
            send(command)
        case .radio(let isAway):
            radio?.isAway = isAway
        case .sleep(let asleep):
            radio?.isAsleep = asleep
        case .checkIn(let fabric, let client, let payload):
            time.start { await self.checkIn(client, of: fabric, payload) }
        case .update(let errand):
            carryOut(errand)
        case .callBack(let command, let session):
            callBack(command, over: session)
        }
    }

    private func setTimer() {
        guard let deadline = node.nextDeadline, !isStopped else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.deadline == deadline { return }
        timer?.task.cancel()
        let task = time.start { [weak self, time] in
            try? await time.sleep(until: deadline)
            guard !Task.isCancelled else { return }
            await self?.timerFired(deadline)
        }
        timer = (deadline, task)
    }

    private func timerFired(_ deadline: Instant) {
        guard timer?.deadline == deadline else { return }
        timer = nil
        node.tick(at: moment)
        afterTurn()
    }

    /// Something that a person typed: `1 on-off toggle`, or `window` for the button of the device.
    ///
    /// - Returns: whether it made sense.
    package func input(_ line: String) -> Bool {
        defer { afterTurn() }
        if line == "window" {
            node.openWindow(seconds: 900, at: moment)
            return true
        }
        if line == "reboot" {
            node.effects.append(.reboot)
            return true
        }
        return node.input(line, at: moment)
    }

    /// Looks into the node, or changes it, at the present time.
    func withNode<Result: Sendable>(_ body: @Sendable (SimulatedNode, Moment) throws -> Result) rethrows
        -> Result
    {
        defer { afterTurn() }
        return try body(node, moment)
    }

    // MARK: Sessions

    /// Ends a session: at once, or when its exchange is through.
    private func close(_ session: SessionReference) {
        guard let found = sessions[session] else { return }
        if found.users > 0 {
            sessions[session]?.isClosing = true
        } else {
            forget(session)
            time.start { [manager] in await manager.remove(session) }
        }
    }

    /// - Parameter what: why it goes: `closed` or `evicted`.
    func forget(_ reference: SessionReference, as what: String = "closed") {
        guard let session = sessions[reference] else { return }
        sessions[reference] = nil
        node.sessionEnded(reference, replacement: sessions.replacement(for: session))
        surroundings.report(
            .session(
                what: what,
                members: [
                    ReportMember((key: "kind", value: .string(session.isPASE ? "pase" : "case"))),
                    ReportMember((key: "fabricIndex", value: .uint(UInt64(session.fabricIndex)))),
                ]))
    }
}

extension Moment {
    /// Now.
    init(_ time: any TimeSource) { self.init(instant: time.now, unixMicroseconds: time.unixMicroseconds) }
}
