import MatterController

/// A command that changes the access control list of a device, and prints the list that the device has then.
protocol AccessChange: NodeSubject {
    var catalogue: CatalogueOptions { get }

    /// The changes wanted; whatever is wrong with the words is an error before anything is sent.
    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change

    /// Whether the words name entries by their places, which are others after each change.
    var dependsOnPlaces: Bool { get }

    /// Asks for a confirmation, if the command wants one.
    func confirm(_ console: Console) throws
}

extension AccessChange {
    func validate() throws { try node.requireBare() }

    func confirm(_ console: Console) throws {}

    var dependsOnPlaces: Bool { false }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
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
}
