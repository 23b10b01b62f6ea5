import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// A commercial commissioner's handshake with a device whose random numbers are known.
@Suite(.vectors, .enabled(if: Vectors.available)) struct PASETranscriptTests {
    private struct Transcript: Decodable {
        var salt, w0, L, y, pbkdfParamRequest, pbkdfParamResponse, pake1, pake2, pake3: String
        var i2rKey, r2iKey, attestationChallenge: String
        var passcode: UInt32
        var iterations: Int
        var initiatorSessionId, responderSessionId: UInt16
    }

    private let run: Transcript
    private let response: PBKDFParamResponse

    init() throws {
        run = try Vectors.load("pase-transcript.json")
        response = try PBKDFParamResponse(decoding: hex(run.pbkdfParamResponse), base: .standard)
    }

    private func device() throws -> PASEResponder {
        PASEResponder(
            verifier: try SPAKE2PlusVerifierData(serialized: hex(run.w0 + run.L)),
            pbkdf: PBKDFParameters(iterations: run.iterations, salt: hex(run.salt)),
            localSessionID: run.responderSessionId, parameters: nil,
            random: ScriptedRandom(response.responderRandom, hex(run.y)))
    }

    @Test("in the device's place we send the recorded messages octet for octet, and derive the recorded keys")
    func responder() throws {
        var device = try device()
        let first = try device.handle(HandshakeMessage(.pbkdfParamRequest, hex(run.pbkdfParamRequest)))
        #expect(first.send == HandshakeMessage(.pbkdfParamResponse, hex(run.pbkdfParamResponse)))
        #expect(
            device.peerParameters
                == SessionParameters(
                    dataModelRevision: 18, interactionModelRevision: 11, specificationVersion: 0x0104_0000))
        let second = try device.handle(HandshakeMessage(.pake1, hex(run.pake1)))
        #expect(second.send == HandshakeMessage(.pake2, hex(run.pake2)))
        let third = try device.handle(HandshakeMessage(.pake3, hex(run.pake3)))
        #expect(third.send == HandshakeMessage(.sessionEstablished))
        let session = try #require(third.established)
        #expect(
            session.keys.all.map { hexString($0.copyBytes()) } == [run.i2rKey, run.r2iKey, run.attestationChallenge])
        #expect(session.peerSessionID == run.initiatorSessionId && session.localSessionID == run.responderSessionId)
    }

    @Test("in the commissioner's place we send the recorded request, and the recorded response brings our share")
    func initiator() throws {
        let request = try PBKDFParamRequest(decoding: hex(run.pbkdfParamRequest))
        let scalar = [UInt8](repeating: 0, count: 31) + [7]
        var commissioner = PASEInitiator(
            passcode: run.passcode, localSessionID: run.initiatorSessionId,
            parameters: try #require(request.parameters), knownReliability: .slow,
            random: ScriptedRandom(request.initiatorRandom, scalar))
        #expect(try commissioner.start().send == HandshakeMessage(.pbkdfParamRequest, hex(run.pbkdfParamRequest)))
        let step = try commissioner.handle(HandshakeMessage(.pbkdfParamResponse, hex(run.pbkdfParamResponse)))
        #expect(
            commissioner.peerParameters == SessionParameters(reliability: .slow), "the device says nothing of itself")
        // Our scalar is not the recorded commissioner's, so the recorded Pake2 cannot answer it; the device can.
        let pake1 = try #require(step.send)
        var refusing = commissioner
        let error = #expect(throws: SecureChannelError.self) {
            try refusing.handle(HandshakeMessage(.pake2, hex(run.pake2)))
        }
        #expect(error?.code == .wrongPasscode)
        var device = try device()
        _ = try device.handle(HandshakeMessage(.pbkdfParamRequest, hex(run.pbkdfParamRequest)))
        let pake2 = try #require(try device.handle(pake1).send)
        let pake3 = try #require(try commissioner.handle(pake2).send)
        let end = try device.handle(pake3)
        let report = try #require(end.send)
        let session = try #require(try commissioner.handle(report).established)
        expectMatch(session, try #require(end.established))
    }

    @Test("the recorded messages are encoded as we encode them")
    func codec() throws {
        #expect(try PBKDFParamRequest(decoding: hex(run.pbkdfParamRequest)).encoded() == hex(run.pbkdfParamRequest))
        #expect(response.encoded() == hex(run.pbkdfParamResponse))
        #expect(PakeMessage.pake1(share: try PakeMessage.decodePake1(hex(run.pake1))) == hex(run.pake1))
        let (share, confirmation) = try PakeMessage.decodePake2(hex(run.pake2))
        #expect(PakeMessage.pake2(share: share, confirmation: confirmation) == hex(run.pake2))
        #expect(PakeMessage.pake3(confirmation: try PakeMessage.decodePake3(hex(run.pake3))) == hex(run.pake3))
    }
}
