import MatterNetwork
import Synchronization

/// A device that has accepted the passcode.
struct PairedDevice: Sendable {
    /// The PASE session.
    let session: SecureSession
    /// Vendor and product as it advertises them; `nil` if it was not looked up.
    var advertised: VendorAndProduct?
    /// The connection that the session is on; `nil` on the network.
    var link: BluetoothLink?

    /// Ends the session, and its connection.
    func leave() async {
        await session.close()
        await link?.close()
    }
}

/// Finds the device of a setup code and sets up PASE with it.
struct PASESearch: Sendable {
    let connector: Connector
    /// `nil` where the network is not to be searched.
    let discovery: (any Discovery)?
    /// `nil` where there is no Bluetooth.
    var bluetooth: BluetoothPairing?
    let random: any RandomSource
    let request: CommissioningRequest
    let clock: StageClock
    var proofs = PasscodeProofs()

    /// - Parameters:
    ///   - lookout: how long to look for candidates; half of the time if `nil`.
    ///   - deadline: the end of everything.
    func pair(
        lookout: Duration? = nil, until deadline: Instant, waitsForWindow: Bool
    ) async throws -> PairedDevice {
        if !request.addresses.isEmpty { return try await pairAtAddress(until: deadline) }
        let look = lookout ?? request.lookout ?? (deadline - connector.time.now) / 2
        let lookoutEnds = min(deadline, connector.time.now + look)
        let isLocated = Once()
        let locate: @Sendable () -> Void = { [clock] in if isLocated.isFirst() { clock.enter(.pase) } }
        let network: PairingRace.Search = { located in
            try await searchNetwork(lookoutEnds, until: deadline, waitsForWindow: waitsForWindow) {
                located()
                locate()
            }
        }
        let overBluetooth: PairingRace.Search = { located in
            try await searchBluetooth(lookoutEnds, until: deadline, waitsForWindow: waitsForWindow) {
                located()
                locate()
            }
        }
        switch request.ways(hasBluetooth: bluetooth != nil) {
        case [.ip]: return try await network {}
        case [.ble]: return try await overBluetooth {}
        default:
            let isForNetwork = request.capabilities?.contains(.onNetwork) ?? true
            return try await PairingRace(
                time: connector.time, isForNetwork: isForNetwork,
                headStart: PairingRace.headStart(ofSearch: lookoutEnds - connector.time.now), network: network,
                bluetooth: overBluetooth
            ).run()
        }
    }

    private func pairAtAddress(until deadline: Instant) async throws -> PairedDevice {
        clock.enter(.pase)
        do {
            let session = try await connect(
                PeerTarget(phase: .pase, hints: request.addresses, presumedActive: true), deadline, Once()
            ) {}
            return PairedDevice(session: session)
        } catch let error as SessionError where error.code == .refused {
            throw PASEFailure.error(
                [error.refusal].compactMap { $0 },
                tried: request.addresses.map(\.description).joined(separator: ", "),
                isContradicted: error.isContradicted)
        }
    }

    private func searchNetwork(
        _ lookoutEnds: Instant, until deadline: Instant, waitsForWindow: Bool, located: @escaping @Sendable () -> Void
    ) async throws -> PairedDevice {
        guard let discovery else {
            throw CommissioningError(
                .nothingDiscovered, stage: .discover, "neither discovery nor an address is available")
        }
        let (clock, hasNoted) = (clock, Once())
        return try await CommissionableSearch(
            time: connector.time, discovery: discovery, filter: request.filter, request: request,
            discoveryDeadline: lookoutEnds,
            deadline: deadline,
            waitsForWindow: waitsForWindow,
            waiting: { label in
                clock.note(
                    "the device at \(label) is not open for commissioning; one whose commissioning was cut short opens again "
                        + "by itself within a minute or two; waiting")
            }, pair: { try await connect($0, $1, hasNoted, heard: $2) },
            located: located
        ).run()
    }

    private func searchBluetooth(
        _ lookoutEnds: Instant, until deadline: Instant, waitsForWindow: Bool, located: @escaping @Sendable () -> Void
    ) async throws -> PairedDevice {
        guard let bluetooth else {
            throw CommissioningError(
                .nothingDiscovered, stage: .discover, "there is no Bluetooth here to look for the device with",
                hint: .step("discover.other-transport", CommissioningWay.ble.rawValue))
        }
        let (clock, hasNoted, handshake) = (clock, Once(), makeHandshake {})
        return try await BluetoothSearch(
            time: connector.time, central: bluetooth.central, request: request, lookoutEnds: lookoutEnds,
            deadline: deadline, waitsForWindow: waitsForWindow,
            pair: { device, limit in
                var target = PeerTarget(phase: .pase, presumedActive: true)
                target.onBusy = { Self.noteBusy(hasNoted, clock) }
                return try await bluetooth.pair(with: device, target: target, deadline: limit, makeHandshake: handshake)
            }, located: located, note: { clock.note($0) }
        ).run()
    }

    // MARK: Handshakes

    private func connect(
        _ given: PeerTarget, _ limit: Instant, _ hasNoted: Once, heard: @escaping @Sendable () -> Void
    ) async throws -> SecureSession {
        var target = given
        target.onBusy = { [clock] in Self.noteBusy(hasNoted, clock) }
        return try await connector.connect(to: target, deadline: limit, makeHandshake: makeHandshake(heard))
    }

    private func makeHandshake(_ heard: @escaping @Sendable () -> Void) -> Connector.MakeHandshake {
        let (random, passcode, proofs, time) = (random, request.code.passcode.value, proofs, connector.time)
        return { localSessionID, reliability in
            OverheardHandshake(
                PASEInitiator(
                    passcode: passcode, localSessionID: localSessionID, knownReliability: reliability, random: random),
                heard: heard, proved: { proofs.note(localSessionID, at: time.now) },
                refused: { proofs.remove(localSessionID) })
        }
    }

    private static func noteBusy(_ hasNoted: Once, _ clock: StageClock) {
        guard hasNoted.isFirst() else { return }
        clock.note(
            "the device is busy with another handshake, perhaps one that was cut short, which it gives up after a "
                + "minute; waiting")
    }
}

/// Something that is said only once.
private final class Once: Sendable {
    private let isDone = Atomic(false)

    func isFirst() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
}

/// A handshake of PASE that tells when the peer has said something, and when it has our proof.
private struct OverheardHandshake: Handshake {
    private var handshake: any Handshake
    private let heard: @Sendable () -> Void
    private let proved: @Sendable () -> Void
    private let refused: @Sendable () -> Void

    /// - Parameters:
    ///   - heard: told of each message of the peer.
    ///   - proved: told that the proof of the passcode is about to be sent.
    ///   - refused: told that the handshake has failed.
    init(
        _ handshake: any Handshake, heard: @escaping @Sendable () -> Void, proved: @escaping @Sendable () -> Void,
        refused: @escaping @Sendable () -> Void
    ) {
        self.handshake = handshake
        self.heard = heard
        self.proved = proved
        self.refused = refused
    }

    mutating func start() throws(SecureChannelError) -> HandshakeStep { try handshake.start() }

    mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        heard()
        do {
            let step = try handshake.handle(message)
            if step.send?.opcode == .pake3 { proved() }
            return step
        } catch {
            refused()
            throw error
        }
    }

    var peerParameters: SessionParameters? { handshake.peerParameters }
}

/// Something that has happened or not.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .relaxed) }

    func raise() { state.store(true, ordering: .relaxed) }
}
