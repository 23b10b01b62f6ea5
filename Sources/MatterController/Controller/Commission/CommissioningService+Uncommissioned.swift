public import MatterNetwork

/// A device that is open for commissioning, in a PASE session with it (Matter core specification 5.5).
public struct UncommissionedDevice: Sendable {
    let session: SecureSession
    let deadline: Instant

    /// - Throws: `TransportError`, `InteractionError`.
    public func read(_ paths: [AttributePath], isFabricFiltered: Bool) async throws -> ReadResult {
        var result = ReadResult()
        for request in try ReadRequest(attributePaths: paths, isFabricFiltered: isFabricFiltered)
            .split(maxPayload: session.manager.link.largestPayload)
        {
            var transaction = ReadTransaction(request)
            result.merge(try await InteractionClient(session).run(&transaction, deadline: deadline))
        }
        return result
    }

    /// The commands in as few requests as the device takes them in, in order.
    public func batches(of commands: [Command]) -> [[Command]] {
        InvokeTransaction.batches(
            of: commands, maxPathsPerInvoke: Int(session.established.peerParameters.maxPathsPerInvoke),
            maxPayload: session.manager.link.largestPayload)
    }

    /// Sends commands in one request, once.
    ///
    /// - Parameter work: how long the device may take; `nil` for the usual.
    /// - Throws: `outcome.unknown` if no answer came, `InteractionError`.
    public func invoke(batch: [Command], isTimed: Bool, work: Duration?) async throws -> [CommandResult] {
        let processing = [work, InteractionClient.standardProcessing].compactMap { $0 }.max()
        func run(_ transaction: inout InvokeTransaction) async throws -> [CommandResult] {
            do {
                return try await InteractionClient(session).run(
                    &transaction, deadline: deadline, processing: processing ?? InteractionClient.standardProcessing)
            } catch let error as TransportError where error.isAboutPeer {
                throw NodeLink.unknownOutcome(of: "command", error)
            }
        }
        var transaction = InvokeTransaction(
            batch, timeout: isTimed ? NodeLink.timedTimeout : nil, maxPathsPerInvoke: batch.count)
        var refusal: InteractionError?
        var results: [CommandResult] = []
        do {
            results = try await run(&transaction)
        } catch let error as InteractionError where error.status == .needsTimedInteraction {
            refusal = error
        }
        if var timed = transaction.timedRetry(timeout: NodeLink.timedTimeout) {
            let later = try await run(&timed)
            return refusal == nil ? results.replaced(by: later) : later
        }
        if let refusal { throw refusal }
        return results
    }
}

extension CommissioningService {
    /// Asks something of a device that is open for commissioning, over PASE, and leaves it as it was: it gets no fabric,
    /// and nothing of it is stored here.
    ///
    /// - Parameter requests: one for each device that a code is for; the first that is found is asked.
    /// - Throws: `CommissioningError`, `SessionError`, `DiscoveryError`, and what `work` throws.
    public func inPASESession<Result: Sendable>(
        _ requests: [CommissioningRequest],
        progress: @escaping @Sendable (CommissioningProgress) -> Void = { _ in }, deadline: Instant,
        _ work: @escaping @Sendable (UncommissionedDevice) async throws -> Result
    ) async throws -> Result {
        try await withFirstFound(of: requests, progress: progress) { inquiry, request in
            try await inquiry.inPASESession(of: request, deadline: deadline) {
                try await work(UncommissionedDevice(session: $0, deadline: deadline))
            }
        }
    }

    /// Does something with the first device of a code that is found.
    func withFirstFound<Result: Sendable>(
        of requests: [CommissioningRequest], progress: @escaping @Sendable (CommissioningProgress) -> Void,
        _ work: (PASEInquiry, CommissioningRequest) async throws -> Result
    ) async throws -> Result {
        let connector = Connector(manager: try context.manager(), logger: options.logger)
        var failure = CommissioningError(.nothingDiscovered, stage: .discover, "there is no setup code")
        for (index, request) in requests.enumerated() {
            let inquiry = PASEInquiry(
                connector: connector, discovery: context.discovery(), bluetooth: bluetooth(for: request),
                random: options.random, logger: options.logger, progress: progress)
            do {
                return try await work(inquiry, request)
            } catch let error as CommissioningError where error.code == .nothingDiscovered {
                if index == 0 { failure = error }
            }
        }
        throw failure
    }
}
