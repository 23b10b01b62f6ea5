import Logging
import MatterController

/// A group in place of a node: `group:lights`.
struct GroupTarget {
    private static let prefix = "group:"

    /// Its name or id.
    let word: String

    /// - Returns: `nil` for a node.
    init?(_ node: NodeArgument) {
        guard node.node.hasPrefix(Self.prefix) else { return nil }
        word = String(node.node.dropFirst(Self.prefix.count))
    }

    /// - Throws: ``CommandLineError`` `usage.group-target` for what no group has.
    func record(_ node: NodeArgument, _ context: CommandContext) async throws -> GroupRecord {
        guard node.endpoint == nil else {
            throw Self.refusal("a command to a group is for all of its members: name no endpoint")
        }
        guard context.controller.options.addresses.isEmpty else {
            throw Self.refusal("a group has an address of its own: leave out --address")
        }
        return try context.controller.context.groups().find(word)
    }

    static func refusal(_ reason: String) -> CommandLineError { CommandLineError(.usageGroupTarget, reason) }

    // MARK: Sending

    /// Sends a command, and says so.
    ///
    /// - Parameter members: what was read back, after the sending.
    static func send(
        _ command: Command, to group: GroupRecord, in catalogue: Catalogue, _ context: CommandContext,
        thenReading members: (() async throws -> [Report])? = nil
    ) async throws {
        let delivery = try await context.controller.groups.send(command, to: group, in: catalogue)
        context.logger.debug(
            "sent to \(delivery.address) on \(delivery.interfaces.joined(separator: ", ")) with counter \(delivery.counter)"
        )
        let readings = try await members?()
        guard context.console.isJSON else {
            guard let readings else {
                return context.console.text(
                    TerminalText.escaped("sent to group '\(group.name)'; groups do not answer"))
            }
            return context.console.result(readings)
        }
        context.console.object {
            Field("group", group.group)
            Field("name", group.name)
            Field("cluster", catalogue.clusterName(command.path.cluster))
            Field("clusterId", command.path.cluster)
            Field("command", catalogue.cluster(command.path.cluster)?.command(command.path.command)?.name)
            Field("commandId", command.path.command)
            Field("answered", false)
            Field("address", delivery.address.description)
            Field("interfaces", delivery.interfaces)
            Field("members", readings)
        }
    }

    // MARK: Everyday verbs

    /// Sends a request to a group, and reads back what its members made of it.
    static func perform(
        _ request: GroupRequest, on group: GroupRecord, verifying: Bool, _ context: CommandContext
    ) async throws {
        let command = request.command
        guard verifying else { return try await send(command, to: group, in: .standard, context) }
        var answers: [NodeRound.Answer<[GroupReading]>] = []
        try await send(command, to: group, in: .standard, context) {
            answers = try await context.controller.groups.readBack(
                request.whole, to: command.path.cluster, of: group, budget: context.budget)
            return answers.flatMap { reports($0, context.console.printer()) }
        }
        for answer in answers where !context.console.isJSON {
            guard let failure = answer.failure else { continue }
            context.console.warning(
                "\(answer.node.title): \(ErrorReport(failure, target: NodeTarget(answer.node)).message)")
        }
        if let failure = answers.lazy.compactMap(\.failure).first {
            let count = answers.count { $0.failure != nil }
            throw CommandLineError(
                .groupIncomplete, "the message was sent; \(count) of \(answers.count) nodes could not be read",
                kind: FailureKind(failure))
        }
        let late = answers.flatMap { answer in
            (answer.value ?? []).filter { $0.isAsSent == false }.map { "\(answer.node.label)/\($0.endpoint)" }
        }
        guard late.isEmpty else {
            throw CommandLineError(
                .groupNotReached,
                "the message was sent, and has not had its effect on \(late.joined(separator: ", "))",
                hint: .step("command.again"))
        }
    }

    private static func reports(_ answer: NodeRound.Answer<[GroupReading]>, _ printer: ValuePrinter) -> [Report] {
        let node = answer.node
        if let error = answer.error {
            return [
                Report {
                    Field("node", node.nodeID)
                    Field(column: "MEMBER", [node.label])
                    Field(column: "VALUE", nil)
                    Field("error", error)
                }
            ]
        }
        return (answer.value ?? []).map { reading in
            let value = reading.report.value.map {
                printer.text($0, as: Catalogue.standard.type(of: reading.report.path))
            }
            return Report {
                Report(reading.report, of: NodeMark(node), in: .standard, printer)
                Field(column: "MEMBER", ["\(node.label)/\(reading.endpoint)"])
                Field(column: "VALUE", value.map { [$0] })
                Field("asSent", reading.isAsSent)
            }
        }
    }
}
