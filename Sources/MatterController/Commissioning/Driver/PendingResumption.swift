import MatterState

/// Takes up a commissioning that was interrupted after the device may have got its certificate.
struct PendingResumption: Sendable {
    let commissioner: Commissioner

    private var environment: Commissioner.Environment { commissioner.environment }

    /// - Returns: `nil` if there is nothing to take up, or if the device has forgotten it.
    func resume(
        _ request: CommissioningRequest, clock: StageClock, deadline: Instant
    ) async throws -> CommissionedNode? {
        let candidates = try environment.journal.pending(request.code)
        for pending in candidates {
            clock.note("node \(pending.nodeID.rawValue) was being commissioned with this code; looking for it")
            clock.enter(.case)
            do {
                return try await complete(pending, request, clock: clock, deadline: deadline)
            } catch let error as SessionError where error.isUnknownToPeer && isAt(request.addresses, pending) {
                clock.end()
                // The record stays until the device has taken another certificate: the answer may be forged.
                clock.note("the device has forgotten node \(pending.nodeID.rawValue); starting over")
            } catch let error as SessionError {
                guard !request.onlyResumes else { throw unreached(pending, error, clock) }
                clock.end()
                sayHowLong(pending, clock)
            }
        }
        return nil
    }

    /// True if the device that answers at the addresses that the user named is known to be the pending node's device.
    private func isAt(_ addresses: [PeerAddress], _ pending: PendingNode) -> Bool {
        addresses.allSatisfy(pending.addresses.contains)
    }

    private func complete(
        _ pending: PendingNode, _ request: CommissioningRequest, clock: StageClock, deadline: Instant
    ) async throws -> CommissionedNode {
        let hints = request.addresses.isEmpty ? pending.addresses : request.addresses
        let session = try await environment.nodeConnector.connect(
            to: pending.nodeID, hints: hints, presumedActive: true,
            deadline: request.onlyResumes
                ? deadline : min(deadline, environment.time.now + environment.patience.pendingNode))
        let channel = CommissioningChannel(session: session, patience: environment.patience, deadline: deadline)
        do {
            clock.enter(.complete)
            let command = CommissioningCommand.commissioningComplete
            let answer = try CommissioningAnswer(try await channel.invoke(command), to: command, stage: .complete)
            try answer.requireOK(tolerating: .noFailSafe)
            clock.enter(.post)
            // The node is on the fabric; what cannot be read now is read when it is needed.
            let information = DeviceInformation((try? await channel.read(DeviceInformation.paths)) ?? ReadResult())
            let endpoints =
                request.readsEndpoints
                ? try? await channel.read(EndpointDescription.paths + DeviceDescription.paths) : nil
            clock.end()
            await session.close()
            return CommissionedNode(
                nodeID: pending.nodeID, address: session.address, reliability: session.reliability,
                information: information,
                endpoints: endpoints.map(EndpointDescription.all(in:)) ?? [],
                basics: endpoints.map { DeviceDescription($0) } ?? DeviceDescription(), attestation: nil,
                stages: clock.times, total: .zero, wasPending: true)
        } catch {
            clock.fail()
            await session.close()
            let failure = CommissioningFailure(error, stage: .complete, wasPending: true).error
            guard var failure = failure as? CommissioningError else { throw failure }
            let left = max(0, pending.failSafeEnds - environment.unixTime())
            failure.aftermath = .pending(nodeID: pending.nodeID.rawValue, within: .seconds(left))
            throw failure
        }
    }

    /// A node that is to be completed, and nothing else.
    private func unreached(_ pending: PendingNode, _ error: SessionError, _ clock: StageClock) -> any Error {
        clock.fail()
        let failure = CommissioningFailure(error, stage: .case, wasPending: true).error
        guard var failure = failure as? CommissioningError else { return failure }
        let left = max(0, pending.failSafeEnds - environment.unixTime())
        failure.aftermath = .pending(nodeID: pending.nodeID.rawValue, within: .seconds(left))
        return failure
    }

    /// Notes that the device does not answer as the pending node, and how long it may answer as no new device either:
    /// until its fail-safe has run out.
    private func sayHowLong(_ pending: PendingNode, _ clock: StageClock) {
        let left = pending.failSafeEnds - environment.unixTime()
        guard left > 0 else {
            clock.note("node \(pending.nodeID.rawValue) does not answer and its fail-safe has expired; starting over")
            return
        }
        clock.note(
            "node \(pending.nodeID.rawValue) does not answer; its fail-safe expires within \(left) s; trying the code "
                + "meanwhile")
    }
}
