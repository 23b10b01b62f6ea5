import MatterController

extension FabricCommand.Import {
    /// Takes the answer of the holder of a fabric's authority.
    func complete(_ answer: [UInt8], _ context: CommandContext) async throws {
        guard !store.dryRun, unlock.isEmpty else {
            throw CommandLineError(
                .usage, "\(name) is the answer to a request: --dry-run, --identity and --passphrase are not for it")
        }
        let console = context.console
        let joined = try await context.controller.members.complete(answer, as: store.name)
        console.result {
            Report(joined.fabric)
            Field("member", joined.fabric.membership?.member, label: "member")
            Field(label: "authority", [joined.fabric.membership.map { "with \($0.holder)" } ?? "elsewhere"])
            Field("new", joined.isNew)
            Field("nodes", joined.nodes.map { Report($0) }.json)
            Field(label: "nodes", ["\(joined.nodes.count) new"])
        }
        guard !console.isJSON else { return }
        if !joined.isNew {
            console.message("if a member is being removed, the holder waits for: matterctl fabric member receipt")
        }
    }
}
