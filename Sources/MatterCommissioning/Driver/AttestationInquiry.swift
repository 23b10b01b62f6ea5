package import Logging
package import MatterCredentials
package import MatterCrypto
package import MatterDiscovery
import MatterInteraction
import MatterSecureChannel
package import MatterSession
package import MatterTransport

/// Asks a device for its attestation; nothing on the device changes.
package struct AttestationInquiry: Sendable {
    private static let nonceCount = 32

    /// A PASE session, or a CASE session of an administrator.
    let session: SecureSession
    let random: any RandomSource
    let deadline: Instant

    package init(session: SecureSession, random: any RandomSource, deadline: Instant) {
        self.session = session
        self.random = random
        self.deadline = deadline
    }

    /// - Throws: ``CommissioningError`` if the device refuses; ``TransportError``, `InteractionError`.
    package func evidence() async throws -> AttestationEvidence {
        let channel = CommissioningChannel(session: session, deadline: deadline)
        let information = DeviceInformation(try await channel.read(DeviceInformation.productPaths))
        let pai = try await ask(.certificateChain(.pai), on: channel).octets(0)
        let dac = try await ask(.certificateChain(.dac), on: channel).octets(0)
        let nonce = try random.bytes(Self.nonceCount)
        let answer = try await ask(.attestation(nonce: nonce), on: channel)
        return AttestationEvidence(
            dac: dac, pai: pai,
            response: AttestationResponse(elements: try answer.octets(0), signature: try answer.octets(1)),
            nonce: nonce, attestationChallenge: session.established.keys.attestationChallenge.copyBytes(),
            vendorID: VendorID(information.vendorID ?? 0), productID: information.productID ?? 0)
    }

    private func ask(
        _ command: CommissioningCommand, on channel: CommissioningChannel
    ) async throws -> CommissioningAnswer {
        try CommissioningAnswer(try await channel.invoke(command), to: command, stage: .attestation)
    }
}

/// Pairs with a device that is open for commissioning, asks for its attestation, and leaves it as it was.
package struct AttestationVisit: Sendable {
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
    package init(
        connector: Connector, discovery: (any Discovery)?, bluetooth: (any BluetoothCentral)? = nil,
        random: any RandomSource, logger: Logger,
        progress: @escaping @Sendable (CommissioningProgress) -> Void
    ) {
        self.connector = connector
        self.discovery = discovery
        self.bluetooth = bluetooth.map {
            BluetoothPairing(central: $0, time: connector.time, random: random, logger: logger)
        }
        self.random = random
        self.progress = progress
    }

    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    package func evidence(of request: CommissioningRequest, deadline: Instant) async throws -> AttestationEvidence {
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
        clock.enter(.attestation)
        do {
            var evidence = try await AttestationInquiry(session: device.session, random: random, deadline: deadline)
                .evidence()
            evidence.setupCode =
                CommissioningFlow.ExpectedProduct(
                    vendorID: request.vendorID, productID: request.productID
                ).named
            evidence.advertised = device.advertised
            await leave(device)
            clock.end()
            return evidence
        } catch {
            clock.fail()
            // An interrupted task could not talk to the device any more.
            await time.start { await leave(device) }.value
            throw CommissioningFailure(error, stage: .attestation, wasPending: false).error
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
