import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Exchanges over Bluetooth in memory: a commissioner's exchange manager at one end, a device's at the other.
@Suite(.virtualTime) struct BTPLinkTests {
    private static let address = "AA:BB:CC:DD:EE:01"

    /// A device that sends every request back in reverse.
    private final class Bench: Sendable {
        let air: MemoryBluetooth
        let device: ExchangeManager
        let network = Mutex(0)
        private let service: Task<Void, any Error>

        init(
            attMTU: UInt16? = 247, answers: Bool = true,
            judge: @escaping MemoryBluetooth.Judge = { _, _, _ in .carry(after: .milliseconds(15)) }
        ) async throws {
            air = MemoryBluetooth(time: testTime, attMTU: attMTU, judge: judge)
            let links = BTPPeripheralLinks(
                TestNetwork.links(), peripheral: air.peripheral(BTPLinkTests.address), time: testTime)
            device = try ExchangeManager(time: testTime, links: links, random: SystemRandom()) { _, _, _ in true }
            try await device.open()
            service = inBackground { [device] in
                for await incoming in device.incoming where answers {
                    try? await incoming.exchange.send(
                        incoming.message.payload.reversed(), opcode: SecureChannelOpcode.pbkdfParamResponse.rawValue,
                        protocolID: .secureChannel)
                    await incoming.exchange.close()
                }
            }
        }

        func links(idleLimit: Duration? = nil) async throws -> BTPLinks {
            let device = BluetoothDevice(
                address: BTPLinkTests.address, adapter: "memory", advertisement: .init(longDiscriminator: 0))
            let connection = try await air.central().connect(to: device, deadline: .testNow + .seconds(10))
            return BTPLinks(connection, time: testTime, idleLimit: idleLimit)
        }

        func manager(_ links: BTPLinks) throws -> ExchangeManager {
            try ExchangeManager(time: testTime, links: links, random: SystemRandom()) { _, _, _ in false }
        }

        func end() async {
            await device.shutDown()
            service.cancel()
        }
    }

    private func ask(_ manager: ExchangeManager, _ links: BTPLinks, _ payload: [UInt8]) async throws -> [UInt8] {
        let session = try await manager.openUnsecuredSession(to: [links.peer], presumedActive: true)
        let exchange = try await manager.openExchange(on: session)
        do {
            try await exchange.send(
                payload, opcode: SecureChannelOpcode.pbkdfParamRequest.rawValue, protocolID: .secureChannel)
            let answer = try await exchange.receive(until: .testNow + .seconds(60))
            #expect(answer.from == links.peer)
            await exchange.close()
            return answer.payload
        } catch {
            await exchange.close()
            throw error
        }
    }

    @Test(
        "a request and its answer go over Bluetooth, without acknowledgements of messages",
        arguments: [
            nil, 30, 247, 517,
        ] as [UInt16?])
    func converses(attMTU: UInt16?) async throws {
        let bench = try await Bench(attMTU: attMTU)
        let links = try await bench.links()
        let manager = try bench.manager(links)
        #expect(manager.link == LinkProperties(isReliable: true, largestMessage: 1280))
        for length in [1, 200, 1100] {
            let request = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try await ask(manager, links, request) == request.reversed())
        }
        #expect(TestNetwork.current.messages == 0, "nothing goes over the network")
        await manager.shutDown()
        await bench.end()
        #expect(bench.air.openConnections == 0)
    }

    @Test("a session over Bluetooth is neither acknowledged nor repeated on a device that has a network, too")
    func mixedReliability() async throws {
        let seen = Mutex<[ProtocolHeader]>([])
        let assembly = Mutex<[BTPReassembly]>([.init(largestMessage: 1280), .init(largestMessage: 1280)])
        let bench = try await Bench { sender, value, number in
            // The handshake is not a segment.
            if number > 2, let segment = try? BTPSegment(decoding: value), let place = segment.place {
                let message = try? assembly.withLock { try $0[sender == .central ? 0 : 1].take(segment.payload, place) }
                if let message, let (_, length) = try? MessageHeader.decode(message),
                    let (header, _) = try? ProtocolHeader.decode(Array(message[length...]))
                {
                    seen.withLock { $0.append(header) }
                }
            }
            return .carry(after: .seconds(2))
        }
        let links = try await bench.links()
        let manager = try bench.manager(links)
        #expect(try await ask(manager, links, [1, 2, 3]) == [3, 2, 1])
        // Long enough for retransmissions and acknowledgements, if there were any.
        try await testTime.sleep(for: .seconds(20))
        let headers = seen.withLock { $0 }
        #expect(headers.count == 2 && headers.allSatisfy { !$0.needsAck && $0.acknowledged == nil })
        await manager.shutDown()
        await bench.end()
    }

    @Test("a connection that is lost at any value ends the wait at once, with its reason", arguments: 0..<9)
    func loss(at place: Int) async throws {
        let bench = try await Bench { _, _, number in number == place ? .lose : .carry(after: .milliseconds(15)) }
        let links = try await bench.links()
        let manager = try bench.manager(links)
        let began = Instant.testNow
        let error = await #expect(throws: TransportError.self) {
            for _ in 0..<5 { _ = try await ask(manager, links, [UInt8](repeating: 1, count: 300)) }
        }
        #expect(error?.code == .linkLost || error?.code == .closed, "\(String(describing: error))")
        #expect(Instant.testNow - began < .seconds(5), "it waited for something that cannot come")
        // It cannot be opened again, and says why.
        let again = await #expect(throws: TransportError.self) { _ = try await ask(manager, links, [1]) }
        #expect(again?.code == .linkLost)
        await manager.shutDown()
        #expect(bench.air.openConnections == 0)
        // Another connection works.
        await bench.end()
    }

    @Test("after a loss, the device takes another connection")
    func reconnects() async throws {
        let values = Mutex(0)
        let bench = try await Bench { _, _, _ in
            let count = values.withLock { count in
                count += 1
                return count
            }
            return count == 6 ? .lose : .carry(after: .milliseconds(15))
        }
        let first = try await bench.links()
        let lost = try bench.manager(first)
        await #expect(throws: TransportError.self) {
            for _ in 0..<5 { _ = try await ask(lost, first, [1, 2]) }
        }
        await lost.shutDown()
        let second = try await bench.links()
        let manager = try bench.manager(second)
        #expect(try await ask(manager, second, [1, 2]) == [2, 1])
        await manager.shutDown()
        await bench.end()
        #expect(bench.air.openConnections == 0)
    }

    @Test("a device that does not answer keeps its connection, and acknowledgements keep it up")
    func silence() async throws {
        let bench = try await Bench(answers: false)
        let links = try await bench.links()
        let manager = try bench.manager(links)
        let error = await #expect(throws: TransportError.self) { _ = try await ask(manager, links, [1]) }
        #expect(error?.code == .noReply)
        #expect(bench.air.openConnections == 1)
        await manager.shutDown()
        await bench.end()
    }

    @Test("a connection without messages is left after its idle time")
    func idle() async throws {
        let bench = try await Bench()
        let links = try await bench.links(idleLimit: .seconds(60))
        let manager = try bench.manager(links)
        _ = try await ask(manager, links, [1])
        try await testTime.sleep(for: .seconds(70))
        #expect(bench.air.openConnections == 0)
        await manager.shutDown()
        await bench.end()
    }

    @Test("a device that cannot be reached, and one without the service, are errors with the address")
    func unreachable() async throws {
        let air = MemoryBluetooth(time: testTime)
        let device = BluetoothDevice(
            address: Self.address, adapter: "memory", advertisement: .init(longDiscriminator: 0))
        let error = await #expect(throws: TransportError.self) {
            _ = try await air.central().connect(to: device, deadline: .testNow + .seconds(1))
        }
        #expect(error?.code == .linkLost && error?.reason.contains(Self.address) == true)
    }

    @Test("a task that is cancelled during the handshake leaves no connection")
    func cancelled() async throws {
        let bench = try await Bench { _, _, _ in .carry(after: .seconds(5)) }
        let links = try await bench.links()
        let manager = try bench.manager(links)
        let task = inBackground { try await manager.open() }
        try await testTime.sleep(for: .seconds(1))
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        try await testTime.sleep(for: .seconds(10))
        #expect(bench.air.openConnections == 0)
        await bench.end()
    }

    @Test("devices that advertise are reported, and again when that changes")
    func scan() async throws {
        let air = MemoryBluetooth(time: testTime)
        let peripheral = air.peripheral(Self.address)
        try await peripheral.advertise(BLEAdvertisement(longDiscriminator: 1))
        var stream = air.central().scan().makeAsyncIterator()
        #expect(try await stream.next()?.advertisement.longDiscriminator == 1)
        try await peripheral.advertise(BLEAdvertisement(longDiscriminator: 2))
        #expect(try await stream.next()?.advertisement.longDiscriminator == 2)
    }
}
