import Synchronization
import TestSupport

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

/// Gives the same octet for ever: with 0 there is no jitter, with 0xFF the most.
struct ConstantRandom: RandomSource {
    var octet: UInt8

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] { [UInt8](repeating: octet, count: count) }
}

/// An address in a network for documentation (RFC 5737).
func host(_ number: UInt8, port: UInt16 = 5540) -> PeerAddress {
    guard let address = PeerAddress(octets: [192, 0, 2, number], port: port) else { preconditionFailure("four octets") }
    return address
}

extension SessionKeys {
    static let sample = SessionKeys(
        i2r: SecretBytes([UInt8](0x10..<0x20)), r2i: SecretBytes([UInt8](0x20..<0x30)),
        attestationChallenge: SecretBytes([UInt8](0x30..<0x40)))
}

extension SecureSessionParameters {
    /// One end of a CASE session between node 5 (initiator, at address 1) and node 6 (responder, at address 2).
    static func sample(_ role: Role, reliability: ReliabilityParameters = .standard) -> SecureSessionParameters {
        let isInitiator = role == .initiator
        return SecureSessionParameters(
            localSessionID: isInitiator ? 0x1001 : 0x2002, peerSessionID: isInitiator ? 0x2002 : 0x1001, role: role,
            keys: .sample, localNodeID: isInitiator ? 5 : 6, peerNodeID: isInitiator ? 6 : 5, reliability: reliability,
            address: host(isInitiator ? 2 : 1))
    }
}

extension ProtocolID {
    static let test = ProtocolID(vendor: 0xFFF1, number: 7)
}

extension [MessageEngine.Action] {
    /// The datagrams that go out, in order.
    var datagrams: [[UInt8]] { compactMap { if case .transmit(let datagram, _) = $0 { datagram } else { nil } } }
    var targets: [PeerAddress] { compactMap { if case .transmit(_, let target) = $0 { target } else { nil } } }
    var delivered: [ReceivedMessage] {
        compactMap { if case .deliver(_, let message, _) = $0 { message } else { nil } }
    }
    var groupMessages: [GroupMessage] {
        compactMap { if case .deliverGroupMessage(let message) = $0 { message } else { nil } }
    }
    var openedExchanges: [ExchangeKey] {
        compactMap { if case .deliver(let key, _, true) = $0 { key } else { nil } }
    }
    var acknowledged: [ExchangeKey] { compactMap { if case .acknowledged(let key) = $0 { key } else { nil } } }
    var failed: [ExchangeKey] { compactMap { if case .failed(let key) = $0 { key } else { nil } } }
    var dropped: [TransportError.Code] {
        compactMap { if case .dropped(let error, _) = $0 { error.code } else { nil } }
    }
}

/// A controller (address 1) and a device (address 2) with a secure session between them, driven by hand.
struct Pair {
    var controller: MessageEngine
    var device: MessageEngine
    let toDevice: SessionReference
    let toController: SessionReference
    /// The time of everything that happens.
    var now = Instant.now

    static let controllerAddress = host(1)
    static let deviceAddress = host(2)

    init(
        random: any RandomSource = SeededRandom(1), reliability: ReliabilityParameters = .standard,
        deviceAdmits: @escaping MessageEngine.Admission = { _, _, _ in true }
    ) throws {
        controller = try MessageEngine(random: random) { _, _, _ in false }
        device = try MessageEngine(random: random, admission: deviceAdmits)
        toDevice = try controller.install(.sample(.initiator, reliability: reliability), now: now)
        toController = try device.install(.sample(.responder, reliability: reliability), now: now)
    }

    /// Begins an exchange with a message of one octet.
    mutating func request(_ octet: UInt8 = 1) throws -> (key: ExchangeKey, actions: [MessageEngine.Action]) {
        let key = try controller.openExchange(on: toDevice)
        return (key, try controller.send([octet], opcode: 1, protocolID: .test, on: key, now: now))
    }

    mutating func reply(_ octet: UInt8, on key: ExchangeKey, reliable: Bool = true) throws -> [MessageEngine.Action] {
        try device.send([octet], opcode: 2, protocolID: .test, reliable: reliable, on: key, now: now)
    }

    mutating func toDevice(_ actions: [MessageEngine.Action]) -> [MessageEngine.Action] {
        actions.datagrams.flatMap { device.receive($0, from: Self.controllerAddress, now: now) }
    }

    mutating func toController(_ actions: [MessageEngine.Action]) -> [MessageEngine.Action] {
        actions.datagrams.flatMap { controller.receive($0, from: Self.deviceAddress, now: now) }
    }

    /// The protocol header of a datagram of the controller.
    static func fromController(_ datagram: [UInt8]) throws -> (MessageHeader, ProtocolHeader) {
        try opened(datagram, key: SessionKeys.sample.i2r, sender: 5)
    }

    /// The protocol header of a datagram of the device.
    static func fromDevice(_ datagram: [UInt8]) throws -> (MessageHeader, ProtocolHeader) {
        try opened(datagram, key: SessionKeys.sample.r2i, sender: 6)
    }

    private static func opened(
        _ datagram: [UInt8], key: SecretBytes, sender: UInt64
    ) throws -> (MessageHeader, ProtocolHeader) {
        let (header, length) = try MessageHeader.decode(datagram)
        let security = try MessageSecurity(key: key, senderNodeID: sender)
        let plaintext = try security.open(header: header, headerLength: length, datagram: datagram)
        return (header, try ProtocolHeader.decode(plaintext).header)
    }
}

extension MessageEngine {
    /// The exchanges of a session, for tests that were not told of them.
    func openExchangeKeys(on session: SessionReference) -> [ExchangeKey] {
        exchanges(of: session)
    }

    /// Makes the engine believe that its message is through, so that it speaks out of turn.
    mutating func forgetInFlight(_ key: ExchangeKey) { exchanges[key]?.inFlight = nil }

    mutating func setNextCounter(_ counter: UInt32, of session: SessionReference) {
        sessions[session]?.security?.counter = MessageCounter(initial: counter, rollsOver: false)
    }
}
