import MatterBase
package import MatterCrypto
import MatterModel
package import MatterNetwork
import Synchronization

/// A device on the network of a test: the responder halves of PASE and CASE, and whatever a test makes of the
/// interactions on its sessions.
package actor LoopbackDevice {
    package struct Plan: Sendable {
        /// Handshakes that are acknowledged and then forgotten.
        package var ignoredHandshakes = 0
        /// Answers of BUSY, with the wait asked for, before any handshake is taken up.
        package var busy: [Duration] = []
        /// Without one no commissioning window is open.
        package var passcode: UInt32?
        package var fabrics: [CASECredentials] = []
        /// A message that comes in between before the last message of a handshake, as if from a second device.
        package var stray: StatusReport?
        /// The device's message in place of the last message of a handshake.
        package var lastWord: StatusReport?
        /// Whether the device says everything but its last message twice, as a new message each time.
        package var repeatsItself = false
        package var parameters = SessionParameters.quick
        /// How long it thinks about every message after the first.
        package var slowness = Duration.zero
        package var resumes = true
        /// Whether an offer to resume makes the device give up, as it must not.
        package var stumblesOverResumption = false
        /// How many sessions it has room for; one more takes the place of the oldest, without a word.
        package var sessionLimit = Int.max
        package var model = DeviceModel()
        /// Serves what peers begin in other protocols, with the node id of the peer.
        package var serveOther: @Sendable (ExchangeManager.Incoming, UInt64) async -> Void = { incoming, _ in
            await incoming.exchange.close()
        }
        package var random: any RandomSource = SystemRandom()

        package init() {}
    }

    package static let pbkdf = PBKDFParameters(iterations: 1000, salt: Array("SPAKE2P Key Salt".utf8))

    package nonisolated let manager: ExchangeManager
    package nonisolated let address: PeerAddress
    package var plan: Plan
    /// When each handshake began, those that came to nothing too.
    package private(set) var handshakes: [Instant] = []
    package private(set) var sessions: [SessionReference: EstablishedSession] = [:]
    package private(set) var closed = 0
    /// Sessions that had to go for a newer one.
    package private(set) var evicted = 0
    private var order: [SessionReference] = []
    /// Status reports of commissioners and controllers in the middle of a handshake.
    package private(set) var reported: [StatusReport] = []
    private let resumptions = Mutex<[[UInt8]: ResumptionRecord]>([:])

    private init(manager: ExchangeManager, address: PeerAddress, plan: Plan) {
        self.manager = manager
        self.address = address
        self.plan = plan
    }

    package static func start(
        _ plan: Plan, links: any LinkProvider = TestNetwork.links(), time: any TimeSource = testTime
    ) async throws -> LoopbackDevice {
        let manager = try ExchangeManager(
            time: time, links: links, random: plan.random
        ) { _, _, _ in true }
        let address = try PeerAddress(parsing: "[::1]:\(try await manager.open())")
        let device = LoopbackDevice(manager: manager, address: address, plan: plan)
        manager.time.start {
            for await incoming in manager.incoming { manager.time.start { await device.handle(incoming) } }
        }
        return device
    }

    package func shutDown() async { await manager.shutDown() }

    package func change(_ body: @Sendable (inout Plan) -> Void) { body(&plan) }

    /// Forgets all sessions, as a restart does.
    package func restart() async {
        for session in order where sessions[session] != nil { await manager.remove(session) }
        sessions = [:]
    }

    /// Forgets the session that it has longest, without a word.
    package func evict() async {
        guard let oldest = order.first(where: { sessions[$0] != nil }) else { return }
        sessions[oldest] = nil
        evicted += 1
        await manager.remove(oldest)
    }

    private func handle(_ incoming: ExchangeManager.Incoming) async {
        switch incoming.message.protocolID {
        case .interactionModel:
            await plan.model.serve(incoming, on: sessions[incoming.exchange.session], of: self)
        case .secureChannel where incoming.exchange.session.isSecure:
            closed += 1
            sessions[incoming.exchange.session] = nil
            await manager.remove(incoming.exchange.session)
        case .secureChannel:
            await shakeHands(incoming)
        default:
            guard let peer = sessions[incoming.exchange.session]?.peerNodeID else {
                return await incoming.exchange.close()
            }
            await plan.serveOther(incoming, peer)
        }
    }

    // MARK: Handshakes

    private func shakeHands(_ incoming: ExchangeManager.Incoming) async {
        let exchange = incoming.exchange
        // A report on a handshake that this device does not know of.
        guard incoming.message.opcode != SecureChannelOpcode.statusReport.rawValue else {
            return await exchange.close()
        }
        handshakes.append(manager.time.now)
        guard plan.ignoredHandshakes == 0 else {
            plan.ignoredHandshakes -= 1
            return await exchange.close()
        }
        guard plan.busy.isEmpty else {
            return await end(exchange, .busy(wait: plan.busy.removeFirst()))
        }
        do {
            let id = try await manager.reserveSessionID()
            do {
                try await play(try machine(for: incoming.message, id: id), incoming)
                await exchange.close()
            } catch {
                await manager.releaseSessionID(id)
                throw error
            }
        } catch let error as SecureChannelError {
            await end(exchange, error.reply)
        } catch {
            await exchange.abandon()
        }
    }

    private func machine(for message: ReceivedMessage, id: UInt16) throws -> any Handshake {
        switch SecureChannelOpcode(rawValue: message.opcode) {
        case .pbkdfParamRequest:
            guard let passcode = plan.passcode else { throw SecureChannelError(.windowClosed, "no window is open") }
            let verifier = try SPAKE2PlusVerifierData(
                passcode: passcode, salt: Self.pbkdf.salt, iterations: Self.pbkdf.iterations)
            return PASEResponder(
                verifier: verifier, pbkdf: Self.pbkdf, localSessionID: id, parameters: plan.parameters,
                random: plan.random)
        case .sigma1:
            if plan.stumblesOverResumption, try TLVFields(decoding: message.payload, "Sigma1")[6] != nil {
                throw SecureChannelError(.malformed, "what is this?")
            }
            let resumes = plan.resumes
            return CASEResponder(
                fabrics: plan.fabrics, localSessionID: id, parameters: plan.parameters,
                findResumption: { id in resumes ? self.resumptions.withLock { $0[id] } : nil },
                time: .now(TestFabric.now), random: plan.random)
        default:
            throw SecureChannelError(.malformed, "not the beginning of a handshake")
        }
    }

    private func play(_ responder: any Handshake, _ incoming: ExchangeManager.Incoming) async throws {
        var machine = responder
        let exchange = incoming.exchange
        var received = incoming.message
        var said: HandshakeMessage?
        _ = try await exchange.playHandshake(
            from: try machine.handle(HandshakeMessage(received)),
            willSend: { step in
                defer { said = step.send }
                guard let established = step.established else { return true }
                try await install(established, received.from)
                if plan.repeatsItself { try await interject(said, on: exchange) }
                if let stray = plan.stray { try await exchange.send(stray, reliable: false) }
                if let lastWord = plan.lastWord { try await exchange.send(lastWord) }
                return plan.lastWord == nil
            },
            next: {
                received = try await exchange.receive(until: manager.time.now + .seconds(10))
                if received.opcode == SecureChannelOpcode.statusReport.rawValue {
                    reported.append(try StatusReport(decoding: received.payload))
                }
                try await manager.time.sleep(for: plan.slowness)
                return try machine.handle(HandshakeMessage(received))
            })
    }

    private func interject(_ message: HandshakeMessage?, on exchange: Exchange) async throws {
        if let message { try await exchange.send(message, reliable: false) }
    }

    private func install(_ established: EstablishedSession, _ address: PeerAddress) async throws {
        let reference = try await manager.install(SecureSessionParameters(established, address: address))
        sessions[reference] = established
        order = order.filter { sessions[$0] != nil } + [reference]
        if order.count > plan.sessionLimit {
            let oldest = order.removeFirst()
            sessions[oldest] = nil
            evicted += 1
            await manager.remove(oldest)
        }
        if let record = established.resumption { resumptions.withLock { $0[record.resumptionID] = record } }
    }

    private func end(_ exchange: Exchange, _ report: StatusReport?) async {
        if let report {
            try? await exchange.send(report)
        }
        await exchange.close()
    }
}

extension SessionReference {
    var isSecure: Bool { if case .secure = self { true } else { false } }
}

extension SessionParameters {
    /// A peer that wants its messages again soon: lost ones cost a test little time.
    package static let quick = SessionParameters(
        reliability: ReliabilityParameters(idleInterval: .milliseconds(40), activeInterval: .milliseconds(40)))
}

extension ReliabilityParameters {
    package static let quick = SessionParameters.quick.reliability
}
