import MatterController

/// Working beside another program on its fabric, and leaving it again.
extension FabricCommand.Import {
    /// Says what is about to be done, and asks.
    ///
    /// - Throws: `usage.not-confirmed`, and nothing was done.
    func confirmJoin(_ fabric: NeighbourFabric, _ neighbour: Neighbour, _ console: Console) throws {
        let other = neighbour.rawValue
        console.message(
            "matterctl joins the fabric beside \(other), which goes on working, with a node id of its own")
        console.message(
            "on each node it adds one entry for itself to the access control list; for that it acts under the node id "
                + "\(fabric.nodeID.rawValue) of \(other), and does nothing else under it")
        console.message(
            "the other way is --take-over: matterctl acts as \(other), which then has to stay off for good")
        try console.confirm("Join the fabric, and add an entry on \(count(fabric.nodes.count))?", given: store.yes)
    }

    private func count(_ nodes: Int) -> String { "\(nodes) node\(nodes == 1 ? "" : "s")" }

    /// Joins the fabric, and does what can be done of the job.
    func join(
        _ fabric: NeighbourFabric, named title: String, _ context: CommandContext
    ) async throws -> (record: FabricRecord, nodes: [NodeRecord], job: Job?) {
        let joined = try await context.controller.neighbours.join(fabric, name: title)
        guard let job = joined.job else { return (joined.fabric, joined.nodes, nil) }
        let after = try await context.onFabric(title) { context in
            try await context.controller.jobs.resume(job.id, within: options.timeout?.duration)
        }
        return (joined.fabric, joined.nodes, after)
    }

    /// Takes our entries out again, and forgets the fabric once none is left.
    func revert(
        _ fabric: NeighbourFabric, named title: String, _ context: CommandContext
    ) async throws -> (record: FabricRecord, job: Job) {
        try context.console.confirm(
            "Take our entries out of the access control lists, and forget the fabric '\(title)' once none is left?",
            given: store.yes)
        let (record, job) = try await context.controller.neighbours.leave(fabric, name: title)
        let after = try await context.onFabric(title) { context in
            try await context.controller.jobs.resume(job.id, within: options.timeout?.duration)
        }
        return (record, after)
    }
}
