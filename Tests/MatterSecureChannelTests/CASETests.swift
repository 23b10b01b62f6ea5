import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Controller against device, without a network.
@Suite struct CASETests {
    private static let time = ValidationTime.now(TestFabric.now)

    private let fabric: TestFabric
    private let device: OperationalCredentials

    init() throws {
        fabric = try TestFabric()
        device = try fabric.node(6)
    }

    private func initiator(
        _ credentials: OperationalCredentials? = nil, to peer: UInt64 = 6, resumption: ResumptionRecord? = nil,
        known: ReliabilityParameters = .standard, seed: UInt64 = 30
    ) -> CASEInitiator {
        CASEInitiator(
            credentials: CASECredentials(credentials ?? fabric.local.credentials), peer: NodeID(peer),
            localSessionID: 0x1111, knownReliability: known, resumption: resumption, time: Self.time,
            random: SeededRandom(seed))
    }

    private func responder(
        _ credentials: OperationalCredentials? = nil, furtherKeys: [SecretBytes] = [],
        parameters: SessionParameters? = .own, seed: UInt64 = 31,
        findResumption: @escaping CASEResponder.ResumptionLookup = { _ in nil }
    ) -> CASEResponder {
        let own = CASECredentials(
            credentials ?? device, furtherIdentityProtectionKeys: furtherKeys, fabricIndex: 3)
        return CASEResponder(
            fabrics: [own], localSessionID: 0x2222, parameters: parameters, findResumption: findResumption,
            time: Self.time, random: SeededRandom(seed))
    }

    // MARK: Full handshakes

    @Test("both sides agree on keys, nodes, fabric, tags and parameters")
    func success() throws {
        let administrator = CASEAuthenticatedTag(identifier: 2, version: 1)
        let user = CASEAuthenticatedTag(identifier: 7, version: 3)
        let controller = try fabric.node(0xAA, cats: [administrator])
        let peer = try fabric.node(0xBB, cats: [user])
        let parameters = SessionParameters(reliability: .slow, dataModelRevision: 17, maxPathsPerInvoke: 4)
        let outcome = Outcome(initiator(controller, to: 0xBB), responder(peer, parameters: parameters))
        #expect(outcome.messages.map(\.opcode) == [.sigma1, .sigma2, .sigma3, .statusReport])
        let (here, there) = try outcome.sessions()
        expectMatch(here, there)
        #expect(here.kind == .case && here.localNodeID == 0xAA && here.peerNodeID == 0xBB && !here.isResumed)
        #expect(here.peerCATs == [user] && there.peerCATs == [administrator])
        #expect(there.fabricIndex == 3)
        #expect(here.peerParameters == parameters && there.peerParameters == .own)
        #expect(here.resumption?.peerNodeID == 0xBB && there.resumption?.peerNodeID == 0xAA)
        #expect(there.resumption?.peerCATs == [administrator] && there.resumption?.fabricIndex == 3)
        #expect(here.resumption?.resumptionID.count == 16)
    }

    @Test("a reader of the messages who knows the initiator's offer opens Sigma2 as it comes, and Sigma3")
    func offered() throws {
        let intermediate = try TestFabric(seed: 2, withIntermediate: true)
        let peer = try intermediate.node(6)
        var controller = initiator(intermediate.local.credentials)
        var device = responder(peer)
        let offer = try #require(try controller.start().offer)
        let outcome = Outcome(initiator(intermediate.local.credentials), responder(peer))
        let secrets = try #require(try outcome.sessions().initiator.handshakeSecrets)
        let found = try #require(offer.secrets(outcome.messages[1].payload))
        #expect(found.initiatorRandom == secrets.initiatorRandom)
        #expect(found.sigma2 == secrets.sigma2 && found.sigma3 == secrets.sigma3)
        #expect(offer.secrets(outcome.messages[0].payload) == nil, "a Sigma1 is no answer")
        #expect(try device.handle(outcome.messages[0]).offer == nil)
        // The same, message by message, in the order of the wire.
        var ring = MessageKeyring()
        ring.add(offer)
        var dissector = MessageDissector(keys: ring)
        func kinds(_ message: HandshakeMessage, _ number: UInt32) -> [String] {
            let isFirst = number != 2
            let header = MessageHeader(
                sessionID: 0, counter: number, source: isFirst ? 0x77 : nil, destination: isFirst ? .none : .node(0x77))
            let inner = ProtocolHeader(
                isFromInitiator: isFirst, needsAck: true, opcode: message.opcode.rawValue, exchangeID: 9,
                protocolID: .secureChannel)
            let bytes = header.encoded() + inner.encoded() + message.payload
            return dissector.dissect(bytes, from: isFirst ? "us" : "it", to: "", at: 0).items.map(\.kind)
        }
        #expect(kinds(outcome.messages[0], 1).first == "handshake")
        // An answer in the device's name that is not the device's stays sealed, and the device's is opened after it.
        let other = Outcome(initiator(intermediate.local.credentials, seed: 50), responder(peer))
        #expect(kinds(other.messages[1], 2).contains("encrypted"))
        #expect(kinds(outcome.messages[1], 2).contains("icac") && kinds(outcome.messages[1], 2).contains("noc"))
        #expect(kinds(outcome.messages[2], 3).contains("noc"))
        // Once the keys are there, the offer is gone.
        dissector.keys.add(secrets)
        #expect(dissector.keys.offer(secrets.initiatorRandom) == nil)
    }

    @Test("of many offers the oldest are forgotten")
    func manyOffers() throws {
        var ring = MessageKeyring()
        var controller = initiator()
        var offer = try #require(try controller.start().offer)
        for number in 0..<1000 {
            offer.initiatorRandom = [UInt8(number & 0xFF), UInt8(number >> 8)]
            ring.add(offer)
        }
        #expect(ring.offer([0, 0]) == nil && ring.offer([0xE7, 0x03]) != nil)
    }

    @Test("intermediate certificates on both sides")
    func intermediate() throws {
        let fabric = try TestFabric(seed: 2, withIntermediate: true)
        let peer = try fabric.node(6)
        #expect(fabric.local.credentials.icac != nil && peer.icac != nil)
        let (here, there) = try Outcome(initiator(fabric.local.credentials), responder(peer)).sessions()
        expectMatch(here, there)
    }

    @Test("other random numbers give other keys, on either side")
    func freshness() throws {
        let one = try Outcome(initiator(), responder()).sessions().initiator
        #expect(one.keys.i2r != (try Outcome(initiator(seed: 40), responder()).sessions().initiator.keys.i2r))
        #expect(one.keys.i2r != (try Outcome(initiator(), responder(seed: 41)).sessions().initiator.keys.i2r))
    }

    @Test("without session parameters in the handshake, what DNS-SD said holds; with them, they do")
    func knownReliability() throws {
        let silent = try Outcome(initiator(known: .slow), responder(parameters: nil)).sessions().initiator
        #expect(silent.peerParameters == SessionParameters(reliability: .slow))
        let spoken = try Outcome(initiator(known: .slow), responder()).sessions().initiator
        #expect(spoken.peerParameters.reliability == .standard)
    }

    @Test("a device finds its fabric among several, and by an older identity protection key")
    func severalFabrics() throws {
        let other = CASECredentials(try TestFabric(seed: 3).node(6), fabricIndex: 1)
        let mine = CASECredentials(device, fabricIndex: 2)
        let both = CASEResponder(
            fabrics: [other, mine], localSessionID: 0x2222, time: Self.time, random: SeededRandom(1))
        #expect(try Outcome(initiator(), both).sessions().responder.fabricIndex == 2)

        let chain = device.chain
        let newer = try OperationalCredentials(
            chain: chain, key: device.key, ipkEpochKey: SecretBytes([UInt8](repeating: 9, count: 16)))
        let (here, there) = try Outcome(
            initiator(), responder(newer, furtherKeys: [device.operationalIPK])
        ).sessions()
        expectMatch(here, there)
        let without = Outcome(initiator(), responder(newer))
        #expect(without.initiatorError?.code == .noSharedTrustRoots)
    }

    // MARK: Refusals

    @Test("another node, or another fabric, is not here")
    func noSharedTrustRoots() throws {
        let foreign = try TestFabric(seed: 4, fabricID: fabric.local.fabricID)
        for stranger in [initiator(to: 7), initiator(foreign.local.credentials)] {
            let outcome = Outcome(stranger, responder())
            #expect(outcome.messages.map(\.opcode) == [.sigma1, .statusReport])
            #expect(outcome.messages.last?.payload == hex("0100 00000000 0100"))
            #expect(outcome.initiatorError?.code == .noSharedTrustRoots && outcome.initiatorError?.reply == nil)
            #expect(outcome.responderError?.code == .noSharedTrustRoots)
        }
    }

    @Test("a busy device names its wait")
    func busy() throws {
        var controller = initiator()
        _ = try controller.start()
        let report = StatusReport.busy(wait: .milliseconds(700))
        let error = #expect(throws: SecureChannelError.self) {
            try controller.handle(HandshakeMessage(.statusReport, report.encoded()))
        }
        #expect(error?.code == .busy && error?.wait == .milliseconds(700) && error?.reply == nil)
    }

    @Test("an expired certificate is refused by both sides")
    func expired() throws {
        let past = CertificateValidity(notBefore: 1, notAfter: TestFabric.now - 1)
        let atController = Outcome(initiator(), responder(try fabric.node(6, validity: past)))
        #expect(atController.initiatorError?.code == .invalidCredentials)
        #expect(atController.responderError?.code == .rejected)
        let atDevice = Outcome(initiator(try fabric.node(1, validity: past)), responder())
        #expect(atDevice.responderError?.code == .invalidCredentials)
        #expect(atDevice.initiatorError?.code == .rejected)

        let future = CertificateValidity(notBefore: TestFabric.now + 1, notAfter: 0)
        let early = Outcome(initiator(), responder(try fabric.node(6, validity: future)))
        #expect(early.initiatorError?.code == .invalidCredentials)
    }

    @Test("a certificate that was not signed in the fabric is refused by both sides")
    func impostors() throws {
        let device = Outcome(initiator(), responder(try fabric.impostor(6)))
        #expect(device.initiatorError?.code == .invalidCredentials && device.responderError?.code == .rejected)
        let controller = Outcome(initiator(try fabric.impostor(1)), responder())
        #expect(controller.responderError?.code == .invalidCredentials && controller.initiatorError?.code == .rejected)
        // Its time may be wrong, of which the device says nothing.
        #expect(controller.initiatorError?.ownNotBefore != nil && device.initiatorError?.ownNotBefore == nil)
    }

    /// Answers Sigma1 as a device that takes every destination for itself, and signs what it likes.
    private func answer(
        to sigma1: HandshakeMessage, as credentials: OperationalCredentials, ipk: SecretBytes,
        change: (inout SigmaProof) throws -> Void = { _ in }
    ) throws -> HandshakeMessage {
        let random = SeededRandom(50)
        let request = try Sigma1(decoding: sigma1.payload)
        let own = try P256PrivateKey.generate(random)
        let secret = try own.sharedSecret(with: P256PublicKey(x963: request.ephemeralKey))
        let responderRandom = try random.bytes(32)
        let key = try CASEKeySchedule.sigma2Key(
            secret: secret, ipk: ipk, responderRandom: responderRandom,
            responderKey: own.publicKey.x963, sigma1: sigma1.payload)
        let (noc, icac) = (credentials.noc.tlv, credentials.icac?.tlv)
        var proof = SigmaProof(
            noc: noc, icac: icac,
            signature: try credentials.key.sign(
                SigmaProof.signed(
                    noc: noc, icac: icac, senderKey: own.publicKey.x963, receiverKey: request.ephemeralKey)),
            resumptionID: [UInt8](repeating: 1, count: 16))
        try change(&proof)
        let sigma2 = Sigma2(
            responderRandom: responderRandom, responderSessionID: 9, ephemeralKey: own.publicKey.x963,
            encrypted: try AES128CCM(key: key).seal(proof.encoded(), nonce: CASEKeySchedule.sigma2Nonce))
        return HandshakeMessage(.sigma2, sigma2.encoded())
    }

    /// Requests of a controller to such a device.
    private func verdict(
        as credentials: OperationalCredentials, ipk: SecretBytes? = nil, seenBy own: OperationalCredentials? = nil,
        change: (inout SigmaProof) throws -> Void = { _ in }
    ) throws -> SecureChannelError.Code? {
        var controller = initiator(own)
        let sigma1 = try #require(try controller.start().send)
        let sigma2 = try answer(
            to: sigma1, as: credentials, ipk: ipk ?? credentials.operationalIPK, change: change)
        do throws(SecureChannelError) {
            _ = try controller.handle(sigma2)
            return nil
        } catch {
            #expect(error.reply == .invalidParameter)
            return error.code
        }
    }

    @Test("a device with a valid certificate of another node is not the one that was asked for")
    func wrongNode() throws {
        #expect(try verdict(as: fabric.node(7)) == .wrongPeer)
        #expect(try verdict(as: device) == nil, "the right one is let in by the same means")
    }

    @Test("a device of a fabric with another root is refused: its keys differ")
    func otherRoot() throws {
        let foreign = try TestFabric(seed: 5, fabricID: fabric.local.fabricID).node(6)
        let disguised = try OperationalCredentials(
            chain: foreign.chain, key: foreign.key, ipkEpochKey: device.ipkEpochKey)
        #expect(try verdict(as: disguised) == .invalidCredentials)
        #expect(try verdict(as: disguised, ipk: device.operationalIPK) == .invalidCredentials)
    }

    @Test("a certificate for another fabric under the same root is refused by both sides")
    func otherFabricOfTheRoot() throws {
        let random = SeededRandom(6)
        let validity = CertificateValidity.tenYears(from: TestFabric.now)
        let rootKey = try P256PrivateKey.generate(random)
        // Such a root names no fabric of its own.
        let root = try MatterCertificate.issueRoot(
            id: 1, fabricID: nil, key: rootKey, validity: validity, random: random)
        func member(_ node: UInt64, of fabric: UInt64) throws -> OperationalCredentials {
            let key = try P256PrivateKey.generate(random)
            let noc = try MatterCertificate.issueNode(
                nodeID: NodeID(node), fabricID: FabricID(fabric), publicKey: key.publicKey, under: root,
                signedWith: rootKey, validity: validity, random: random)
            return try OperationalCredentials(
                chain: OperationalChain(noc: noc, icac: nil, root: root), key: key, ipkEpochKey: device.ipkEpochKey)
        }
        let own = try member(1, of: 10)
        #expect(try verdict(as: member(6, of: 10), seenBy: own) == nil)
        #expect(try verdict(as: member(6, of: 11), ipk: own.operationalIPK, seenBy: own) == .wrongPeer)
    }

    @Test("a signature by another key, over other ephemeral keys, or over another chain is refused")
    func signatures() throws {
        #expect(try verdict(as: device) { $0.signature[5] ^= 1 } == .invalidCredentials)
        #expect(try verdict(as: device) { $0.signature = [UInt8](repeating: 0, count: 64) } == .invalidCredentials)
        let other = try fabric.node(6)
        #expect(try verdict(as: device) { $0.noc = other.noc.tlv } == .invalidCredentials)
        let replayed = try device.key.sign(
            SigmaProof.signed(
                noc: device.noc.tlv, icac: nil, senderKey: [UInt8](repeating: 4, count: 65),
                receiverKey: [UInt8](repeating: 4, count: 65)))
        #expect(try verdict(as: device) { $0.signature = replayed } == .invalidCredentials)
    }

    @Test("certificates that do not decode, are too long, or do not belong there are refused")
    func certificates() throws {
        #expect(try verdict(as: device) { $0.noc = [0x15, 0x18] } == .invalidCredentials)
        #expect(try verdict(as: device) { $0.noc += [UInt8](repeating: 0, count: 400) } == .malformed)
        #expect(try verdict(as: device) { $0.icac = [UInt8](repeating: 0x15, count: 401) } == .malformed)
        #expect(try verdict(as: device) { $0.resumptionID = nil } == .malformed)
        #expect(try verdict(as: device) { $0.resumptionID?.removeLast() } == .malformed)
        #expect(try verdict(as: device) { $0.signature.removeLast() } == .malformed)
        let root = fabric.local.authority.root.tlv
        #expect(try verdict(as: device) { $0.noc = root } == .invalidCredentials)
        #expect(try verdict(as: device) { $0.icac = root } == .invalidCredentials)
    }

    @Test("session id 0 and ephemeral keys that are no points are refused on both sides")
    func badFields() throws {
        for change: @Sendable (inout Sigma1) -> Void in [
            { $0.initiatorSessionID = 0 }, { $0.ephemeralKey = [UInt8](repeating: 4, count: 65) },
        ] {
            let outcome = Outcome(initiator(), responder()) { _, message in
                guard message.opcode == .sigma1, var sigma1 = try? Sigma1(decoding: message.payload) else {
                    return message
                }
                change(&sigma1)
                return HandshakeMessage(.sigma1, sigma1.encoded())
            }
            #expect(outcome.responderError?.reply == .invalidParameter)
            #expect(outcome.initiatorError?.code == .rejected)
        }
        for change: @Sendable (inout Sigma2) -> Void in [
            { $0.responderSessionID = 0 }, { $0.ephemeralKey = [UInt8](repeating: 4, count: 65) },
            { $0.encrypted = [] }, { $0.encrypted = [UInt8](repeating: 0, count: 15) }, { $0.encrypted.removeLast() },
        ] {
            let outcome = Outcome(initiator(), responder()) { _, message in
                guard message.opcode == .sigma2,
                    var sigma2 = try? Sigma2(decoding: message.payload, base: .standard)
                else { return message }
                change(&sigma2)
                return HandshakeMessage(.sigma2, sigma2.encoded())
            }
            #expect(outcome.initiatorError?.reply == .invalidParameter)
            #expect(outcome.responderError?.code == .rejected)
        }
    }

    @Test("a changed octet in any message leaves the sides without a common session")
    func tampered() throws {
        let sizes = Outcome(initiator(), responder()).messages.map(\.payload.count)
        for (turn, size) in sizes.enumerated() {
            for position in stride(from: turn, to: size, by: max(1, size / 24)) {
                let outcome = Outcome(initiator(), responder()) { number, message in
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

    @Test("messages out of turn end the handshake on either side, for good")
    func outOfTurn() throws {
        let recorded = Outcome(initiator(), responder()).messages
        let opcodes: [SecureChannelOpcode] = [
            .sigma1, .sigma2, .sigma3, .sigma2Resume, .pake1, .standaloneAck, .statusReport,
        ]
        for turn in 0..<3 {
            for opcode in opcodes where opcode != recorded[turn].opcode {
                let outcome = Outcome(initiator(), responder()) { number, message in
                    number == turn ? HandshakeMessage(opcode, message.payload) : message
                }
                let error = turn.isMultiple(of: 2) ? outcome.responderError : outcome.initiatorError
                #expect(error != nil && !outcome.isEstablished, "\(opcode) as message \(turn)")
            }
        }
        var device = responder()
        #expect(throws: SecureChannelError.self) { try device.handle(recorded[2]) }
        #expect(throws: SecureChannelError.self, "it is over") { try device.handle(recorded[0]) }
    }
}
