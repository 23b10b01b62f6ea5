import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// CASE that starts from an earlier session.
@Suite struct CASEResumptionTests {
    private static let time = ValidationTime.now(TestFabric.now)

    private let fabric: TestFabric
    private let device: OperationalCredentials
    private let here: ResumptionRecord
    private let there: ResumptionRecord

    init() throws {
        fabric = try TestFabric()
        device = try fabric.node(6, cats: [CASEAuthenticatedTag(identifier: 2, version: 1)])
        let first = try Outcome(
            Self.initiator(fabric, nil, seed: 1), Self.responder(device, seed: 2) { _ in nil }
        ).sessions()
        here = try #require(first.initiator.resumption)
        there = try #require(first.responder.resumption)
    }

    private static func initiator(
        _ fabric: TestFabric, _ record: ResumptionRecord?, peer: UInt64 = 6, seed: UInt64 = 30
    ) -> CASEInitiator {
        CASEInitiator(
            credentials: CASECredentials(fabric.local.credentials), peer: NodeID(peer), localSessionID: 0x1111,
            resumption: record, time: time, random: SeededRandom(seed))
    }

    private static func responder(
        _ device: OperationalCredentials, fabricIndex: UInt8 = 3, seed: UInt64 = 31,
        find: @escaping CASEResponder.ResumptionLookup
    ) -> CASEResponder {
        CASEResponder(
            fabrics: [CASECredentials(device, fabricIndex: fabricIndex)], localSessionID: 0x2222,
            findResumption: find, time: time, random: SeededRandom(seed))
    }

    private func known(_ id: [UInt8]) -> ResumptionRecord? { id == there.resumptionID ? there : nil }

    @Test("proofs and keys, as another implementation of HKDF and AES-CCM computes them")
    func vectors() throws {
        let secret = SecretBytes([UInt8](0x40..<0x60))
        let (random, id) = ([UInt8](0x60..<0x80), [UInt8](0x80..<0x90))
        #expect(
            try CASEKeySchedule.resume1MIC(secret: secret, initiatorRandom: random, resumptionID: id)
                == hex("4dfa3d8d8e8ce9d1ed6aca2578961293"))
        #expect(
            try CASEKeySchedule.resume2MIC(secret: secret, initiatorRandom: random, resumptionID: id)
                == hex("61542a109ab81bd77076448dde4bd42e"))
        let keys = try CASEKeySchedule.resumedSessionKeys(secret: secret, initiatorRandom: random, resumptionID: id)
        #expect(
            keys.all.map { hexString($0.copyBytes()) } == [
                "bd46d768577ac296d493b0a5bcbe7e38", "96b9eb91e025b95bb1ce6198c187b8a4",
                "3eeecf00e701f0f3725733433775df71",
            ])
    }

    @Test("the keys follow from the id that was offered, the answer's proof from the new one")
    func whichID() throws {
        let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known))
        let sigma1 = try Sigma1(decoding: outcome.messages[0].payload)
        let answer = try Sigma2Resume(decoding: outcome.messages[1].payload, base: .standard)
        #expect(sigma1.resumption?.id == here.resumptionID)
        #expect(
            try CASEKeySchedule.resume1MIC(
                secret: here.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: here.resumptionID)
                == sigma1.resumption?.mic)
        #expect(
            try CASEKeySchedule.resume2MIC(
                secret: here.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: answer.resumptionID)
                == answer.mic)
        let keys = try CASEKeySchedule.resumedSessionKeys(
            secret: here.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: here.resumptionID)
        #expect(try outcome.sessions().initiator.keys.all == keys.all)
        #expect(try outcome.sessions().responder.resumption?.resumptionID == answer.resumptionID)
    }

    @Test("a known session is resumed: new keys and id, same secret, peers and tags; the initiator says the last word")
    func accepted() throws {
        let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known))
        #expect(outcome.messages.map(\.opcode) == [.sigma1, .sigma2Resume, .statusReport])
        let sessions = try outcome.sessions()
        expectMatch(sessions.initiator, sessions.responder)
        for session in [sessions.initiator, sessions.responder] {
            #expect(session.isResumed && session.kind == .case)
            #expect(session.resumption?.resumptionID != here.resumptionID)
            #expect(session.resumption?.sharedSecret == here.sharedSecret)
        }
        #expect(sessions.initiator.peerCATs == device.identity.cats && sessions.initiator.peerNodeID == 6)
        #expect(sessions.responder.fabricIndex == 3 && sessions.responder.peerNodeID == 1)
        #expect(sessions.initiator.peerParameters == .own)

        // The new record serves the next time.
        let next = try #require(sessions.responder.resumption)
        let again = try Outcome(
            Self.initiator(fabric, sessions.initiator.resumption, seed: 60),
            Self.responder(device, seed: 61) { $0 == next.resumptionID ? next : nil }
        ).sessions()
        expectMatch(again.initiator, again.responder)
        #expect(again.initiator.isResumed && again.initiator.keys.i2r != sessions.initiator.keys.i2r)
    }

    @Test("an unknown id leads to the full handshake, and to a new record")
    func unknown() throws {
        let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device) { _ in nil })
        #expect(outcome.messages.map(\.opcode) == [.sigma1, .sigma2, .sigma3, .statusReport])
        let sessions = try outcome.sessions()
        expectMatch(sessions.initiator, sessions.responder)
        #expect(!sessions.initiator.isResumed)
        #expect(sessions.initiator.resumption?.sharedSecret != here.sharedSecret)
    }

    @Test("a proof that does not fit the record, or a fabric that is gone, leads to the full handshake too")
    func wrongProof() throws {
        var other = there
        other.sharedSecret = SecretBytes([UInt8](repeating: 7, count: 32))
        let stale = other
        let withoutProof = Outcome(Self.initiator(fabric, here), Self.responder(device) { _ in stale })
        #expect(withoutProof.messages.map(\.opcode) == [.sigma1, .sigma2, .sigma3, .statusReport])
        _ = try withoutProof.sessions()
        let withoutFabric = Outcome(
            Self.initiator(fabric, here), Self.responder(device, fabricIndex: 4, find: known))
        #expect(withoutFabric.messages.map(\.opcode) == [.sigma1, .sigma2, .sigma3, .statusReport])
        _ = try withoutFabric.sessions()
    }

    @Test("a record of a session with another node is not offered")
    func otherNode() throws {
        var machine = Self.initiator(fabric, here, peer: 7)
        let sigma1 = try Sigma1(decoding: #require(machine.start().send).payload)
        #expect(sigma1.resumption == nil)
    }

    @Test("one resumption field without the other is refused")
    func halfOfIt() throws {
        for missing in [6, 7] as [UInt8] {
            let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known)) { _, message in
                guard message.opcode == .sigma1 else { return message }
                return HandshakeMessage(.sigma1, Self.dropping(missing, from: message.payload))
            }
            #expect(outcome.responderError?.code == .malformed)
            #expect(outcome.messages.last?.payload == hex("0100 00000000 0200"))
        }
    }

    /// Sigma1 ends with its two 16-octet fields.
    private static func dropping(_ tag: UInt8, from sigma1: [UInt8]) -> [UInt8] {
        let end = sigma1.count - 1
        let field = 19
        let range = tag == 7 ? end - field..<end : end - 2 * field..<end - field
        var shorter = sigma1
        shorter.removeSubrange(range)
        return shorter
    }

    @Test("an answer that does not prove the old session, or was never asked for, is refused and reported")
    func badAnswers() throws {
        for change: @Sendable (inout Sigma2Resume) -> Void in [
            { $0.mic[0] ^= 1 }, { $0.resumptionID[0] ^= 1 }, { $0.responderSessionID = 0 }, { $0.mic.removeLast() },
        ] {
            let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known)) { _, message in
                guard message.opcode == .sigma2Resume,
                    var answer = try? Sigma2Resume(decoding: message.payload, base: .standard)
                else { return message }
                change(&answer)
                return HandshakeMessage(.sigma2Resume, answer.encoded())
            }
            #expect(outcome.initiatorError?.reply == .invalidParameter)
            #expect(outcome.responderError?.code == .rejected)
        }
        var without = Self.initiator(fabric, nil)
        _ = try without.start()
        let resumed = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known)).messages[1]
        let error = #expect(throws: SecureChannelError.self) { try without.handle(resumed) }
        #expect(error?.code == .malformed)
    }

    @Test("the device has a session only once the initiator confirmed it")
    func refusedAtTheEnd() throws {
        let outcome = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known)) { _, message in
            message.opcode == .statusReport ? HandshakeMessage(.invalidParameter) : message
        }
        #expect(outcome.responderError?.code == .rejected)
    }

    /// The session ids and parameters of Sigma2Resume are not covered by its proof: who changes them breaks the session,
    /// but cannot read it.
    @Test("a changed octet in any message leaves the sides without a session, or with one of the same keys")
    func tampered() throws {
        let sizes = Outcome(Self.initiator(fabric, here), Self.responder(device, find: known)).messages
            .map(\.payload.count)
        for (turn, size) in sizes.enumerated() {
            for position in stride(from: turn, to: size, by: max(1, size / 32)) {
                let outcome = Outcome(
                    Self.initiator(fabric, here), Self.responder(device, find: known)
                ) { number, message in
                    guard number == turn else { return message }
                    var message = message
                    message.payload[position] ^= 0x04
                    return message
                }
                guard let sessions = try? outcome.sessions() else { continue }
                #expect(sessions.initiator.keys.i2r == sessions.responder.keys.i2r)
                #expect(sessions.initiator.resumption?.resumptionID == sessions.responder.resumption?.resumptionID)
            }
        }
    }
}
