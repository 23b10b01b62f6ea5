public import MatterState

/// The answer of one node of several.
public struct NodeAnswer<Value: Sendable>: Sendable {
    /// The node, as its record has it.
    public let node: NodeRecord
    package let outcome: Result<Value, any Error>

    /// The node's answer; `nil` if it failed.
    public var value: Value? { try? outcome.get() }
    /// Why it failed; `nil` if the node answered.
    public var failure: (any Error)? { if case .failure(let error) = outcome { error } else { nil } }

    /// How many nodes are asked at a time.
    private static var together: Int { 16 }

    /// Asks nodes, a few of them at a time.
    ///
    /// - Returns: the answers in the order of the nodes; the failure of one costs the others nothing.
    /// - Throws: `CancellationError`.
    public static func each(
        of nodes: [NodeRecord], _ ask: @escaping @Sendable (NodeRecord) async throws -> Value
    ) async throws -> [NodeAnswer] {
        try await each(of: nodes, together: together, ask)
    }

    /// As ``each(of:_:)``.
    ///
    /// - Parameter together: how many nodes are asked at a time.
    static func each(
        of nodes: [NodeRecord], together: Int, _ ask: @escaping @Sendable (NodeRecord) async throws -> Value
    ) async throws -> [NodeAnswer] {
        @Sendable func answer(_ node: NodeRecord) async throws -> NodeAnswer {
            do {
                return NodeAnswer(node: node, outcome: .success(try await ask(node)))
            } catch {
                try Task.checkCancellation()
                return NodeAnswer(node: node, outcome: .failure(error))
            }
        }
        // A command for one node is done without tasks of its own.
        if let only = nodes.first, nodes.count == 1 { return [try await answer(only)] }
        return try await withThrowingTaskGroup(of: (Int, NodeAnswer).self) { group in
            var answers: [(Int, NodeAnswer)] = []
            for (index, node) in nodes.enumerated() {
                if index >= together, let answer = try await group.next() { answers.append(answer) }
                group.addTask { (index, try await answer(node)) }
            }
            for try await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension Controller {
    /// Does something with several nodes, a few of them at a time. The failure of one costs the others nothing.
    ///
    /// - Returns: what came of each, in the order of the nodes.
    /// - Throws: `CancellationError`.
    public nonisolated func each<Value: Sendable>(
        of nodes: [Node], _ work: @escaping @Sendable (Node) async throws -> Value
    ) async throws -> [(node: Node, result: Result<Value, MatterError>)] {
        try await NodeAnswer.each(of: nodes.map(\.record)) { [self] in try await work(Node($0, self)) }.map { answer in
            (Node(answer.node, self), answer.outcome.mapError { $0 as? MatterError ?? MatterError($0) })
        }
    }
}
