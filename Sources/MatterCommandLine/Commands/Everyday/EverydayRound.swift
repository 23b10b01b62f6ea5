import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterInteraction
import MatterRecords

/// One verb for several nodes: a result for each, and the failure of one costs the others nothing.
struct EverydayRound {
    let verb: Verb
    let everyday: EverydayOptions
    let context: CommandContext

    /// What came of an endpoint.
    private struct Outcome: Sendable {
        var named: EndpointID?
        var endpoint: EndpointID?
        var state: EverydayState?
        var failure: (any Error)?
    }

    /// The endpoints of a node that were named; one that was not named is chosen as for a single node.
    private typealias Part = (node: NodeRecord, endpoints: [EndpointID?])

    /// - Throws: `node.incomplete` with the exit code of the first failure by node, after the rest was printed.
    func run(_ words: [NodeArgument]) async throws {
        let parts = try await parts(words)
        guard !everyday.dryRun else { return try rehearse(parts) }
        let endpoints = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        let answers = try await NodeRound.answers(of: parts.map(\.node)) { node in
            try await context.controller.withLink(to: node) { _ in
                var outcomes: [Outcome] = []
                for endpoint in endpoints[node.nodeID] ?? [] {
                    outcomes.append(try await perform(on: node, endpoint))
                }
                return outcomes
            }
        }
        let outcomes = answers.flatMap { answer in
            (answer.value ?? [Outcome(failure: answer.failure)]).map { (answer.node, $0) }
        }
        context.console.result(outcomes.map(report))
        let failures = outcomes.compactMap { node, outcome in outcome.failure.map { (node, $0) } }
        guard let first = failures.first else { return }
        for (node, failure) in failures where !context.console.isJSON {
            context.console.warning(ErrorReport(failure, target: NodeTarget(node)).message)
        }
        throw CommandLineError(
            "node.incomplete", "\(failures.count) of \(outcomes.count) failed", status: ExitStatus(first.1))
    }

    /// The nodes by id. Those that were not named take part if they can do it, as far as that is known.
    private func parts(_ words: [NodeArgument]) async throws -> [Part] {
        if words.contains(where: { GroupTarget($0) != nil }) {
            throw GroupTarget.refusal("name a group alone: it is sent one message, and does not answer")
        }
        let targets = try await everyday.selection.targets(words, of: context.controller, in: .standard)
        var parts: [Part] = []
        for target in targets
        where target.isNamed || target.node.endpoints.isEmpty || target.node.serves(verb.cluster) {
            if parts.last?.node.nodeID == target.node.nodeID {
                parts[parts.count - 1].endpoints.append(target.endpoint)
            } else {
                parts.append((target.node, [target.endpoint]))
            }
        }
        guard !parts.isEmpty else {
            let cluster = Catalogue.standard.clusterName(verb.cluster) ?? "\(verb.cluster)"
            throw ControllerError(
                .unsupportedCluster, "no node that is meant has the cluster \(cluster)", hint: .step("node.see"))
        }
        return parts.map { ($0.node, distinct($0.endpoints, of: $0.node)) }
    }

    /// Without the one that is chosen if it was also named: a command must not run twice.
    private func distinct(_ endpoints: [EndpointID?], of node: NodeRecord) -> [EndpointID?] {
        guard endpoints.count > 1, let only = try? node.endpoint(serving: verb, named: nil), endpoints.contains(only)
        else { return endpoints }
        return endpoints.filter { $0 != nil }
    }

    /// Shows what each node would be sent.
    private func rehearse(_ parts: [Part]) throws {
        let rehearsals = try parts.flatMap { node, endpoints in
            try endpoints.map { (node, try Rehearsal(verb, of: node, at: $0)) }
        }
        let console = context.console
        guard !console.isJSON else { return console.result(rehearsals.map(\.1.report)) }
        for (node, rehearsal) in rehearsals {
            for line in rehearsal.lines { console.result(TerminalText.escaped(node.label) + "\t" + line) }
        }
    }

    private func perform(on node: NodeRecord, _ named: EndpointID?) async throws -> Outcome {
        do {
            let place = try await context.controller.perform(verb, on: node, endpoint: named, budget: context.budget)
            let state = everyday.verify ? try await EverydayState(verb, at: place, context) : nil
            return Outcome(named: named, endpoint: place.endpoint, state: state)
        } catch {
            try Task.checkCancellation()
            return Outcome(named: named, endpoint: named, failure: error)
        }
    }

    private func report(_ node: NodeRecord, _ outcome: Outcome) -> Report {
        let printer = ValuePrinter(numeric: false)
        let state = outcome.state
        let value = state?.reports.first?.value
        let type = state.flatMap { Catalogue.standard.type(of: $0.path) }
        return Report {
            Field("node", node.nodeID)
            Field(column: "NODE", ["\(node.nodeID.rawValue)" + (outcome.named.map { "/\($0)" } ?? "")])
            Field("name", node.name, column: "NAME")
            Field("endpoint", outcome.endpoint)
            Field("result", outcome.failure == nil ? "done" : "failed", column: "RESULT")
            if everyday.verify {
                Field("value", value.map { printer.json($0, as: type) })
                Field("on", state?.isLit)
                Field(column: "VALUE", value.map { [state?.isLit == false ? "0" : printer.text($0, as: type)] })
            }
            Field("error", outcome.failure.map { NodeRound.error($0, of: node) })
        }
    }
}
