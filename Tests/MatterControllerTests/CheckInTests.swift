import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// The fields of RegisterClient.
private final class Registered: Sendable {
    let fields = Mutex<[TLVValue]>([])
    /// Whether trouble is over.
    let isWell = Mutex(false)
}

/// The check-ins that counted.
private final class Heard: Sendable {
    let all = Mutex<[VerifiedCheckIn]>([])
}

@Suite("Check-ins", .virtualTime) struct CheckInTests {
    /// A light that takes registrations, at counter 500.
    ///
    /// - Parameter answer: to the registration of this number, from 1.
    private func bench(
        _ registered: Registered,
        answer: @escaping @Sendable (Int) -> DeviceModel.Answer = { _ in
            .outcome(
                .response(
                    command: IcdManagement.Command.registerClientResponse,
                    fields: .structure([TLVElement(0, .uint(500))])))
        }
    ) async throws -> Bench {
        try await Bench(processing: .milliseconds(300)) { plan in
            plan.model.invoke = { command, _, _ in
                guard command.path.command == IcdManagement.Command.registerClient else {
                    return .outcome(.status(StatusIB(.success)))
                }
                let number = registered.fields.withLock { fields in
                    fields.append(command.fields ?? .null)
                    return fields.count
                }
                return answer(number)
            }
            plan.model.read = { _, _ in
                func value(_ attribute: AttributeID, _ value: UInt64) -> AttributeReportIB {
                    .value(
                        AttributePath(endpoint: 0, cluster: IcdManagement.id, attribute: attribute), .uint(value))
                }
                return [
                    value(GlobalAttribute.featureMap, 7), value(IcdManagement.Attribute.idleModeDuration, 3600),
                    value(IcdManagement.Attribute.activeModeThreshold, 5000),
                    value(IcdManagement.Attribute.operatingMode, 1),
                ]
            }
        }
    }

    private func register(_ bench: Bench) async throws -> ICDRegistration {
        let node = try bench.controller.nodes.record(of: "lamp")
        return try #require(
            try await bench.controller.sleepers.register(with: node, title: "the lamp", budget: Budget(nil)))
    }

    @Test("a registration has our node, a fresh key for each device and time, and the old one as proof")
    func fields() async throws {
        let registered = Registered()
        let bench = try await bench(registered)
        let first = try await register(bench)
        #expect(first.current?.counter == CheckInCounter(start: 500) && first.unconfirmed.isEmpty)
        #expect(first.sleep.idle == 3600 && first.sleep.isLong)
        #expect(try bench.controller.nodes.record(of: "lamp").isLongIdleTime)
        let second = try await register(bench)
        let sent = registered.fields.withLock { $0 }
        #expect(sent.count == 2)
        let us = bench.fabric.credentials.nodeID.rawValue
        for (fields, registration) in zip(sent, [first, second]) {
            #expect(fields.field(0) == .uint(us) && fields.field(1) == .uint(us) && fields.field(4) == .uint(0))
            #expect(fields.field(2) == registration.current.map { .octets($0.key.secret.copyBytes()) })
        }
        #expect(first.current?.key != second.current?.key)
        #expect(sent.first?.field(3) == nil && sent.last?.field(3) == sent.first?.field(2))
        await bench.end()
    }

    @Test("a key whose confirmation is lost is kept: a check-in under it counts, and confirms it")
    func lostAnswer() async throws {
        let registered = Registered()
        let bench = try await bench(registered, answer: { _ in .acknowledgement })
        let node = try bench.controller.nodes.record(of: "lamp")
        await #expect(throws: (any Error).self) {
            _ = try await bench.controller.sleepers.register(
                with: node, title: "the lamp", budget: Budget(.seconds(2)))
        }
        let store = try bench.controller.context.registrations()
        let kept = try #require(try store.registration(of: Bench.node))
        let key = try #require(kept.unconfirmed.first)
        #expect(kept.current == nil)
        let payload = try CheckInMessage(counter: 9, activeThreshold: 5000).sealed(with: key)
        guard case .accepted(let checkIn) = try await receiver(bench).take(message(payload)) else {
            Issue.record("the check-in was refused")
            return await bench.end()
        }
        #expect(checkIn.counter == 9 && checkIn.node == Bench.node)
        #expect(try store.registration(of: Bench.node)?.current?.key == key)
        await bench.end()
    }

    /// The fate of the first refresh.
    enum Trouble: CaseIterable { case refused, unanswered }

    /// Sends a check-in, as the light does.
    private func checkIn(_ counter: UInt32, _ key: CheckInKey, to port: UInt16) async throws {
        let manager = try ExchangeManager(
            time: testTime, links: TestNetwork.links(), random: SystemRandom(), admission: { _, _, _ in false })
        _ = try await manager.open()
        let address = try #require(PeerAddress(octets: [UInt8](repeating: 0, count: 15) + [1], port: port))
        let session = try await manager.openUnsecuredSession(to: [address], presumedActive: true)
        try await manager.openExchange(on: session).send(
            CheckInMessage(counter: counter, activeThreshold: 5000).sealed(with: key),
            opcode: SecureChannelOpcode.checkIn.rawValue, protocolID: .secureChannel, reliable: false)
        try await testTime.sleep(for: .seconds(1))
        await manager.shutDown()
    }

    @Test(
        "a key refresh that fails loses nothing: the old key counts until a later refresh is confirmed",
        arguments: Trouble.allCases)
    func refresh(_ trouble: Trouble) async throws {
        let registered = Registered()
        let bench = try await bench(
            registered,
            answer: { number in
                switch (number == 1 || registered.isWell.withLock { $0 }, trouble) {
                case (false, .refused): .outcome(.status(StatusIB(.failure)))
                case (false, .unanswered): .acknowledgement
                default:
                    .outcome(
                        .response(
                            command: IcdManagement.Command.registerClientResponse,
                            fields: .structure([TLVElement(0, .uint(number == 1 ? 500 : 3_000_000_000))])))
                }
            })
        let old = try #require(try await register(bench).current?.key)
        let store = try bench.controller.context.registrations()
        let told = Heard()
        let (ports, send) = AsyncStream.makeStream(of: UInt16.self)
        var options = bench.controller.options
        options.addresses = [bench.device.address]
        // One on which no node is advertised.
        options.discovery = BluetoothScene.Network()
        let listener = Controller(options)
        let listening = inBackground {
            try await listener.sleepers.listenForCheckIns(
                ready: { send.yield($0) }, tell: { checkIn in told.all.withLock { $0.append(checkIn) } })
        }
        let port = try #require(await ports.first { _ in true })

        // More than half of the counters of the key are used.
        try await checkIn(500 + 1 << 31 + 1, old, to: port)
        try await eventually { registered.fields.withLock { $0.count } >= 2 }
        try await testTime.sleep(for: .seconds(40))
        #expect(told.all.withLock { $0.isEmpty }, "it does not count before the key is new")
        var kept = try #require(try store.registration(of: Bench.node))
        #expect(kept.current?.key == old && kept.last == nil)
        let sent = registered.fields.withLock { $0.last?.field(2) }
        #expect(
            kept.unconfirmed.map { .octets($0.secret.copyBytes()) } == (trouble == .refused ? [] : [sent]),
            "a device that did not answer may have the key")

        registered.isWell.withLock { $0 = true }
        try await checkIn(500 + 1 << 31 + 2, old, to: port)
        try await eventually { told.all.withLock { $0.count } == 1 }
        #expect(told.all.withLock { $0.map(\.hasNewKey) } == [true])
        kept = try #require(try store.registration(of: Bench.node))
        let new = try #require(kept.current?.key)
        #expect(new != old && kept.current?.counter.start == 3_000_000_000 && kept.unconfirmed.isEmpty)
        // The key is another one, and the old one is the proof.
        let fields = registered.fields.withLock { $0 }
        #expect(fields.last?.field(2) == .octets(new.secret.copyBytes()))
        #expect(fields.last?.field(2) != sent && fields.last?.field(3) == .octets(old.secret.copyBytes()))

        try await checkIn(500 + 1 << 31 + 3, old, to: port)
        try await checkIn(3_000_000_001, new, to: port)
        try await eventually { told.all.withLock { $0.count } == 2 }
        #expect(told.all.withLock { $0.last?.counter } == 3_000_000_001)
        listening.cancel()
        _ = await listening.result
        await listener.close()
        await bench.end()
    }

    @Test(
        "after a subscriber was killed, a node is not waited for longer than until it owes a report",
        arguments: [true, false])
    func owedReport(isThere: Bool) async throws {
        let registered = Registered()
        let bench = try await bench(registered)
        _ = try await register(bench)
        let store = try bench.controller.context.registrations()
        let began = Instant.testNow
        var options = bench.controller.options
        options.discovery = BluetoothScene.Network()
        options.waitsForCheckIn = true
        options.unixTime = { TestFabric.unixTime + (Instant.testNow - began).components.seconds }
        _ = try await store.update(Bench.node) { registration in
            registration.awakeUntil = TestFabric.unixTime - 10
            registration.reportDue = TestFabric.unixTime + 900
        }
        if !isThere { bench.relay.cutOff() }
        let waiting = Controller(options)
        let node = try waiting.nodes.record(of: "lamp")
        if isThere {
            _ = try await waiting.links.link(to: node)
            #expect((899...905).contains((Instant.testNow - began).components.seconds))
            #expect(try #require(try store.registration(of: Bench.node)).awakeUntil != nil)
        } else {
            let error = await #expect(throws: ControllerError.self) { _ = try await waiting.links.link(to: node) }
            // It sleeps once more after it has noticed that its report is not taken.
            let waited = (Instant.testNow - began).components.seconds
            #expect(error?.code == .noCheckIn && (4500...4560).contains(waited), "\(waited)")
        }
        await waiting.close()
        await bench.end()
    }

    private func receiver(_ bench: Bench) async throws -> CheckInReceiver {
        CheckInReceiver(
            store: try bench.controller.context.registrations(), time: testTime, unixTime: { TestFabric.unixTime },
            logger: .silent)
    }

    private func message(_ payload: [UInt8], from host: UInt8 = 1) -> ReceivedMessage {
        guard let address = PeerAddress(octets: [192, 0, 2, host], port: 5540) else { preconditionFailure("4 bytes") }
        return ReceivedMessage(
            protocolID: .secureChannel, opcode: SecureChannelOpcode.checkIn.rawValue, payload: payload, from: address)
    }

    @Test("a check-in counts once, also across restarts; what is forged, damaged or older does not count")
    func once() async throws {
        let bench = try await bench(Registered())
        let key = try #require(try await register(bench).current?.key)
        let payload = try CheckInMessage(counter: 510, activeThreshold: 5000).sealed(with: key)
        func isAccepted(_ payload: [UInt8], by receiver: CheckInReceiver) async -> Bool {
            if case .accepted = await receiver.take(message(payload)) { true } else { false }
        }
        var current = try await receiver(bench)
        var damaged = payload
        damaged[20] ^= 1
        #expect(await !isAccepted(damaged, by: current))
        let forged = try CheckInMessage(counter: 511, activeThreshold: 5000).sealed(
            with: CheckInKey.random(SystemRandom()))
        #expect(await !isAccepted(forged, by: current))
        #expect(await !isAccepted([], by: current))
        #expect(await isAccepted(payload, by: current))
        let last = try bench.controller.context.registrations().registration(of: Bench.node)?.last
        #expect(last == .init(counter: 510, at: TestFabric.unixTime))
        #expect(await !isAccepted(payload, by: current))
        // Another process, after the first was killed.
        current = try await receiver(bench)
        #expect(await !isAccepted(payload, by: current))
        let older = try CheckInMessage(counter: 509, activeThreshold: 5000).sealed(with: key)
        #expect(await !isAccepted(older, by: current))
        let next = try CheckInMessage(counter: 600, activeThreshold: 5000).sealed(with: key)
        #expect(await isAccepted(next, by: current))
        await bench.end()
    }

    @Test("a host that sends many of them is heard only so often; others are not kept from it")
    func flood() async throws {
        let bench = try await bench(Registered())
        let key = try #require(try await register(bench).current?.key)
        let receiver = try await receiver(bench)
        for _ in 0..<30 { _ = await receiver.take(message([UInt8](repeating: 1, count: 40))) }
        let payload = try CheckInMessage(counter: 510, activeThreshold: 5000).sealed(with: key)
        #expect(await receiver.take(message(payload)) == nil)
        #expect(await receiver.take(message(payload, from: 2)) != nil)
        await bench.end()
    }

    @Test("a device that cannot be reached has none of our keys, and keeps the one that it may have")
    func unsent() async throws {
        let registered = Registered()
        let bench = try await bench(registered)
        let first = try await register(bench)
        let node = try bench.controller.nodes.record(of: "lamp")
        let store = try bench.controller.context.registrations()
        let sleeping = try CheckInKey.random(SystemRandom())
        _ = try await store.update(Bench.node) { $0.offer(sleeping) }
        await bench.controller.close()
        bench.relay.stop()
        for _ in 0..<5 {
            await #expect(throws: (any Error).self) {
                try await bench.controller.sleepers.refreshKey(of: node, first, deadline: .testNow + .seconds(5))
            }
        }
        let kept = try #require(try store.registration(of: Bench.node))
        #expect(kept.unconfirmed == [sleeping] && kept.current == first.current)
        await bench.end()
    }

    @Test("a device that refuses leaves no registration behind")
    func refused() async throws {
        let bench = try await Bench { plan in
            plan.model.invoke = { _, _, _ in .outcome(.status(StatusIB(.resourceExhausted))) }
            plan.model.read = { _, _ in
                [
                    .value(
                        AttributePath(endpoint: 0, cluster: IcdManagement.id, attribute: GlobalAttribute.featureMap),
                        .uint(7))
                ]
            }
        }
        let error = await #expect(throws: ControllerError.self) { _ = try await register(bench) }
        #expect(error?.code == .status && error?.reason.contains("no room") == true)
        #expect(try bench.controller.context.registrations().sound().registrations.isEmpty)
        await bench.end()
    }
}
