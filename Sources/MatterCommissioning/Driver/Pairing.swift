import MatterCredentials
import MatterDiscovery
import MatterSecureChannel
import MatterSession
import MatterSetupPayload
import MatterTransport
import Synchronization

/// Finds the device of a setup code and sets up PASE with it.
struct Pairing: Sendable {
    /// How long to look for the device of a code whose node we have, before that node is asked whether it is there.
    private static let shortLook = Duration.seconds(5)
    /// How long such a node has to answer.
    private static let probe = Duration.seconds(5)

    let environment: Commissioner.Environment
    let request: CommissioningRequest
    let clock: StageClock
    let deadline: Instant

    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func run() async throws -> SecureSession {
        let known = try environment.journal.commissioned(
            passcode: request.passcode.value, discriminator: request.discriminator)
        guard !known.isEmpty else { return try await pair(lookout: (deadline - .now) / 2, until: deadline) }
        do {
            return try await pair(lookout: Self.shortLook, until: min(deadline, .now + Self.shortLook * 2))
        } catch let error where Self.mayBeComplete(error) {
            clock.fail()
            for node in known { try await checkIncomplete(node) }
            // Without time for another try, the first one has more to say.
            guard Instant.now < deadline else { throw error }
            clock.enter(.discover)
            return try await pair(lookout: (deadline - .now) / 2, until: deadline)
        }
    }

    /// Whether a device that is complete, and hence closed to new commissioners, would end like this.
    private static func mayBeComplete(_ error: any Error) -> Bool {
        switch error {
        case let error as CommissioningError: error.code == .nothingDiscovered || error.code == .windowClosed
        case let error as SessionError: error.code != .refused
        default: false
        }
    }

    /// - Throws: `.alreadyOnFabric` if the node answers.
    private func checkIncomplete(_ node: PendingNode) async throws {
        do {
            let session = try await environment.nodeConnector.connect(
                to: node.nodeID, hints: request.addresses.isEmpty ? node.addresses : request.addresses,
                onlyHints: !request.addresses.isEmpty, deadline: min(deadline, .now + Self.probe))
            await session.close()
        } catch is SessionError {
            return
        }
        throw CommissioningError(
            .alreadyOnFabric, stage: .discover,
            "the device of this code is on this fabric already, as node \(node.nodeID.rawValue)",
            hint: "see it with 'matterctl node ls'; to start over, remove it first: matterctl node remove "
                + "\(node.nodeID.rawValue)")
    }

    /// - Parameters:
    ///   - lookout: how long to look for candidates.
    ///   - deadline: the end of everything.
    private func pair(lookout: Duration, until deadline: Instant) async throws -> SecureSession {
        let random = environment.random
        let passcode = request.passcode.value
        let connector = environment.connector
        let clock = clock
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
                return try await pair(
                    PeerTarget(phase: "pase", hints: request.addresses, presumedActive: true), deadline
                ) {}
            } catch let error as SessionError where error.code == .refused {
                throw PASEFailure.error(
                    [error.refusal].compactMap { $0 },
                    tried: request.addresses.map(\.description).joined(separator: ", "))
            }
        }
        guard let discovery = environment.discovery else {
            throw CommissioningError(.nothingDiscovered, stage: .discover, "neither discovery nor an address is given")
        }
        return try await CommissionableSearch(
            discovery: discovery, filter: filter, request: request,
            discoveryDeadline: min(deadline, .now + lookout), deadline: deadline, pair: pair,
            located: { _ in clock.enter(.pase) }
        ).run()
    }

    private var filter: CommissionableFilter {
        switch (request.discriminator?.long, request.discriminator?.short) {
        case (.some(let long), _): .longDiscriminator(long)
        case (nil, .some(let short)): .shortDiscriminator(short)
        case (nil, nil): .commissioningMode
        }
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
