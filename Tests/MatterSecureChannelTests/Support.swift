import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// The same octets on every run.
final class SeededRandom: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
    }
}

/// Gives known octets, one string after the other, and fails when there are no more.
final class ScriptedRandom: RandomSource {
    private let script: Mutex<[[UInt8]]>

    init(_ script: [UInt8]...) { self.script = Mutex(script) }

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next, next.count == count else {
            throw CryptoError(.randomFailed, "the script has no \(count) octets")
        }
        return next
    }
}

extension ReliabilityParameters {
    /// A peer that sleeps longer than most.
    static let slow = ReliabilityParameters(
        idleInterval: .milliseconds(1200), activeInterval: .milliseconds(700), activeThreshold: .milliseconds(900))
}

/// A fabric with its certificate authority, and nodes of it.
struct TestFabric {
    /// The time in these tests, in Matter seconds: August 2026.
    static let now: UInt32 = 838_857_600

    let local: LocalFabric
    private let random: any RandomSource

    init(
        seed: UInt64 = 1, fabricID: FabricID? = nil, withIntermediate: Bool = false,
        validity: CertificateValidity = .tenYears(from: now)
    ) throws {
        random = SeededRandom(seed)
        local = try LocalFabric.create(
            fabricID: fabricID, nodeID: NodeID(1), withIntermediate: withIntermediate, validity: validity,
            random: random)
    }

    /// A member of the fabric.
    func node(
        _ id: UInt64, cats: [CASEAuthenticatedTag] = [], validity: CertificateValidity = .tenYears(from: now)
    ) throws -> OperationalCredentials {
        let key = try P256PrivateKey.generate(random)
        let issuer = try local.issuer(adminVendorID: VendorID(0xFFF1), random: random) { validity }
        return try issuer.issueOwnCredentials(key: key, nodeID: NodeID(id), cats: cats)
    }

    /// A peer whose certificate looks right but was not signed in this fabric.
    func impostor(_ id: UInt64) throws -> OperationalCredentials {
        let key = try P256PrivateKey.generate(random)
        let root = local.authority.root
        let noc = try MatterCertificate.issueNode(
            nodeID: NodeID(id), fabricID: local.fabricID, publicKey: key.publicKey, under: root, signedWith: key,
            validity: .tenYears(from: Self.now), random: random)
        return try OperationalCredentials(
            chain: OperationalChain(noc: noc, icac: nil, root: root), key: key,
            ipkEpochKey: local.credentials.ipkEpochKey)
    }
}

extension SPAKE2PlusVerifierData {
    /// The state of the device of these tests.
    static func sample() throws -> SPAKE2PlusVerifierData {
        try SPAKE2PlusVerifierData(
            passcode: PASESample.passcode, salt: PASESample.pbkdf.salt, iterations: PASESample.pbkdf.iterations)
    }
}

enum PASESample {
    static let passcode: UInt32 = 20_202_021
    static let pbkdf = PBKDFParameters(iterations: 1000, salt: Array("SPAKE2P Key Salt".utf8))

    static func initiator(
        passcode: UInt32 = passcode, seed: UInt64 = 10, known: ReliabilityParameters = .standard
    ) -> PASEInitiator {
        PASEInitiator(
            passcode: passcode, localSessionID: 0x1111, knownReliability: known, random: SeededRandom(seed))
    }

    static func responder(
        seed: UInt64 = 11, parameters: SessionParameters? = .own, pbkdf: PBKDFParameters = pbkdf
    ) throws -> PASEResponder {
        PASEResponder(
            verifier: try .sample(), pbkdf: pbkdf, localSessionID: 0x2222, parameters: parameters,
            random: SeededRandom(seed))
    }
}

/// How a handshake between two machines ended on either side.
struct Outcome {
    var messages: [HandshakeMessage] = []
    var initiator: Result<EstablishedSession, SecureChannelError>?
    var responder: Result<EstablishedSession, SecureChannelError>?

    /// Runs a handshake without a network.
    ///
    /// - Parameter tamper: may change a message under way, by its number.
    init(
        _ initiator: some Handshake, _ responder: some Handshake,
        tamper: (Int, HandshakeMessage) -> HandshakeMessage = { $1 }
    ) {
        var sides: [any Handshake] = [initiator, responder]
        var results: [Result<EstablishedSession, SecureChannelError>?] = [nil, nil]
        var turn = 0
        var step: HandshakeStep?
        do throws(SecureChannelError) { step = try sides[0].start() } catch { results[0] = .failure(error) }
        while let current = step, messages.count < 12 {
            if let session = current.established { results[turn] = .success(session) }
            step = nil
            guard let sent = current.send else { break }
            let message = tamper(messages.count, sent)
            messages.append(message)
            turn = 1 - turn
            // A side that has ended hears nothing more.
            guard results[turn] == nil else { break }
            do throws(SecureChannelError) {
                step = try sides[turn].handle(message)
            } catch {
                results[turn] = .failure(error)
                step = error.reply.map { HandshakeStep(send: HandshakeMessage(.statusReport, $0.encoded())) }
            }
        }
        self.initiator = results[0]
        self.responder = results[1]
    }

    var initiatorError: SecureChannelError? { Self.error(initiator) }
    var responderError: SecureChannelError? { Self.error(responder) }

    private static func error(_ result: Result<EstablishedSession, SecureChannelError>?) -> SecureChannelError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Both sessions, if both sides ended with one.
    func sessions() throws -> (initiator: EstablishedSession, responder: EstablishedSession) {
        guard let initiator, let responder else { throw Unfinished() }
        return (try initiator.get(), try responder.get())
    }

    /// Whether both sides ended with a session.
    var isEstablished: Bool { (try? sessions()) != nil }

    /// A side still waits.
    struct Unfinished: Error {}
}

/// Checks that two ends belong to one session.
func expectMatch(
    _ initiator: EstablishedSession, _ responder: EstablishedSession,
    _ location: SourceLocation = #_sourceLocation
) {
    #expect(initiator.role == .initiator && responder.role == .responder, sourceLocation: location)
    #expect(initiator.kind == responder.kind, sourceLocation: location)
    #expect(initiator.keys.i2r == responder.keys.i2r && initiator.keys.i2r.count == 16, sourceLocation: location)
    #expect(initiator.keys.r2i == responder.keys.r2i && initiator.keys.r2i.count == 16, sourceLocation: location)
    #expect(initiator.keys.i2r != initiator.keys.r2i, sourceLocation: location)
    #expect(
        initiator.keys.attestationChallenge == responder.keys.attestationChallenge
            && initiator.keys.attestationChallenge.count == 16, sourceLocation: location)
    #expect(initiator.localSessionID == responder.peerSessionID, sourceLocation: location)
    #expect(initiator.peerSessionID == responder.localSessionID, sourceLocation: location)
    #expect(initiator.localNodeID == responder.peerNodeID, sourceLocation: location)
    #expect(initiator.peerNodeID == responder.localNodeID, sourceLocation: location)
    #expect(initiator.isResumed == responder.isResumed, sourceLocation: location)
    #expect(initiator.resumption?.resumptionID == responder.resumption?.resumptionID, sourceLocation: location)
    #expect(initiator.resumption?.sharedSecret == responder.resumption?.sharedSecret, sourceLocation: location)
}

extension SessionKeys {
    /// All keys in the order of their derivation.
    var all: [SecretBytes] { [i2r, r2i, attestationChallenge] }
}
