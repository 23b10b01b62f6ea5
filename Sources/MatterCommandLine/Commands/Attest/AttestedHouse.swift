import MatterController
import MatterCredentials
import MatterRecords

/// All nodes of the fabric, judged.
struct AttestedHouse: Sendable {
    /// Nodes that are asked at a time.
    private static let together = 8

    let trust: TrustPolicy

    private struct Answer: Sendable {
        var node: NodeRecord
        var outcome: Result<AttestationReport, any Error>
    }

    /// - Throws: `attest.untrusted` if a node is not trusted, otherwise `attest.incomplete` if one gives no answer; the
    ///   table is printed before.
    func show(_ context: CommandContext) async throws {
        let nodes = try await context.controller.nodes().all()
        let answers = try await answers(of: nodes, context)
        context.console.result(answers.map(report))
        let untrusted = answers.count { (try? $0.outcome.get())?.verdict == .untrusted }
        let failures = answers.compactMap { answer in
            if case .failure(let error) = answer.outcome { error } else { nil }
        }
        if untrusted > 0 {
            throw CommandLineError(
                "attest.untrusted", "\(untrusted) of \(nodes.count) nodes are not trusted", status: .attestationRefused)
        }
        guard let failure = failures.first else { return }
        throw CommandLineError(
            "attest.incomplete", "\(failures.count) of \(nodes.count) nodes gave no answer",
            status: ExitStatus(failure))
    }

    private func answers(of nodes: [NodeRecord], _ context: CommandContext) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            var answers: [Answer] = []
            for (index, node) in nodes.enumerated() {
                if index >= Self.together, let answer = try await group.next() { answers.append(answer) }
                group.addTask { try await answer(of: node, context) }
            }
            for try await answer in group { answers.append(answer) }
            return answers.sorted { $0.node.nodeID < $1.node.nodeID }
        }
    }

    private func answer(of node: NodeRecord, _ context: CommandContext) async throws -> Answer {
        do {
            let device = try await context.controller.attest(
                node, trust: trust, deadline: context.deadline(for: node))
            return Answer(node: node, outcome: .success(device.report))
        } catch {
            try Task.checkCancellation()
            return Answer(node: node, outcome: .failure(error))
        }
    }

    private func report(_ answer: Answer) -> Report {
        let (node, judged) = (answer.node, try? answer.outcome.get())
        var failure: ErrorReport?
        if case .failure(let error) = answer.outcome { failure = ErrorReport(error, target: NodeTarget(node)) }
        let reason = judged?.result.flatMap { $0 == .success ? nil : "\($0) (\($0.rawValue))" }
        return Report {
            Field("node", node.nodeID, column: "NODE")
            Field("name", node.name, column: "NAME")
            Field("verdict", judged?.verdict.rawValue, column: "VERDICT")
            Field("attestation", judged?.json)
            Field(column: "AUTHORITY", (judged?.authority).map { ["\($0.subject)"] })
            Field(column: "REASON", (reason ?? failure?.message).map { [$0] })
            if let failure {
                Field(
                    "error",
                    Report {
                        Field("id", failure.id)
                        Field("message", failure.message)
                    })
            }
        }
    }
}
