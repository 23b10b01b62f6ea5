import ArgumentParser
import MatterController

/// The nodes of a command that changes a group, and what came of each.
struct GroupMembers {
    private let parties: [GroupParty]

    /// - Parameter words: nodes, or endpoints of nodes; several endpoints of a node count as one party.
    init(_ words: [NodeArgument], of controller: Controller) async throws {
        parties = try controller.groups.parties(words.map { ($0.node, $0.endpoint) })
    }

    var nodes: [NodeID] { parties.map(\.node.nodeID) }

    init(_ parties: [GroupParty]) { self.parties = parties }

    /// Does something with each node, a few of them at a time, and prints what came of it.
    ///
    /// - Parameter change: returns the word for the result.
    /// - Throws: the error of the only node, or `group.incomplete`, after the rest was printed.
    func change(
        _ console: Console, _ change: @escaping @Sendable (GroupParty) async throws -> String
    ) async throws {
        let answers = try await NodeAnswer.each(of: parties, change)
        if answers.count == 1, let failure = answers.first?.failure { throw failure }
        console.result(
            answers.map { answer in
                Report {
                    Field("node", answer.node.nodeID, column: "NODE")
                    Field("name", answer.node.name, column: "NAME")
                    Field("result", answer.value ?? "failed", column: "RESULT")
                    Field("error", answer.error)
                }
            })
        let failures = answers.compactMap { answer in answer.failure.map { (answer.node, $0) } }
        guard let first = failures.first else { return }
        for (node, failure) in failures where !console.isJSON {
            console.warning("\(node.title): \(ErrorReport(failure, target: NodeTarget(node)).message)")
        }
        throw CommandLineError(
            .groupIncomplete, "\(failures.count) of \(answers.count) nodes failed",
            hint: .step("command.again"), kind: FailureKind(first.1))
    }
}

extension GroupCommand {
    struct Add: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make endpoints members of a group.",
            discussion: """
                A node gets the group's key, the membership of the endpoint, and an entry of its access control list that \
                lets the group operate it. If one of these fails, the node keeps none of them. What it has already stays.

                Example: matterctl group add lights kitchen hall/2
                """)

        @Argument(help: "The group, by name or id.", completion: .kind(.group)) var group: String
        @Argument(help: "Nodes by id or name, with /EP for an endpoint.") var nodes: [NodeArgument]
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { true }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            let group = try controller.context.groups().find(group)
            try await GroupMembers(nodes, of: controller).change(context.console) { party in
                try await controller.groups.join(group, party, budget: context.budget).isChanged ? "added" : "unchanged"
            }
        }
    }

    struct Remove: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take nodes, or single endpoints of them, out of a group.",
            discussion: """
                With its last endpoint, a node also loses the group's key and its entry of the access control list. The \
                other members keep that key, and the device may have kept it too: --rekey exchanges it on those that stay.

                Example: matterctl group remove lights hall
                """)

        @Argument(help: "The group, by name or id.", completion: .kind(.group)) var group: String
        @Argument(help: "Nodes by id or name, with /EP for an endpoint.") var nodes: [NodeArgument]
        @Flag(help: "The devices are gone for good: do not try to reach them.") var offline = false
        @Flag(help: "Exchange the group's key on the members that stay.") var rekey = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// The exchange of a key is a job.
        var isServed: Bool { !rekey }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            let group = try controller.context.groups().find(group)
            let members = try await GroupMembers(nodes, of: controller)
            let warning = try await GroupKeyWarning(members.nodes, controller, group: group)
            do {
                try await members.change(context.console) { [offline] party in
                    try await GroupCommand.leave(group, party, isOffline: offline, context)
                }
            } catch {
                // Some of the nodes may have left.
                try? await warning.print(context.console)
                throw error
            }
            guard rekey else { return try await warning.print(context.console) }
            try await RotationRun(
                plan: .groupKey(group), known: [], context: context, time: options.timeout?.duration
            ).finish()
        }
    }

    struct Delete: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Take all members out of a group, then forget the group and its key.",
            discussion: """
                If a member cannot be reached, the group is kept with that member, and the same command again goes on.

                Example: matterctl group delete lights --yes
                """)

        @Argument(help: "The group, by name or id.", completion: .kind(.group)) var group: String
        @Flag(help: "The devices are gone for good: do not try to reach them.") var offline = false
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { yes }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            let group = try controller.context.groups().find(group)
            let count = Set(group.members.map(\.nodeID)).count
            try context.console.confirm(
                "Delete the group '\(group.name)'" + (count == 0 ? "?" : ", and take \(count) nodes out of it?"),
                given: yes)
            let nodes = try controller.groups.nodes(of: group)
            if nodes.isEmpty {
                context.console.objects([])
            } else {
                try await GroupMembers(nodes.map { GroupParty($0) }).change(context.console) { [offline] party in
                    try await GroupCommand.leave(group, party, isOffline: offline, context)
                }
            }
            try await controller.context.groups().remove(group)
        }
    }

    /// - Returns: the word for the result.
    private static func leave(
        _ group: GroupRecord, _ party: GroupParty, isOffline: Bool, _ context: CommandContext
    ) async throws -> String {
        guard isOffline else {
            return try await context.controller.groups.leave(group, party, budget: context.budget)
                ? "removed" : "unchanged"
        }
        try await context.controller.groups.forget(party.node.nodeID, party.endpoints, in: group)
        return "forgotten"
    }
}
