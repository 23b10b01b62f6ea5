import MatterController

/// All nodes of the fabric, judged.
struct AttestedNodes: Sendable {
    let trust: TrustPolicy

    /// - Throws: `attest.untrusted` if a node is not trusted, otherwise `attest.incomplete` if one gives no answer; the
    ///   table is printed before.
    func show(_ context: CommandContext) async throws {
        let nodes = try context.controller.context.nodes().all()
        let answers = try await NodeAnswer.each(of: nodes) { node in
            try await context.controller.trust.attest(node, trust: trust, deadline: context.deadline(for: node)).report
        }
        context.console.result(answers.map(report))
        let untrusted = answers.filter { $0.value?.verdict.isRefusal == true }
        let failures = answers.compactMap(\.failure)
        if let first = untrusted.first {
            throw CommandLineError(
                .attestUntrusted, "\(untrusted.count) of \(nodes.count) nodes are not trusted",
                hint: .step("attest.see", NodeTarget(first.node).argument))
        }
        guard let failure = failures.first else { return }
        throw CommandLineError(
            .attestIncomplete, "\(failures.count) of \(nodes.count) nodes gave no answer",
            kind: FailureKind(failure))
    }

    private func report(_ answer: NodeRound.Answer<AttestationReport>) -> Report {
        let (node, judged) = (answer.node, answer.value)
        let failure = answer.failure.map { ErrorReport($0, target: NodeTarget(node)).message }
        let reason = judged?.result.flatMap { $0 == .success ? nil : "\($0) (\($0.rawValue))" }
        return Report {
            Field("node", node.nodeID, column: "NODE")
            Field("name", node.name, column: "NAME")
            Field("verdict", judged?.verdict.rawValue, column: "VERDICT")
            Field("attestation", judged?.json)
            Field(column: "AUTHORITY", (judged?.authority).map { ["\($0.subject)"] })
            Field(column: "REASON", (reason ?? failure).map { [$0] })
            Field("error", answer.error)
        }
    }
}
