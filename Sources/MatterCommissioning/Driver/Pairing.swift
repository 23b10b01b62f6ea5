import MatterCredentials
import MatterDiscovery
import MatterErrors
import MatterRecords
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
struct Pairing: Sendable {
    /// How long to look for the device of a code whose node we have, before that node is asked whether it is there.
    private static let shortLook = Duration.seconds(5)
    /// How long such a node has to answer.
    private static let probe = Duration.seconds(5)

    let environment: Commissioner.Environment
    let request: CommissioningRequest
    let clock: StageClock
    let deadline: Instant
    private var time: any TimeSource { environment.time }

    /// - Parameter waitsForWindow: whether a device that is advertised as open and says that it is closed is tried as
    ///   long as there is time.
    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func run(waitsForWindow: Bool) async throws -> PairedDevice {
        let known = try environment.journal.commissioned(
            passcode: request.passcode.value, discriminator: request.discriminator
        ).filter(mayBe)
        guard !known.isEmpty else { return try await pair(until: deadline, waitsForWindow: waitsForWindow) }
        do {
            return try await pair(
                lookout: Self.shortLook, until: min(deadline, time.now + Self.shortLook * 2), waitsForWindow: false)
        } catch let first where Self.mayBeComplete(first) {
            clock.fail()
            let complete = try await firstThatAnswers(of: known)
            // Without time for another try, the first one has more to say; at an address there is only one device.
            if let complete, !request.addresses.isEmpty || time.now >= deadline { throw alreadyHere(complete) }
            guard time.now < deadline else { throw first }
            if let complete {
                clock.note(
                    "a device with this passcode is already on this fabric, as node \(complete.nodeID.rawValue); looking for "
                        + "another one")
            }
            clock.enter(.discover)
            do {
                return try await pair(until: deadline, waitsForWindow: waitsForWindow)
            } catch let error where Self.mayBeComplete(error) {
                guard let complete else { throw error }
                throw alreadyHere(complete)
            }
        }
    }

    /// True if a node may be the one that a code belongs to, which may say which product it is for.
    private func mayBe(_ node: PendingNode) -> Bool {
        func agrees(_ wanted: UInt16?, _ known: UInt16?) -> Bool {
            guard let wanted, wanted != 0, let known, known != 0 else { return true }
            return wanted == known
        }
        return agrees(request.vendorID, node.vendorID) && agrees(request.productID, node.productID)
    }

    /// True if a device that is complete, and hence closed to new commissioners, would end like this.
    private static func mayBeComplete(_ error: any Error) -> Bool {
        switch error {
        case let error as CommissioningError: error.code == .nothingDiscovered || error.code == .windowClosed
        case let error as SessionError: error.code != .refused
        default: false
        }
    }

    /// The first of some nodes that is there as a node.
    private func firstThatAnswers(of nodes: [PendingNode]) async throws -> PendingNode? {
        for node in nodes {
            do {
                let session = try await environment.nodeConnector.connect(
                    to: node.nodeID, hints: request.addresses.isEmpty ? node.addresses : request.addresses,
                    onlyHints: !request.addresses.isEmpty, deadline: min(deadline, time.now + Self.probe))
                await session.close()
                return node
            } catch is SessionError {
                continue
            }
        }
        return nil
    }

    private func alreadyHere(_ node: PendingNode) -> CommissioningError {
        CommissioningError(
            .alreadyOnFabric, stage: .discover,
            "a device with this passcode is already on this fabric, as node \(node.nodeID.rawValue)",
            hint: .step("node.already-here", "\(node.nodeID.rawValue)"))
    }

    /// - Parameters:
    ///   - lookout: how long to look for candidates; half of the time if `nil`.
    ///   - deadline: the end of everything.
    private func pair(
        lookout: Duration? = nil, until deadline: Instant, waitsForWindow: Bool
    ) async throws -> PairedDevice {
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
        guard let discovery = environment.discovery else {
            throw CommissioningError(
                .nothingDiscovered, stage: .discover, "neither discovery nor an address is available")
        }
        return try await CommissionableSearch(
            time: time, discovery: discovery, filter: filter, request: request,
            discoveryDeadline: min(deadline, time.now + (lookout ?? (deadline - time.now) / 2)), deadline: deadline,
            waitsForWindow: waitsForWindow,
            waiting: { label in
                clock.note(
                    "the device at \(label) is not open for commissioning; one whose commissioning was cut short opens again "
                        + "by itself within a minute or two; waiting")
            }, pair: pair,
            located: { clock.enter(.pase) }
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
