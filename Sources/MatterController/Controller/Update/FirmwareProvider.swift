import Logging
import MatterNetwork

/// Our node as an OTA provider: it takes sessions of the fabric's nodes, answers what they ask about firmware, and sends them the image
/// (Matter core specification 11.20 and 11.22).
///
/// It has a socket of its own, so that a controller is no server except while it updates a node.
actor FirmwareProvider {
    /// The event that a node brings about.
    enum Event: Equatable, Sendable {
        case offer(FirmwareOffer.Event)
        /// Octets that were sent.
        case sent(UInt64)
        /// The node has fetched all.
        case fetched
        /// The transfer has ended before its end.
        case broken(String)
    }

    private static let handshakeLimit = Duration.seconds(60)
    private static let messageLimit = Duration.seconds(30)
    /// The least silence in which a transfer is not given up (11.22.6.2).
    private static let transferLimit = Duration.seconds(300)
    /// The most octets of a block that fit into a datagram on every network.
    private static let largestBlock: UInt16 = 1024
    private static let mostHandshakes = 4

    nonisolated let manager: ExchangeManager
    nonisolated var unownedExecutor: UnownedSerialExecutor { manager.unownedExecutor }
    private let credentials: OperationalCredentials
    private let validationTime: @Sendable () -> ValidationTime
    private let random: any RandomSource
    private let logger: Logger
    private var offer: FirmwareOffer
    private let tell: @Sendable (Event) -> Void
    private var peers: [SessionReference: NodeID] = [:]
    private var handshakes = 0
    /// The number of the transfer under way; a later one takes its place.
    private var transfer = 0

    init(
        _ offer: FirmwareOffer, as credentials: OperationalCredentials, _ options: Controller.Options,
        validationTime: @escaping @Sendable () -> ValidationTime, tell: @escaping @Sendable (Event) -> Void
    ) throws {
        self.offer = offer
        self.credentials = credentials
        self.validationTime = validationTime
        self.tell = tell
        random = options.random
        logger = options.logger
        manager = try ExchangeManager(
            time: options.time, links: options.links, random: options.random, admission: Self.admits,
            observer: options.trace)
    }

    private static let admits: MessageEngine.Admission = { protocolID, opcode, isSecure in
        switch (protocolID, isSecure) {
        case (.secureChannel, false): opcode == SecureChannelOpcode.sigma1.rawValue
        case (.secureChannel, true): opcode == SecureChannelOpcode.statusReport.rawValue
        case (.interactionModel, true): true
        case (.bulkDataExchange, true): BDXMessage.begins(opcode)
        default: false
        }
    }

    /// Serves until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await incoming in manager.incoming {
                group.addTask { await self.serve(incoming) }
            }
        }
    }

    func close() async { await manager.shutDown(drainUntil: manager.time.now + .milliseconds(500)) }

    private func serve(_ incoming: ExchangeManager.Incoming) async {
        let (exchange, message) = (incoming.exchange, incoming.message)
        do {
            if case .unsecured = exchange.session {
                try await admit(exchange, message)
            } else if message.protocolID == .secureChannel {
                if (try? StatusReport(decoding: message.payload))?.isCloseSession ?? false {
                    peers[exchange.session] = nil
                    await exchange.abandon()
                    return await manager.remove(exchange.session)
                }
            } else if message.protocolID == .bulkDataExchange {
                await send(on: exchange, message)
            } else {
                try await interact(exchange, message)
            }
        } catch {
            logger.debug("the exchange of a node with the OTA provider failed: \(error)")
        }
        await exchange.close()
    }

    // MARK: Sessions

    private func admit(_ exchange: Exchange, _ first: ReceivedMessage) async throws {
        guard handshakes < Self.mostHandshakes else { return try await exchange.send(.busy(wait: .seconds(1))) }
        handshakes += 1
        defer { handshakes -= 1 }
        let id = try await manager.reserveSessionID()
        var message = first
        var machine = CASEResponder(
            fabrics: [CASECredentials(credentials)], localSessionID: id, time: validationTime(), random: random)
        let deadline = manager.time.now + Self.handshakeLimit
        do {
            _ = try await exchange.playHandshake(
                from: try await handle(first, in: &machine, exchange),
                willSend: { step in
                    if let established = step.established { try await install(established, at: message.from) }
                    return true
                },
                next: {
                    message = try await exchange.receive(until: deadline)
                    return try await handle(message, in: &machine, exchange)
                })
        } catch {
            await manager.releaseSessionID(id)
            if let reply = (error as? SecureChannelError)?.reply { try? await exchange.send(reply) }
            throw error
        }
    }

    private func handle(
        _ message: ReceivedMessage, in machine: inout CASEResponder, _ exchange: Exchange
    ) async throws -> HandshakeStep {
        let step = try machine.handle(try HandshakeMessage(message))
        if let parameters = machine.peerParameters {
            await manager.setReliability(parameters.reliability, of: exchange.session)
        }
        return step
    }

    /// A node has one session with us: a new one means that it has lost the old.
    private func install(_ established: EstablishedSession, at address: PeerAddress) async throws {
        let node = NodeID(established.peerNodeID)
        for (old, peer) in peers where peer == node {
            peers[old] = nil
            await manager.remove(old)
        }
        if let secrets = established.handshakeSecrets { manager.observer?.agreed(on: secrets) }
        peers[try await manager.install(SecureSessionParameters(established, address: address))] = node
        if node == offer.requestor {
            transfer += 1
            offer.isBeingFetched = false
        }
    }

    // MARK: Commands

    private func interact(_ exchange: Exchange, _ message: ReceivedMessage) async throws {
        guard let node = peers[exchange.session], message.protocolID == .interactionModel else { return }
        guard case .invoke(let request) = try InteractionRequest(opcode: message.opcode, payload: message.payload)
        else {
            // Nothing else of this node is for others.
            return try await exchange.send(
                StatusResponse(.unsupportedAccess).encoded(),
                opcode: InteractionModelOpcode.statusResponse.rawValue, protocolID: .interactionModel)
        }
        let answers = request.commands.map { offer.answer($0.path, $0.fields, from: node) }
        for case let event? in answers.map(\.event) { tell(.offer(event)) }
        guard !request.suppressesResponse else { return }
        var responder = InvokeResponder(answering: request, with: answers.map(\.outcome))
        let run = InteractionRun(
            exchange: exchange, deadline: manager.time.now + Self.messageLimit, processing: Self.messageLimit,
            delivery: .zero)
        _ = try await run.carryOut(&responder)
    }

    // MARK: The image

    private func send(on exchange: Exchange, _ first: ReceivedMessage) async {
        guard let node = peers[exchange.session] else { return }
        transfer += 1
        let number = transfer
        var sender = BDXSender(size: UInt64(offer.image.octets.count), largestBlock: Self.largestBlock)
        do {
            try check(first, node)
            offer.isBeingFetched = true
            var message = first
            while true {
                for action in try sender.handle(try BDXMessage(opcode: message.opcode, payload: message.payload)) {
                    switch action {
                    case .send(let answer): try await send(answer, exchange)
                    case .sendBlock(let counter, let offset, let count, let isLast):
                        let data = Array(offer.image.octets.dropFirst(Int(offset)).prefix(count))
                        try await send(isLast ? .lastBlock(counter, data) : .block(counter, data), exchange)
                        tell(.sent(offset + UInt64(count)))
                    case .finish:
                        tell(.fetched)
                        offer.isBeingFetched = false
                        return
                    }
                }
                message = try await exchange.receive(until: manager.time.now + Self.transferLimit)
                if message.protocolID == .secureChannel {
                    throw BDXError(reported: try StatusReport(decoding: message.payload))
                }
                guard message.protocolID == .bulkDataExchange else {
                    throw BDXError(.unexpectedMessage, "a message of another protocol in a transfer")
                }
            }
        } catch {
            if let reply = (error as? BDXError)?.reply { try? await exchange.send(StatusReport(reply)) }
            // One that another has taken the place of says nothing of the node.
            guard number == transfer else { return }
            offer.isBeingFetched = false
            if node == offer.requestor { tell(.broken("\(error)")) }
        }
    }

    /// Names of files are never paths: one alone is known.
    private func check(_ message: ReceivedMessage, _ node: NodeID) throws(BDXError) {
        guard case .receiveInit(let request) = try BDXMessage(opcode: message.opcode, payload: message.payload),
            offer.serves(request.designator, to: node)
        else { throw BDXError(.designatorUnknown, "the node wants a file that it was not offered") }
        guard !offer.isBeingFetched else { throw BDXError(.responderBusy, "the node fetches the image already") }
    }

    private func send(_ message: BDXMessage, _ exchange: Exchange) async throws {
        try await exchange.send(message.encoded(), opcode: message.opcode, protocolID: .bulkDataExchange)
    }
}
