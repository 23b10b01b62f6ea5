import MatterController

extension NodeAnswer {
    /// The object in place of a result.
    var error: Report? { failure.map { NodeRound.error($0, of: node) } }
}

/// The rows of a question to many nodes.
enum NodeRound {
    typealias Answer = NodeAnswer

    /// The object for a failure among results.
    static func error(_ failure: any Error, of node: NodeRecord) -> Report {
        let report = ErrorReport(failure, target: NodeTarget(node))
        return Report {
            Field("id", report.id)
            Field("message", report.message)
        }
    }

    /// Prints what nodes said: one object for one node that was named, otherwise an array, in which a node that gave no
    /// answer has `error`; or rows.
    ///
    /// - Throws: the error of the only node that was named, or `node.incomplete`, after the rest was printed.
    static func print<Value>(
        _ answers: [Answer<Value>], isOne: Bool, _ console: Console, object: (NodeRecord, Value) -> Report,
        rows: (NodeRecord, Value) -> [Report]
    ) throws {
        if isOne, let failure = answers.first?.failure { throw failure }
        if console.isJSON {
            let objects = answers.map { answer in
                Report {
                    Field("node", answer.node.nodeID)
                    Field("name", answer.node.name)
                    if let value = answer.value { object(answer.node, value) }
                    Field("error", answer.error)
                }
            }
            if isOne, let object = objects.first { console.result(object) } else { console.result(objects) }
        } else {
            console.result(answers.flatMap { answer in answer.value.map { rows(answer.node, $0) } ?? [] })
        }
        try judge(answers, console)
    }

    /// Tells people of the failures.
    ///
    /// - Throws: `node.incomplete` with the exit code of the first one.
    static func judge<Value>(_ answers: [Answer<Value>], _ console: Console) throws {
        for answer in answers where !console.isJSON {
            guard let failure = answer.failure else { continue }
            console.warning(ErrorReport(failure, target: NodeTarget(answer.node)).message)
        }
        let failures = answers.compactMap(\.failure)
        guard let failure = failures.first else { return }
        throw CommandLineError(
            .nodeIncomplete, "\(failures.count) of \(answers.count) nodes gave no answer", kind: FailureKind(failure)
        )
    }
}
