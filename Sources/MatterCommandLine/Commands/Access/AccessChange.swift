import MatterController

/// A command that changes the access control list of a device, and prints the list that the device has then.
protocol AccessChange: NodeSubject {
    var catalogue: CatalogueOptions { get }

    /// Whether the list of every node is changed, as a job.
    var isForAll: Bool { get }

    /// The changes wanted; whatever is wrong with the words is an error before anything is sent.
    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change

    /// Whether the words name entries by their places, which are others after each change.
    var dependsOnPlaces: Bool { get }

    /// Asks for a confirmation, if the command wants one.
    func confirm(_ console: Console) throws
}

extension AccessChange {
    var isForAll: Bool { false }

    var isServed: Bool { !isForAll }
    var dependsOnStart: Bool { dependsOnPlaces }

    var target: NodeTarget? { isForAll ? nil : NodeTarget(node.node) }

    func validate() throws { try node.requireBare() }

    func confirm(_ console: Console) throws {}

    var dependsOnPlaces: Bool { false }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        if isForAll { return try await changeAll(context, catalogue) }
        let record = try context.controller.nodes.record(of: node.node)
        let change = try await change(AccessWords(context.controller, catalogue), context.console)
        let report = try await AccessListReport(context, catalogue: catalogue)
        var edit = AccessListEdit(
            change, own: try context.controller.context.credentials().identity, of: record)
        let (link, deadline) = (
            try await context.controller.links.link(to: record), context.deadline(for: record)
        )
        do {
            let present = try await link.accessList(deadline: deadline).entries
            if dependsOnPlaces { try edit.requireSeen(present, .ofThisRun(), context.controller.context.seenLists()) }
            edit.seen = present
            // An impossible step is said before the question.
            if try !edit.applied(to: present, within: .unlimited).means(present) { try confirm(context.console) }
            let (list, isChanged) = try await link.change(
                accessListBy: edit, deadline: context.deadline(for: record))
            report.print(list, of: record, result: isChanged ? "changed" : "unchanged")
            await CommandStart.letOthersBeLater()
        } catch let error as ControllerError where error.code == .listChanged {
            let explained = report.explain(error, of: record)
            await CommandStart.letOthersBeLater()
            throw explained
        }
    }

    /// Changes the lists of all nodes, and says for each what came of it.
    private func changeAll(_ context: CommandContext, _ catalogue: Catalogue) async throws {
        let controller = context.controller
        let own = try controller.context.fabric().nodeID
        let nodes = try controller.context.nodes().sound().nodes.map(\.nodeID).filter { $0 != own }
        let change = try await change(AccessWords(controller, catalogue), context.console)
        let job = try await controller.jobs.begin(change, on: nodes)
        let after = try await controller.jobs.resume(job.id, within: options.timeout?.duration)
        context.console.show(after, isRunning: false, try NodeTitles(controller))
        try after.requireDone()
    }
}
