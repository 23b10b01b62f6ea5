import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudDelete: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a group in the cloud.",
        discussion: """
            Its devices keep their certificates and obey everyone who has one, unless --devices makes them leave first; if \
            one of them does not answer, the others leave, and the group stays.

            Example: matterctl cloud group delete --group 'Lake House' --devices
            """)
    static let defaultTimeout = Duration.seconds(180)
    /// How long one device may take; less if the others would not get their share of the time.
    private static let patience = Duration.seconds(30)

    @OptionGroup var group: GroupOptions
    @Flag(help: "Make the known devices leave the fabric first.") var devices = false
    @Flag(help: "Skip the confirmation prompt.") var yes = false
    @Option(
        help: ArgumentHelp("The account: public, china or a name you choose (env MATTERCTL_CLOUD).", valueName: "NAME"),
        completion: .kind(.profile))
    var profile: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        let setup = CloudSetup(context)
        let account = try CloudStore(setup.state).select(profile ?? Environment.variable("MATTERCTL_CLOUD"))
        try await setup.withClient(account) { client in
            let group = try await client.findGroup(group.name)
            let count = group.nodes.count
            try context.console.confirm(
                "Delete the group '\(TerminalText.escaped(group.name))'?"
                    + (devices || count == 0 ? "" : " Its \(count) devices keep their certificates."), given: yes)
            await client.restartBudget()
            if devices { try await removeDevices(of: try setup.localFabric(ofGroup: group), context) }
            _ = try await client.call(.delete(group.id))
            context.console.object {
                Field("group", group.id)
                Field("name", group.name)
                Field("result", "deleted")
            }
        }
    }

    private func removeDevices(of fabric: FabricRecord, _ context: CommandContext) async throws {
        try await context.onFabric(fabric.name) { context in
            let nodes = try context.controller.context.nodes().all()
            var failed: [NodeRecord] = []
            var first: (any Error)?
            for (position, node) in nodes.enumerated() {
                let share = Instant.now.duration(to: context.deadline) / (nodes.count - position)
                do {
                    try await context.controller.administration.remove(
                        node, deadline: .now + min(Self.patience, share), serviceDeadline: context.deadline)
                } catch let error as CancellationError {
                    throw error
                } catch let error as RainMakerError where error.nodeID != nil {
                    // It has left; the cloud forgets it with the group.
                    context.console.message("warning: \(TerminalText.escaped(error.reason))")
                } catch {
                    failed.append(node)
                    first = first ?? error
                    let report = ErrorReport(error, target: NodeTarget(node))
                    context.console.message(
                        "warning: node \(TerminalText.escaped(node.name ?? "\(node.nodeID.rawValue)")) did not leave: "
                            + TerminalText.escaped(report.message))
                }
            }
            guard let first, let node = failed.first else { return }
            throw CommandLineError(
                .cloudDevicesRemain,
                "\(failed.count) of \(nodes.count) devices did not leave, so the group was not deleted: "
                    + failed.map { "\($0.nodeID.rawValue)" }.joined(separator: ", "),
                hint:
                    "try again; if the device is gone for good: matterctl node remove \(node.nodeID.rawValue) --offline",
                kind: FailureKind(first))
        }
    }
}
