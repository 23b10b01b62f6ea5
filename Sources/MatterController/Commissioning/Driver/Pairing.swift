import MatterState
import Synchronization

/// Sets up PASE with the device of a setup code, unless a node of the fabric is that device.
struct Pairing: Sendable {
    /// How long to look for the device of a code whose node we have, before that node is asked whether it is there.
    private static let shortLook = Duration.seconds(5)
    /// How long such a node has to answer.
    private static let probe = Duration.seconds(5)

    let environment: Commissioner.Environment
    let request: CommissioningRequest
    let clock: StageClock
    let deadline: Instant
    let proofs = PasscodeProofs()
    private var time: any TimeSource { environment.time }

    /// - Parameter waitsForWindow: whether a device that is advertised as open and says that it is closed is tried as
    ///   long as there is time.
    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func run(waitsForWindow: Bool) async throws -> PairedDevice {
        let known = try environment.journal.commissioned(request.code).filter(mayBe)
        guard !known.isEmpty else { return try await pair(until: deadline, waitsForWindow: waitsForWindow) }
        let ours = known.map(title).joined(separator: " and ")
        clock.note(
            "this code is that of \(ours)"
                + (request.addresses.isEmpty ? "; still looking for another device with it" : ""))
        do {
            return try await pair(
                lookout: Self.shortLook, until: min(deadline, time.now + Self.shortLook * 2), waitsForWindow: false)
        } catch let first where Self.mayBeComplete(first) {
            clock.fail()
            let complete = try await firstThatAnswers(of: known)
            // Without time for another try, the first one has more to say; at an address there is only one device.
            if let complete, !request.addresses.isEmpty || time.now >= deadline { throw alreadyHere(complete) }
            guard time.now < deadline else { throw first }
            clock.enter(.discover)
            do {
                return try await pair(until: deadline, waitsForWindow: waitsForWindow)
            } catch let error where Self.mayBeComplete(error) {
                guard let complete else { throw error }
                throw alreadyHere(complete)
            }
        }
    }

    /// `node 1 'kitchen'`.
    private func title(_ node: PendingNode) -> String {
        "node \(node.nodeID.rawValue)" + (environment.nameOfNode(node.nodeID).map { " '\($0)'" } ?? "")
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

    /// The error of a search that was interrupted.
    var interruption: CommissioningError {
        guard proofs.mayHold(at: time.now) else {
            return CommissioningError(.interrupted, stage: .pase, "interrupted; nothing was changed on the device")
        }
        // Its answer was not waited for.
        return CommissioningError(
            .interrupted, stage: .pase,
            "interrupted while the device was checking the setup code: it is not known whether it has opened a session; "
                + "nothing else was changed on it",
            hint:
                "if it has, it takes no other attempt for up to \(PasscodeProofs.hold.components.seconds) s; the next "
                + "one may have to wait for that")
    }

    private func alreadyHere(_ node: PendingNode) -> CommissioningError {
        CommissioningError(
            .alreadyOnFabric, stage: .discover,
            "a device with this passcode is already on this fabric, as \(title(node))",
            hint: .step("node.already-here", "\(node.nodeID.rawValue)"))
    }

    private func pair(
        lookout: Duration? = nil, until deadline: Instant, waitsForWindow: Bool
    ) async throws -> PairedDevice {
        try await PASESearch(
            connector: environment.connector, discovery: environment.discovery,
            bluetooth: environment.bluetooth.map {
                BluetoothPairing(
                    central: $0, time: environment.time, random: environment.random, logger: environment.logger,
                    observer: environment.connector.observer)
            }, random: environment.random, request: request, clock: clock,
            proofs: proofs
        ).pair(lookout: lookout, until: deadline, waitsForWindow: waitsForWindow)
    }
}
