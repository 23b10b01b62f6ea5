import MatterCredentials
import MatterCrypto
import MatterDiscovery
import MatterErrors
import MatterSecureChannel
import MatterSession
import MatterSetupPayload
import MatterTransport
import Synchronization

/// A device that has accepted the passcode.
struct PairedDevice: Sendable {
    /// The PASE session.
    let session: SecureSession
    /// Vendor and product as it advertises them; `nil` if it was not looked up.
    var advertised: VendorAndProduct?
}

/// Finds the device of a setup code and sets up PASE with it.
struct PASESearch: Sendable {
    let connector: Connector
    /// `nil` where the network is not to be searched.
    let discovery: (any Discovery)?
    let random: any RandomSource
    let request: CommissioningRequest
    let clock: StageClock

    /// - Parameters:
    ///   - lookout: how long to look for candidates; half of the time if `nil`.
    ///   - deadline: the end of everything.
    func pair(
        lookout: Duration? = nil, until deadline: Instant, waitsForWindow: Bool
    ) async throws -> PairedDevice {
        let (connector, clock, random, passcode) = (connector, clock, random, request.passcode.value)
        let hasNoted = Once()
        let pair: CommissionableSearch.Pair = { given, limit, heard in
            var target = given
            target.onBusy = {
                guard hasNoted.isFirst() else { return }
                clock.note(
                    "the device is busy with another handshake, perhaps one that was cut short, which it gives up after a "
                        + "minute; waiting")
            }
            return try await connector.connect(to: target, deadline: limit) { localSessionID, reliability in
                OverheardHandshake(
                    PASEInitiator(
                        passcode: passcode, localSessionID: localSessionID, knownReliability: reliability,
                        random: random), heard: heard)
            }
        }
        if !request.addresses.isEmpty {
            clock.enter(.pase)
            do {
                let session = try await pair(
                    PeerTarget(phase: .pase, hints: request.addresses, presumedActive: true), deadline
                ) {}
                return PairedDevice(session: session)
            } catch let error as SessionError where error.code == .refused {
                throw PASEFailure.error(
                    [error.refusal].compactMap { $0 },
                    tried: request.addresses.map(\.description).joined(separator: ", "),
                    isContradicted: error.isContradicted)
            }
        }
        guard let discovery else {
            throw CommissioningError(
                .nothingDiscovered, stage: .discover, "neither discovery nor an address is available")
        }
        let look = lookout ?? request.lookout ?? (deadline - connector.time.now) / 2
        return try await CommissionableSearch(
            time: connector.time, discovery: discovery, filter: request.filter, request: request,
            discoveryDeadline: min(deadline, connector.time.now + look),
            deadline: deadline,
            waitsForWindow: waitsForWindow,
            waiting: { label in
                clock.note(
                    "the device at \(label) is not open for commissioning; one whose commissioning was cut short opens again "
                        + "by itself within a minute or two; waiting")
            }, pair: pair,
            located: { clock.enter(.pase) }
        ).run()
    }
}

/// Something that is said only once.
private final class Once: Sendable {
    private let isDone = Atomic(false)

    func isFirst() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
}

/// A handshake that tells when the peer has said something.
private struct OverheardHandshake: Handshake {
    private var handshake: any Handshake
    private let heard: @Sendable () -> Void

    init(_ handshake: any Handshake, heard: @escaping @Sendable () -> Void) {
        self.handshake = handshake
        self.heard = heard
    }

    mutating func start() throws(SecureChannelError) -> HandshakeStep { try handshake.start() }

    mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        heard()
        return try handshake.handle(message)
    }

    var peerParameters: SessionParameters? { handshake.peerParameters }
}
