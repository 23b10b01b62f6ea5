import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Which messages an engine lets in, and what becomes of its sessions.
@Suite struct EngineSessionTests {
    private let now = Instant.now

    private func engine(admits: Bool = true) throws -> MessageEngine {
        try MessageEngine(random: SeededRandom(2)) { _, _, _ in admits }
    }

    /// A message as a stranger would write it.
    private func unsecured(
        _ opcode: SecureChannelOpcode = .sigma1, counter: UInt32 = 1, from node: UInt64 = 0x77, exchange: UInt16 = 9,
        protocolID: ProtocolID = .secureChannel, needsAck: Bool = true, payload: [UInt8] = [1]
    ) -> [UInt8] {
        MessageHeader(sessionID: 0, counter: counter, source: node).encoded()
            + ProtocolHeader(
                isFromInitiator: true, needsAck: needsAck, opcode: opcode.rawValue, exchangeID: exchange,
                protocolID: protocolID
            ).encoded() + payload
    }

    /// The exchange that a datagram opens at another engine.
    private func opening(_ actions: [MessageEngine.Action], at engine: inout MessageEngine) throws -> ExchangeKey {
        let datagram = try #require(actions.datagrams.first)
        return try #require(engine.receive(datagram, from: host(1), now: now).openedExchanges.first)
    }

    @Test("an unsecured exchange: ephemeral node id there and back, counters of the node")
    func unsecuredExchange() throws {
        var controller = try engine(admits: false)
        var device = try engine()
        let session = try controller.openUnsecuredSession(
            to: [host(2)], reliability: .standard, presumedActive: true)
        guard case .unsecured(let ephemeral, .initiator) = session else {
            Issue.record("not an unsecured session of ours")
            return
        }
        #expect((1...0xFFFF_FFEF_FFFF_FFFF).contains(ephemeral))
        let key = try controller.openExchange(on: session)
        let request = try controller.send([1], opcode: 0x30, protocolID: .secureChannel, on: key, now: now)
        let datagram = try #require(request.datagrams.first)
        let (header, length) = try MessageHeader.decode(datagram)
        #expect(header.isUnsecured && header.source == ephemeral && header.destination == .none)
        #expect(try ProtocolHeader.decode(Array(datagram[length...])).header.exchangeID == key.exchangeID)

        let opened = try #require(device.receive(datagram, from: host(1), now: now).openedExchanges.first)
        #expect(opened.session == .unsecured(ephemeralNodeID: ephemeral, role: .responder))
        let reply = try device.send([2], opcode: 0x31, protocolID: .secureChannel, on: opened, now: now)
        let (answer, _) = try MessageHeader.decode(#require(reply.datagrams.first))
        #expect(answer.isUnsecured && answer.source == nil && answer.destination == .node(ephemeral))
        let received = controller.receive(try #require(reply.datagrams.first), from: host(2), now: now)
        #expect(received.delivered.map(\.payload) == [[2]] && received.acknowledged == [key])

        let next = try controller.send([3], opcode: 0x32, protocolID: .secureChannel, on: key, now: now)
        #expect(try MessageHeader.decode(#require(next.datagrams.first)).header.counter == header.counter + 1)
        #expect(next.targets == [host(2)])
    }

    @Test("an unsecured answer for an ephemeral node id that is not ours is dropped")
    func strangeAnswer() throws {
        var controller = try engine()
        let answer =
            MessageHeader(sessionID: 0, counter: 1, destination: .node(0x99)).encoded()
            + ProtocolHeader(
                isFromInitiator: false, needsAck: true, opcode: 0x31, exchangeID: 1, protocolID: .secureChannel
            ).encoded()
        #expect(controller.receive(answer, from: host(2), now: now).dropped == [.closed])
        #expect(controller.sessionCount == 0)
    }

    @Test("handshakes do not come on secure sessions, and nothing else without one")
    func placement() throws {
        var pair = try Pair()
        for opcode in [0x20, 0x21, 0x22, 0x23, 0x24, 0x30, 0x31, 0x32, 0x33] as [UInt8] {
            let key = try pair.controller.openExchange(on: pair.toDevice)
            let actions = try pair.controller.send(
                [], opcode: opcode, protocolID: .secureChannel, on: key, now: pair.now)
            #expect(pair.toDevice(actions).dropped == [.malformedMessage])
        }
        var device = try engine()
        for (counter, protocolID) in [ProtocolID.interactionModel, .bulkDataExchange, .test].enumerated() {
            let datagram = unsecured(.sigma1, counter: UInt32(counter), protocolID: protocolID)
            #expect(device.receive(datagram, from: host(1), now: now).dropped == [.malformedMessage])
        }
        let sync = unsecured(.messageCounterSyncRequest, counter: 7)
        #expect(device.receive(sync, from: host(1), now: now).dropped == [.malformedMessage])
        #expect(device.exchangeCount == 0)
    }

    @Test("a message that is not admitted is acknowledged if it asks for that, and goes no further")
    func notAdmitted() throws {
        var pair = try Pair(deviceAdmits: { protocolID, opcode, isSecure in
            protocolID == .test && opcode == 2 && isSecure
        })
        let (_, request) = try pair.request()
        let refused = pair.toDevice(request)
        #expect(refused.count == 1 && refused.datagrams.count == 1 && pair.device.exchangeCount == 0)
        #expect(try Pair.fromDevice(#require(refused.datagrams.first)).1.isStandaloneAck)
        let key = try pair.controller.openExchange(on: pair.toDevice)
        let quiet = try pair.controller.send(
            [], opcode: 1, protocolID: .test, reliable: false, on: key, now: pair.now)
        #expect(pair.toDevice(quiet).isEmpty)
        let admitted = try pair.controller.send([], opcode: 2, protocolID: .test, on: key, now: pair.now)
        #expect(pair.toDevice(admitted).openedExchanges.count == 1)
    }

    @Test("an answer that fits no exchange is acknowledged, not delivered")
    func noExchange() throws {
        var pair = try Pair()
        let opened = try #require(pair.toDevice(pair.request().actions).openedExchanges.first)
        pair.controller.abandon(ExchangeKey(session: pair.toDevice, exchangeID: opened.exchangeID, role: .initiator))
        let late = pair.toController(try pair.reply(2, on: opened))
        #expect(late.delivered.isEmpty && late.datagrams.count == 1)
    }

    @Test("both sides may use one exchange number at once")
    func twoExchangesOfOneNumber() throws {
        var pair = try Pair()
        var exchanges: [UInt16] = []
        let theirs = ExchangeKey(
            session: pair.toDevice, exchangeID: try pair.request().key.exchangeID, role: .responder)
        #expect(!pair.controller.contains(theirs))
        for _ in 0..<3 { exchanges.append(try pair.controller.openExchange(on: pair.toDevice).exchangeID) }
        #expect(exchanges[1] == exchanges[0] &+ 1 && exchanges[2] == exchanges[1] &+ 1)
    }

    @Test("an authentic new message moves the session to its sender's address; nothing else does")
    func addressUpdate() throws {
        var pair = try Pair()
        let (_, request) = try pair.request()
        let datagram = try #require(request.datagrams.first)
        var forged = datagram
        forged[forged.count - 1] ^= 1
        _ = pair.device.receive(forged, from: host(66), now: pair.now)
        #expect(pair.device.address(of: pair.toController) == host(1))
        let opened = try #require(
            pair.device.receive(datagram, from: host(9, port: 4444), now: pair.now).openedExchanges.first)
        #expect(pair.device.address(of: pair.toController) == host(9, port: 4444))
        _ = pair.device.receive(datagram, from: host(66), now: pair.now)
        #expect(pair.device.address(of: pair.toController) == host(9, port: 4444), "a replay does not")
        #expect(try pair.reply(2, on: opened).targets == [host(9, port: 4444)])
    }

    @Test("a message for an unknown session, or under other keys, is dropped without an answer")
    func strangers() throws {
        var pair = try Pair()
        let (_, request) = try pair.request()
        var elsewhere = try #require(request.datagrams.first)
        elsewhere[1] ^= 0xFF
        #expect(pair.device.receive(elsewhere, from: host(1), now: pair.now).dropped == [.closed])
        var damaged = try #require(request.datagrams.first)
        damaged[9] ^= 1
        #expect(pair.device.receive(damaged, from: host(1), now: pair.now).dropped == [.authenticationFailed])
        #expect(pair.toDevice(request).delivered.count == 1, "its counter was not used up")
    }

    @Test("removing a session takes its exchanges with it")
    func remove() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        pair.controller.remove(pair.toDevice)
        #expect(!pair.controller.contains(pair.toDevice) && !pair.controller.contains(key))
        #expect(pair.controller.nextDeadline == nil)
        #expect(throws: TransportError.self) { try pair.controller.openExchange(on: pair.toDevice) }
        #expect(throws: TransportError.self) {
            try pair.controller.send([1], opcode: 1, protocolID: .test, on: key, now: pair.now)
        }
        _ = request
    }

    @Test("session ids are random, not 0, and used by no other session or handshake")
    func sessionIDs() throws {
        var engine = try engine()
        _ = try engine.install(.sample(.initiator), now: now)
        var reserved: Set<UInt16> = []
        for _ in 0..<2000 {
            let id = try engine.unusedSessionID(reserved: reserved)
            #expect(id != 0 && id != 0x1001 && !reserved.contains(id))
            reserved.insert(id)
        }
    }

    @Test("strangers cannot fill the session table: idle unsecured sessions are forgotten, the oldest first")
    func flood() throws {
        var device = try engine(admits: false)
        for node in 1...500 as ClosedRange<UInt64> {
            _ = device.receive(unsecured(from: node), from: host(7), now: now + .milliseconds(Int64(node)))
        }
        #expect(device.sessionCount <= 65)
        #expect(device.contains(.unsecured(ephemeralNodeID: 500, role: .responder)))
        #expect(device.contains(.unsecured(ephemeralNodeID: 450, role: .responder)))
        #expect(!device.contains(.unsecured(ephemeralNodeID: 400, role: .responder)))
        for node in 501...600 as ClosedRange<UInt64> {
            _ = device.receive(unsecured(from: node).dropLast(7), from: host(7), now: now)
        }
        #expect(device.sessionCount <= 65, "not even with messages that do not decode")
    }

    @Test("a stranger's session in use is not forgotten for others")
    func floodAroundAnExchange() throws {
        var device = try engine()
        let opened = try #require(
            device.receive(unsecured(from: 1), from: host(7), now: now).openedExchanges.first)
        for node in 2...300 as ClosedRange<UInt64> {
            _ = device.receive(
                unsecured(.standaloneAck, from: node, needsAck: false), from: host(8), now: now + .seconds(1))
        }
        #expect(device.contains(opened) && device.contains(opened.session))
        #expect(
            try device.send([1], opcode: 0x31, protocolID: .secureChannel, on: opened, now: now).targets == [host(7)]
        )
    }

    @Test("an unsecured duplicate is acknowledged; a peer that restarted begins again")
    func unsecuredDuplicates() throws {
        var device = try engine()
        let datagram = unsecured(counter: 1000)
        #expect(device.receive(datagram, from: host(1), now: now).delivered.count == 1)
        let again = device.receive(datagram, from: host(1), now: now)
        #expect(again.delivered.isEmpty && again.datagrams.count == 1)
        let restarted = device.receive(unsecured(counter: 3, exchange: 10), from: host(1), now: now)
        #expect(restarted.delivered.count == 1)
    }

    @Test("a finished handshake of ours still acknowledges a peer that repeats itself; abandoned ones do not")
    func repeatedEnd() throws {
        for abandons in [false, true] {
            var controller = try engine(admits: false)
            var device = try engine()
            let session = try controller.openUnsecuredSession(
                to: [host(2)], reliability: .standard, presumedActive: true)
            let key = try controller.openExchange(on: session)
            let request = try controller.send([1], opcode: 0x24, protocolID: .secureChannel, on: key, now: now)
            let opened = try opening(request, at: &device)
            let end = try device.send([], opcode: 0x40, protocolID: .secureChannel, on: opened, now: now)
            let datagram = try #require(end.datagrams.first)
            _ = controller.receive(datagram, from: host(2), now: now)
            if abandons { controller.abandon(key) } else { _ = controller.close(key, now: now) }
            #expect(controller.exchangeCount == 0)
            let again = controller.receive(datagram, from: host(2), now: now)
            #expect(again.datagrams.count == (abandons ? 0 : 1))
        }
    }

    @Test("only a few finished handshakes of ours are remembered, and none that was never answered")
    func finishedHandshakes() throws {
        var controller = try engine(admits: false)
        var device = try engine()
        for round in 0..<40 {
            let session = try controller.openUnsecuredSession(
                to: [host(2)], reliability: .standard, presumedActive: true)
            let key = try controller.openExchange(on: session)
            let request = try controller.send([1], opcode: 0x30, protocolID: .secureChannel, on: key, now: now)
            if round.isMultiple(of: 2) {
                let opened = try opening(request, at: &device)
                let end = try device.send([], opcode: 0x40, protocolID: .secureChannel, on: opened, now: now)
                _ = controller.receive(try #require(end.datagrams.first), from: host(2), now: now)
            }
            _ = controller.close(key, now: now)
            while let deadline = controller.nextDeadline { _ = controller.tick(now: deadline) }
        }
        #expect(controller.exchangeCount == 0)
        #expect(controller.sessionCount <= 9)
    }
}
