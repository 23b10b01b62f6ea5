import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Commissioner against device, without a network.
@Suite struct PASETests {
    private func message(_ opcode: SecureChannelOpcode, _ members: [TLVElement]) -> HandshakeMessage {
        HandshakeMessage(opcode, TLVElement(.anonymous, .structure(members)).encoded())
    }

    @Test("both sides agree on keys, session ids and parameters")
    func success() throws {
        let parameters = SessionParameters(reliability: .slow, dataModelRevision: 17, maxPathsPerInvoke: 4)
        let outcome = Outcome(PASESample.initiator(), try PASESample.responder(parameters: parameters))
        #expect(
            outcome.messages.map(\.opcode)
                == [.pbkdfParamRequest, .pbkdfParamResponse, .pake1, .pake2, .pake3, .statusReport])
        #expect(outcome.messages.last?.payload == hex("0000 00000000 0000"))
        let (initiator, responder) = try outcome.sessions()
        expectMatch(initiator, responder)
        #expect(initiator.kind == .pase && initiator.localNodeID == 0 && initiator.peerNodeID == 0)
        #expect(initiator.localSessionID == 0x1111 && initiator.peerSessionID == 0x2222)
        #expect(initiator.peerParameters == parameters && responder.peerParameters == .own)
        #expect(initiator.resumption == nil && responder.resumption == nil)
    }

    @Test("other random numbers give other keys")
    func freshness() throws {
        let one = try Outcome(PASESample.initiator(), PASESample.responder()).sessions()
        let two = try Outcome(PASESample.initiator(seed: 20), PASESample.responder()).sessions()
        let three = try Outcome(PASESample.initiator(), PASESample.responder(seed: 21)).sessions()
        #expect(one.initiator.keys.i2r != two.initiator.keys.i2r)
        #expect(one.initiator.keys.i2r != three.initiator.keys.i2r)
    }

    @Test("a wrong passcode shows at Pake2, is named, and the device is told")
    func wrongPasscode() throws {
        let outcome = Outcome(PASESample.initiator(passcode: 20_202_022), try PASESample.responder())
        #expect(outcome.initiatorError?.code == .wrongPasscode)
        #expect(outcome.initiatorError?.reply == .invalidParameter)
        #expect(outcome.responderError?.code == .rejected && outcome.responderError?.reply == nil)
        #expect(
            outcome.messages.map(\.opcode)
                == [.pbkdfParamRequest, .pbkdfParamResponse, .pake1, .pake2, .statusReport])
    }

    @Test("a wrong confirmation in Pake3 shows at the device, which says so")
    func wrongConfirmation() throws {
        let outcome = Outcome(PASESample.initiator(), try PASESample.responder()) { _, message in
            message.opcode == .pake3
                ? HandshakeMessage(.pake3, PakeMessage.pake3(confirmation: [UInt8](repeating: 1, count: 32))) : message
        }
        #expect(outcome.responderError?.code == .wrongPasscode)
        #expect(outcome.initiatorError?.code == .rejected)
    }

    @Test("a device that turns down the first message has no window open; a busy one says for how long")
    func turnedDown() throws {
        for (report, code) in [
            (StatusReport.invalidParameter, SecureChannelError.Code.windowClosed), (.busy(wait: .seconds(3)), .busy),
        ] {
            var initiator = PASESample.initiator()
            _ = try initiator.start()
            let error = #expect(throws: SecureChannelError.self) {
                try initiator.handle(HandshakeMessage(.statusReport, report.encoded()))
            }
            #expect(error?.code == code && error?.reply == nil)
            #expect(error?.wait == report.busyWait)
        }
    }

    @Test("without session parameters in the handshake, what DNS-SD said holds; with them, they do")
    func knownReliability() throws {
        let silent = try Outcome(
            PASESample.initiator(known: .slow), PASESample.responder(parameters: nil)
        ).sessions().initiator
        #expect(silent.peerParameters == SessionParameters(reliability: .slow))
        let spoken = try Outcome(
            PASESample.initiator(known: .slow), PASESample.responder()
        ).sessions().initiator
        #expect(spoken.peerParameters.reliability == .standard)
    }

    @Test("a commissioner that knows the parameters is not sent them")
    func knownParameters() throws {
        var responder = try PASESample.responder(parameters: nil)
        let request = PBKDFParamRequest(
            initiatorRandom: [UInt8](repeating: 1, count: 32), initiatorSessionID: 5, hasPBKDFParameters: true)
        let step = try responder.handle(HandshakeMessage(.pbkdfParamRequest, request.encoded()))
        let response = try PBKDFParamResponse(decoding: #require(step.send).payload, base: .standard)
        #expect(response.pbkdf == nil && response.initiatorRandom == request.initiatorRandom)
        #expect(responder.peerParameters == SessionParameters())
    }

    private static let badRequests: [(String, PBKDFParamRequest)] = {
        let good = PBKDFParamRequest(
            initiatorRandom: [UInt8](repeating: 1, count: 32), initiatorSessionID: 5, hasPBKDFParameters: false)
        func changed(_ change: (inout PBKDFParamRequest) -> Void) -> PBKDFParamRequest {
            var request = good
            change(&request)
            return request
        }
        return [
            ("session id 0", changed { $0.initiatorSessionID = 0 }), ("passcode id 1", changed { $0.passcodeID = 1 }),
            ("a short random", changed { $0.initiatorRandom.removeLast() }),
            ("a long random", changed { $0.initiatorRandom.append(1) }),
        ]
    }()

    @Test("a device refuses requests that break a rule", arguments: badRequests)
    func badRequest(what: String, request: PBKDFParamRequest) throws {
        var responder = try PASESample.responder()
        let error = #expect(throws: SecureChannelError.self, "\(what)") {
            try responder.handle(HandshakeMessage(.pbkdfParamRequest, request.encoded()))
        }
        #expect(error?.code == .malformed && error?.reply == .invalidParameter)
    }

    private static let badResponses: [(String, @Sendable (inout PBKDFParamResponse) -> Void)] = [
        ("another request's random", { $0.initiatorRandom[0] ^= 1 }), ("session id 0", { $0.responderSessionID = 0 }),
        ("no parameters", { $0.pbkdf = nil }), ("too few iterations", { $0.pbkdf?.iterations = 999 }),
        ("too many iterations", { $0.pbkdf?.iterations = 100_001 }),
        ("a short salt", { $0.pbkdf?.salt = [UInt8](repeating: 1, count: 15) }),
        ("a long salt", { $0.pbkdf?.salt = [UInt8](repeating: 1, count: 33) }),
        ("a short random", { $0.responderRandom.removeLast() }),
    ]

    @Test("a commissioner refuses responses that break a rule, and says so", arguments: badResponses.indices)
    func badResponse(index: Int) throws {
        let (what, change) = Self.badResponses[index]
        let outcome = Outcome(PASESample.initiator(), try PASESample.responder()) { _, message in
            guard message.opcode == .pbkdfParamResponse,
                var response = try? PBKDFParamResponse(decoding: message.payload, base: .standard)
            else { return message }
            change(&response)
            return HandshakeMessage(.pbkdfParamResponse, response.encoded())
        }
        #expect(outcome.initiatorError?.code == .malformed, "\(what)")
        #expect(outcome.responderError?.code == .rejected, "\(what)")
    }

    @Test("shares that are no points are refused by either side")
    func badPoints() throws {
        let bad: [[UInt8]] = [
            [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64),
            [4] + [UInt8](repeating: 0xFF, count: 64), [2] + [UInt8](repeating: 1, count: 64),
        ]
        for point in bad {
            let atDevice = Outcome(PASESample.initiator(), try PASESample.responder()) { _, message in
                message.opcode == .pake1 ? HandshakeMessage(.pake1, PakeMessage.pake1(share: point)) : message
            }
            #expect(atDevice.responderError != nil && atDevice.initiatorError?.code == .rejected)
            let atCommissioner = Outcome(PASESample.initiator(), try PASESample.responder()) { _, message in
                message.opcode == .pake2
                    ? HandshakeMessage(
                        .pake2, PakeMessage.pake2(share: point, confirmation: [UInt8](repeating: 0, count: 32)))
                    : message
            }
            #expect(atCommissioner.initiatorError != nil && atCommissioner.responderError?.code == .rejected)
        }
    }

    @Test("our own share is no answer: a reflected Pake1 proves nothing")
    func reflection() throws {
        let outcome = Outcome(PASESample.initiator(), try PASESample.responder()) { _, message in
            guard message.opcode == .pake2, let (_, confirmation) = try? PakeMessage.decodePake2(message.payload)
            else { return message }
            return HandshakeMessage(.pake2, PakeMessage.pake2(share: Self.firstShare, confirmation: confirmation))
        }
        #expect(outcome.initiator != nil && outcome.initiatorError != nil)
    }

    /// The share that the sample initiator always sends.
    private static let firstShare: [UInt8] = {
        guard let responder = try? PASESample.responder() else { return [] }
        let pake1 = Outcome(PASESample.initiator(), responder).messages.first { $0.opcode == .pake1 }
        return pake1.flatMap { try? PakeMessage.decodePake1($0.payload) } ?? []
    }()

    @Test("fields of the wrong size or type are refused", arguments: [64, 66, 0])
    func sizes(count: Int) throws {
        let share = [UInt8](repeating: 4, count: count)
        #expect(throws: TLVError.self) { try PakeMessage.decodePake1(PakeMessage.pake1(share: share)) }
        #expect(throws: TLVError.self) {
            try PakeMessage.decodePake2(
                PakeMessage.pake2(share: share, confirmation: [UInt8](repeating: 0, count: 32)))
        }
        #expect(throws: TLVError.self) { try PakeMessage.decodePake3(PakeMessage.pake3(confirmation: share)) }
        #expect(throws: TLVError.self) {
            try PakeMessage.decodePake1(message(.pake1, [TLVElement(1, .string("4"))]).payload)
        }
    }

    @Test("unknown fields and octets after the message are tolerated, a missing end is not")
    func tolerance() throws {
        let share = [UInt8](repeating: 4, count: 65)
        let members = [TLVElement(1, .octets(share)), TLVElement(9, .bool(true)), TLVElement(2, .null)]
        let payload = message(.pake1, members).payload
        #expect(try PakeMessage.decodePake1(payload) == share)
        #expect(try PakeMessage.decodePake1(payload + [0, 1]) == share)
        #expect(throws: TLVError.self) { try PakeMessage.decodePake1(payload.dropLast()) }
    }

    @Test("messages out of turn end the handshake on either side, for good")
    func outOfTurn() throws {
        let opcodes: [SecureChannelOpcode] = [
            .standaloneAck, .pbkdfParamRequest, .pbkdfParamResponse, .pake1, .pake2, .pake3, .sigma1, .sigma2,
            .statusReport,
        ]
        let recorded = Outcome(PASESample.initiator(), try PASESample.responder()).messages
        for turn in 0..<5 {
            for opcode in opcodes where opcode != recorded[turn].opcode {
                let outcome = Outcome(PASESample.initiator(), try PASESample.responder()) { number, message in
                    number == turn ? HandshakeMessage(opcode, message.payload) : message
                }
                let error = turn.isMultiple(of: 2) ? outcome.responderError : outcome.initiatorError
                #expect(error != nil, "\(opcode) as message \(turn)")
                #expect(!outcome.isEstablished)
            }
        }
        var responder = try PASESample.responder()
        #expect(throws: SecureChannelError.self) { try responder.handle(recorded[2]) }
        #expect(throws: SecureChannelError.self, "it is over") { try responder.handle(recorded[0]) }
    }

    @Test("a changed octet in any message leaves the sides without a common session")
    func tampered() throws {
        let sizes = try Outcome(PASESample.initiator(), PASESample.responder()).messages.map(\.payload.count)
        for (turn, size) in sizes.enumerated() {
            for position in stride(from: turn, to: size, by: max(1, size / 24)) {
                let outcome = Outcome(PASESample.initiator(), try PASESample.responder()) { number, message in
                    guard number == turn else { return message }
                    var message = message
                    message.payload[position] ^= 0x04
                    return message
                }
                #expect(!outcome.isEstablished, "octet \(position) of message \(turn)")
                #expect(outcome.initiatorError != nil, "octet \(position) of message \(turn)")
            }
        }
    }

    @Test("a random source that fails is an error, not a weak handshake")
    func noRandom() throws {
        var initiator = PASEInitiator(passcode: 1, localSessionID: 1, random: ScriptedRandom())
        let error = #expect(throws: SecureChannelError.self) { try initiator.start() }
        #expect(error?.code == .cryptography)
    }
}
