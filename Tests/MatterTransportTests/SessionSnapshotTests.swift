import Testing

@testable import MatterCrypto
@testable import MatterNetwork

@Suite("Sessions that go from process to process")
struct SessionSnapshotTests {
    private static func engine(_ seed: UInt64 = 9) throws -> MessageEngine {
        try MessageEngine(random: SeededRandom(seed)) { _, _, _ in false }
    }

    /// A pair of which the controller has sent and received once, and what it leaves to the next process.
    private static func atRest() throws -> (pair: Pair, snapshot: SessionSnapshot, sent: MessageHeader) {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let opened = pair.toDevice(request).openedExchanges
        pair.now += .milliseconds(4)
        _ = pair.toController(try pair.reply(2, on: try #require(opened.first)))
        _ = pair.toDevice(pair.controller.close(key, now: pair.now))
        let snapshot = try #require(pair.controller.snapshot(of: pair.toDevice, .sample(.initiator)))
        return (pair, snapshot, try Pair.fromController(try #require(request.datagrams.first)).0)
    }

    @Test("the next process goes on with counters, exchange ids and keys")
    func goingOn() throws {
        var (pair, snapshot, sent) = try Self.atRest()
        var next = try Self.engine()
        let session = try #require(try next.adopt(snapshot, counters: 256, now: pair.now))
        let key = try next.openExchange(on: session)
        #expect(key.exchangeID == snapshot.nextExchangeID)
        let request = try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let header = try Pair.fromController(try #require(request.datagrams.first)).0
        #expect(header.counter > sent.counter && UInt64(header.counter) == snapshot.nextCounter)
        #expect(request.targets == [Pair.deviceAddress])
        #expect(pair.toDevice(request).delivered.map(\.payload) == [[7]])
    }

    @Test("what the first process has received is a duplicate for the next, which acknowledges it and no more")
    func duplicates() throws {
        var pair = try Pair()
        let (key, request) = try pair.request()
        let opened = try #require(pair.toDevice(request).openedExchanges.first)
        let answer = try pair.reply(2, on: opened)
        _ = pair.toController(answer)
        _ = pair.controller.close(key, now: pair.now)
        let snapshot = try #require(pair.controller.snapshot(of: pair.toDevice, .sample(.initiator)))
        var next = try Self.engine()
        _ = try next.adopt(snapshot, counters: 256, now: pair.now)
        let late = next.receive(try #require(answer.datagrams.first), from: Pair.deviceAddress, now: pair.now)
        #expect(late.delivered.isEmpty && late.datagrams.count == 1)
        let header = try Pair.fromController(try #require(late.datagrams.first)).1
        #expect(header.isStandaloneAck)
        #expect(pair.toDevice(late).failed.isEmpty && pair.device.isDrained)
    }

    @Test("only an acknowledgement of its own messages proves to the next process that the peer has the session")
    func proof() throws {
        var (pair, snapshot, _) = try Self.atRest()
        // The answer to a process that was killed, which the record does not know; others may play it again.
        let (_, request) = try pair.request()
        let recording = try pair.reply(2, on: try #require(pair.toDevice(request).openedExchanges.first))
        snapshot.nextCounter += 256
        snapshot.nextExchangeID &+= 256
        let left = try #require(snapshot.lastHeard)
        var next = try Self.engine()
        let session = try #require(try next.adopt(snapshot, counters: 256, now: pair.now))
        pair.now += .seconds(90)
        _ = next.receive(try #require(recording.datagrams.first), from: Pair.deviceAddress, now: pair.now)
        #expect(next.lastAcknowledged(on: session) == left)
        #expect(next.snapshot(of: session, .sample(.initiator))?.lastHeard == left)
        let key = try next.openExchange(on: session)
        let question = try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let answer = try pair.reply(2, on: try #require(pair.toDevice(question).openedExchanges.first))
        _ = next.receive(try #require(answer.datagrams.first), from: Pair.deviceAddress, now: pair.now)
        #expect(next.lastAcknowledged(on: session) == pair.now)
    }

    @Test("a process uses the counters of its block and no others")
    func blockEnds() throws {
        let (pair, snapshot, _) = try Self.atRest()
        var next = try Self.engine()
        let session = try #require(try next.adopt(snapshot, counters: 2, now: pair.now))
        for _ in 0..<2 {
            let key = try next.openExchange(on: session)
            _ = try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now)
        }
        #expect(next.countersLeft(on: session) == 0)
        let key = try next.openExchange(on: session)
        let error = #expect(throws: TransportError.self) {
            _ = try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now)
        }
        #expect(error?.code == .counterExhausted)
        next.stopCounters(before: snapshot.nextCounter + 3, on: session)
        #expect(try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now).datagrams.count == 1)
    }

    @Test("a session whose id is in use is not taken on")
    func idInUse() throws {
        var (pair, snapshot, _) = try Self.atRest()
        #expect(try pair.controller.adopt(snapshot, counters: 256, now: pair.now) == nil)
    }

    @Test("the round trip is measured with messages that were sent once")
    func roundTrip() throws {
        let (_, snapshot, _) = try Self.atRest()
        #expect(snapshot.roundTrip == RoundTrip(.milliseconds(4)))
        var roundTrip = RoundTrip(.milliseconds(8))
        roundTrip.note(.milliseconds(16))
        #expect(roundTrip == RoundTrip(smoothed: .milliseconds(9), variation: .milliseconds(5)))
        #expect(roundTrip.timeout == .milliseconds(29))
    }

    @Test(
        "the head start of a session is its usual round trip, and never longer than the peer's interval",
        arguments: [
            (RoundTrip?.none, Duration.seconds(1), Duration.milliseconds(300)),
            (RoundTrip(.milliseconds(2)), .seconds(1), .milliseconds(50)),
            (RoundTrip(.milliseconds(30)), .seconds(1), .milliseconds(180)),
            (RoundTrip(.seconds(2)), .seconds(1), .milliseconds(300)),
            // A peer that sleeps now listens when its idle interval is over.
            (RoundTrip(.milliseconds(2)), .seconds(10), .seconds(5)),
        ])
    func headStart(roundTrip: RoundTrip?, silence: Duration, expected: Duration) throws {
        var (pair, snapshot, _) = try Self.atRest()
        snapshot.parameters.reliability = ReliabilityParameters(
            idleInterval: .seconds(5), activeInterval: .milliseconds(300), activeThreshold: .seconds(4))
        snapshot.roundTrip = roundTrip
        snapshot.lastHeard = pair.now
        pair.now += silence
        var next = try Self.engine()
        let session = try #require(try next.adopt(snapshot, counters: 256, now: pair.now))
        #expect(next.headStart(on: session, now: pair.now) == expected)
    }

    @Test("what is in flight goes to another address unchanged")
    func reaching() throws {
        let (pair, snapshot, _) = try Self.atRest()
        var next = try Self.engine()
        let session = try #require(try next.adopt(snapshot, counters: 256, now: pair.now))
        let key = try next.openExchange(on: session)
        let first = try next.send([7], opcode: 1, protocolID: .test, on: key, now: pair.now)
        let further = next.reach(session, at: host(9))
        #expect(further.datagrams == first.datagrams && further.targets == [host(9)])
    }
}
