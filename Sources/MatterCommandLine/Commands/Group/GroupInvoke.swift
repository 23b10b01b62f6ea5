import MatterController

extension Invoke {
    /// Sends the command to all members of a group: CLUSTER/COMMAND, or `*` for the endpoint.
    func send(to target: GroupTarget, _ catalogue: Catalogue, _ context: CommandContext) async throws {
        let group = try await target.record(NodeArgument(node.text), context)
        let parts = words.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.first == "*" else {
            throw GroupTarget.refusal("a command to a group names no endpoint, for example on-off/toggle")
        }
        guard InvokedCommand.split(words.path, fields).count == 1 else {
            throw GroupTarget.refusal("a group takes one command at a time")
        }
        guard !timed else { throw GroupTarget.refusal("commands to groups cannot be timed") }
        // The endpoint is that of each member.
        let path = try ElementPath("0/" + parts.suffix(2).joined(separator: "/"), .command) {
            () throws(DataModelError) in
            catalogue
        }
        guard let cluster = path.cluster, let number = path.element.map({ CommandID($0) }) else {
            throw GroupTarget.refusal("a command to a group needs a cluster and a command")
        }
        let parsed = try InvokedCommand.parse(
            fields, jsonFields, catalogue.cluster(cluster)?.command(number), context.console.parser(catalogue))
        for warning in parsed.warnings { context.console.message("warning: \(warning); the devices decide") }
        let command = Command(endpoint: nil, cluster: cluster, command: number, fields: parsed.value)
        if dryRun {
            return try Rehearsal(
                command, to: group, in: catalogue, context.console.printer(numeric: numeric, in: catalogue)
            )
            .print(on: context.console)
        }
        try await GroupTarget.send(command, to: group, in: catalogue, context)
    }
}
