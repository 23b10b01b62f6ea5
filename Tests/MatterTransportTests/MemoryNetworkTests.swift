import Synchronization
import TestSupport
import Testing

@testable import MatterNetwork

@Suite("A network in memory", .timeLimit(.minutes(5)))
struct MemoryNetworkTests {
    private static let controllerAddress = host(1)
    private static let deviceAddress = host(2)

    /// A request and its answer; what the requester got.
    private func converse(over network: MemoryNetwork, _ payload: [UInt8] = [1, 2, 3]) async throws -> [UInt8] {
        let controller = try ExchangeManager(
            links: network.links(of: Self.controllerAddress), random: SeededRandom(1)
        ) { _, _, _ in false }
        let device = try ExchangeManager(
            links: network.links(of: Self.deviceAddress), random: SeededRandom(2)
        ) { _, _, _ in true }
        try await device.open()
        let service = Task {
            for await incoming in device.incoming {
                try await incoming.exchange.send(
                    incoming.message.payload.reversed(), opcode: SecureChannelOpcode.pbkdfParamResponse.rawValue,
                    protocolID: .secureChannel)
                await incoming.exchange.close()
            }
        }
        let session = try await controller.openUnsecuredSession(to: [Self.deviceAddress], presumedActive: true)
        let exchange = try await controller.openExchange(on: session)
        let result: Result<ReceivedMessage, any Error>
        do {
            try await exchange.send(
                payload, opcode: SecureChannelOpcode.pbkdfParamRequest.rawValue, protocolID: .secureChannel)
            result = .success(try await exchange.receive(until: .now + .seconds(20)))
        } catch {
            result = .failure(error)
        }
        await exchange.close()
        await controller.shutDown(drainUntil: .now + .seconds(5))
        await device.shutDown(drainUntil: .now + .seconds(5))
        service.cancel()
        return try result.get().payload
    }

    @Test("messages go from host to host, with the addresses of both")
    func carries() async throws {
        let seen = Mutex<[(PeerAddress, PeerAddress)]>([])
        let network = MemoryNetwork { _, from, to in
            seen.withLock { $0.append((from, to)) }
            return [.zero]
        }
        #expect(try await converse(over: network) == [3, 2, 1])
        let first = try #require(seen.withLock { $0.first })
        #expect(first == (Self.controllerAddress, Self.deviceAddress))
    }

    @Test("what is lost is sent again, and what comes twice counts once")
    func loses() async throws {
        let count = Mutex(0)
        let network = MemoryNetwork { _, _, _ in
            count.withLock { number in
                number += 1
                return number == 1 || number == 3 ? [] : [.zero, .milliseconds(5)]
            }
        }
        #expect(try await converse(over: network) == [3, 2, 1])
        #expect(count.withLock { $0 } > 3)
    }

    @Test("over a reliable link nothing is acknowledged or sent again, and messages may be large")
    func reliable() async throws {
        let sent = Mutex<[[UInt8]]>([])
        let network = MemoryNetwork(LinkProperties(isReliable: true, largestMessage: 60_000)) { message, _, _ in
            sent.withLock { $0.append(message) }
            return [.zero]
        }
        let large = [UInt8](repeating: 7, count: 50_000)
        #expect(try await converse(over: network, large) == large)
        let headers = try sent.withLock { messages in
            try messages.map { message in
                let (_, length) = try MessageHeader.decode(message)
                return try ProtocolHeader.decode(Array(message[length...])).0
            }
        }
        #expect(headers.count == 2)
        #expect(headers.allSatisfy { !$0.needsAck && $0.acknowledged == nil })
    }

    @Test("a message to an address that no host has is lost, and an address has one host")
    func nobody() async throws {
        let network = MemoryNetwork()
        let links = network.links(of: Self.controllerAddress)
        let first = try ExchangeManager(links: links, random: SeededRandom(1)) { _, _, _ in false }
        let second = try ExchangeManager(links: links, random: SeededRandom(1)) { _, _, _ in false }
        try await first.open()
        let error = await #expect(throws: TransportError.self) { try await second.open() }
        #expect(error?.code == .portInUse)
        let session = try await first.openUnsecuredSession(to: [Self.deviceAddress], presumedActive: true)
        let exchange = try await first.openExchange(on: session)
        try await exchange.send([1], opcode: SecureChannelOpcode.sigma1.rawValue, protocolID: .secureChannel)
        let silence = await #expect(throws: TransportError.self) {
            _ = try await exchange.receive(until: .now + .milliseconds(200))
        }
        #expect(silence?.code == .notAcknowledged)
        await first.shutDown()
        await second.shutDown()
    }
}
