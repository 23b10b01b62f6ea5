import MatterCrypto
package import MatterModel

/// A message with its headers and its content in words.
package struct DissectedMessage: Sendable {
    package var kind: SessionKind = .sealed
    /// The session id of the receiver, which the message carries.
    package var sessionID: UInt16 = 0
    /// The session id of the sender, if the session is known; 0 without one.
    package var senderSessionID: UInt16 = 0
    package var counter: UInt32 = 0
    /// The operational node ids, or the ephemeral one of a handshake's initiator.
    package var source: UInt64?
    package var destination: UInt64?
    package var group: UInt16?
    package var isControl = false
    package var hasPrivacy = false
    package var exchangeID: UInt16?
    package var isFromInitiator = false
    package var needsAck = false
    package var acknowledged: UInt32?
    package var opcode: String?
    /// 0 at the first time, then the number of the retransmission.
    package var retransmission = 0
    /// How long after the message that it acknowledges this one came, in microseconds.
    package var acknowledgedAfter: Int64?
    package var items: [MessageItem] = []
    /// The defect of a message that is broken or cannot be opened.
    package var fault: String?
    /// True if no key at hand opens it; a message that is broken is not sealed.
    package var isSealed = false
}

/// Understands datagrams in their order: opens them with the keys at hand, counts retransmissions, and says what they hold.
package struct MessageDissector: Sendable {
    /// How many messages are remembered, to tell retransmissions and what is acknowledged.
    private static let mostRemembered = 4096

    package var keys: MessageKeyring
    /// Names the node that a Sigma1 asks for.
    private let destinations: @Sendable (_ destinationID: [UInt8], _ initiatorRandom: [UInt8]) -> String?
    private let interaction: InteractionDissector
    private var seen: [Sighting: Sightings] = [:]
    private var order: [Sighting] = []
    /// The handshakes under way whose keys are at hand, or will be with the answer.
    private var handshakes: [Encounter: Meeting] = [:]

    /// A handshake: its exchange, and the ephemeral id of its initiator.
    private struct Encounter: Hashable {
        var initiator: UInt64
        var exchangeID: UInt16
    }

    private struct Meeting {
        var initiatorRandom: [UInt8]
        var secrets: HandshakeSecrets?
    }

    private struct Sighting: Hashable {
        var sender: String
        var kind: SessionKind
        var session: UInt16
        var counter: UInt32
    }

    private struct Sightings {
        var count: Int
        /// Of the first, in microseconds since 1970.
        var time: Int64
        /// The length and the last bytes of the datagram: a retransmission is the same, bit for bit.
        var mark: [UInt8]
    }

    package init(
        keys: MessageKeyring = MessageKeyring(), catalogue: Catalogue = .standard,
        secrets: SecretFilter = SecretFilter(),
        destinations: @escaping @Sendable (_ destinationID: [UInt8], _ initiatorRandom: [UInt8]) -> String? = { _, _ in
            nil
        }
    ) {
        self.keys = keys
        self.destinations = destinations
        interaction = InteractionDissector(catalogue, secrets: secrets, describe: CertificateText.describe)
    }

    /// - Parameters:
    ///   - sender: tells senders apart: their addresses.
    ///   - receiver: the same of the receiver.
    ///   - time: microseconds since 1970.
    package mutating func dissect(
        _ datagram: [UInt8], from sender: String, to receiver: String, at time: Int64
    ) -> DissectedMessage {
        var message = DissectedMessage()
        let header: MessageHeader
        let length: Int
        do throws(TransportError) {
            (header, length) = try MessageHeader.decode(datagram)
        } catch {
            message.fault = error.reason
            return message
        }
        message.sessionID = header.sessionID
        message.isControl = header.isControl
        message.hasPrivacy = header.hasPrivacy
        note(header, in: &message)
        let plaintext: [UInt8]
        if header.isUnsecured {
            message.kind = .unsecured
            plaintext = Array(datagram[length...])
        } else if let opened = keys.open(datagram, header, length) {
            message.kind = opened.kind
            note(opened.header, in: &message)
            if opened.kind != .group { (message.source, message.destination) = (opened.source, opened.destination) }
            message.senderSessionID = opened.senderSessionID
            plaintext = opened.plaintext
        } else {
            message.isSealed = true
            if header.sessionType == .group, header.hasPrivacy {
                // The header is obscured from the counter on.
                (message.counter, message.source, message.group) = (0, nil, nil)
            }
            message.retransmission = count(datagram, sender, message, at: time)
            message.fault = "no key at hand opens it: \(datagram.count - length) bytes stay sealed"
            return message
        }
        message.retransmission = count(datagram, sender, message, at: time)
        open(plaintext, in: &message)
        if let acknowledged = message.acknowledged {
            // Sent by the other side on the same session, under the id of this message's sender.
            let sent = Sighting(
                sender: receiver, kind: message.kind, session: message.senderSessionID, counter: acknowledged)
            message.acknowledgedAfter = seen[sent].map { time - $0.time }.flatMap { $0 >= 0 ? $0 : nil }
        }
        return message
    }

    private func note(_ header: MessageHeader, in message: inout DissectedMessage) {
        message.counter = header.counter
        message.source = header.source
        switch header.destination {
        case .none: break
        case .node(let id): message.destination = id
        case .group(let id): message.group = id
        }
    }

    /// - Returns: how often the datagram was seen before.
    private mutating func count(
        _ datagram: [UInt8], _ sender: String, _ message: DissectedMessage, at time: Int64
    ) -> Int {
        let sighting = Sighting(
            sender: sender, kind: message.kind, session: message.sessionID, counter: message.counter)
        let mark = [UInt8(truncatingIfNeeded: datagram.count)] + datagram.suffix(16)
        if var known = seen[sighting], known.mark == mark {
            known.count += 1
            seen[sighting] = known
            return known.count - 1
        }
        if seen.updateValue(Sightings(count: 1, time: time, mark: mark), forKey: sighting) == nil {
            order.append(sighting)
        }
        if order.count > Self.mostRemembered {
            for old in order.prefix(Self.mostRemembered / 2) { seen[old] = nil }
            order.removeFirst(Self.mostRemembered / 2)
        }
        return 0
    }

    /// The keys of the handshake that a message belongs to.
    private mutating func secrets(
        of message: DissectedMessage, _ opcode: SecureChannelOpcode, _ payload: [UInt8]
    ) -> HandshakeSecrets? {
        guard message.kind == .unsecured, let exchangeID = message.exchangeID,
            let initiator = message.isFromInitiator ? message.source : message.destination
        else { return nil }
        let encounter = Encounter(initiator: initiator, exchangeID: exchangeID)
        if opcode == .sigma1 {
            if handshakes.count >= Self.mostRemembered { handshakes = [:] }
            handshakes[encounter] = HandshakeDissector.initiatorRandom(of: payload).map {
                Meeting(initiatorRandom: $0, secrets: keys.handshake($0))
            }
        } else if opcode == .sigma2, let offer = (handshakes[encounter]?.initiatorRandom).flatMap({ keys.offer($0) }),
            let secrets = offer.secrets(payload)
        {
            // There may be several answers, of which the initiator takes one.
            handshakes[encounter]?.secrets = secrets
        }
        return handshakes[encounter]?.secrets
    }

    private mutating func open(_ plaintext: [UInt8], in message: inout DissectedMessage) {
        let inner: ProtocolHeader
        let payload: [UInt8]
        do throws(TransportError) {
            (inner, payload) = try ProtocolHeader.decode(plaintext)
        } catch {
            message.fault = error.reason
            return
        }
        message.exchangeID = inner.exchangeID
        message.isFromInitiator = inner.isFromInitiator
        message.needsAck = inner.needsAck
        message.acknowledged = inner.acknowledged
        switch inner.protocolID {
        case .interactionModel:
            guard let opcode = InteractionModelOpcode(rawValue: inner.opcode) else { break }
            message.opcode = "\(opcode)"
            (message.items, message.fault) = interaction.dissect(opcode, payload)
            return
        case .secureChannel:
            guard let opcode = SecureChannelOpcode(rawValue: inner.opcode) else { break }
            message.opcode = opcode.title
            let secrets = secrets(of: message, opcode, payload)
            (message.items, message.fault) = HandshakeDissector(destinations: destinations, secrets: secrets)
                .dissect(opcode, payload)
            return
        case .bulkDataExchange, .userDirectedCommissioning: break
        default: break
        }
        message.opcode = inner.protocolID.title + " 0x" + Hex.number(UInt32(inner.opcode), digits: 2, uppercase: true)
        message.items = [MessageItem("payload", ["bytes": .uint(UInt64(payload.count))])]
    }
}

extension ProtocolID {
    /// The name of the protocol; its numbers where it has none.
    fileprivate var title: String {
        switch self {
        case .secureChannel: "SecureChannel"
        case .interactionModel: "InteractionModel"
        case .bulkDataExchange: "BDX"
        case .userDirectedCommissioning: "UserDirectedCommissioning"
        default: "Protocol-\(vendor)-\(number)"
        }
    }
}

extension SecureChannelOpcode {
    /// The name of the message in the specification.
    fileprivate var title: String {
        switch self {
        case .messageCounterSyncRequest: "MsgCounterSyncReq"
        case .messageCounterSyncResponse: "MsgCounterSyncRsp"
        case .standaloneAck: "StandaloneAck"
        case .pbkdfParamRequest: "PBKDFParamRequest"
        case .pbkdfParamResponse: "PBKDFParamResponse"
        case .pake1: "Pake1"
        case .pake2: "Pake2"
        case .pake3: "Pake3"
        case .sigma1: "Sigma1"
        case .sigma2: "Sigma2"
        case .sigma3: "Sigma3"
        case .sigma2Resume: "Sigma2Resume"
        case .statusReport: "StatusReport"
        case .checkIn: "CheckIn"
        }
    }
}
