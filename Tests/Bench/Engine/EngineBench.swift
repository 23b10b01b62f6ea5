import Glibc
import MatterCrypto
import MatterNetwork

/// Plays requests and answers between two message engines, for a counter of instructions (Tests/Bench/engine.sh).
///
///     engine-bench SESSIONS MESSAGES
///
/// Both engines have SESSIONS secure sessions; the traffic is on ten of them.
@main
enum EngineBench {
    private static let busy = 10

    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 2, (busy...60_000).contains(numbers[0]), numbers[1] > 0 else {
            end("usage: engine-bench SESSIONS MESSAGES; at least \(busy) sessions", 64)
        }
        var time = Instant.now
        var controller = try MessageEngine(random: SystemRandom()) { _, _, _ in false }
        var device = try MessageEngine(random: SystemRandom()) { _, _, _ in true }
        let address = try PeerAddress(parsing: "192.0.2.1:5540")
        var sessions: [SessionReference] = []
        for id in 1...UInt16(numbers[0]) {
            sessions.append(try controller.install(session(id, .initiator, address), now: time))
            _ = try device.install(session(id, .responder, address), now: time)
        }
        var delivered = 0
        for number in 0..<numbers[1] {
            let key = try controller.openExchange(on: sessions[number % busy])
            let request = try controller.send(
                [0x15, 0x18], opcode: 8, protocolID: .interactionModel, on: key, now: time)
            var answers: [MessageEngine.Action] = []
            for case .transmit(let datagram, _) in request {
                for case .deliver(let theirs, _, true) in device.receive(datagram, from: address, now: time) {
                    answers += try device.send(
                        [0x15, 0x18], opcode: 9, protocolID: .interactionModel, on: theirs, now: time)
                    answers += device.close(theirs, now: time)
                }
            }
            for case .transmit(let datagram, _) in answers {
                for case .deliver in controller.receive(datagram, from: address, now: time) { delivered += 1 }
            }
            for case .transmit(let datagram, _) in controller.close(key, now: time) {
                _ = device.receive(datagram, from: address, now: time)
            }
            time += .milliseconds(1)
            if let due = controller.nextDeadline, due <= time { _ = controller.tick(now: time) }
            if let due = device.nextDeadline, due <= time { _ = device.tick(now: time) }
        }
        guard delivered == numbers[1], controller.isDrained, device.isDrained else {
            end("\(delivered) of \(numbers[1]) answers were delivered", 1)
        }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        let line = Array((message + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }

    private static func session(_ id: UInt16, _ role: Role, _ address: PeerAddress) -> SecureSessionParameters {
        let key = SecretBytes([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 16))
        return SecureSessionParameters(
            localSessionID: id, peerSessionID: id, role: role,
            keys: SessionKeys(i2r: key, r2i: key, attestationChallenge: key), localNodeID: 1, peerNodeID: 1,
            reliability: .standard, address: address)
    }
}
