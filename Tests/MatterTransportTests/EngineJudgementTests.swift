import Testing

@testable import MatterNetwork

/// Messages that count only after their reader has accepted them.
@Suite struct EngineJudgementTests {
    private let now = Instant.now

    private struct Scene {
        var engine: MessageEngine
        let key: ExchangeKey
        let sent: [UInt8]
        let ephemeral: UInt64

        /// A message from an attacker who saw ours.
        func message(
            counter: UInt32, opcode: UInt8 = 0x31, payload: [UInt8] = [2], needsAck: Bool = true,
            acknowledges: UInt32? = nil
        ) throws -> [UInt8] {
            let own = try MessageHeader.decode(sent).header.counter
            return MessageHeader(sessionID: 0, counter: counter, destination: .node(ephemeral)).encoded()
                + ProtocolHeader(
                    isFromInitiator: false, needsAck: needsAck, acknowledged: acknowledges ?? own, opcode: opcode,
                    exchangeID: key.exchangeID, protocolID: .secureChannel
                ).encoded() + payload
        }
    }

    private func scene(_ addresses: [PeerAddress] = [host(2), host(3)]) throws -> Scene {
        var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in false }
        let session = try engine.openUnsecuredSession(
            to: addresses, reliability: .standard, presumedActive: true, isJudged: true)
        guard case .unsecured(let ephemeral, _) = session else { throw TransportError(.closed, "") }
        let key = try engine.openExchange(on: session)
        let actions = try engine.send([1], opcode: 0x30, protocolID: .secureChannel, on: key, now: now)
        return Scene(
            engine: engine, key: key, sent: try #require(actions.datagrams.first), ephemeral: ephemeral)
    }

    @Test("a message that is not accepted is shown, and changes nothing")
    func shown() throws {
        var scene = try scene()
        let received = scene.engine.receive(try scene.message(counter: 9), from: host(3), now: now)
        #expect(received.delivered.count == 1 && received.datagrams == [] && received.acknowledged == [])
        let again = scene.engine.tick(now: try #require(scene.engine.nextDeadline))
        #expect(again.targets == [host(2), host(3)] && again.datagrams == [scene.sent, scene.sent])
        #expect(scene.engine.addAddress(host(4), to: scene.key.session).targets == [host(4)])
    }

    @Test("a forged message with the counter of the true one does not suppress it")
    func sameCounter() throws {
        var scene = try scene()
        _ = scene.engine.receive(try scene.message(counter: 9, payload: [66]), from: host(2), now: now)
        let received = scene.engine.receive(try scene.message(counter: 9), from: host(3), now: now)
        let message = try #require(received.delivered.first)
        #expect(message.payload == [2])
        _ = scene.engine.accept(message, on: scene.key, now: now)
        #expect(scene.engine.address(of: scene.key.session) == host(3))
        let next = try scene.engine.send([3], opcode: 0x32, protocolID: .secureChannel, on: scene.key, now: now)
        #expect(next.targets == [host(3)])
        let (header, length) = try MessageHeader.decode(#require(next.datagrams.first))
        _ = header
        let inner = try ProtocolHeader.decode(Array(next.datagrams[0][length...])).header
        #expect(inner.acknowledged == 9)
    }

    @Test("a repetition of what was accepted is acknowledged to its sender and not shown again")
    func repetition() throws {
        var scene = try scene()
        let datagram = try scene.message(counter: 9)
        let message = try #require(scene.engine.receive(datagram, from: host(3), now: now).delivered.first)
        _ = scene.engine.accept(message, on: scene.key, now: now)
        let again = scene.engine.receive(datagram, from: host(3), now: now)
        #expect(again.delivered == [] && again.targets == [host(3)])
        // Another message with the same counter is another message.
        #expect(
            scene.engine.receive(try scene.message(counter: 9, payload: [5]), from: host(2), now: now).delivered.count
                == 1)
    }

    @Test("a bare acknowledgement stops the repetitions to its own address only")
    func bareAcknowledgement() throws {
        var scene = try scene()
        let acknowledgement = try scene.message(counter: 9, opcode: 0x10, payload: [], needsAck: false)
        #expect(scene.engine.receive(acknowledgement, from: host(2), now: now).acknowledged == [scene.key])
        var targets: [PeerAddress] = []
        while let deadline = scene.engine.nextDeadline {
            let actions = scene.engine.tick(now: deadline)
            #expect(actions.failed == [], "it has arrived somewhere")
            targets += actions.targets
        }
        #expect(targets == Array(repeating: host(3), count: 4))
        var other = try self.scene([host(2)])
        let bare = try other.message(counter: 9, opcode: 0x10, payload: [], needsAck: false)
        _ = other.engine.receive(bare, from: host(2), now: now)
        #expect(other.engine.nextDeadline == nil)
    }

    @Test("an answer to an earlier message is known as one")
    func late() throws {
        var scene = try scene()
        let first = try #require(
            scene.engine.receive(try scene.message(counter: 9), from: host(3), now: now).delivered.first)
        #expect(!first.isLate)
        _ = scene.engine.accept(first, on: scene.key, now: now)
        _ = try scene.engine.send([3], opcode: 0x32, protocolID: .secureChannel, on: scene.key, now: now)
        let second = scene.engine.receive(try scene.message(counter: 10, opcode: 0x40), from: host(2), now: now)
        #expect(second.delivered.map(\.isLate) == [true])
    }

    @Test("what acknowledges something that was never sent is dropped")
    func strangeAcknowledgement() throws {
        var scene = try scene()
        let datagram = try scene.message(counter: 9, acknowledges: 12345)
        #expect(scene.engine.receive(datagram, from: host(2), now: now).delivered == [])
    }

    @Test("a message that is only acknowledged leaves the session where it is")
    func acknowledge() throws {
        var scene = try scene()
        let message = try #require(
            scene.engine.receive(try scene.message(counter: 9), from: host(3), now: now).delivered.first)
        #expect(scene.engine.acknowledge(message, on: scene.key).targets == [host(3)])
        #expect(scene.engine.tick(now: try #require(scene.engine.nextDeadline)).targets == [host(2), host(3)])
    }

    @Test("a last message goes to every address that was tried, in place of what is in flight")
    func hangUp() throws {
        var scene = try scene()
        let actions = try scene.engine.hangUp(
            [0], opcode: 0x40, protocolID: .secureChannel, on: scene.key, now: now)
        #expect(actions.targets == [host(2), host(3)] && !actions.datagrams.contains(scene.sent))
        let again = scene.engine.tick(now: try #require(scene.engine.nextDeadline))
        #expect(again.datagrams == actions.datagrams)
    }
}
