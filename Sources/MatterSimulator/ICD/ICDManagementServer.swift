import MatterNetwork

/// How a virtual device sleeps.
package struct SleepHabits: Hashable, Sendable {
    /// How long it sleeps, in seconds.
    package var idle: UInt32
    /// How long it is awake without activity.
    package var active = Duration.milliseconds(1000)
    /// How long it stays awake after activity.
    package var threshold = Duration.milliseconds(5000)
    /// How many clients of a fabric it checks in with.
    var clientsPerFabric = 2

    package init(idle: UInt32) { self.idle = idle }
}

/// ICD Management (Matter core specification 9.16) of a device with long idle times: it sleeps once a client is registered,
/// and checks in when it wakes up.
struct ICDManagementServer: ClusterServer {
    private typealias Attribute = IcdManagement.Attribute
    private typealias Command = IcdManagement.Command

    /// A message has been sent or received.
    struct Activity: ClusterSignal {}

    fileprivate struct Client {
        var fabricIndex: UInt8
        var checkInNode: NodeID
        var monitored: NodeID
        var key: CheckInKey
        /// Others than permanent ones are not checked in with.
        var type: IcdManagement.ClientType
    }

    private static let (idleTimer, wakeTimer) = ("idle", "wake")
    /// How often a device that may not sleep looks whether it may.
    private static let look = Duration.seconds(1)
    /// The most that it promises to stay awake.
    private static let longestPromise = Duration.seconds(30)
    /// How far the counter jumps when the device starts: it is saved only now and then.
    private static let leap: UInt32 = 100
    private static let trigger = IcdManagement.UserActiveModeTrigger.setupButton

    let id = IcdManagement.id
    private let habits: SleepHabits
    private var clients: [Client] = []
    private var counter: UInt32 = 0
    private var isAsleep = false
    private var awakeUntil: Instant?

    init(_ habits: SleepHabits) { self.habits = habits }

    var featureMap: FeatureMap {
        [
            IcdManagement.Feature.checkInProtocolSupport, IcdManagement.Feature.userActiveModeTrigger,
            IcdManagement.Feature.longIdleTimeSupport,
        ]
    }

    var initialAttributes: [AttributeID: TLVValue] {
        func milliseconds(_ duration: Duration) -> TLVValue { .uint(UInt64(duration / .milliseconds(1))) }
        return [
            Attribute.idleModeDuration: .uint(UInt64(habits.idle)),
            Attribute.activeModeDuration: milliseconds(habits.active),
            Attribute.activeModeThreshold: milliseconds(habits.threshold), Attribute.registeredClients: .array([]),
            Attribute.icdCounter: .uint(0),
            Attribute.clientsSupportedPerFabric: .uint(UInt64(habits.clientsPerFabric)),
            Attribute.userActiveModeTriggerHint: Self.trigger.tlv,
            Attribute.operatingMode: .uint(0), Attribute.maximumCheckInBackOff: .uint(UInt64(habits.idle)),
        ]
    }

    var acceptedCommands: [CommandID] { [Command.registerClient, Command.unregisterClient, Command.stayActiveRequest] }
    var quietAttributes: Set<AttributeID> { [Attribute.icdCounter] }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        switch attribute {
        case Attribute.registeredClients:
            .array(
                of: clients.map { client in
                    IcdManagement.MonitoringRegistration(
                        checkInNodeID: client.checkInNode.rawValue, monitoredSubject: client.monitored.rawValue,
                        clientType: client.type, fabricIndex: client.fabricIndex
                    ).tlv
                })
        case Attribute.icdCounter: .uint(UInt64(counter))
        case Attribute.operatingMode: .uint(clients.isEmpty ? 0 : 1)
        default: nil
        }
    }

    // MARK: Clients

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id != Command.stayActiveRequest else { return try stayActive(command, context) }
        let fabric = context.caller.fabricIndex
        guard fabric != 0 else { throw .unsupportedAccess }
        let registration: IcdManagement.RegisterClient? =
            command.id == Command.registerClient ? try command.decoded() : nil
        let node: NodeID
        let proof: [UInt8]?
        if let registration {
            (node, proof) = (NodeID(registration.checkInNodeID), registration.verificationKey)
        } else {
            let request: IcdManagement.UnregisterClient = try command.decoded()
            (node, proof) = (NodeID(request.checkInNodeID), request.verificationKey)
        }
        let place = clients.firstIndex { $0.fabricIndex == fabric && $0.checkInNode == node }
        if let place, !context.node.allows(context.caller, .administer, context.endpoint, id) {
            guard proof == clients[place].key.secret.copyBytes() else { throw .failure }
        }
        guard let registration else {
            guard let place else { throw .notFound }
            clients.remove(at: place)
            noteClients(context)
            return .success
        }
        guard let key = try? CheckInKey(SecretBytes(registration.key)) else {
            throw .constraintError
        }
        let client = Client(
            fabricIndex: fabric, checkInNode: node,
            monitored: NodeID(registration.monitoredSubject), key: key,
            type: registration.clientType)
        if let place {
            clients[place] = client
        } else {
            guard clients.count(where: { $0.fabricIndex == fabric }) < habits.clientsPerFabric else {
                throw .resourceExhausted
            }
            clients.append(client)
        }
        noteClients(context)
        return .response(IcdManagement.RegisterClientResponse(icdCounter: counter))
    }

    private func noteClients(_ context: ClusterContext) {
        context.markUnsaved()
        context.touch(Attribute.registeredClients)
        context.touch(Attribute.operatingMode)
        context.effect(.advertise)
    }

    private mutating func stayActive(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: IcdManagement.StayActiveRequest = try command.decoded()
        let asked = Duration.milliseconds(Int64(request.stayActiveDuration))
        let left = awakeUntil.map { $0 - context.now } ?? .zero
        let promise = max(left, min(asked, Self.longestPromise))
        stayAwake(for: promise, context)
        let milliseconds = UInt32(clamping: Int64(max(.zero, promise) / .milliseconds(1)))
        return .response(IcdManagement.StayActiveResponse(promisedActiveDuration: milliseconds))
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        clients.removeAll { $0.fabricIndex == fabricIndex }
        context.markUnsaved()
    }

    // MARK: Sleep

    mutating func start(_ context: ClusterContext) {
        counter &+= Self.leap
        wakeUp(context)
        // After a start, at once.
        checkIn(context)
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard signal is Activity else { return }
        if isAsleep { wakeUp(context) }
        stayAwake(for: habits.threshold, context)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        if timer == Self.wakeTimer {
            wakeUp(context)
            checkIn(context)
        } else if clients.isEmpty || context.node.window.isOpen || context.node.failSafe != nil {
            context.schedule(Self.idleTimer, after: Self.look)
        } else {
            isAsleep = true
            awakeUntil = nil
            context.schedule(Self.wakeTimer, after: .seconds(Int64(habits.idle)))
            context.effect(.sleep(true))
            context.report("asleep")
        }
    }

    /// `press`: the button that wakes it up; `counter N`: as after so many check-ins.
    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        if words.count == 2, words[0] == "counter" {
            guard let number = UInt32(words[1]) else { return false }
            counter = number
            context.markUnsaved()
            return true
        }
        guard words == ["press"] else { return false }
        guard isAsleep else { return true }
        wakeUp(context)
        checkIn(context)
        return true
    }

    private mutating func wakeUp(_ context: ClusterContext) {
        isAsleep = false
        context.cancel(Self.wakeTimer)
        context.effect(.sleep(false))
        stayAwake(for: habits.active, context)
    }

    private mutating func stayAwake(for duration: Duration, _ context: ClusterContext) {
        let end = max(awakeUntil ?? context.now, context.now + duration)
        awakeUntil = end
        context.schedule(Self.idleTimer, at: end)
    }

    /// Tells the clients that do not hear of the device by a subscription.
    private mutating func checkIn(_ context: ClusterContext) {
        let heard = clients.filter { client in
            client.type == .permanent
                && !context.node.subscriptions.contains { $0.isActive && client.monitors($0.caller) }
        }
        guard !heard.isEmpty else { return }
        counter &+= 1
        context.markUnsaved()
        let message = CheckInMessage(
            counter: counter, activeThreshold: UInt16(clamping: Int64(habits.threshold / .milliseconds(1))))
        for client in heard {
            guard let payload = try? message.sealed(with: client.key) else { continue }
            context.effect(.checkIn(fabric: client.fabricIndex, client.checkInNode, payload))
        }
    }

    // MARK: State

    var savedState: TLVValue? {
        .structure([
            TLVElement(0, .uint(UInt64(counter))),
            TLVElement(
                1,
                .array(
                    of: clients.map { client in
                        .structure([
                            TLVElement(0, .uint(UInt64(client.fabricIndex))),
                            TLVElement(1, .uint(client.checkInNode.rawValue)),
                            TLVElement(2, .uint(client.monitored.rawValue)),
                            TLVElement(3, .octets(client.key.secret.copyBytes())),
                            TLVElement(4, client.type.tlv),
                        ])
                    })),
        ])
    }

    mutating func restore(_ state: TLVValue) throws(TLVError) {
        let fields = try TLVFields(state, "the state of ICD Management")
        counter = try fields.unsigned(0)
        for value in try fields.array(1) {
            let client = try TLVFields(value, "a client")
            guard let key = try? CheckInKey(SecretBytes(client.octets(3))) else { continue }
            clients.append(
                Client(
                    fabricIndex: try client.unsigned(0), checkInNode: NodeID(try client.unsigned(1)),
                    monitored: NodeID(try client.unsigned(2)), key: key, type: .init(rawValue: try client.unsigned(4))))
        }
    }
}

extension ICDManagementServer.Client {
    /// True if the client hears of the device by the subscriptions of a node.
    fileprivate func monitors(_ caller: Caller) -> Bool {
        guard caller.fabricIndex == fabricIndex, case .case(let node, let tags) = caller.kind else { return false }
        if let tag = CASEAuthenticatedTag(subject: monitored) { return tags.contains { $0.satisfies(tag) } }
        return node == monitored
    }
}

extension SimulatedNode {
    /// A message was sent or received: a device does not fall asleep over it.
    func noteActivity(at moment: Moment) {
        turn(at: moment) { enqueue(ICDManagementServer.Activity(), endpoint: 0, cluster: IcdManagement.id) }
    }

    /// Whether the device sleeps for long times at present; `nil` if it never does.
    var sleepsLong: Bool? {
        configuration.sleep.map { _ in
            read(
                ConcreteAttributePath(
                    endpoint: 0, cluster: IcdManagement.id, attribute: IcdManagement.Attribute.operatingMode))
                == .uint(1)
        }
    }
}
