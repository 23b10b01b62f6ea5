import Glibc
import Testing

@testable import MatterNetwork

/// Several addresses for one peer, and addresses that cannot be sent to.
@Suite struct EngineAddressTests {
    private let now = Instant.now

    private func begin(
        to addresses: [PeerAddress]
    ) throws -> (engine: MessageEngine, key: ExchangeKey, actions: [MessageEngine.Action]) {
        var engine = try MessageEngine(random: ConstantRandom(octet: 1)) { _, _, _ in false }
        let session = try engine.openUnsecuredSession(to: addresses, reliability: .standard, presumedActive: false)
        let key = try engine.openExchange(on: session)
        let actions = try engine.send([1], opcode: 0x30, protocolID: .secureChannel, on: key, now: now)
        return (engine, key, actions)
    }

    /// The answer of a device to the first datagram.
    private func answer(to actions: [MessageEngine.Action], seed: UInt64 = 5) throws -> [UInt8] {
        var device = try MessageEngine(random: SeededRandom(seed)) { _, _, _ in true }
        let datagram = try #require(actions.datagrams.first)
        let opened = try #require(device.receive(datagram, from: host(1), now: now).openedExchanges.first)
        let reply = try device.send([2], opcode: 0x31, protocolID: .secureChannel, on: opened, now: now)
        return try #require(reply.datagrams.first)
    }

    @Test("unsecured messages count from where the caller says", arguments: [1, 77, UInt32.max])
    func reservedCounter(first: UInt32) throws {
        var engine = try MessageEngine(random: SeededRandom(3), unsecuredCounter: first) { _, _, _ in false }
        for expected in [first, first &+ 1] {
            let session = try engine.openUnsecuredSession(to: [host(2)], reliability: .standard, presumedActive: false)
            let key = try engine.openExchange(on: session)
            let actions = try engine.send([1], opcode: 0x30, protocolID: .secureChannel, on: key, now: now)
            let header = try #require(actions.datagrams.first)[4..<8]
            #expect(header.reversed().reduce(0) { $0 << 8 | UInt32($1) } == expected)
        }
    }

    @Test("every candidate gets the same datagram, in every transmission")
    func candidates() throws {
        var (engine, _, actions) = try begin(to: [host(2), host(3)])
        #expect(actions.targets == [host(2), host(3)])
        #expect(Set(actions.datagrams).count == 1)
        let again = engine.tick(now: try #require(engine.nextDeadline))
        #expect(again.targets == actions.targets && again.datagrams == actions.datagrams)
    }

    @Test("an address that becomes known later gets the datagram in flight at once")
    func addAddress() throws {
        var (engine, key, actions) = try begin(to: [host(2)])
        let added = engine.addAddress(host(3), to: key.session)
        #expect(added.targets == [host(3)] && added.datagrams == actions.datagrams)
        #expect(engine.addAddress(host(3), to: key.session).isEmpty, "it is known already")
        #expect(engine.report(of: key, now: now)?.addresses == [host(2), host(3)])
        #expect(engine.report(of: key, now: now)?.transmissions == 1)
        #expect(engine.tick(now: try #require(engine.nextDeadline)).targets == [host(2), host(3)])
    }

    @Test("the address that answers is the one from then on")
    func pinned() throws {
        var (engine, key, actions) = try begin(to: [host(2), host(3)])
        let received = engine.receive(try answer(to: actions), from: host(3), now: now)
        #expect(received.delivered.count == 1 && received.acknowledged == [key])
        #expect(engine.address(of: key.session) == host(3))
        #expect(engine.addAddress(host(4), to: key.session).isEmpty, "no more candidates are wanted")
        let next = try engine.send([2], opcode: 0x32, protocolID: .secureChannel, on: key, now: now)
        #expect(next.targets == [host(3)])
    }

    @Test("another candidate that answers later does not draw the handshake to itself")
    func settled() throws {
        var (engine, key, actions) = try begin(to: [host(2), host(3)])
        _ = engine.receive(try answer(to: actions), from: host(3), now: now)
        let other = engine.receive(try answer(to: actions, seed: 6), from: host(2), now: now)
        #expect(other.delivered.count == 1, "what it says is for the handshake to judge")
        #expect(engine.address(of: key.session) == host(3))
        let next = try engine.send([2], opcode: 0x32, protocolID: .secureChannel, on: key, now: now)
        #expect(next.targets == [host(3)])
    }

    @Test("candidates are for unsecured sessions of our own only")
    func otherSessions() throws {
        var pair = try Pair()
        _ = try pair.request()
        #expect(pair.controller.addAddress(host(9), to: pair.toDevice).isEmpty)
        #expect(pair.controller.addAddress(host(9), to: .secure(77)).isEmpty)
        #expect(pair.controller.address(of: pair.toDevice) == Pair.deviceAddress)
    }

    @Test("a message that no address takes has failed at once, and the report names the refusals")
    func unreachable() throws {
        var (engine, key, actions) = try begin(to: [host(2), host(3)])
        let datagram = try #require(actions.datagrams.first)
        #expect(engine.noteSendFailure(of: datagram, to: host(2), errno: ENETUNREACH).isEmpty)
        #expect(engine.report(of: key, now: now)?.isUnsent == false)
        #expect(engine.noteSendFailure(of: datagram, to: host(3), errno: EHOSTUNREACH).failed == [key])
        let report = try #require(engine.report(of: key, now: now))
        #expect(report.isUnsent)
        #expect(report.sendFailures == [host(2): ENETUNREACH, host(3): EHOSTUNREACH])
        #expect(engine.nextDeadline == nil)
    }

    @Test("an address that can be reached keeps the message going")
    func partlyReachable() throws {
        var (engine, key, actions) = try begin(to: [host(2), host(3)])
        let datagram = try #require(actions.datagrams.first)
        while let deadline = engine.nextDeadline {
            #expect(engine.noteSendFailure(of: datagram, to: host(2), errno: ENETUNREACH).isEmpty)
            if !engine.tick(now: deadline).failed.isEmpty { break }
        }
        let report = try #require(engine.report(of: key, now: now))
        #expect(report.transmissions == 5 && !report.isUnsent)
        #expect(report.sendFailures == [host(2): ENETUNREACH])
    }

    @Test("a message that went out once is not unsent because a later transmission is refused")
    func laterRefusal() throws {
        var (engine, key, actions) = try begin(to: [host(2)])
        let datagram = try #require(actions.datagrams.first)
        _ = engine.tick(now: try #require(engine.nextDeadline))
        #expect(engine.noteSendFailure(of: datagram, to: host(2), errno: ENETUNREACH).isEmpty)
        #expect(engine.report(of: key, now: now)?.isUnsent == false)
        #expect(engine.nextDeadline != nil, "it may be on its way, and is repeated")
    }

    @Test("a firewall that drops a datagram counts as loss; if it drops all of them, nothing was sent")
    func firewall() throws {
        var (engine, key, actions) = try begin(to: [host(2)])
        let datagram = try #require(actions.datagrams.first)
        var failed: [ExchangeKey] = []
        #expect(engine.noteSendFailure(of: datagram, to: host(2), errno: EPERM).isEmpty)
        while failed.isEmpty, let deadline = engine.nextDeadline {
            let actions = engine.tick(now: deadline)
            failed = actions.failed
            if failed.isEmpty {
                #expect(actions.datagrams == [datagram])
                #expect(engine.noteSendFailure(of: datagram, to: host(2), errno: EPERM).isEmpty)
            }
        }
        #expect(failed == [key])
        let report = try #require(engine.report(of: key, now: now))
        #expect(report.isUnsent && report.transmissions == 5 && report.sendFailures == [host(2): EPERM])
    }

    @Test("the refusal of one message is nothing to another to the same address")
    func otherMessages() throws {
        var pair = try Pair()
        let (first, one) = try pair.request()
        let (second, _) = try pair.request()
        let datagram = try #require(one.datagrams.first)
        let failed = pair.controller.noteSendFailure(of: datagram, to: Pair.deviceAddress, errno: EHOSTUNREACH)
        #expect(failed.failed == [first])
        #expect(pair.controller.report(of: second, now: pair.now)?.sendFailures == [:])
        #expect(
            pair.controller.noteSendFailure(of: [1, 2, 3], to: Pair.deviceAddress, errno: EHOSTUNREACH).isEmpty,
            "an acknowledgement, say")
    }

    @Test("the next message of an exchange starts with a clean report, but for the addresses")
    func nextMessage() throws {
        var (engine, key, actions) = try begin(to: [host(2), host(3)])
        let datagram = try #require(actions.datagrams.first)
        _ = engine.noteSendFailure(of: datagram, to: host(2), errno: ENETUNREACH)
        _ = engine.tick(now: try #require(engine.nextDeadline))
        _ = engine.receive(try answer(to: actions), from: host(3), now: now)
        _ = try engine.send([2], opcode: 0x32, protocolID: .secureChannel, on: key, now: now)
        let report = try #require(engine.report(of: key, now: now))
        #expect(report.transmissions == 1 && !report.acknowledged && report.sendFailures == [:])
        #expect(report.addresses == [host(2), host(3)])
    }
}
