import Logging
import MatterNetwork

/// Pairs with a device that is open for commissioning, asks it something, and leaves it as it was: no fabric, no fail-safe.
struct PASEInquiry: Sendable {
    /// The time for taking leave, on top of the remaining time.
    private static let leaveBudget = Duration.seconds(5)

    private let connector: Connector
    private let discovery: (any Discovery)?
    private let bluetooth: BluetoothPairing?
    private let random: any RandomSource
    private let progress: @Sendable (CommissioningProgress) -> Void

    /// - Parameters:
    ///   - discovery: `nil` where the network is not to be searched.
    ///   - bluetooth: `nil` where Bluetooth is not to be searched.
    init(
        connector: Connector, discovery: (any Discovery)?, bluetooth: (any BluetoothCentral)? = nil,
        random: any RandomSource, logger: Logger,
        progress: @escaping @Sendable (CommissioningProgress) -> Void
    ) {
        self.connector = connector
        self.discovery = discovery
        self.bluetooth = bluetooth.map {
            BluetoothPairing(
                central: $0, time: connector.time, random: random, logger: logger, observer: connector.observer)
        }
        self.random = random
        self.progress = progress
    }

    /// Does something in the PASE session with the device of a setup code.
    ///
    /// - Parameter work: its errors are passed on as they are.
    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func inPASESession<Result: Sendable>(
        of request: CommissioningRequest, deadline: Instant, _ work: @Sendable (SecureSession) async throws -> Result
    ) async throws -> Result {
        try await inPASESession(of: request, stage: nil, deadline: deadline) { try await work($0.session) }
    }

    /// - Parameter stage: what the work is called in the progress.
    func inPASESession<Result: Sendable>(
        of request: CommissioningRequest, stage: CommissioningStage?, deadline: Instant,
        _ work: @Sendable (PairedDevice) async throws -> Result
    ) async throws -> Result {
        let time = connector.time
        let clock = StageClock(time, report: progress)
        clock.enter(.discover)
        let device: PairedDevice
        do {
            device = try await PASESearch(
                connector: connector, discovery: discovery, bluetooth: bluetooth, random: random, request: request,
                clock: clock
            ).pair(until: deadline, waitsForWindow: false)
        } catch {
            clock.fail()
            throw error
        }
        if let stage { clock.enter(stage) } else { clock.end() }
        do {
            let result = try await work(device)
            await leave(device)
            clock.end()
            return result
        } catch {
            clock.fail()
            // An interrupted task could not talk to the device any more.
            await time.start { await leave(device) }.value
            throw error
        }
    }

    /// A device arms its fail-safe by itself when PASE is set up (Matter core specification, 5.5): without an end to it,
    /// it would be closed for a minute.
    private func leave(_ device: PairedDevice) async {
        let channel = CommissioningChannel(session: device.session, deadline: connector.time.now + Self.leaveBudget)
        _ = try? await channel.invoke(.armFailSafe(seconds: 0, breadcrumb: 0))
        await device.leave()
    }
}

extension PASEInquiry {
    /// Asks for the device's attestation.
    ///
    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func evidence(of request: CommissioningRequest, deadline: Instant) async throws -> AttestationEvidence {
        try await inPASESession(of: request, stage: .attestation, deadline: deadline) { device in
            do {
                var evidence = try await AttestationInquiry(session: device.session, random: random, deadline: deadline)
                    .evidence()
                evidence.setupCode =
                    CommissioningFlow.ExpectedProduct(
                        vendorID: request.vendorID, productID: request.productID
                    ).named
                evidence.advertised = device.advertised
                return evidence
            } catch {
                throw CommissioningFailure(error, stage: .attestation, wasPending: false).error
            }
        }
    }
}
