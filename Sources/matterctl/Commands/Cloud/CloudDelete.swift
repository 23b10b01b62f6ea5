import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterSession
import MatterTransport
import RainMaker

struct CloudDelete: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a group in the cloud.",
        discussion: """
            Its devices keep their certificates and obey whoever has one, unless --devices makes them leave first; if one \
            of them does not answer, the group stays.

            Example: matterctl cloud delete 'Lake House' --devices
            """)
    static let defaultTimeout = Duration.seconds(180)
    /// How long one device may take at least.
    private static let patience = Duration.seconds(30)

    @Argument(help: "The group: id or name.") var group: String
    @Flag(help: "Make the devices that are known here leave the fabric first.") var devices = false
    @Flag(help: "Do not ask.") var yes = false
    @Option(
        help: ArgumentHelp("Which account: public, china or a name of yours (env MATTERCTL_CLOUD).", valueName: "NAME"))
    var profile: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        let setup = CloudSetup(state: context.controller.options.state, logger: context.logger)
        let account = try CloudStore(setup.state).select(profile ?? Environment.variable("MATTERCTL_CLOUD"))
        try await setup.withClient(account) { client in
            let group = try await client.findGroup(group)
            let count = group.nodes.count
            try context.console.confirm(
                "Delete the group '\(TerminalText.escaped(group.name))'?"
                    + (devices || count == 0 ? "" : " Its \(count) devices keep their certificates."), given: yes)
            if devices { try await removeDevices(of: try setup.localFabric(ofGroup: group), context) }
            _ = try await client.call(.delete(group.id))
        }
    }

    private func removeDevices(of fabric: FabricRecord, _ context: CommandContext) async throws {
        try await context.onFabric(fabric.name) { context in
            let removal = try await NodeRemoval(context)
            for node in try await context.controller.nodes().all() {
                do {
                    try await removal.remove(node, deadline: min(context.deadline(for: node), .now + Self.patience))
                } catch {
                    context.console.message(
                        "note: node \(TerminalText.escaped(node.name ?? "\(node.nodeID.rawValue)")) did not leave, so the "
                            + "group was not deleted; for one that is gone for good: matterctl node remove --offline")
                    throw error
                }
            }
        }
    }
}
