import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Real sockets on the loopback interface, real time.
@Suite("Connector", .virtualTime)
struct ConnectorTests {
    private func device(_ change: (inout LoopbackDevice.Plan) -> Void = { _ in }) async throws -> LoopbackDevice {
        var plan = LoopbackDevice.Plan()
        plan.passcode = Client.passcode
        change(&plan)
        return try await .start(plan)
    }

    // MARK: Success

    @Test("a handshake gives a session that both sides have, and closing it tells the peer")
    func pairing() async throws {
        let (client, device) = (try Client(), try await device())
        let session = try await client.pair(.at([device.address]))
        #expect(session.address == device.address && session.established.kind == .pase && !session.isResumed)
        #expect(session.established.peerParameters.reliability == .quick)
        let peers = await device.sessions.values.map(\.keys.attestationChallenge)
        #expect(peers == [session.established.keys.attestationChallenge])
        #expect(await client.manager.contains(session.reference))
        await session.close()
        #expect(await !client.manager.contains(session.reference))
        try await eventually { await device.closed == 1 }
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a dead address does not keep a live one waiting", arguments: [true, false])
    func race(deadFirst: Bool) async throws {
        let (client, device, dead) = (try Client(), try await device(), Blackhole())
        let hints = deadFirst ? [dead.address, device.address] : [device.address, dead.address]
        let start = testTime.now
        let session = try await client.pair(.at(hints))
        #expect(session.address == device.address && .testNow - start < .prompt)
        #expect(dead.received >= 1)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("an address that is found late joins the handshake under way")
    func lateAddress() async throws {
        let (client, device, dead) = (try Client(), try await device(), Blackhole())
        let session = try await client.pair(
            .at([dead.address], locate: Look.up(.wait(.milliseconds(60)), .find(device.address), .stay)))
        #expect(session.address == device.address)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("without hints the first address that is found will do, even if the look-up ends there")
    func onlyLocated() async throws {
        let (client, device) = (try Client(), try await device())
        #expect(try await client.pair(.at([], locate: Look.up(.find(device.address)))).address == device.address)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a look-up that fails at once does not matter where an address is known")
    func failedLookUp() async throws {
        let (client, device) = (try Client(), try await device())
        for _ in 0..<5 {
            #expect(try await client.pair(.at([device.address], locate: Look.up(.fail))).address == device.address)
        }
        await client.shutDown()
        await device.shutDown()
    }

    @Test("an address without a route does not end the race")
    func routelessCandidate() async throws {
        let (client, device, routeless) = (try Client(), try await device(), try PeerAddress.routeless)
        #expect(try await client.pair(.at([routeless, device.address])).address == device.address)
        let later = try await client.pair(
            .at([routeless], locate: Look.up(.wait(.milliseconds(20)), .find(device.address), .stay)))
        #expect(later.address == device.address)
        await client.shutDown()
        await device.shutDown()
    }

    // MARK: Another try

    @Test("a handshake that is acknowledged and not answered is begun again")
    func restartedHandshake() async throws {
        let (client, device) = (
            try Client(processing: .milliseconds(300)), try await device { $0.ignoredHandshakes = 2 }
        )
        _ = try await client.pair(.at([device.address]))
        let handshakes = await device.handshakes
        #expect(handshakes.count == 3)
        // The device gets its time, and more of it when it did not suffice.
        #expect(handshakes[1] - handshakes[0] >= .milliseconds(300))
        #expect(handshakes[2] - handshakes[1] >= .milliseconds(600))
        #expect(handshakes[2] - handshakes[0] < .prompt)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a slow device that has taken up a handshake is given time to finish it")
    func slowDevice() async throws {
        let (client, device) = (
            try Client(processing: .milliseconds(300)), try await device { $0.slowness = .milliseconds(900) }
        )
        _ = try await client.pair(.at([device.address]))
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a busy device is left alone for as long as it asks")
    func busy() async throws {
        let (client, device) = (try Client(), try await device { $0.busy = [.milliseconds(400), .milliseconds(1)] })
        _ = try await client.pair(.at([device.address]))
        let handshakes = await device.handshakes
        #expect(handshakes.count == 3)
        #expect(handshakes[1] - handshakes[0] >= .milliseconds(400))
        #expect(handshakes[1] - handshakes[0] < .prompt)
        // A wait of nothing is still a short one.
        #expect(handshakes[2] - handshakes[1] >= .milliseconds(100))
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a device that stays busy is reported as such")
    func staysBusy() async throws {
        let (client, device) = (
            try Client(), try await device { $0.busy = Array(repeating: .milliseconds(150), count: 100) }
        )
        let (error, elapsed) = try await client.pairingError(.at([device.address]), within: .seconds(4))
        #expect(error.code == .busy && error.refusal?.code == .busy && error.attempts >= 2)
        #expect(error.tried == [device.address] && error.lastHeard != nil)
        #expect(elapsed >= .seconds(4) && elapsed < .prompt)
        await client.shutDown()
        await device.shutDown()
    }

    // MARK: Refusals

    @Test("a wrong passcode is not tried twice")
    func wrongPasscode() async throws {
        let (client, device) = (try Client(), try await device())
        let (error, elapsed) = try await client.pairingError(
            .at([device.address], locate: Look.up(.stay)), passcode: 20_202_022)
        #expect(error.code == .refused && error.refusal?.code == .wrongPasscode && error.phase == .pase)
        #expect(error.attempts == 1 && error.tried == [device.address] && elapsed < .prompt)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a device without a window says so")
    func closedWindow() async throws {
        let (client, device) = (try Client(), try await device { $0.passcode = nil })
        let (error, _) = try await client.pairingError(.at([device.address]))
        #expect(error.code == .refused && error.refusal?.code == .windowClosed)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("an answer that is none is refused, and the peer is told why")
    func nonsense() async throws {
        let client = try Client()
        let peer = try ExchangeManager(time: testTime, links: TestNetwork.links(), random: SystemRandom()) { _, _, _ in
            true
        }
        let address = try PeerAddress(parsing: "[::1]:\(try await peer.open())")
        let answer = inBackground {
            for await incoming in peer.incoming {
                try await incoming.exchange.send([0x15, 0x18], opcode: 0x21, protocolID: .secureChannel)
                return try await incoming.exchange.receive(until: .testNow + .seconds(5))
            }
            throw CancellationError()
        }
        let (error, _) = try await client.pairingError(.at([address]))
        #expect(error.code == .refused && error.refusal?.code == .malformed)
        let told = try await answer.value
        #expect(told.opcode == SecureChannelOpcode.statusReport.rawValue)
        #expect(try StatusReport(decoding: told.payload) == .invalidParameter)
        await client.shutDown()
        await peer.shutDown()
    }

    // MARK: Nothing

    @Test("a look-up that ends without an address, and one that fails, are told apart")
    func nothingFound() async throws {
        let client = try Client()
        let (error, _) = try await client.pairingError(.at([], locate: Look.up()))
        #expect(error.code == .notDiscovered && error.attempts == 0 && error.tried == [] && error.lastHeard == nil)
        await #expect(throws: Look.Failure.self) { try await client.pair(.at([], locate: Look.up(.fail))) }
        let (none, elapsed) = try await client.pairingError(.at([], locate: Look.up(.stay)), within: .milliseconds(80))
        #expect(none.code == .notDiscovered && elapsed >= .milliseconds(80) && elapsed < .prompt)
        await client.shutDown()
    }

    @Test("a deadline passed over in silence names what was tried and how often, and nothing is sent afterwards")
    func silence() async throws {
        let random = StickyRandom()
        let (client, one, other) = (try Client(random: random), Blackhole(), Blackhole())
        let (error, elapsed) = try await client.pairingError(
            .at([one.address, other.address], locate: Look.up(.fail)), within: .seconds(3))
        #expect(error.code == .silent && error.lastHeard == nil && error.refusal == nil)
        #expect(error.tried == [one.address, other.address])
        // Five transmissions take half a second; then the handshake is begun again.
        #expect(error.attempts >= 2 && error.transmissions >= 1)
        #expect(error.discoveryFailure is Look.Failure)
        #expect(elapsed >= .seconds(3) && elapsed < .prompt)
        let account = SessionAccount(error).description
        #expect(account.contains("\(one.address), \(other.address)"))
        #expect(account.contains("\(error.attempts) handshakes") && account.contains("nothing heard"))
        #expect(one.received >= 6)
        try await testTime.sleep(for: .milliseconds(200))
        #expect(one.received == 0 && other.received >= 6)
        #expect(try await random.isFree(in: client.manager))
        await client.shutDown()
    }

    @Test("a device that only acknowledges was heard, and the account says when")
    func onlyAcknowledged() async throws {
        let (client, device) = (try Client(), try await device { $0.ignoredHandshakes = 100 })
        let (error, _) = try await client.pairingError(.at([device.address]), within: .seconds(2))
        #expect(error.code == .noReply && error.attempts == 1)
        let lastHeard = try #require(error.lastHeard)
        #expect(lastHeard > .milliseconds(100) && lastHeard < .prompt)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("addresses without a route are an error at once, with the kernel's word for each")
    func noRoute() async throws {
        let (client, routeless) = (try Client(), try PeerAddress.routeless)
        let (error, elapsed) = try await client.pairingError(.at([routeless]))
        #expect(error.code == .unreachable && error.tried == [routeless] && elapsed < .prompt)
        #expect(error.sendFailures[routeless] != nil)
        let (waited, time) = try await client.pairingError(
            .at([routeless], locate: Look.up(.stay)), within: .milliseconds(200))
        #expect(waited.code == .unreachable && time >= .milliseconds(200))
        await client.shutDown()
    }

    // MARK: Ends

    @Test("cancellation is prompt, stops the retransmissions and gives the session id back")
    func cancellation() async throws {
        let random = StickyRandom()
        let (client, dead) = (try Client(random: random), Blackhole())
        let task = inBackground {
            try await client.pair(.at([dead.address], locate: Look.up(.stay)), within: .seconds(60))
        }
        try await eventually { dead.received > 0 }
        let start = testTime.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(.testNow - start < .prompt)
        _ = dead.received
        try await testTime.sleep(for: .milliseconds(300))
        #expect(dead.received == 0)
        #expect(try await random.isFree(in: client.manager))
        await client.shutDown()
    }

    @Test("a refused handshake gives its session id back")
    func idAfterRefusal() async throws {
        let random = StickyRandom()
        let (client, device) = (try Client(random: random), try await device())
        _ = try await client.pairingError(.at([device.address]), passcode: 20_202_022)
        #expect(try await random.isFree(in: client.manager))
        random.stick()
        _ = try await client.pair(.at([device.address]))
        #expect(try await !random.isFree(in: client.manager))
        await client.shutDown()
        await device.shutDown()
    }
}

extension Duration {
    /// An end that is prompt where waiting would take a minute.
    static let prompt = Duration.seconds(20)
}

extension PeerAddress {
    /// A link-local address on an interface that no host has.
    static var routeless: PeerAddress { get throws { try PeerAddress(parsing: "[fe80::1%4000000]:5540") } }
}
