import Logging
import MatterState

/// Brings a device onto a fabric: drives the flow, performs its actions, keeps the journal, undoes what failed.
struct Commissioner: Sendable {
    /// Judges a device's attestation, and may ask a person; throws ``CommissioningError`` to refuse it.
    typealias Attest =
        @Sendable (AttestationEvidence) async throws -> AttestationSummary

    /// The tools of a commissioner.
    struct Environment: Sendable {
        var connector: Connector
        var nodeConnector: NodeConnector
        /// `nil` where the network is not to be searched.
        var discovery: (any Discovery)?
        /// `nil` where Bluetooth is not to be searched.
        var bluetooth: (any BluetoothCentral)?
        var fabric: OperationalCredentials
        var issuer: any NOCIssuer
        var journal: CommissioningJournal
        /// Gives out the id of the new node; `nil` leaves it to the issuer.
        var chooseNodeID: @Sendable (_ requested: NodeID?) async throws -> NodeID?
        /// The user's name for a node, for messages.
        var nameOfNode: @Sendable (NodeID) -> String? = { _ in nil }
        /// Begins to look for an id, for a device that has accepted the passcode.
        var prepareNodeID: @Sendable () async -> Void = {}
        /// Makes sure, once a device is in the journal, that it will be found by the identity key that it gets.
        var checkKey: @Sendable () throws -> Void = {}
        var attest: Attest
        var random: any RandomSource
        var logger: Logger
        /// Seconds since 1970.
        var unixTime: @Sendable () -> Int64
        /// The host's time zone.
        var timeZone: @Sendable () -> TimeZoneRules
        var patience = CommissioningPatience()

        init(
            connector: Connector, nodeConnector: NodeConnector, discovery: (any Discovery)?,
            fabric: OperationalCredentials, issuer: any NOCIssuer, journal: CommissioningJournal,
            chooseNodeID: @escaping @Sendable (_ requested: NodeID?) async throws -> NodeID?, attest: @escaping Attest,
            random: any RandomSource, logger: Logger, unixTime: @escaping @Sendable () -> Int64,
            timeZone: @escaping @Sendable () -> TimeZoneRules
        ) {
            self.connector = connector
            self.nodeConnector = nodeConnector
            self.discovery = discovery
            self.fabric = fabric
            self.issuer = issuer
            self.journal = journal
            self.chooseNodeID = chooseNodeID
            self.attest = attest
            self.random = random
            self.logger = logger
            self.unixTime = unixTime
            self.timeZone = timeZone
        }

        /// The clock of everything that waits.
        var time: any TimeSource { connector.time }

        var validationTime: ValidationTime {
            ValidationTime(unix: unixTime())
        }
    }

    let environment: Environment
    let progress: @Sendable (CommissioningProgress) -> Void

    init(_ environment: Environment, progress: @escaping @Sendable (CommissioningProgress) -> Void) {
        self.environment = environment
        self.progress = progress
    }

    /// The pending record of the node stays until its owner has made the node's own record durable.
    ///
    /// - Throws: ``CommissioningError``, ``SessionError``, `DiscoveryError`, `CancellationError`, the issuer's errors.
    func commission(_ request: CommissioningRequest, deadline: Instant) async throws -> CommissionedNode {
        let time = environment.time
        let start = time.now
        let clock = StageClock(time, report: progress)
        if var node = try await PendingResumption(commissioner: self).resume(request, clock: clock, deadline: deadline)
        {
            node.total = time.now - start
            return node
        }
        guard !request.onlyResumes else {
            throw CommissioningError(.forgotten, stage: .case, "the device has forgotten this attempt")
        }
        if let requested = request.requestedNodeID {
            // An id that is taken is better found out before anything is sent.
            _ = try await environment.chooseNodeID(requested)
        }
        // The issuer says now whether it can work, not when the device is waiting for it.
        guard let parameters = try await prepareIssuer() else {
            throw CommissioningError(
                .issuerFailed, stage: .issueNOC, "the issuer did not name its fabric")
        }
        clock.enter(.discover)
        let pairing = Pairing(environment: environment, request: request, clock: clock, deadline: deadline)
        let hasPending = try hasPending(request)
        let device: PairedDevice
        do {
            do {
                device = try await pairing.run(waitsForWindow: !hasPending)
            } catch  where hasPending && Self.mayBeANode(error) {
                // A pending node that was silent at first and takes no new administrators is there as a node.
                clock.fail()
                if var node = try await PendingResumption(commissioner: self).resume(
                    request, clock: clock, deadline: deadline)
                {
                    node.total = time.now - start
                    return node
                }
                guard time.now < deadline, request.addresses.isEmpty else { throw error }
                clock.enter(.discover)
                device = try await pairing.run(waitsForWindow: true)
            }
        } catch is CancellationError {
            clock.fail()
            throw pairing.interruption
        } catch {
            clock.fail()
            throw try withPendingNode(error, request)
        }
        await environment.prepareNodeID()
        let run = CommissioningRun(
            commissioner: self, request: request, parameters: parameters, device: device, deadline: deadline)
        var node = try await run.run(clock: clock)
        node.total = time.now - start
        await forgetPredecessors(of: node, request)
        return node
    }

    private func hasPending(_ request: CommissioningRequest) throws -> Bool {
        try !environment.journal.pending(request.code)
            .isEmpty
    }

    /// True if a pairing failed as it does with a device that still holds our certificate.
    private static func mayBeANode(_ error: any Error) -> Bool {
        guard let failure = error as? CommissioningError else { return false }
        return failure.code == .nothingDiscovered || failure.code == .windowClosed
    }

    /// A device that is not found, or is closed, may be one that still holds our certificate.
    private func withPendingNode(_ error: any Error, _ request: CommissioningRequest) throws -> any Error {
        guard var failure = error as? CommissioningError,
            failure.code == .nothingDiscovered || failure.code == .windowClosed,
            let pending = try environment.journal.pending(request.code).first
        else { return error }
        let left = max(0, pending.failSafeEnds - environment.unixTime())
        failure.aftermath = .pending(nodeID: pending.nodeID.rawValue, within: .seconds(left))
        return failure
    }

    /// A device that has just taken a new certificate has forgotten what was pending for its setup code.
    private func forgetPredecessors(of node: CommissionedNode, _ request: CommissioningRequest) async {
        do {
            let candidates = try environment.journal.pending(request.code)
            for pending in candidates
            where pending.nodeID != node.nodeID && pending.vendorID == node.information.vendorID
                && pending.productID == node.information.productID
            {
                try environment.journal.remove(pending.nodeID)
                await environment.issuer.abandon(pending.receipt)
            }
        } catch {
            environment.logger.warning("an old pending node could not be removed: \(error)")
        }
    }

    private func prepareIssuer() async throws -> FabricParameters? {
        do {
            return try await environment.issuer.prepare()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw CommissioningError(
                .issuerFailed, stage: .issueNOC, "the certificate issuer cannot work: \(error)", underlying: error)
        }
    }
}
