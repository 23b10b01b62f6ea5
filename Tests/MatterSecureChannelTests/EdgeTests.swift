import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Handshakes between two real sockets on the loopback interface.
@Suite(.timed, .timeLimit(.minutes(5))) struct EdgeTests {
    /// Serves PASE, CASE with resumption, and echoes everything else.
    private actor Server {
        let manager: ExchangeManager
        private let fabrics: [CASECredentials]
        private var records: [ResumptionRecord] = []
        private(set) var failures: [SecureChannelError.Code] = []
        /// Other failures, which should not be there.
        private(set) var faults: [String] = []

        init(fabrics: [CASECredentials]) throws {
            self.fabrics = fabrics
            manager = try ExchangeManager(random: SystemRandom()) { _, _, _ in true }
        }

        func run() async {
            await withDiscardingTaskGroup { group in
                for await incoming in manager.incoming {
                    group.addTask { await self.serve(incoming) }
                }
            }
        }

        private func serve(_ incoming: ExchangeManager.Incoming) async {
            let (exchange, message) = (incoming.exchange, incoming.message)
            do {
                guard message.protocolID == .secureChannel, let opcode = SecureChannelOpcode(rawValue: message.opcode)
                else {
                    try await exchange.send(message.payload, opcode: 9, protocolID: message.protocolID)
                    return await exchange.close()
                }
                let id = try await manager.reserveSessionID()
                let known = records
                let machine: any Handshake =
                    switch opcode {
                    case .pbkdfParamRequest:
                        PASEResponder(
                            verifier: try .sample(), pbkdf: PASESample.pbkdf, localSessionID: id,
                            random: SystemRandom())
                    default:
                        CASEResponder(
                            fabrics: fabrics, localSessionID: id,
                            findResumption: { id in known.last { $0.resumptionID == id } }, time: .now(TestFabric.now),
                            random: SystemRandom())
                    }
                let session = try await play(
                    machine, on: exchange, first: HandshakeMessage(opcode, message.payload), until: .now + .seconds(5))
                if let record = session.resumption { records.append(record) }
            } catch let error as SecureChannelError {
                failures.append(error.code)
            } catch {
                faults.append("\(error)")
            }
            await exchange.close()
        }
    }

    /// Plays one side to its end and installs the session.
    @discardableResult
    private static func play(
        _ machine: any Handshake, on exchange: Exchange, first: HandshakeMessage? = nil, until deadline: Instant
    ) async throws -> EstablishedSession {
        var machine = machine
        do {
            var step = if let first { try machine.handle(first) } else { try machine.start() }
            while true {
                // The session has to be there before the peer may use it.
                if let session = step.established {
                    let address = try #require(await exchange.manager.address(of: exchange.session))
                    _ = try await exchange.manager.install(
                        SecureSessionParameters(
                            localSessionID: session.localSessionID, peerSessionID: session.peerSessionID,
                            role: session.role, keys: session.keys, localNodeID: session.localNodeID,
                            peerNodeID: session.peerNodeID, reliability: session.peerParameters.reliability,
                            address: address))
                }
                if let message = step.send {
                    try await exchange.send(
                        message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel)
                }
                if let session = step.established { return session }
                let received = try await exchange.receive(until: deadline, afterAcknowledgement: .seconds(2))
                let opcode = try #require(SecureChannelOpcode(rawValue: received.opcode))
                step = try machine.handle(HandshakeMessage(opcode, received.payload))
            }
        } catch let error as SecureChannelError {
            if let reply = error.reply {
                try await exchange.send(
                    reply.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel)
            }
            throw error
        }
    }

    private static func play(
        _ server: Server, _ body: (_ controller: ExchangeManager, _ address: PeerAddress) async throws -> Void,
        over loopback: String
    ) async throws {
        let running = Task { await server.run() }
        let controller = try ExchangeManager(random: SystemRandom()) { _, _, _ in false }
        let port = try await server.manager.open()
        try await body(controller, try PeerAddress(parsing: "\(loopback):\(port)"))
        await controller.shutDown(drainUntil: .now + .seconds(1))
        await server.manager.shutDown()
        await running.value
    }

    private func connect(
        _ controller: ExchangeManager, to address: PeerAddress, _ make: (UInt16) -> any Handshake
    ) async throws -> EstablishedSession {
        let unsecured = try await controller.openUnsecuredSession(to: [address], presumedActive: true)
        let exchange = try await controller.openExchange(on: unsecured)
        do {
            let session = try await Self.play(
                make(try await controller.reserveSessionID()), on: exchange, until: .now + .seconds(5))
            await exchange.close()
            return session
        } catch {
            await exchange.close()
            throw error
        }
    }

    private func echo(_ controller: ExchangeManager, on session: EstablishedSession) async throws {
        for octet in 0..<3 as Range<UInt8> {
            let exchange = try await controller.openExchange(on: .secure(session.localSessionID))
            try await exchange.send([octet], opcode: 8, protocolID: .interactionModel)
            #expect(try await exchange.receive(until: .now + .seconds(5)).payload == [octet])
            await exchange.close()
        }
    }

    @Test("PASE, CASE, resumption and messages over IPv6 and IPv4", arguments: ["[::1]", "127.0.0.1"])
    func everything(loopback: String) async throws {
        let fabric = try TestFabric(withIntermediate: true)
        let server = try Server(fabrics: [CASECredentials(try fabric.node(6), fabricIndex: 1)])
        let own = CASECredentials(fabric.local.credentials)
        try await Self.play(
            server,
            { controller, address in
                let pase = try await connect(controller, to: address) {
                    PASEInitiator(passcode: PASESample.passcode, localSessionID: $0, random: SystemRandom())
                }
                try await echo(controller, on: pase)
                var record: ResumptionRecord?
                for isResumed in [false, true, true] {
                    let session = try await connect(controller, to: address) {
                        CASEInitiator(
                            credentials: own, peer: NodeID(6), localSessionID: $0, resumption: record,
                            time: .now(TestFabric.now), random: SystemRandom())
                    }
                    #expect(session.isResumed == isResumed && session.peerNodeID == 6)
                    try await echo(controller, on: session)
                    record = session.resumption
                }
            }, over: loopback)
        #expect(await server.failures == [])
        #expect(await server.faults == [])
    }

    @Test("refusals come back as errors on both sides")
    func refusals() async throws {
        let fabric = try TestFabric()
        let server = try Server(fabrics: [CASECredentials(try fabric.node(6), fabricIndex: 1)])
        let own = CASECredentials(fabric.local.credentials)
        try await Self.play(
            server,
            { controller, address in
                let wrongPasscode = await #expect(throws: SecureChannelError.self) {
                    try await connect(controller, to: address) {
                        PASEInitiator(passcode: 1234, localSessionID: $0, random: SystemRandom())
                    }
                }
                #expect(wrongPasscode?.code == .wrongPasscode)
                let wrongNode = await #expect(throws: SecureChannelError.self) {
                    try await connect(controller, to: address) {
                        CASEInitiator(
                            credentials: own, peer: NodeID(7), localSessionID: $0, time: .now(TestFabric.now),
                            random: SystemRandom())
                    }
                }
                #expect(wrongNode?.code == .noSharedTrustRoots)
            }, over: "[::1]")
        #expect(await Set(server.failures) == [.rejected, .noSharedTrustRoots])
        #expect(await server.faults == [])
    }
}
