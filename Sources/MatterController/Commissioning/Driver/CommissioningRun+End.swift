import Logging
import MatterState

/// How a commissioning ends: what was done is undone where it did not succeed.
extension CommissioningRun {
    /// The time for undoing, on top of the remaining time.
    private static let undoBudget = Duration.seconds(5)

    /// The PASE session has served its purpose; devices drop it with the fail-safe anyway.
    func close(_ memory: Memory) async {
        await device.leave()
        await memory.operational?.close()
    }

    /// Leaves the device with what it has, for as long as it waits, and notes how long that is.
    func handOver(_ node: PendingNode, _ memory: Memory) async -> CommissioningError.Aftermath {
        let seconds = Self.handoverSeconds
        let command = CommissioningCommand.armFailSafe(seconds: seconds, breadcrumb: memory.breadcrumb)
        var pending = node
        let answer = try? await channel.invoke(command, deadline: time.now + Self.undoBudget)
        let isArmed =
            answer.flatMap { try? CommissioningAnswer($0, to: command, stage: .network) }
            .map { (try? $0.requireOK()) != nil } ?? false
        // A device that has left for its network was armed before.
        if isArmed || memory.isJoining { pending.failSafeEnds = environment.unixTime() + Int64(seconds) }
        // The record of before has a shorter time, and is as good otherwise.
        try? environment.journal.record(pending)
        // The device is not told: some end the fail-safe with the session.
        await session.manager.remove(session.reference)
        return .pending(
            nodeID: pending.nodeID.rawValue, within: .seconds(pending.failSafeEnds - environment.unixTime()))
    }

    /// Takes back what can be taken back; what cannot is named.
    ///
    /// - Parameter isForgotten: whether the device has said that it does not know our fabric.
    func undo(
        _ undo: CommissioningFlow.Undo, _ memory: Memory, isForgotten: Bool
    ) async -> CommissioningError.Aftermath {
        let aftermath = isForgotten ? await forget(undo, memory) : await rollBack(undo, memory)
        await close(memory)
        return aftermath
    }

    /// The device has forgotten everything: so do we. Its fail-safe may still be armed.
    private func forget(_ undo: CommissioningFlow.Undo, _ memory: Memory) async -> CommissioningError.Aftermath {
        let mayBeArmed = undo == .disarmPending && !memory.hasLostSession
        let isDisarmed = mayBeArmed ? await disarm() : false
        if let pending = memory.pending { try? environment.journal.remove(pending.nodeID) }
        if let receipt = memory.receipt { await environment.issuer.abandon(receipt) }
        return isDisarmed ? .rolledBack : .forgotten
    }

    private func rollBack(_ undo: CommissioningFlow.Undo, _ memory: Memory) async -> CommissioningError.Aftermath {
        let within = (undo == .disarm ? nil : memory.pending).map {
            Duration.seconds(max(0, $0.failSafeEnds - environment.unixTime()))
        }
        switch undo {
        case .nothing, .leavePending:
            return memory.pending.map { .pending(nodeID: $0.nodeID.rawValue, within: within ?? .zero) } ?? .untouched
        case .disarm, .disarmPending:
            let isDisarmed = await disarm()
            if let pending = memory.pending {
                guard isDisarmed || undo == .disarm else {
                    return .pending(nodeID: pending.nodeID.rawValue, within: within ?? .zero)
                }
                // The device has rolled back, or was never sent the certificate: there is nothing to come back to.
                try? environment.journal.remove(pending.nodeID)
            }
            if let receipt = memory.receipt { await environment.issuer.abandon(receipt) }
            return isDisarmed ? .rolledBack : .rollsBack(within: within ?? .seconds(60))
        }
    }

    private func disarm() async -> Bool {
        let command = CommissioningCommand.armFailSafe(seconds: 0, breadcrumb: 0)
        let deadline = time.now + Self.undoBudget
        guard
            let result = try? await channel.invoke(command, deadline: deadline),
            let answer = try? CommissioningAnswer(result, to: command, stage: .armFailSafe)
        else { return false }
        return (try? answer.requireOK(tolerating: .noFailSafe)) != nil
    }
}
