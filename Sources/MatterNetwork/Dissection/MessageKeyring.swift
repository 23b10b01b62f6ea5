import MatterCrypto

/// The keys that messages may be under, by the session ids that messages carry.
package struct MessageKeyring: Sendable {
    /// How many sessions are remembered; the oldest goes first.
    private static let mostSessions = 4096

    /// The session of a message, and the message itself.
    struct Opened {
        var kind: SessionKind
        var header: MessageHeader
        var plaintext: [UInt8]
        /// The node ids of sender and receiver; `nil` where the session has none.
        var source: UInt64?
        var destination: UInt64?
        var senderSessionID: UInt16 = 0
    }

    private struct Session {
        var entry: KeyLogEntry
        var i2r: MessageSecurity
        var r2i: MessageSecurity
    }

    private var sessions: [Int: Session] = [:]
    private var next = 0
    /// The sessions by the id of their initiator or responder, the newest last.
    private var places: [UInt16: [Int]] = [:]
    private var groups: [UInt16: [GroupMessageSecurity]] = [:]
    /// By the random number of their Sigma1, and in the order in which they came.
    private var handshakes: [[UInt8]: HandshakeSecrets] = [:]
    private var handshakeOrder: [[UInt8]] = []
    /// Those that wait for their answer, alike.
    private var offers: [[UInt8]: HandshakeOffer] = [:]
    private var offerOrder: [[UInt8]] = []
    private static let mostOffers = 512

    package init() {}

    package var isEmpty: Bool { sessions.isEmpty && groups.isEmpty && handshakes.isEmpty }

    package mutating func add(_ secrets: HandshakeSecrets) {
        offers[secrets.initiatorRandom] = nil
        if handshakes.updateValue(secrets, forKey: secrets.initiatorRandom) == nil {
            handshakeOrder.append(secrets.initiatorRandom)
        }
        guard handshakeOrder.count > Self.mostSessions else { return }
        for old in handshakeOrder.prefix(Self.mostSessions / 2) { handshakes[old] = nil }
        handshakeOrder.removeFirst(Self.mostSessions / 2)
    }

    /// Adds a handshake that begins. It is forgotten once its keys are there, or many others have begun.
    package mutating func add(_ offer: HandshakeOffer) {
        if offers.updateValue(offer, forKey: offer.initiatorRandom) == nil { offerOrder.append(offer.initiatorRandom) }
        guard offerOrder.count > Self.mostOffers else { return }
        for old in offerOrder.prefix(Self.mostOffers / 2) { offers[old] = nil }
        offerOrder.removeFirst(Self.mostOffers / 2)
    }

    /// A handshake that waits for its answer.
    func offer(_ initiatorRandom: [UInt8]) -> HandshakeOffer? { offers[initiatorRandom] }

    /// The keys of the handshake that a Sigma1 began.
    func handshake(_ initiatorRandom: [UInt8]) -> HandshakeSecrets? { handshakes[initiatorRandom] }

    package mutating func add(_ entry: KeyLogEntry) throws(CryptoError) {
        let session = Session(
            entry: entry, i2r: try MessageSecurity(key: entry.i2r, senderNodeID: entry.initiatorNodeID),
            r2i: try MessageSecurity(key: entry.r2i, senderNodeID: entry.responderNodeID))
        sessions[next] = session
        for id in Set([entry.initiatorSessionID, entry.responderSessionID]) { places[id, default: []].append(next) }
        next += 1
        guard sessions.count > Self.mostSessions, let old = sessions.removeValue(forKey: next - 1 - Self.mostSessions)
        else { return }
        for id in [old.entry.initiatorSessionID, old.entry.responderSessionID] {
            places[id]?.removeAll { $0 == next - 1 - Self.mostSessions }
        }
    }

    package mutating func add(_ key: GroupMessageSecurity) {
        // A key that is there twice costs time only.
        guard groups[key.sessionID, default: []].count < 64 else { return }
        groups[key.sessionID, default: []].append(key)
    }

    /// - Returns: `nil` if no key fits.
    func open(_ datagram: [UInt8], _ header: MessageHeader, _ length: Int) -> Opened? {
        if header.sessionType == .group {
            for key in groups[header.sessionID] ?? [] {
                guard let (clear, plaintext) = try? key.open(datagram) else { continue }
                return Opened(kind: .group, header: clear, plaintext: plaintext, source: clear.source)
            }
            return nil
        }
        for place in (places[header.sessionID] ?? []).reversed() {
            guard let session = sessions[place] else { continue }
            let entry = session.entry
            let kind = entry.isPASE ? SessionKind.pase : .case
            // The id is that of the receiver; both sides may have chosen the same.
            if entry.responderSessionID == header.sessionID,
                let plaintext = try? session.i2r.open(header: header, headerLength: length, datagram: datagram)
            {
                return Opened(
                    kind: kind, header: header, plaintext: plaintext,
                    source: entry.isPASE ? nil : entry.initiatorNodeID,
                    destination: entry.isPASE ? nil : entry.responderNodeID, senderSessionID: entry.initiatorSessionID)
            }
            if entry.initiatorSessionID == header.sessionID,
                let plaintext = try? session.r2i.open(header: header, headerLength: length, datagram: datagram)
            {
                return Opened(
                    kind: kind, header: header, plaintext: plaintext,
                    source: entry.isPASE ? nil : entry.responderNodeID,
                    destination: entry.isPASE ? nil : entry.initiatorNodeID, senderSessionID: entry.responderSessionID)
            }
        }
        return nil
    }
}

/// How the messages of a session are protected.
package enum SessionKind: String, Sendable {
    case unsecured
    case pase = "PASE"
    case `case` = "CASE"
    case group
    /// Encrypted, under a key that is not at hand.
    case sealed
}
