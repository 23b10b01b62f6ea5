import MatterTestKit
import Synchronization

@testable import MatterNetwork

/// An attacker on the way who saw our handshake messages, and answers them or damages the answers.
final class Meddler: Sendable {
    private struct State {
        /// The header of the client's last message, which the forger answers.
        var asked: (message: MessageHeader, exchange: ProtocolHeader)?
        var seen: Set<UInt8> = []
        var forged = 0
    }

    private let state = Mutex(State())

    var forged: Int { state.withLock { $0.forged } }

    /// Answers every message of the client at once with a status report, before the device can.
    func report(_ report: StatusReport) -> Relay.Meddling {
        { direction, datagram in
            guard direction == .toDevice, let forged = self.answer(to: datagram, with: report) else {
                return [(direction, datagram)]
            }
            return [(.toClient, forged), (direction, datagram)]
        }
    }

    /// Puts a status report with the counter of the device's own answer before that answer.
    func reportWithCounterOfAnswer(_ report: StatusReport) -> Relay.Meddling {
        { direction, datagram in
            if direction == .toDevice {
                _ = self.answer(to: datagram, with: report)
                return [(direction, datagram)]
            }
            guard let (header, _) = try? MessageHeader.decode(datagram),
                let forged = self.forge(report, counter: header.counter)
            else { return [(direction, datagram)] }
            return [(direction, forged), (direction, datagram)]
        }
    }

    /// Acknowledges every message of the client, and loses the first one.
    func acknowledgeAndLoseFirst() -> Relay.Meddling {
        { direction, datagram in
            guard direction == .toDevice, let (header, length) = try? MessageHeader.decode(datagram),
                let (inner, _) = try? ProtocolHeader.decode(Array(datagram[length...]))
            else { return [(direction, datagram)] }
            let isFirst = self.state.withLock { $0.seen.insert(inner.opcode).inserted }
            guard isFirst, let ephemeral = header.source else { return [(direction, datagram)] }
            let acknowledgement =
                MessageHeader(sessionID: 0, counter: 7, destination: .node(ephemeral)).encoded()
                + ProtocolHeader(
                    isFromInitiator: false, needsAck: false, acknowledged: header.counter,
                    opcode: SecureChannelOpcode.standaloneAck.rawValue, exchangeID: inner.exchangeID,
                    protocolID: .secureChannel
                ).encoded()
            return [(.toClient, acknowledgement)]
        }
    }

    /// Damages the first message of one kind; what is damaged, a place in its payload says. Its repetitions pass. The
    /// true answer to the first message of PASE follows at once: the damaged one may look right, and be acknowledged.
    func damageFirst(_ opcode: SecureChannelOpcode, at place: @escaping @Sendable (_ payload: [UInt8]) -> Int?)
        -> Relay.Meddling
    {
        { direction, datagram in
            guard direction == .toClient, let (_, length) = try? MessageHeader.decode(datagram),
                let (inner, payload) = try? ProtocolHeader.decode(Array(datagram[length...])),
                inner.opcode == opcode.rawValue, let position = place(payload)
            else { return [(direction, datagram)] }
            let isFirst = self.state.withLock { $0.seen.insert(inner.opcode).inserted }
            guard isFirst else { return [(direction, datagram)] }
            self.state.withLock { $0.forged += 1 }
            var damaged = datagram
            damaged[datagram.count - payload.count + position] ^= 0x10
            return opcode == .pbkdfParamResponse
                ? [(direction, damaged), (direction, datagram)] : [(direction, damaged)]
        }
    }

    private func answer(to datagram: [UInt8], with report: StatusReport) -> [UInt8]? {
        guard let (header, length) = try? MessageHeader.decode(datagram),
            let (inner, _) = try? ProtocolHeader.decode(Array(datagram[length...])),
            inner.opcode != SecureChannelOpcode.standaloneAck.rawValue,
            inner.opcode != SecureChannelOpcode.statusReport.rawValue
        else { return nil }
        state.withLock { $0.asked = (header, inner) }
        return forge(report, counter: 1)
    }

    private func forge(_ report: StatusReport, counter: UInt32) -> [UInt8]? {
        state.withLock { state in
            guard let (header, inner) = state.asked, let ephemeral = header.source else { return nil }
            state.forged += 1
            return MessageHeader(sessionID: 0, counter: counter, destination: .node(ephemeral)).encoded()
                + ProtocolHeader(
                    isFromInitiator: false, needsAck: true, acknowledged: header.counter,
                    opcode: SecureChannelOpcode.statusReport.rawValue, exchangeID: inner.exchangeID,
                    protocolID: .secureChannel
                ).encoded() + report.encoded()
        }
    }
}
