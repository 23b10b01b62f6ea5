public import MatterState

/// The outcome of a verb at one endpoint of several.
public struct VerbOutcome: Sendable {
    /// The node, as its record has it.
    public let node: NodeRecord
    /// The endpoint that was named; `nil` if none was.
    public internal(set) var named: EndpointID?
    /// The endpoint that it was done at; `nil` if it did not get that far.
    public internal(set) var endpoint: EndpointID?
    /// The state that the device settled in; `nil` if that was not waited for.
    public internal(set) var state: SettledState?
    /// Further remarks; `nil` if nothing.
    public internal(set) var note: String?
    /// Why it failed; `nil` if it did not.
    public internal(set) var failure: (any Error)?
    /// When it was silent before, in seconds since 1970, if that made this try short.
    public internal(set) var silentAt: Int64?
}

extension DeviceService {
    /// The endpoints that can carry out a verb. Those that were not named take part if they can do it, as far as that is known.
    ///
    /// - Throws: ``ControllerError`` `unsupportedCluster` if there is none.
    public func parts(of query: NodeQuery, for verb: any DeviceVerb) throws -> [NodeQuery.Part] {
        let parts = try nodes.parts(of: query, in: .standard, eachEndpoint: true) {
            $0.serverClusters.contains(verb.cluster.rawValue)
        }
        guard !parts.isEmpty else {
            let cluster = Catalogue.standard.clusterName(verb.cluster) ?? "\(verb.cluster)"
            throw ControllerError(
                .unsupportedCluster, "none of the chosen nodes has the cluster \(cluster)", hint: .step("node.see"))
        }
        return parts.map { NodeQuery.Part($0.node, Self.distinct($0.endpoints, of: $0.node, verb)) }
    }

    /// Without the one that is chosen if it was also named: a command must not run twice.
    private static func distinct(
        _ endpoints: [EndpointID?], of node: NodeRecord, _ verb: any DeviceVerb
    ) -> [EndpointID?] {
        guard endpoints.count > 1, let only = try? node.endpoint(serving: verb.cluster, named: nil, clusterName: ""),
            endpoints.contains(only)
        else { return endpoints }
        return endpoints.filter { $0 != nil }
    }

    /// Carries out a verb at one node or several. Among several, a node that was silent a moment ago is given a short try;
    /// the failure of one costs the others nothing.
    ///
    /// - Parameters:
    ///   - title: what a node is called in messages; by its record by default.
    ///   - verifies: whether the state is read afterwards, until it is the last one.
    /// - Returns: what came of each endpoint, in the order of the parts.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func carryOut(
        _ verb: any DeviceVerb, at parts: [NodeQuery.Part], title: String? = nil, verifies: Bool, budget: Budget
    ) async throws -> [VerbOutcome] {
        let endpoints = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        let answers = try await NodeAnswer.each(of: parts.map(\.node)) { [self] node in
            let patience = nodes.patience(with: node, among: parts.count, budget)
            @Sendable func perform() async throws -> [VerbOutcome] {
                var outcomes: [VerbOutcome] = []
                for endpoint in endpoints[node.nodeID] ?? [] {
                    var outcome = try await self.outcome(
                        of: verb, on: node, endpoint, title: title, verifies: verifies, patience.budget)
                    outcome.silentAt = patience.silentAt
                    outcomes.append(outcome)
                }
                if parts.count > 1 { try Task.checkCancellation() }
                let failure = outcomes.allSatisfy { $0.failure != nil } ? outcomes.first?.failure : nil
                nodes.learn(of: node, failure, after: patience)
                return outcomes
            }
            // The session with one node is there for what follows.
            return try await parts.count == 1 ? perform() : links.withLink(to: node) { _ in try await perform() }
        }
        return answers.flatMap { answer in
            answer.value ?? [VerbOutcome(node: answer.node, failure: answer.failure)]
        }
    }

    private func outcome(
        of verb: any DeviceVerb, on node: NodeRecord, _ named: EndpointID?, title: String?, verifies: Bool,
        _ budget: Budget
    ) async throws -> VerbOutcome {
        var outcome = VerbOutcome(node: node, named: named, endpoint: named)
        do {
            let (place, request) = try await carryOut(verb, on: node, endpoint: named, title: title, budget: budget)
            (outcome.endpoint, outcome.note) = (place.endpoint, request.note)
            if verifies {
                outcome.state = try await state(after: request, to: verb.cluster, at: place, budget: budget)
            }
        } catch {
            // That a command may have run has to be told, interrupted or not.
            if (error as? ControllerError)?.code != .outcomeUnknown { try Task.checkCancellation() }
            outcome.failure = error
        }
        return outcome
    }
}
