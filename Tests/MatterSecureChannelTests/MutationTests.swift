import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Damaged handshake messages: decoders refuse them with a typed error or read what can be written again, and the state
/// machines never come to a session by them.
@Suite struct MutationTests {
    private let fabric: TestFabric
    private let pase: [HandshakeMessage]
    private let caseFull: [HandshakeMessage]
    private let caseResumed: [HandshakeMessage]
    private let controllerRecord: ResumptionRecord
    private let deviceRecord: ResumptionRecord
    private let device: CASECredentials

    init() throws {
        fabric = try TestFabric(withIntermediate: true)
        device = CASECredentials(try fabric.node(6), fabricIndex: 1)
        pase = Outcome(PASESample.initiator(), try PASESample.responder()).messages
        let full = Outcome(Self.controller(fabric, nil), Self.responder(device, nil))
        caseFull = full.messages
        let sessions = try full.sessions()
        controllerRecord = try #require(sessions.initiator.resumption)
        deviceRecord = try #require(sessions.responder.resumption)
        caseResumed =
            Outcome(
                Self.controller(fabric, controllerRecord), Self.responder(device, deviceRecord)
            ).messages
    }

    private static func controller(_ fabric: TestFabric, _ record: ResumptionRecord?) -> CASEInitiator {
        CASEInitiator(
            credentials: CASECredentials(fabric.local.credentials), peer: NodeID(6), localSessionID: 1,
            resumption: record, time: .now(TestFabric.now), random: SeededRandom(1))
    }

    private static func responder(_ device: CASECredentials, _ record: ResumptionRecord?) -> CASEResponder {
        CASEResponder(
            fabrics: [device], localSessionID: 2,
            findResumption: { id in record.flatMap { $0.resumptionID == id ? $0 : nil } }, time: .now(TestFabric.now),
            random: SeededRandom(2))
    }

    /// Feeds damaged payloads to a decoder.
    ///
    /// - Parameter decode: returns the value written again and read again, or throws what the decoder throws.
    private func decode<Value: Equatable>(
        _ payloads: [[UInt8]], seed: UInt64, _ decode: ([UInt8]) throws(TLVError) -> Value,
        encode: (Value) -> [UInt8], _ location: SourceLocation = #_sourceLocation
    ) {
        var mutator = Mutator(seed: seed, corpus: payloads)
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            guard let value = try? decode(mutator.next()) else { continue }
            accepted += 1
            guard (try? decode(encode(value))) == value else {
                Issue.record("\(value) is read otherwise than it was written", sourceLocation: location)
                return
            }
        }
        #expect(accepted > Effort.inputs(100) && accepted < Effort.inputs(20_000), sourceLocation: location)
    }

    @Test("PASE decoders withstand damaged messages")
    func paseDecoders() {
        decode([pase[0].payload], seed: 1, PBKDFParamRequest.init(decoding:), encode: { $0.encoded() })
        decode(
            [pase[1].payload], seed: 2,
            { (octets) throws(TLVError) in
                try PBKDFParamResponse(decoding: octets, base: .standard)
            }, encode: { $0.encoded() })
        decode([pase[2].payload], seed: 3, PakeMessage.decodePake1, encode: PakeMessage.pake1)
        decode(
            [pase[3].payload], seed: 4,
            { (octets) throws(TLVError) in
                let (share, confirmation) = try PakeMessage.decodePake2(octets)
                return [share, confirmation]
            }, encode: { PakeMessage.pake2(share: $0[0], confirmation: $0[1]) })
        decode([pase[4].payload], seed: 5, PakeMessage.decodePake3, encode: PakeMessage.pake3)
    }

    @Test("CASE decoders withstand damaged messages")
    func caseDecoders() throws {
        let sigma1 = [caseFull[0].payload, caseResumed[0].payload]
        decode(sigma1, seed: 11, Sigma1.init(decoding:), encode: { $0.encoded() })
        decode(
            [caseFull[1].payload], seed: 12,
            { (octets) throws(TLVError) in
                try Sigma2(decoding: octets, base: .standard)
            }, encode: { $0.encoded() })
        decode([caseFull[2].payload], seed: 13, Sigma3.decode, encode: Sigma3.encoded)
        decode(
            [caseResumed[1].payload], seed: 14,
            { (octets) throws(TLVError) in
                try Sigma2Resume(decoding: octets, base: .standard)
            }, encode: { $0.encoded() })
        let proof = SigmaProof(
            noc: device.operational.noc.tlv, icac: device.operational.icac?.tlv,
            signature: [UInt8](repeating: 1, count: 64), resumptionID: [UInt8](repeating: 2, count: 16)
        ).encoded()
        decode(
            [proof], seed: 15,
            { (octets) throws(TLVError) in
                try SigmaProof(decoding: octets, fromResponder: true)
            }, encode: { $0.encoded() })
    }

    @Test("status reports and session parameters withstand damaged ones")
    func smallDecoders() {
        var mutator = Mutator(
            seed: 21, corpus: [StatusReport.sessionEstablished, .busy(wait: .seconds(1))].map { $0.encoded() })
        for _ in 0..<Effort.inputs(20_000) {
            let octets = mutator.next()
            if let report = try? StatusReport(decoding: octets) {
                #expect(report.encoded() == octets)
                _ = (report.busyWait, report.description, SecureChannelError(reported: report))
            } else {
                #expect(octets.count < 8)
            }
        }
        let parameters = SessionParameters(
            reliability: .slow, dataModelRevision: 18, interactionModelRevision: 11, specificationVersion: 0x0104_0000)
        decode(
            [TLVElement(.anonymous, parameters.value).encoded()], seed: 22,
            { (octets) throws(TLVError) in try SessionParameters(TLVFields(decoding: octets, "parameters")) },
            encode: { TLVElement(.anonymous, $0.value).encoded() })
    }

    /// Feeds damaged payloads to copies of a machine that waits for that message.
    private func feed(
        _ machine: some Handshake, _ message: HandshakeMessage, count: Int, seed: UInt64,
        allowing isHarmless: ([UInt8]) -> Bool = { _ in false }, _ location: SourceLocation = #_sourceLocation
    ) {
        var mutator = Mutator(seed: seed, corpus: [message.payload])
        var refused = 0
        for _ in 0..<Effort.inputs(count) {
            let payload = mutator.next()
            var machine = machine
            do throws(SecureChannelError) {
                let step = try machine.handle(HandshakeMessage(message.opcode, payload))
                if step.established != nil, !isHarmless(payload) {
                    Issue.record("a session by \(hexString(payload))", sourceLocation: location)
                }
            } catch {
                refused += 1
            }
        }
        #expect(refused > Effort.inputs(count) / 2, sourceLocation: location)
    }

    /// A machine after some messages.
    private func advanced<Machine: Handshake>(
        _ machine: Machine, by messages: [HandshakeMessage] = []
    ) throws -> Machine {
        var machine = machine
        _ = try machine.start()
        for message in messages { _ = try machine.handle(message) }
        return machine
    }

    // Machines draw from a source that they share with their copies, so each step has a machine of its own.

    @Test("damaged messages give PASE machines no session")
    func paseMachines() throws {
        feed(try PASESample.responder(), pase[0], count: 20_000, seed: 31)
        feed(try advanced(PASESample.responder(), by: [pase[0]]), pase[2], count: 2000, seed: 32)
        let confirmation = try PakeMessage.decodePake3(pase[4].payload)
        feed(try advanced(PASESample.responder(), by: [pase[0], pase[2]]), pase[4], count: 20_000, seed: 33) {
            (try? PakeMessage.decodePake3($0)) == confirmation
        }
        feed(try advanced(PASESample.initiator()), pase[1], count: 1000, seed: 34)
        feed(try advanced(PASESample.initiator(), by: [pase[1]]), pase[3], count: 2000, seed: 35)
        feed(
            try advanced(PASESample.initiator(), by: [pase[1], pase[3]]), pase[5], count: 20_000, seed: 36,
            allowing: isSuccess)
    }

    @Test("damaged messages give CASE machines no session")
    func caseMachines() throws {
        feed(Self.responder(device, deviceRecord), caseFull[0], count: 5000, seed: 41)
        feed(Self.responder(device, deviceRecord), caseResumed[0], count: 5000, seed: 42)

        // Signatures are random, so that only messages of one and the same run fit together.
        var responder = Self.responder(device, nil)
        var initiator = Self.controller(fabric, nil)
        let sigma1 = try #require(try initiator.start().send)
        let sigma2 = try #require(try responder.handle(sigma1).send)
        feed(initiator, sigma2, count: 5000, seed: 43)
        let sigma3 = try #require(try initiator.handle(sigma2).send)
        let encrypted = try Sigma3.decode(sigma3.payload)
        feed(responder, sigma3, count: 20_000, seed: 44) { (try? Sigma3.decode($0)) == encrypted }
        let end = try #require(try responder.handle(sigma3).send)
        feed(initiator, end, count: 20_000, seed: 45, allowing: isSuccess)
    }

    @Test("damaged messages give machines that resume no session")
    func resumingMachines() throws {
        let whole = try Sigma2Resume(decoding: caseResumed[1].payload, base: .standard)
        feed(try advanced(Self.controller(fabric, controllerRecord)), caseResumed[1], count: 20_000, seed: 46) {
            // Session id and parameters are not covered by the proof.
            let damaged = try? Sigma2Resume(decoding: $0, base: .standard)
            return damaged?.mic == whole.mic && damaged?.resumptionID == whole.resumptionID
        }
        feed(
            try advanced(Self.responder(device, deviceRecord), by: [caseResumed[0]]), caseResumed[2], count: 20_000,
            seed: 47, allowing: isSuccess)
    }

    private func isSuccess(_ octets: [UInt8]) -> Bool { (try? StatusReport(decoding: octets))?.isSuccess ?? false }

    @Test("damaged proofs under the right key are refused")
    func proofs() throws {
        // An initiator that knows all keys and encrypts what it likes.
        var responder = Self.responder(device, nil)
        var initiator = Self.controller(fabric, nil)
        let sigma1 = try #require(try initiator.start().send)
        let sigma2 = try #require(try responder.handle(sigma1).send)
        let sigma3 = try #require(try initiator.handle(sigma2).send)
        let twin = try P256PrivateKey.generate(SkippingRandom(SeededRandom(1), 32))
        let answer = try Sigma2(decoding: sigma2.payload, base: .standard)
        let secret = try twin.sharedSecret(with: P256PublicKey(x963: answer.ephemeralKey))
        let key = try CASEKeySchedule.sigma3Key(
            secret: secret, ipk: device.operational.operationalIPK, sigma1: sigma1.payload, sigma2: sigma2.payload)
        let cipher = try AES128CCM(key: key)
        let whole = try cipher.open(try Sigma3.decode(sigma3.payload), nonce: CASEKeySchedule.sigma3Nonce)
        let wholeProof = try SigmaProof(decoding: whole, fromResponder: false)
        var mutator = Mutator(seed: 51, corpus: [whole])
        var refused = 0
        for _ in 0..<2000 {
            let plaintext = mutator.next()
            let sealed = try cipher.seal(plaintext, nonce: CASEKeySchedule.sigma3Nonce)
            var machine = responder
            do throws(SecureChannelError) {
                let step = try machine.handle(HandshakeMessage(.sigma3, Sigma3.encoded(sealed)))
                // Only what does not matter may differ.
                let proof = try? SigmaProof(decoding: plaintext, fromResponder: false)
                #expect(step.established != nil)
                #expect(proof == wholeProof)
            } catch {
                #expect(error.reply == .invalidParameter)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }
}

/// A source without its first octets: what a machine draws after them.
private struct SkippingRandom: RandomSource {
    private let base: SeededRandom

    init(_ base: SeededRandom, _ count: Int) throws {
        self.base = base
        _ = try base.bytes(count)
    }

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] { try base.bytes(count) }
}
