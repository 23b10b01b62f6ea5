import Testing

@testable import MatterNetwork

/// The Message Reliability Protocol, event by event.
@Suite struct EngineReliabilityTests {
    /// Lets time pass from deadline to deadline.
    private func run(_ engine: inout MessageEngine, until end: Instant) -> [(Instant, [MessageEngine.Action])] {
        var events: [(Instant, [MessageEngine.Action])] = []
        while let deadline = engine.nextDeadline, deadline <= end {
            events.append((deadline, engine.tick(now: deadline)))
        }
        return events
    }

    private func milliseconds(_ instant: Instant, since start: Instant) -> Double {
        (instant - start) / .milliseconds(1)
    }

    @Test("a silent peer gets five identical datagrams on the exact schedule, then the message is given up")
    func schedule() throws {
        var pair = try Pair(random: ConstantRandom(octet: 0))
        let (key, first) = try pair.request()
        #expect(first.targets == [Pair.deviceAddress])
        let events = run(&pair.controller, until: pair.now + .seconds(60))
        let times = events.map { milliseconds($0.0, since: pair.now) }
        // The peer is active at first: it has just been in a handshake. It stays so for 4 s.
        let expected = [330, 660, 1188, 2032.8, 3384.48]
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.01 } && times.count == 5, "\(times)")
        #expect(events.dropLast().allSatisfy { $0.1.datagrams == first.datagrams })
        #expect(events.last?.1.failed == [key] && events.last?.1.count == 1)
        let report = try #require(pair.controller.report(of: key, now: pair.now))
        #expect(report.transmissions == 5 && !report.acknowledged && report.lastHeard == nil)
        #expect(report.addresses == [Pair.deviceAddress] && !report.isUnsent)
        #expect(pair.controller.nextDeadline == nil && pair.controller.isDrained)
    }

    @Test("a peer that was not heard within its threshold is given its idle interval")
    func idle() throws {
        var pair = try Pair(random: ConstantRandom(octet: 0))
        pair.now += .milliseconds(4000)
        let start = pair.now
        _ = try pair.request()
        let times = run(&pair.controller, until: start + .seconds(60)).map { milliseconds($0.0, since: start) }
        let expected = [550, 1100, 1980, 3388, 5640.8]
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.01 } && times.count == 5, "\(times)")
    }

    @Test("whether the peer is active is asked again for every retransmission")
    func fallingAsleep() throws {
        var pair = try Pair(
            random: ConstantRandom(octet: 0), reliability: ReliabilityParameters(activeThreshold: .milliseconds(700)))
        _ = try pair.request()
        let times = run(&pair.controller, until: pair.now + .seconds(60)).map { milliseconds($0.0, since: pair.now) }
        let expected = [330, 660, 1188, 2596, 4848.8]
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.01 } && times.count == 5, "\(times)")
    }

    @Test("the most jitter makes each wait a quarter longer")
    func jitter() throws {
        var pair = try Pair(random: ConstantRandom(octet: 0xFF))
        _ = try pair.request()
        #expect(pair.controller.nextDeadline == pair.now + .milliseconds(330) * 1.25)
    }

    @Test("a peer that says its intervals are 0 gets the standard ones")
    func zero() throws {
        var pair = try Pair(
            random: ConstantRandom(octet: 0),
            reliability: ReliabilityParameters(idleInterval: .zero, activeInterval: .zero, activeThreshold: .seconds(4))
        )
        _ = try pair.request()
        let wait = try #require(pair.controller.nextDeadline) - pair.now
        #expect(abs(wait / .milliseconds(1) - 330) < 0.001)
    }

    @Test("an acknowledgement stops retransmission, and the report says so")
    func acknowledged() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let delivered = pair.toDevice(request)
        #expect(delivered.delivered.map(\.payload) == [[1]])
        pair.now += .milliseconds(200)
        let ack = pair.device.tick(now: pair.now)
        #expect(ack.datagrams.count == 1)
        #expect(pair.toController(ack).acknowledged == [key])
        #expect(pair.controller.nextDeadline == nil)
        pair.now += .milliseconds(50)
        let report = try #require(pair.controller.report(of: key, now: pair.now))
        #expect(report.acknowledged && report.transmissions == 1 && report.lastHeard == .milliseconds(50))
    }

    @Test("an acknowledgement goes by itself after 200 ms, with the headers it must have and a counter of its own")
    func standaloneAck() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let (question, _) = try Pair.fromController(#require(request.datagrams.first))
        _ = pair.toDevice(request)
        #expect(pair.device.nextDeadline == pair.now + .milliseconds(200))
        #expect(pair.device.tick(now: pair.now + .milliseconds(199)).isEmpty)
        let ack = pair.device.tick(now: pair.now + .milliseconds(200))
        let (header, inner) = try Pair.fromDevice(#require(ack.datagrams.first))
        #expect(ack.count == 1 && ack.targets == [Pair.controllerAddress])
        #expect(header.sessionID == 0x1001 && header.source == nil && header.destination == .none)
        #expect(
            inner
                == ProtocolHeader(
                    isFromInitiator: false, needsAck: false, acknowledged: question.counter, opcode: 0x10,
                    exchangeID: key.exchangeID, protocolID: .secureChannel))
        #expect(pair.device.nextDeadline == nil, "it is not repeated")
        let opened = try #require(pair.device.openExchangeKeys(on: pair.toController).first)
        let answer = try pair.reply(2, on: opened)
        #expect(try Pair.fromDevice(#require(answer.datagrams.first)).0.counter == header.counter + 1)
    }

    @Test("an acknowledgement rides on an answer within 200 ms")
    func piggyback() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let (question, _) = try Pair.fromController(#require(request.datagrams.first))
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        pair.now += .milliseconds(150)
        let reply = try pair.reply(2, on: opened)
        let (_, inner) = try Pair.fromDevice(#require(reply.datagrams.first))
        #expect(inner.acknowledged == question.counter && inner.needsAck && !inner.isFromInitiator)
        #expect(pair.device.nextDeadline != pair.now + .milliseconds(50), "no acknowledgement is left to send")
        let received = pair.toController(reply)
        #expect(received.acknowledged == [key] && received.delivered.map(\.payload) == [[2]])
    }

    @Test("a second message while an acknowledgement waits sends the first one at once")
    func twoPendingAcks() throws {
        var pair = try Pair()
        let key = try pair.controller.openExchange(on: pair.toDevice)
        let first = try pair.controller.send([1], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let (question, _) = try Pair.fromController(#require(first.datagrams.first))
        #expect(pair.toDevice(first).datagrams.isEmpty)
        // The controller hears of it by another way, so that it may go on.
        pair.controller.forgetInFlight(key)
        let second = try pair.controller.send([2], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let actions = pair.toDevice(second)
        #expect(actions.delivered.map(\.payload) == [[2]])
        let (_, ack) = try Pair.fromDevice(#require(actions.datagrams.first))
        #expect(ack.isStandaloneAck && ack.acknowledged == question.counter)
        #expect(pair.device.nextDeadline == pair.now + .milliseconds(200), "the second one waits")
    }

    @Test("a duplicate is acknowledged at once and not delivered again")
    func duplicate() throws {
        var pair = try Pair()
        let (_, request) = try pair.request()
        let (question, _) = try Pair.fromController(#require(request.datagrams.first))
        _ = pair.toDevice(request)
        for _ in 0..<3 {
            let again = pair.toDevice(request)
            #expect(again.delivered.isEmpty && again.count == 1)
            let (_, ack) = try Pair.fromDevice(#require(again.datagrams.first))
            #expect(ack.isStandaloneAck && ack.acknowledged == question.counter)
        }
        #expect(pair.device.nextDeadline == nil, "the acknowledgement that waited went with the first of them")
    }

    @Test("a duplicate is acknowledged even after its exchange has ended, and one without need is not")
    func lateDuplicate() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        let reply = try pair.reply(2, on: opened)
        _ = pair.toController(reply)
        _ = pair.controller.close(key, now: pair.now)
        #expect(pair.controller.exchangeCount == 0)
        let again = pair.toController(reply)
        #expect(again.datagrams.count == 1 && again.delivered.isEmpty)
        _ = pair.toDevice(again)
        #expect(pair.device.nextDeadline == nil)

        let unreliable = try pair.reply(3, on: opened, reliable: false)
        _ = pair.toController(unreliable)
        #expect(pair.toController(unreliable).isEmpty)
    }

    @Test("a message that does not acknowledge ours is dropped unseen, and taken once ours is acknowledged")
    func oneInFlight() throws {
        var pair = try Pair()
        let (_, request) = try pair.request()
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        let reply = try pair.reply(2, on: opened)
        // The controller speaks out of turn: its message crosses the reply.
        let key = ExchangeKey(session: pair.toDevice, exchangeID: opened.exchangeID, role: .initiator)
        pair.controller.forgetInFlight(key)
        let crossing = try pair.controller.send([3], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let dropped = pair.toDevice(crossing)
        #expect(dropped.dropped == [.malformedMessage] && dropped.count == 1)
        // The reply gets its acknowledgement; now the same datagram is welcome.
        let ack = pair.controller.receive(
            try #require(reply.datagrams.first), from: Pair.deviceAddress, now: pair.now)
        #expect(ack.dropped == [.malformedMessage], "the reply does not acknowledge the crossing message either")
        pair.controller.forgetInFlight(key)
        _ = pair.toController(reply)
        _ = pair.toDevice(pair.controller.tick(now: pair.now + .milliseconds(200)))
        #expect(pair.toDevice(crossing).delivered.map(\.payload) == [[3]])
    }

    @Test("an exchange takes one reliable message at a time, and unreliable ones beside it")
    func secondSend() throws {
        var pair = try Pair()
        let (key, _) = try pair.request()
        let error = #expect(throws: TransportError.self) {
            try pair.controller.send([2], opcode: 1, protocolID: .test, on: key, now: pair.now)
        }
        #expect(error?.code == .messageInFlight)
        let aside = try pair.controller.send(
            [2], opcode: 1, protocolID: .test, reliable: false, on: key, now: pair.now)
        #expect(pair.toDevice(aside).delivered.map(\.payload) == [[2]])
        #expect(pair.controller.report(of: key, now: pair.now)?.transmissions == 1)
    }

    @Test("unreliable messages ask for no acknowledgement and are sent once")
    func unreliable() throws {
        var pair = try Pair()
        let key = try pair.controller.openExchange(on: pair.toDevice)
        let actions = try pair.controller.send(
            [1], opcode: 1, protocolID: .test, reliable: false, on: key, now: pair.now)
        #expect(pair.controller.nextDeadline == nil)
        #expect(pair.toDevice(actions).delivered.map(\.payload) == [[1]])
        #expect(pair.device.nextDeadline == nil)
    }

    @Test("a message that was given up can be sent again unchanged; a late acknowledgement still counts")
    func resend() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        _ = run(&pair.controller, until: pair.now + .seconds(60))
        pair.now += .seconds(10)
        let again = pair.controller.resend(on: key)
        #expect(again.datagrams == request.datagrams)
        #expect(pair.controller.report(of: key, now: pair.now)?.transmissions == 6)
        let ack = pair.toDevice(again)
        #expect(ack.delivered.isEmpty, "the device has it already")
        #expect(pair.toController(ack).acknowledged == [key])
        #expect(pair.controller.report(of: key, now: pair.now)?.acknowledged == true)
        #expect(pair.controller.resend(on: key).isEmpty, "there is nothing left to send")
        #expect(pair.device.contains(opened))
    }

    @Test("a closed exchange lives on until its message is through, acknowledges what comes, and delivers nothing")
    func closing() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        #expect(pair.controller.close(key, now: pair.now).isEmpty)
        #expect(pair.controller.contains(key) && !pair.controller.isDrained)
        #expect(throws: TransportError.self) {
            try pair.controller.send([9], opcode: 1, protocolID: .test, reliable: false, on: key, now: pair.now)
        }
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        let answered = pair.toController(try pair.reply(2, on: opened))
        #expect(answered.delivered.isEmpty && answered.acknowledged == [key])
        #expect(answered.datagrams.count == 1, "the answer is acknowledged at once")
        #expect(!pair.controller.contains(key) && pair.controller.isDrained)
    }

    @Test("a closed exchange whose message is not acknowledged ends with the last retransmission")
    func closingInVain() throws {
        var pair = try Pair()
        let (key, _) = try pair.request()
        _ = pair.controller.close(key, now: pair.now)
        let events = run(&pair.controller, until: pair.now + .seconds(60))
        #expect(events.count == 5 && events.last?.1.failed == [key])
        #expect(pair.controller.exchangeCount == 0)
    }

    @Test("closing sends the acknowledgement that waits; abandoning sends nothing")
    func owedAck() throws {
        var pair = try Pair()
        let first = try #require(pair.toDevice(pair.request().actions).openedExchanges.first)
        #expect(pair.device.close(first, now: pair.now).datagrams.count == 1)
        let second = try #require(pair.toDevice(pair.request().actions).openedExchanges.first)
        pair.device.abandon(second)
        #expect(pair.device.exchangeCount == 0 && pair.device.nextDeadline == nil)
    }

    @Test("a message of 1232 octets goes out, one more is refused and leaves the exchange as it was")
    func size() throws {
        var pair = try Pair()
        let opened = try #require(pair.toDevice(pair.request().actions).openedExchanges.first)
        let large = [UInt8](repeating: 0xA5, count: 1198)
        let error = #expect(throws: TransportError.self) {
            try pair.device.send(
                large + [0], opcode: 2, protocolID: .interactionModel, on: opened, now: pair.now)
        }
        #expect(error?.code == .messageTooLarge)
        let actions = try pair.device.send(large, opcode: 2, protocolID: .interactionModel, on: opened, now: pair.now)
        #expect(actions.datagrams.map(\.count) == [1232])
        #expect(pair.toController(actions).delivered.map(\.payload) == [large])
    }

    @Test("a session whose counters are used up refuses to send, and the owner can tell")
    func exhausted() throws {
        var pair = try Pair()
        pair.controller.setNextCounter(.max, of: pair.toDevice)
        let (_, last) = try pair.request()
        #expect(pair.toDevice(last).delivered.count == 1)
        let error = #expect(throws: TransportError.self) { try pair.request() }
        #expect(error?.code == .counterExhausted)
    }
}
