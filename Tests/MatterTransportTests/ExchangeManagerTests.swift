import Glibc
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// The edge: real sockets on the loopback interface, real time.
@Suite(.timed, .timeLimit(.minutes(5))) struct ExchangeManagerTests {
    /// Two managers with a secure session between them.
    private struct Wire {
        let controller: ExchangeManager
        let device: ExchangeManager
        let toDevice: SessionReference
        let toController: SessionReference

        init(loopback: String = "[::1]") async throws {
            controller = try ExchangeManager(random: SystemRandom()) { _, _, _ in false }
            device = try ExchangeManager(random: SystemRandom()) { _, _, _ in true }
            var there = SecureSessionParameters.sample(.initiator)
            there.address = try PeerAddress(parsing: "\(loopback):\(try await device.open())")
            toDevice = try await controller.install(there)
            var back = SecureSessionParameters.sample(.responder)
            back.address = try PeerAddress(parsing: "\(loopback):\(try await controller.open())")
            toController = try await device.install(back)
        }

        func request(_ octet: UInt8 = 1) async throws -> Exchange {
            let exchange = try await controller.openExchange(on: toDevice)
            try await exchange.send([octet], opcode: 1, protocolID: .test)
            return exchange
        }

        /// Waits until a task of the controller waits for a message.
        func awaitReader(of exchange: Exchange) async throws {
            try await awaitEvent("a reader") { await controller.isAwaited(exchange.key) }
        }

        func shutDown() async {
            await controller.shutDown()
            await device.shutDown()
        }

        /// Answers `count` messages with their own payload.
        func echo(_ count: Int = 1) -> Task<Void, any Error> {
            Task { [device] in
                var left = count
                for await incoming in device.incoming {
                    try await incoming.exchange.send(incoming.message.payload, opcode: 2, protocolID: .test)
                    await incoming.exchange.close()
                    left -= 1
                    if left == 0 { return }
                }
            }
        }
    }

    private func soon() -> Instant { .now + patience }

    /// The error of a receive, and how long it took to come: at least so long, whatever else the machine does.
    private func failure(
        _ body: () async throws -> ReceivedMessage
    ) async throws -> (error: TransportError, elapsed: Duration) {
        let start = Instant.now
        let error = await #expect(throws: TransportError.self) { try await body() }
        return (try #require(error), .now - start)
    }

    @Test("messages go there and back over IPv6 and IPv4", arguments: ["[::1]", "127.0.0.1"])
    func echo(loopback: String) async throws {
        let wire = try await Wire(loopback: loopback)
        let echo = wire.echo(20)
        for octet in 0..<20 as Range<UInt8> {
            let exchange = try await wire.request(octet)
            let answer = try await exchange.receive(until: soon())
            #expect(answer.payload == [octet] && answer.opcode == 2 && answer.protocolID == .test)
            #expect(answer.from.udp?.isIPv6 == (loopback == "[::1]"))
            let report = try #require(await exchange.report())
            #expect(report.acknowledged && report.transmissions >= 1 && report.sendFailures == [:])
            await exchange.close()
        }
        try await echo.value
        await wire.shutDown()
    }

    @Test("many exchanges at once keep their answers apart")
    func concurrent() async throws {
        let wire = try await Wire()
        let echo = wire.echo(50)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for octet in 0..<50 as Range<UInt8> {
                group.addTask {
                    let exchange = try await wire.request(octet)
                    #expect(try await exchange.receive(until: .now + .seconds(5)).payload == [octet])
                    await exchange.close()
                }
            }
            try await group.waitForAll()
        }
        try await echo.value
        await wire.shutDown()
    }

    @Test("a silent peer: the wait ends at its deadline, and the report says what was tried")
    func silence() async throws {
        let wire = try await Wire()
        await wire.device.remove(wire.toController)
        let exchange = try await wire.request()
        let (error, elapsed) = try await failure {
            try await exchange.receive(until: .now + .milliseconds(50))
        }
        #expect(error.code == .notAcknowledged)
        #expect(elapsed >= .milliseconds(50))
        let report = try #require(error.report)
        #expect(report.transmissions == 1 && !report.acknowledged && report.lastHeard == nil)
        #expect(await report.addresses == [wire.controller.address(of: wire.toDevice)])
        await exchange.abandon()
        #expect(await exchange.report() == nil)
        await wire.shutDown()
    }

    @Test("a peer that acknowledges and says nothing gets the time it was given, no more")
    func noReply() async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        let (error, elapsed) = try await failure {
            try await exchange.receive(until: .now + .seconds(60), afterAcknowledgement: .milliseconds(50))
        }
        #expect(error.code == .noReply)
        #expect(elapsed >= .milliseconds(50))
        let report = try #require(error.report)
        #expect(report.acknowledged && report.lastHeard != nil)
        // Asking again does not begin the wait from the start.
        let again = try await failure {
            try await exchange.receive(until: .now + .seconds(60), afterAcknowledgement: .milliseconds(10))
        }
        #expect(again.error.code == .noReply)
        await wire.shutDown()
    }

    @Test("a lost datagram is sent again by the timer")
    func retransmission() async throws {
        let wire = try await Wire()
        let port = try await wire.device.open()
        await wire.device.shutDown()
        let exchange = try await wire.request()
        // The same device comes back: same port, same session.
        let device = try ExchangeManager(port: port, random: SystemRandom()) { _, _, _ in true }
        #expect(try await device.open() == port)
        var back = SecureSessionParameters.sample(.responder)
        back.address = try PeerAddress(parsing: "[::1]:\(try await wire.controller.open())")
        _ = try await device.install(back)
        var arrivals = device.incoming.makeAsyncIterator()
        let arrived = try #require(await arrivals.next())
        try await arrived.exchange.send([2], opcode: 2, protocolID: .test)
        #expect(try await exchange.receive(until: soon()).payload == [2])
        #expect(try #require(await exchange.report()).transmissions >= 2)
        await wire.controller.shutDown()
        await device.shutDown()
    }

    @Test("an address that the kernel refuses fails at once, and the socket goes on working")
    func unreachable() async throws {
        let wire = try await Wire()
        // Broadcasting takes a permission that the socket never asks for.
        let nowhere = try PeerAddress(parsing: "255.255.255.255")
        let session = try await wire.controller.openUnsecuredSession(to: [nowhere], presumedActive: true)
        let exchange = try await wire.controller.openExchange(on: session)
        try await exchange.send([1], opcode: 0x30, protocolID: .secureChannel)
        let (error, _) = try await failure { try await exchange.receive(until: soon()) }
        #expect(error.code == .unreachable)
        // EACCES, or ENETUNREACH on a host without a default route.
        #expect(error.report?.isUnsent == true && error.report?.sendFailures.keys.elementsEqual([nowhere]) == true)
        let again = try await failure { try await exchange.receive(until: soon()) }
        #expect(again.error.code == .unreachable)
        await exchange.close()

        let echo = wire.echo()
        let other = try await wire.request(7)
        #expect(try await other.receive(until: soon()).payload == [7])
        try await echo.value
        await wire.shutDown()
    }

    @Test("a refused address beside a good one does no harm; the good one can come later")
    func candidates() async throws {
        let wire = try await Wire()
        let nowhere = try PeerAddress(parsing: "255.255.255.255")
        let there = try PeerAddress(parsing: "127.0.0.1:\(try await wire.device.open())")
        let silent = try PeerAddress(parsing: "127.0.0.1:9")
        let session = try await wire.controller.openUnsecuredSession(to: [nowhere, silent], presumedActive: true)
        let exchange = try await wire.controller.openExchange(on: session)
        try await exchange.send([1], opcode: 0x30, protocolID: .secureChannel)
        await wire.controller.addAddress(there, to: session)
        var arrivals = wire.device.incoming.makeAsyncIterator()
        let arrived = try #require(await arrivals.next())
        try await arrived.exchange.send([2], opcode: 0x31, protocolID: .secureChannel)
        #expect(try await exchange.receive(until: soon()).from == there)
        #expect(await wire.controller.address(of: session) == there)
        let report = try #require(await exchange.report())
        #expect(report.addresses == [nowhere, silent, there] && report.acknowledged)
        await wire.shutDown()
    }

    @Test("cancelling a wait ends it at once, and the exchange can go on")
    func cancellation() async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        let waiting = Task { try await exchange.receive(until: .now + .seconds(60)) }
        try await wire.awaitReader(of: exchange)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let echo = wire.echo()
        #expect(try await exchange.receive(until: soon()).payload == [1])
        try await echo.value

        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await exchange.receive(until: .now + .seconds(60))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
        await wire.shutDown()
    }

    @Test("one exchange has one reader at a time")
    func twoReaders() async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        let first = Task { try await exchange.receive(until: soon()) }
        try await wire.awaitReader(of: exchange)
        let (error, _) = try await failure { try await exchange.receive(until: soon()) }
        #expect(error.code == .closed)
        let echo = wire.echo()
        #expect(try await first.value.payload == [1])
        try await echo.value
        await wire.shutDown()
    }

    @Test("a waiting caller is told when the exchange, the session or everything is closed", arguments: 0..<4)
    func closing(way: Int) async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        let waiting = Task { try await failure { try await exchange.receive(until: .now + .seconds(60)) } }
        try await wire.awaitReader(of: exchange)
        switch way {
        case 0: await exchange.close()
        case 1: await exchange.abandon()
        case 2: await wire.controller.remove(wire.toDevice)
        default: await wire.controller.shutDown()
        }
        #expect(try await waiting.value.error.code == .closed)
        if way > 0 {
            // No one waits for a message that cannot come.
            let (error, _) = try await failure { try await exchange.receive(until: .now + .seconds(60)) }
            #expect(error.code == .closed)
        }
        let late = await #expect(throws: TransportError.self) {
            try await exchange.send([1], opcode: 1, protocolID: .test)
        }
        #expect(late?.code == .closed)
        await wire.shutDown()
    }

    @Test("shutting down ends the stream of incoming messages and closes the port")
    func shutDown() async throws {
        let wire = try await Wire()
        let reader = Task { [device = wire.device] in
            for await _ in device.incoming {}
        }
        let port = try await wire.device.open()
        await wire.device.shutDown()
        await reader.value
        await #expect(throws: TransportError.self) { try await wire.device.open() }
        let other = try ExchangeManager(port: port, random: SystemRandom()) { _, _, _ in false }
        #expect(try await other.open() == port)
        let third = try ExchangeManager(port: port, random: SystemRandom()) { _, _, _ in false }
        let error = await #expect(throws: TransportError.self) { try await third.open() }
        #expect(error?.code == .portInUse)
        await other.shutDown()
        await wire.shutDown()
    }

    @Test("shutting down may wait for what peers are owed, but not when it is cancelled")
    func draining() async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        await exchange.close()
        // The device acknowledges after 200 ms; the drain would last for hours.
        await wire.controller.shutDown(drainUntil: .now + .seconds(10_000))

        let second = try await Wire()
        await second.device.shutDown()
        _ = try await second.request()
        let hurried = Task { await second.controller.shutDown(drainUntil: .now + .seconds(10_000)) }
        hurried.cancel()
        await hurried.value
        await wire.shutDown()
    }

    @Test("a peer may have a hundred exchanges under way with us, and no flood of them; what is closed makes room")
    func flood() async throws {
        let wire = try await Wire()
        var exchanges: [Exchange] = []
        func key(_ index: Int) -> ExchangeKey {
            ExchangeKey(session: wire.toController, exchangeID: exchanges[index].key.exchangeID, role: .responder)
        }
        func send() async throws {
            let exchange = try await wire.controller.openExchange(on: wire.toDevice)
            try await exchange.send([1], opcode: 1, protocolID: .test, reliable: false)
            exchanges.append(exchange)
        }
        let most = 128
        for count in 1...most {
            try await send()
            guard count.isMultiple(of: 32) else { continue }
            // Not so fast that the kernel's buffer overflows: the last one has arrived when its exchange is known.
            try await awaitEvent("message \(count)") { await wire.device.report(of: key(count - 1)) != nil }
        }
        var arrivals = wire.device.incoming.makeAsyncIterator()
        let (first, second) = (try #require(await arrivals.next()), try #require(await arrivals.next()))
        for _ in 0..<10 { try await send() }
        // Messages arrive in order: the ten have been judged when this one is here.
        try await exchanges[1].send([2], opcode: 1, protocolID: .test, reliable: false)
        #expect(try await second.exchange.receive(until: soon()).payload == [2])
        for index in most..<most + 10 { #expect(await wire.device.report(of: key(index)) == nil, "\(index)") }
        await first.exchange.abandon()
        try await send()
        try await awaitEvent("a message that has room") {
            await wire.device.report(of: key(exchanges.count - 1)) != nil
        }
        await wire.shutDown()
    }

    @Test("messages are kept for a reader who comes later, in order")
    func inbox() async throws {
        let wire = try await Wire()
        let exchange = try await wire.request()
        var arrivals = wire.device.incoming.makeAsyncIterator()
        let arrived = try #require(await arrivals.next())
        for octet in 1...3 as ClosedRange<UInt8> {
            try await arrived.exchange.send([octet], opcode: 2, protocolID: .test, reliable: octet == 1)
        }
        for octet in 1...3 as ClosedRange<UInt8> {
            #expect(try await exchange.receive(until: soon()).payload == [octet])
        }
        await wire.shutDown()
    }

    @Test("session ids on offer are not given out twice until they are returned")
    func reservation() async throws {
        let manager = try ExchangeManager(random: SeededRandom(3)) { _, _, _ in false }
        var ids: Set<UInt16> = []
        for _ in 0..<500 { #expect(ids.insert(try await manager.reserveSessionID()).inserted) }
        for id in ids { await manager.releaseSessionID(id) }
        #expect(!ids.contains(0))
    }
}
