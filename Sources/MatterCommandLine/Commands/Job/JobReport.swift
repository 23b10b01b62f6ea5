import MatterController

/// The names of nodes, for what knows their ids only.
struct NodeTitles {
    private let names: [NodeID: String]

    init(_ nodes: [NodeRecord]) {
        names = Dictionary(
            nodes.compactMap { node in node.name.map { (node.nodeID, $0) } }, uniquingKeysWith: { first, _ in first })
    }

    init(_ controller: Controller) throws { self.init(try controller.context.nodes().sound().nodes) }

    subscript(node: NodeID) -> String? { names[node] }
}

extension Report {
    init(_ job: Job, isRunning: Bool, _ names: NodeTitles) {
        let state = isRunning ? "running" : job.stateName
        self.init {
            Field("job", JSONValue.id(job.id), label: "job", column: "JOB", text: "\(job.id)")
            Field("kind", job.kind.rawValue, label: "kind", column: "KIND")
            Field("state", state, label: "state", column: "STATE")
            Field("phase", job.rotation?.phase.rawValue, label: "phase")
            Field("rolledBack", job.rotation?.isBack == true ? true : nil)
            Field(label: "nodes", column: "DONE", ["\(job.doneCount) of \(job.entries.count) done"])
            Field("done", job.doneCount)
            Field("pending", job.pending.count)
            Field("refused", job.refusedCount)
            Field("madeAt", DateText.time(job.madeAt), label: "made at", column: "MADE AT")
            Field("cancelledAt", job.cancelledAt.map { DateText.time($0) }, label: "cancelled at")
            Field(
                "owner",
                Report {
                    Field("host", job.owner.host)
                    Field("user", job.owner.user)
                    Field("process", Int64(job.owner.process))
                })
            Field(label: "owner", ["user \(job.owner.user) on \(job.owner.host), process \(job.owner.process)"])
            Field("nodes", job.entries.map { Report($0, names) })
        }
    }

    /// A node of a job.
    init(_ entry: Job.Entry, _ names: NodeTitles) {
        let (state, since, reason): (String, Int64, Job.Reason?) =
            switch entry.state {
            case .done(let time): ("done", time, nil)
            case .pending(let since, let reason): ("pending", since, reason)
            case .refused(let time, let reason): ("refused", time, reason)
            }
        self.init {
            Field("node", entry.node, column: "NODE")
            Field("name", names[entry.node], column: "NAME")
            Field("state", state, column: "STATE")
            Field("since", DateText.time(since), column: "SINCE")
            Field(
                "error",
                reason.map { reason in
                    Report {
                        Field("id", reason.id)
                        Field("message", reason.message)
                    }
                })
            Field(column: "WHY", reason.map { [$0.message] })
        }
    }
}

extension Console {
    /// A job, and below it a line for each node.
    func show(_ job: Job, isRunning: Bool, _ names: NodeTitles) {
        result(Report(job, isRunning: isRunning, names))
        nodes(of: job, names)
    }

    /// A line for each node of a job, for people.
    func nodes(of job: Job, _ names: NodeTitles) {
        guard !isJSON else { return }
        let reports = job.entries.map { Report($0, names) }
        rows(reports.first?.columns ?? [], reports.map(\.row), isFolding: true)
    }
}

extension Job {
    fileprivate var stateName: String {
        if cancelledAt != nil { return "cancelled" }
        // Between two phases, too, no node is pending.
        if !pending.isEmpty || isOpen && !leavesFabric && refusedCount == 0 { return "open" }
        return isDone ? "done" : "incomplete"
    }

    /// Lets a command fail that has left nodes undone.
    ///
    /// - Throws: `job.incomplete`, with the kind of the first node that is not done.
    func requireDone() throws {
        guard !isDone else { return }
        var parts = ["\(doneCount) of \(entries.count) nodes are done"]
        if !pending.isEmpty { parts.append("\(pending.count) pending") }
        if refusedCount > 0 { parts.append("\(refusedCount) refused") }
        throw CommandLineError(
            .jobIncomplete, "job \(id): \(parts.joined(separator: ", "))",
            hint: .step(pending.isEmpty ? "job.show" : "job.resume", "\(id)"), kind: firstReason?.kind)
    }
}
