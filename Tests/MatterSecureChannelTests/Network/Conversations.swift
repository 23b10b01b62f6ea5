import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Plays one side of a handshake over an exchange, and installs the session that comes of it.
final class HandshakeConversation: Conversation {
    private var machine: any Handshake
    private(set) var session: EstablishedSession?
    private(set) var reference: SessionReference?
    private(set) var error: (any Error)?

    init(_ machine: any Handshake) { self.machine = machine }

    var refusal: SecureChannelError? { error as? SecureChannelError }
    var transportError: TransportError? { error as? TransportError }
    var isOver: Bool { session != nil || error != nil }

    /// Begins the handshake as its initiator.
    @discardableResult
    func start(from host: Host, to addresses: [PeerAddress], presumedActive: Bool = true) throws -> ExchangeKey {
        let unsecured = try host.engine.openUnsecuredSession(
            to: addresses, reliability: .standard, presumedActive: presumedActive)
        let key = try host.begin(self, on: unsecured)
        try take(try machine.start(), on: key, of: host)
        return key
    }

    func received(_ message: ReceivedMessage, on key: ExchangeKey, of host: Host) {
        do {
            guard let opcode = SecureChannelOpcode(rawValue: message.opcode) else {
                throw SecureChannelError(.malformed, "opcode \(message.opcode)")
            }
            let step = try machine.handle(HandshakeMessage(opcode, message.payload))
            if let parameters = machine.peerParameters {
                host.engine.setReliability(parameters.reliability, of: key.session)
            }
            try take(step, on: key, of: host)
        } catch {
            self.error = error
            if let reply = (error as? SecureChannelError)?.reply {
                try? host.send(
                    reply.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel,
                    on: key)
            }
            host.close(key)
        }
    }

    func failed(_ key: ExchangeKey, of host: Host) {
        let report = host.engine.report(of: key, now: host.network.now)
        error = TransportError(report?.isUnsent == true ? .unreachable : .notAcknowledged, "", report: report)
        host.abandon(key)
    }

    /// Time is up.
    func giveUp(_ key: ExchangeKey, of host: Host) {
        guard !isOver else { return }
        error = TransportError(.noReply, "", report: host.engine.report(of: key, now: host.network.now))
        host.abandon(key)
    }

    private func take(_ step: HandshakeStep, on key: ExchangeKey, of host: Host) throws {
        if let message = step.send {
            try host.send(message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel, on: key)
        }
        guard let established = step.established else { return }
        session = established
        let address = try #require(host.engine.address(of: key.session))
        reference = try host.engine.install(
            SecureSessionParameters(
                localSessionID: established.localSessionID, peerSessionID: established.peerSessionID,
                role: established.role, keys: established.keys, localNodeID: established.localNodeID,
                peerNodeID: established.peerNodeID, reliability: established.peerParameters.reliability,
                address: address), now: host.network.now)
        host.close(key)
    }
}

/// A request, and the wait for its answer.
final class Request: Conversation {
    let payload: [UInt8]
    private(set) var answer: [UInt8]?
    private(set) var answers = 0
    private(set) var report: ExchangeReport?
    private(set) var failed = false
    private var key: ExchangeKey?

    init(_ payload: [UInt8]) { self.payload = payload }

    func start(from host: Host, on session: SessionReference) throws {
        let key = try host.begin(self, on: session)
        self.key = key
        try host.send(payload, opcode: 8, protocolID: .interactionModel, on: key)
    }

    func received(_ message: ReceivedMessage, on key: ExchangeKey, of host: Host) {
        answer = message.payload
        answers += 1
        report = host.engine.report(of: key, now: host.network.now)
        host.close(key)
    }

    /// Time is up.
    func giveUp(of host: Host) {
        guard let key, answers == 0, !failed else { return }
        report = host.engine.report(of: key, now: host.network.now)
        host.abandon(key)
    }

    func failed(_ key: ExchangeKey, of host: Host) {
        failed = true
        report = host.engine.report(of: key, now: host.network.now)
        host.close(key)
    }
}

/// Answers every request with its own payload, and counts them.
final class EchoServer {
    private(set) var deliveries: [[UInt8]: Int] = [:]
    /// How long an answer takes; longer than 200 ms gives standalone acknowledgements.
    var isSilent = false

    final class Reply: Conversation {
        private let server: EchoServer

        init(_ server: EchoServer) { self.server = server }

        func received(_ message: ReceivedMessage, on key: ExchangeKey, of host: Host) {
            server.deliveries[message.payload, default: 0] += 1
            guard !server.isSilent else { return }
            try? host.send(message.payload, opcode: 9, protocolID: .interactionModel, on: key)
            host.close(key)
        }

        func failed(_ key: ExchangeKey, of host: Host) {}
    }
}

/// A device that takes PASE, CASE and requests.
final class Device {
    let host: Host
    let echo = EchoServer()
    private(set) var handshakes: [HandshakeConversation] = []
    private var nextSessionID: UInt16 = 100
    private var seed: UInt64
    var fabrics: [CASECredentials] = []
    /// Turns every handshake away with this report.
    var turnsAway: StatusReport?
    var records: [ResumptionRecord] { handshakes.compactMap { $0.session?.resumption } }

    init(on network: VirtualNetwork, addresses: [PeerAddress], seed: UInt64) throws {
        host = try Host(addresses, on: network, seed: seed)
        self.seed = seed
        host.serve = { [unowned self] in accept($0, $1) }
    }

    private func accept(_ key: ExchangeKey, _ message: ReceivedMessage) -> (any Conversation)? {
        guard message.protocolID == .secureChannel else { return EchoServer.Reply(echo) }
        if let turnsAway {
            try? host.send(
                turnsAway.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel,
                on: key)
            return nil
        }
        nextSessionID += 1
        seed += 1
        let known = records
        let machine: any Handshake
        switch SecureChannelOpcode(rawValue: message.opcode) {
        case .pbkdfParamRequest:
            guard let verifier = try? SPAKE2PlusVerifierData.sample() else { return nil }
            machine = PASEResponder(
                verifier: verifier, pbkdf: PASESample.pbkdf, localSessionID: nextSessionID, random: SeededRandom(seed))
        case .sigma1:
            machine = CASEResponder(
                fabrics: fabrics, localSessionID: nextSessionID,
                findResumption: { id in known.last { $0.resumptionID == id } }, time: .now(TestFabric.now),
                random: SeededRandom(seed))
        default: return nil
        }
        let conversation = HandshakeConversation(machine)
        handshakes.append(conversation)
        return conversation
    }
}
