import MatterNetwork

/// A running device's memory of its faults.
struct FaultState: Sendable {
    private let plan: FaultPlan
    private var counts: [FaultPlan.NthMessage: Int] = [:]
    private var busyLeft: Int
    private var hasRebooted = false

    init(_ plan: FaultPlan) {
        self.plan = plan
        busyLeft = plan.busySigma1
    }

    /// The fate of datagrams; `nil` if nothing out of the ordinary.
    var impairment: ImpairedLink.Impairment? {
        guard plan.impairsDatagrams else { return nil }
        let plan = plan
        return {
            guard Double.random(in: 0..<1) >= plan.dropProbability else { return [] }
            let copies = Double.random(in: 0..<1) < plan.duplicateProbability ? 2 : 1
            return (0..<copies).map { _ in
                let isHeld = Double.random(in: 0..<1) < plan.reorderProbability
                let held = isHeld ? Duration.milliseconds(Int.random(in: 5...100)) : .zero
                let isDelayed = Double.random(in: 0..<1) < plan.delayProbability
                return held + (isDelayed ? plan.delay ?? .zero : .zero)
            }
        }
    }

    /// Counts a message; whether it is to be passed over.
    mutating func ignores(_ message: ReceivedMessage) -> Bool {
        guard !plan.ignored.isEmpty || !plan.muted.isEmpty || !plan.garbled.isEmpty else { return false }
        var key = FaultPlan.NthMessage(
            isInteraction: message.protocolID == .interactionModel, opcode: message.opcode, count: 0)
        let count = (counts[key] ?? 0) + 1
        counts[key] = count
        key.count = count
        return plan.ignored.contains(key)
    }

    /// True if a message, counted before, stays without an answer.
    func mutes(_ message: ReceivedMessage) -> Bool {
        guard !plan.muted.isEmpty else { return false }
        var key = FaultPlan.NthMessage(
            isInteraction: message.protocolID == .interactionModel, opcode: message.opcode, count: 0)
        key.count = counts[key] ?? 0
        return plan.muted.contains(key)
    }

    /// True if a command, counted before, is answered with garbage.
    func garbles(_ message: ReceivedMessage) -> Bool {
        let key = FaultPlan.NthMessage(isInteraction: true, opcode: message.opcode, count: 0)
        return counts[key].map(plan.garbled.contains) ?? false
    }

    /// How much later every command is answered.
    var slowAnswer: Duration { plan.slowAnswer ?? .zero }

    /// The wait that a Sigma1 is put off with.
    mutating func busyOnSigma1() -> Duration? {
        guard busyLeft > 0 else { return nil }
        busyLeft -= 1
        return plan.busyWait
    }

    /// True if the device starts again after a step; it does so once.
    mutating func rebootsAt(_ step: String) -> Bool {
        guard !hasRebooted, step == plan.rebootStep else { return false }
        hasRebooted = true
        return true
    }

    /// True if what the node has just done makes it start again.
    func isAboutToReboot(_ node: SimulatedNode) -> Bool {
        guard !hasRebooted, let step = plan.rebootStep else { return false }
        return node.reports.contains { report in
            if case .commissioning(step, _) = report { true } else { false }
        }
    }
}
