import Logging
import MatterState

/// Performs the actions of one flow on one PASE session, and what has to be undone if it fails.
struct CommissioningRun: Sendable {
    /// How long a device may take to end an earlier fail-safe before ArmFailSafe is sent once more.
    private static let settling = Duration.seconds(2)
    /// How often something is said over Bluetooth: a device leaves a connection that carries no messages.
    private static let bluetoothPulse = Duration.seconds(25)

    /// How long the device waits for the machine that completes, if it grants that: what most devices grant at most.
    static let handoverSeconds: UInt16 = 900

    let commissioner: Commissioner
    let request: CommissioningRequest
    let parameters: FabricParameters
    let device: PairedDevice
    let deadline: Instant

    var environment: Commissioner.Environment { commissioner.environment }
    var time: any TimeSource { environment.time }
    /// The PASE session.
    var session: SecureSession { device.session }
    var channel: CommissioningChannel { channel(on: session) }

    func channel(on session: SecureSession) -> CommissioningChannel {
        CommissioningChannel(session: session, patience: environment.patience, deadline: deadline)
    }

    /// The results of the flow's actions for the end.
    struct Memory: Sendable {
        var attestation: AttestationSummary?
        var operational: SecureSession?
        /// The issuer's receipt, for the case that the commissioning fails.
        var receipt: NOCReceipt?
        var pending: PendingNode?
        /// True once the device may have its certificate.
        var isCertificateSent = false
        /// True once the device has said that it has its certificate.
        var isCertificateTaken = false
        /// True if the device fell silent on a session after it was sent its certificate.
        var hasLostSession = false
        var failSafe = FailSafeTimer()
        /// Whether the device was told to join a network, and may be on its way.
        var isJoining = false
        /// The breadcrumb that a further ArmFailSafe must not change.
        var breadcrumb: UInt64 = 0
    }

    private enum Outcome: Sendable {
        case event(CommissioningFlow.Event)
        /// Some of a row of commands were answered; the rest may follow if none of them was refused.
        case answered([(CommissioningCommand, CommandResult)], rest: [CommissioningCommand])
        case verified(AttestationSummary)
        case connected(SecureSession)
        /// The session fell silent; the command was answered on another one.
        case answeredAgain(SecureSession, CommissioningCommand, CommandResult)
    }

    func run(clock: StageClock) async throws -> CommissionedNode {
        var flow = CommissioningFlow(try configuration())
        var memory = Memory()
        let pulse = device.link == nil ? nil : time.start { await keepLinkBusy() }
        defer { pulse?.cancel() }
        do {
            let node = try await drive(&flow, &memory, clock: clock)
            await close(memory)
            return node
        } catch {
            var failure = CommissioningFailure(error, stage: flow.stage, wasPending: memory.isCertificateSent).error
            if let target = flow.networkTarget {
                failure = CommissioningFailure.away(failure, from: target, hasJoined: flow.hasJoinedNetwork)
            } else if let kinds = flow.kindsWithoutNetwork {
                failure = CommissioningFailure.unconnected(failure, kinds)
            }
            if (failure as? CommissioningError)?.code == .stopped { clock.end() } else { clock.fail() }
            if var stop = failure as? CommissioningError, stop.code == .stopped, request.handsOver,
                let pending = memory.pending
            {
                let left = memory
                stop.aftermath = await time.start { await self.handOver(pending, left) }.value
                throw stop
            }
            let (undo, leftovers) = (flow.undo, memory)
            let isForgotten = (failure as? CommissioningError)?.code == .forgotten
            // A cancelled task could not talk to the device any more, but undoing must.
            let aftermath = await time.start { await self.undo(undo, leftovers, isForgotten: isForgotten) }.value
            if var stop = failure as? CommissioningError, stop.code == .stopped {
                stop.rehearsal = flow.rehearsal(memory.attestation)
                failure = stop
            }
            guard var failure = failure as? CommissioningError else {
                throw aftermath == .untouched ? failure : InterruptedCommissioning(failure, aftermath)
            }
            failure.aftermath = aftermath
            throw failure
        }
    }

    /// Reads something now and then, as long as the device answers over Bluetooth: the connection is the way back to it
    /// until CommissioningComplete is answered, and the device may take long to appear on its network.
    private func keepLinkBusy() async {
        while (try? await time.sleep(for: Self.bluetoothPulse)) != nil {
            guard (try? await channel.read(DeviceInformation.pulsePaths)) != nil else { return }
        }
    }

    private func configuration() throws -> CommissioningFlow.Configuration {
        let unixTime = environment.unixTime
        var configuration = CommissioningFlow.Configuration(
            fabric: parameters, fabricID: environment.fabric.fabric.fabricID, country: request.country,
            location: request.location,
            attestationNonce: try environment.random.bytes(32),
            csrNonce: try environment.random.bytes(32),
            attestationChallenge: session.established.keys.attestationChallenge.copyBytes(),
            utcMicroseconds: { UInt64(max(0, unixTime() - MatterEpoch.unixSeconds)) * 1_000_000 },
            timeZone: environment.timeZone(),
            expectedProduct: .init(vendorID: request.vendorID, productID: request.productID),
            advertised: device.advertised, terms: request.terms,
            operationalSeconds: request.handsOver
                ? Self.handoverSeconds : UInt16(clamping: Int64((deadline - time.now) / .seconds(1)) + 30),
            validationTime: environment.validationTime, readsEndpoints: request.readsEndpoints, until: request.until)
        configuration.network = request.network
        configuration.isOnNetwork = session.address.isOnNetwork
        configuration.timeSource = request.timeSource
        configuration.ntpServer = request.ntpServer
        return configuration
    }

    // MARK: Actions

    private func drive(
        _ flow: inout CommissioningFlow, _ memory: inout Memory, clock: StageClock
    ) async throws -> CommissionedNode {
        var stop: CommissioningFlow.Result?
        var lookout: Task<Void, Never>?
        defer { lookout?.cancel() }
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            defer { group.cancelAll() }
            var actions = try flow.handle(.began)
            while true {
                for action in actions {
                    if case .enter(let stage) = action { clock.enter(stage) }
                    if case .connect = action {
                        for action in try flow.handle(.connecting) {
                            if case .enter(let stage) = action { clock.enter(stage) }
                        }
                    }
                    if case .finish(let result) = action { stop = result }
                    if case .note(let text) = action { clock.note(text) }
                    if case .record(let issued) = action {
                        // Not in a task of its own: an interruption must find it either undone or remembered.
                        memory.pending = try record(issued, flow.information)
                    }
                    if case .invoke(.addNOC) = action { memory.isCertificateSent = true }
                    if case .invoke(.network(let command, _, _, _)) = action, command.leadsAway {
                        memory.isJoining = true
                        // A listener that is there before the device announces itself misses nothing.
                        if lookout == nil, let node = memory.pending?.nodeID { lookout = listen(for: node) }
                    }
                    memory.breadcrumb = flow.breadcrumb
                    let extension_ = failSafeExtension(before: action, &memory)
                    start(action, in: &group, memory: memory, first: extension_)
                }
                if stop != nil { return }
                guard let outcome = try await group.next() else { return }
                actions = []
                for event in take(outcome, &memory) { actions += try flow.handle(event) }
                if case .answered(_, let rest) = outcome, !rest.isEmpty { actions.append(.invokeAll(rest)) }
            }
        }
        clock.end()
        guard let result = stop, let operational = memory.operational else {
            try Task.checkCancellation()
            throw CommissioningError(.impossibleStep, stage: flow.stage, "the stage \(flow.stage.rawValue) led nowhere")
        }
        return CommissionedNode(
            nodeID: result.nodeID, address: operational.address, reliability: operational.reliability,
            information: result.information,
            endpoints: result.endpoints.map(EndpointDescription.all(in:)) ?? [],
            basics: result.endpoints.map { DeviceDescription($0) } ?? DeviceDescription(),
            attestation: memory.attestation, stages: clock.times, total: .zero, wasPending: false)
    }

    private func take(_ outcome: Outcome, _ memory: inout Memory) -> [CommissioningFlow.Event] {
        switch outcome {
        case .answered(let answers, _):
            return answers.map { .answered($0, $1) }
        case .event(let event):
            if case .issued(let issued, _) = event { memory.receipt = issued.receipt }
            if case .unanswered = event { memory.hasLostSession = true }
            if case .answered(.addNOC, _) = event { memory.isCertificateTaken = true }
            if case .read(let result) = event { memory.failSafe.adopt(DeviceInformation(result)) }
            if case .answered(.armFailSafe(let seconds, _), _) = event {
                memory.failSafe.armed(for: seconds, at: time.now)
            }
            return [event]
        case .verified(let summary):
            memory.attestation = summary
            return [.verified]
        case .connected(let session):
            memory.operational = session
            return [.connected]
        case .answeredAgain(let session, let command, let result):
            memory.operational = session
            return [.answered(command, result)]
        }
    }

    /// The time for which the fail-safe is armed before a step: PASE and the certificates may take a slow device minutes. From
    /// AddNOC on the flow itself has it last long enough.
    private func failSafeExtension(
        before action: CommissioningFlow.Action, _ memory: inout Memory
    ) -> CommissioningCommand? {
        guard memory.operational == nil, !memory.hasLostSession, memory.failSafe.isDue(at: time.now) else { return nil }
        switch action {
        case .invoke(.armFailSafe), .invoke(.commissioningComplete): return nil
        case .invoke, .invokeAll: break
        default: return nil
        }
        memory.failSafe.armed(for: memory.failSafe.seconds, at: time.now)
        return .armFailSafe(seconds: memory.failSafe.seconds, breadcrumb: memory.breadcrumb)
    }

    /// - Parameter first: a command whose answer does not matter.
    private func start(
        _ action: CommissioningFlow.Action, in group: inout ThrowingTaskGroup<Outcome, any Error>, memory: Memory,
        first: CommissioningCommand?
    ) {
        switch action {
        case .enter, .finish, .note:
            break
        case .read(let paths):
            group.addTask { .event(.read(try await channel.read(paths))) }
        case .invoke(let command):
            group.addTask {
                return try await perform(command, memory, first: first)
            }
        case .invokeAll(let commands):
            group.addTask {
                if let first { _ = try await channel.invoke(first) }
                return try await performSome(commands)
            }
        case .verify(let evidence):
            let keepAlive = keepAlive(memory)
            group.addTask {
                // A person who is asked may take longer than the fail-safe.
                .verified(
                    try await keepingFailSafe(keepAlive, overdue: Self.unanswered) {
                        try await environment.attest(evidence)
                    })
            }
        case .issue(let csr, let context):
            let keepAlive = keepAlive(memory)
            group.addTask {
                // Only now, so that a device that is refused before costs no node id.
                let requested = try await environment.chooseNodeID(request.requestedNodeID)
                let issued = try await issue(csr, context, nodeID: requested, keepAlive: keepAlive)
                return .event(.issued(issued, requested: requested))
            }
        case .choose(let choice):
            let keepAlive = keepAlive(memory)
            group.addTask {
                .event(
                    .chosen(
                        try await keepingFailSafe(keepAlive, overdue: Self.unchosen) {
                            try await request.choose(choice)
                        }))
            }
        case .record:
            group.addTask { .event(.recorded) }
        case .connect(let node):
            // A device that has left for its network takes its time.
            let isMoving = memory.isJoining || device.link != nil && memory.isCertificateTaken
            let deadline = memory.hasLostSession && !isMoving ? anotherSessionDeadline : deadline
            group.addTask { .connected(try await connect(to: node, deadline: deadline)) }
        case .readEndpoints:
            let session = memory.operational ?? session
            group.addTask {
                let channel = channel(on: session)
                // The node is on the fabric; what could not be read now is read when it is needed.
                let described = try? await channel.read(EndpointDescription.paths + DeviceDescription.paths)
                return .event(.endpoints(described ?? ReadResult()))
            }
        }
    }

    /// Sends as many commands as go into one message.
    private func performSome(_ commands: [CommissioningCommand]) async throws -> Outcome {
        let batch = channel.batch(commands)
        let results = try await channel.invoke(batch)
        return .answered(Array(zip(batch, results)), rest: Array(commands.dropFirst(results.count)))
    }

    /// Sends a command of the flow. A device that falls silent from AddNOC on can still be reached by CASE.
    private func perform(
        _ command: CommissioningCommand, _ memory: Memory, first: CommissioningCommand?
    ) async throws -> Outcome {
        do {
            if let first { _ = try await self.channel.invoke(first) }
            let channel = channel(on: memory.operational ?? session)
            let hasOtherWay = command == .commissioningComplete && memory.operational != nil
            var result = try await channel.invoke(command, hasOtherWay: hasOtherWay)
            if case .armFailSafe = command, result.status.status == .failure, time.now + Self.settling < deadline {
                // Some devices cannot arm it while they still take down the one of a commissioning that was cut short.
                try await time.sleep(for: Self.settling)
                result = try await channel.invoke(command, hasOtherWay: hasOtherWay)
            }
            return .event(.answered(command, result))
        } catch let error as TransportError where error.isLoss && time.now < deadline {
            guard memory.isCertificateSent, let pending = memory.pending else { throw error }
            guard let lost = memory.operational else { return .event(.unanswered(command)) }
            guard command == .commissioningComplete else { throw error }
            environment.logger.debug("\(command.name): \(error); setting up another session")
            await lost.manager.remove(lost.reference)
            return try await completeAgain(pending)
        }
    }

    /// CommissioningComplete was sent and not answered: a restarted device has forgotten the session it came on. Within
    /// the fail-safe it may be sent again, and a device that is done says so.
    private func completeAgain(_ pending: PendingNode) async throws -> Outcome {
        let session = try await connect(to: pending.nodeID, deadline: anotherSessionDeadline)
        do {
            let command = CommissioningCommand.commissioningComplete
            return .answeredAgain(session, command, try await channel(on: session).invoke(command))
        } catch {
            await session.close()
            throw error
        }
    }

    private var anotherSessionDeadline: Instant { min(deadline, time.now + environment.patience.anotherSession) }

    /// Listens for the announcement of the node until it is cancelled; what was heard is known to the host from then on.
    private func listen(for node: NodeID) -> Task<Void, Never>? {
        guard let discovery = environment.discovery else { return nil }
        let fabric = environment.fabric.fabric.compressedFabricID.rawValue
        return time.start {
            let updates = discovery.resolveOperational(compressedFabricID: fabric, nodeID: node.rawValue)
            do { for try await _ in updates {} } catch { environment.logger.debug("\(error)") }
        }
    }

    private func record(_ issued: IssuedNOC, _ information: DeviceInformation) throws -> PendingNode {
        let pending = PendingNode(
            nodeID: issued.nodeID, name: request.name, room: request.room, receipt: issued.receipt,
            noc: issued.noc.tlv, addresses: operationalHints,
            fingerprint: try environment.journal.fingerprint(
                of: request.code.passcode, random: environment.random),
            discriminator: request.code.discriminator,
            failSafeEnds: environment.unixTime() + Int64((deadline - time.now) / .seconds(1)) + 60,
            vendorID: information.vendorID, productID: information.productID)
        try environment.journal.record(pending)
        do {
            try environment.checkKey()
        } catch {
            try? environment.journal.remove(pending.nodeID)
            throw error
        }
        return pending
    }

    /// Where the node may be: at the address of PASE, unless that was another network's.
    private var operationalHints: [PeerAddress] { device.link == nil ? [session.address] : [] }

    /// Takes no session slot: no other process has a session with a node that is new.
    private func connect(to node: NodeID, deadline: Instant) async throws -> SecureSession {
        try await environment.nodeConnector.connect(
            to: node, hints: operationalHints, reliability: session.established.peerParameters.reliability,
            presumedActive: true, deadline: deadline)
    }
}

extension NetworkCommissioningCommand {
    /// Whether the device may leave the commissioner's link after it.
    fileprivate var leadsAway: Bool {
        switch self {
        case .addWiFi, .addThread, .connect: true
        case .scan, .remove, .reorder: false
        }
    }
}
