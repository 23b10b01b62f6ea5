import Glibc
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// PASE and CASE between two engines under a virtual clock, on links that lose, repeat, reorder and damage datagrams.
@Suite struct HandshakeNetworkTests {
    @Test("PASE, CASE, resumption and traffic hold together on any link", arguments: [0, 0.1, 0.3, 0.5])
    func lossyLinks(loss: Double) throws {
        let fabric = try TestFabric()
        var established = 0
        var attempts = 0
        var repeated = 0
        for seed in 1...12 as ClosedRange<UInt64> {
            let scene = try Scene(seed: seed, .rough(loss: loss), fabric: fabric)
            var record: ResumptionRecord?
            var attemptsHere = [try scene.pase(), try scene.connect()]
            record = attemptsHere[1].session?.resumption
            attemptsHere.append(try scene.connect(resumption: record))
            for (number, attempt) in attemptsHere.enumerated() {
                attempts += 1
                #expect(attempt.isOver)
                guard let session = attempt.session, let reference = attempt.reference else {
                    // Only the link may be to blame, and only after a whole schedule on one of the sides.
                    let failure = try #require(attempt.transportError)
                    #expect(failure.code == .notAcknowledged || failure.code == .noReply)
                    #expect(failure.report?.transmissions == 5 || failure.report?.acknowledged == true)
                    continue
                }
                established += 1
                // The device may still lack the last word of a resumption.
                guard let peer = scene.knownPeer(of: session) else { continue }
                expectMatch(session, peer)
                for request in try scene.exchange(3, on: reference, tag: UInt8(number)) {
                    let deliveries = scene.device.echo.deliveries[request.payload] ?? 0
                    #expect(deliveries <= 1 && request.answers <= 1)
                    if request.answers == 1 { #expect(deliveries == 1 && request.answer == request.payload) }
                }
            }
            scene.expectOrder()
            repeated += scene.controller.repetitions.count + scene.device.host.repetitions.count
        }
        #expect(attempts == 36)
        // Five transmissions get through 10 % loss all but never, and through half of the loss mostly.
        #expect(established == attempts || loss > 0.1)
        #expect(established >= 18)
        #expect(repeated > 0 || loss == 0)
    }

    @Test("without loss nothing is sent twice, and the answers carry the acknowledgements")
    func clean() throws {
        let scene = try Scene(seed: 1)
        let pase = try scene.pase()
        #expect(pase.session != nil)
        // Three messages from each side, and the acknowledgement of the last one.
        #expect(scene.controller.transmissions.count == 4 && scene.device.host.transmissions.count == 3)
        #expect(scene.network.now - scene.network.start < .milliseconds(250))
        let known = scene.controller.transmissions.count
        #expect(try scene.connect().session != nil)
        #expect(scene.controller.transmissions.count - known == 3)
        scene.expectOrder()
    }

    @Test("resumption takes one round trip and goes on with a new record each time")
    func resumption() throws {
        let scene = try Scene(seed: 2)
        var record = try #require(try scene.connect().session?.resumption)
        for _ in 0..<5 {
            let again = try scene.connect(resumption: record)
            let session = try #require(again.session)
            #expect(session.isResumed)
            expectMatch(session, try scene.peer(of: session))
            let next = try #require(session.resumption)
            #expect(next.resumptionID != record.resumptionID)
            record = next
            let reference = try #require(again.reference)
            #expect(try scene.exchange(1, on: reference).allSatisfy { $0.answers == 1 })
        }
        var forgotten = record
        forgotten.resumptionID[0] ^= 1
        let full = try #require(try scene.connect(resumption: forgotten).session)
        #expect(!full.isResumed)
        scene.expectOrder()
    }

    /// A failure whatever the link does.
    enum Refusal: CaseIterable, Sendable {
        case wrongPasscode, wrongNode, wrongFabric, expiredController, expiredDevice, impostor, busy, windowClosed

        func play(on scene: Scene) throws -> HandshakeConversation {
            let past = CertificateValidity(notBefore: 1, notAfter: TestFabric.now - 1)
            switch self {
            case .wrongPasscode: return try scene.pase(passcode: 34_567_890)
            case .wrongNode: return try scene.connect(to: 7)
            case .wrongFabric: return try scene.connect(as: TestFabric(seed: 77).local.credentials)
            case .expiredController: return try scene.connect(as: scene.fabric.node(1, validity: past))
            case .expiredDevice:
                scene.device.fabrics = [CASECredentials(try scene.fabric.node(6, validity: past), fabricIndex: 1)]
                return try scene.connect()
            case .impostor:
                scene.device.fabrics = [CASECredentials(try scene.fabric.impostor(6), fabricIndex: 1)]
                return try scene.connect()
            case .busy:
                scene.device.turnsAway = .busy(wait: .milliseconds(2500))
                return try scene.connect()
            case .windowClosed:
                scene.device.turnsAway = .invalidParameter
                return try scene.pase()
            }
        }

        var code: SecureChannelError.Code {
            switch self {
            case .wrongPasscode: .wrongPasscode
            case .wrongNode, .wrongFabric: .noSharedTrustRoots
            case .expiredController: .rejected
            case .expiredDevice, .impostor: .invalidCredentials
            case .busy: .busy
            case .windowClosed: .windowClosed
            }
        }
    }

    @Test("refusals arrive with their reason", arguments: Refusal.allCases)
    func refusals(refusal: Refusal) throws {
        let fabric = try TestFabric()
        for loss in [0, 0.1, 0.3] {
            for seed in 1...4 as ClosedRange<UInt64> {
                let scene = try Scene(seed: seed, .rough(loss: loss), fabric: fabric)
                let attempt = try refusal.play(on: scene)
                #expect(attempt.session == nil && attempt.isOver)
                #expect(scene.device.handshakes.allSatisfy { $0.session == nil })
                if loss < 0.3 || attempt.transportError == nil {
                    #expect(attempt.refusal?.code == refusal.code, "seed \(seed) at \(loss)")
                }
                if attempt.refusal?.code == .busy { #expect(attempt.refusal?.wait == .milliseconds(2500)) }
                scene.expectOrder()
            }
        }
    }

    @Test("damaged datagrams end handshakes at worst; sessions never differ, and secure traffic does not notice")
    func corruption() throws {
        let fabric = try TestFabric()
        var established = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            let conditions = LinkConditions(loss: 0.02, duplication: 0.05, corruption: 0.06, delay: 1...20)
            let scene = try Scene(seed: seed, conditions, fabric: fabric)
            let attempt = seed.isMultiple(of: 2) ? try scene.connect() : try scene.pase()
            if let session = attempt.session, let reference = attempt.reference,
                let peer = try? scene.peer(of: session)
            {
                established += 1
                expectMatch(session, peer)
                for request in try scene.exchange(5, on: reference) {
                    #expect(scene.device.echo.deliveries[request.payload] == 1 && request.answer == request.payload)
                }
            }
            #expect(scene.controller.engine.exchangeCount == 0)
        }
        #expect(established > 20 && established < 60)
    }

    // MARK: Addresses

    @Test(
        "an address that turns up during the handshake gets the same datagram, and the session stays where it answered")
    func laterAddress() throws {
        let scene = try Scene(seed: 5)
        let attempt = HandshakeConversation(
            PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
        let key = try attempt.start(from: scene.controller, to: [host(66)])
        scene.network.run(until: scene.network.start + .milliseconds(1000))
        #expect(!attempt.isOver)
        scene.controller.perform(scene.controller.engine.addAddress(host(2), to: key.session))
        scene.network.run()
        #expect(attempt.session != nil)
        let reference = try #require(attempt.reference)
        #expect(scene.controller.engine.address(of: reference) == host(2))
        let toDevice = scene.controller.transmissions.filter { $0.to == host(2) }
        #expect(toDevice.first?.datagram == scene.controller.transmissions.first?.datagram)
        #expect(toDevice.first?.at == scene.network.start + .milliseconds(1000))
        let answered = try #require(toDevice.dropFirst().first).at
        #expect(!scene.controller.transmissions.contains { $0.to == host(66) && $0.at > answered })
        scene.expectOrder()
    }

    @Test("a device that is reached over two addresses sees one handshake")
    func twoAddresses() throws {
        let network = VirtualNetwork(seed: 6, LinkConditions(delay: 1...30))
        let controller = try Host([host(1)], on: network, seed: 1) { _, _, _ in false }
        let device = try Device(on: network, addresses: [host(2), host(3)], seed: 2)
        let attempt = HandshakeConversation(
            PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
        try attempt.start(from: controller, to: [host(2), host(3)])
        network.run()
        #expect(attempt.session != nil && device.handshakes.count == 1)
        let request = Request([1])
        try request.start(from: controller, on: #require(attempt.reference))
        network.run()
        #expect(request.answers == 1 && device.echo.deliveries == [[1]: 1])
    }

    @Test("no route to any address: the failure comes at once and names the kernel's word for each")
    func unreachable() throws {
        let scene = try Scene(seed: 7)
        scene.network.refusals = [host(2): EHOSTUNREACH, host(3): ENETUNREACH]
        let attempt = HandshakeConversation(
            PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
        try attempt.start(from: scene.controller, to: [host(2), host(3)])
        #expect(attempt.transportError?.code == .unreachable)
        #expect(
            attempt.transportError?.report?.sendFailures == [host(2): EHOSTUNREACH, host(3): ENETUNREACH])
        scene.expectOrder()
    }

    @Test("one route is enough")
    func oneRoute() throws {
        let scene = try Scene(seed: 8)
        scene.network.refusals = [host(3): ENETUNREACH]
        let attempt = HandshakeConversation(
            PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
        try attempt.start(from: scene.controller, to: [host(3), host(2)])
        scene.network.run()
        #expect(attempt.session != nil)
        scene.expectOrder()
    }

    @Test("a device that is not there is given up after five transmissions, an idle one later than an active one")
    func silence() throws {
        for (presumedActive, range) in [(true, 3384.0...4231), (false, 5640.0...7051)] {
            let scene = try Scene(seed: 9, LinkConditions(loss: 1))
            let attempt = HandshakeConversation(
                PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
            try attempt.start(from: scene.controller, to: [host(2)], presumedActive: presumedActive)
            scene.network.run()
            #expect(attempt.transportError?.code == .notAcknowledged)
            let report = try #require(attempt.transportError?.report)
            #expect(report.transmissions == 5 && report.addresses == [host(2)] && report.lastHeard == nil)
            #expect(range.contains((scene.network.now - scene.network.start) / .milliseconds(1)))
            #expect(scene.controller.transmissions.count == 5)
            scene.expectOrder()
        }
    }
}
