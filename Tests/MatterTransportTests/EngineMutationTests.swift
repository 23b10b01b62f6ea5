import TestSupport
import Testing

@testable import MatterNetwork

/// Damaged datagrams: nothing crashes, nothing false gets through, nothing piles up.
@Suite struct EngineMutationTests {
    private static let now = Instant.now

    /// Messages of every kind, between the ends of a pair and from a stranger.
    private static func corpus() throws -> (pair: Pair, datagrams: [[UInt8]]) {
        var pair = try Pair()
        var datagrams: [[UInt8]] = []
        for octet in 0..<8 as Range<UInt8> {
            let (key, request) = try pair.request(octet)
            datagrams += request.datagrams
            pair.controller.forgetInFlight(key)
        }
        var stranger = try MessageEngine(random: SeededRandom(8)) { _, _, _ in false }
        let session = try stranger.openUnsecuredSession(
            to: [host(2)], reliability: .standard, presumedActive: true)
        for opcode in [0x20, 0x22, 0x24, 0x30, 0x32, 0x40, 0x10] as [UInt8] {
            let key = try stranger.openExchange(on: session)
            datagrams += try stranger.send(
                [UInt8](repeating: opcode, count: 40), opcode: opcode, protocolID: .secureChannel, on: key, now: now
            ).datagrams
        }
        datagrams.append(hex("01000000 01000000 8877665544332211 0631 0900 0000 01020304 1518"))
        datagrams.append(hex("067ddb0178563412010000000000000002000164ee0e207d"))
        datagrams.append(hex("00022020 04030201 0200aabb 0508785601001518 00112233445566778899aabbccddeeff"))
        return (pair, datagrams)
    }

    @Test("damaged datagrams are decoded or refused with a typed error")
    func decoding() throws {
        var mutator = try Mutator(seed: 11, corpus: Self.corpus().datagrams)
        var decoded = 0
        for _ in 0..<Effort.inputs(30_000) {
            let datagram = mutator.next()
            do throws(TransportError) {
                let (header, length) = try MessageHeader.decode(datagram)
                decoded += 1
                #expect(length <= datagram.count && length >= header.encoded().count)
                _ = try ProtocolHeader.decode(Array(datagram[length...]))
            } catch {
                #expect(error.code == .malformedMessage)
            }
        }
        #expect(decoded > Effort.inputs(1000))
    }

    @Test("of damaged datagrams an engine delivers only what is authentic or unsecured, and stays small")
    func engine() throws {
        let (pair, datagrams) = try Self.corpus()
        var device = pair.device
        let authentic = Set(datagrams)
        var mutator = Mutator(seed: 12, corpus: datagrams)
        var secure: Set<[UInt8]> = []
        var unsecured = 0
        for _ in 0..<Effort.inputs(20_000) {
            let datagram = mutator.next()
            for action in device.receive(datagram, from: host(1), now: Self.now) {
                switch action {
                case .deliver(let key, _, _):
                    if case .secure = key.session {
                        #expect(authentic.contains(datagram))
                        #expect(secure.insert(datagram).inserted, "delivered twice")
                    } else {
                        unsecured += 1
                    }
                    device.abandon(key)
                case .transmit(let answer, _): #expect(answer.count <= LinkProperties.udp.largestMessage)
                default: break
                }
            }
        }
        #expect(unsecured > Effort.inputs(100))
        #expect(device.exchangeCount == 0 && device.sessionCount <= 66)
    }
}
