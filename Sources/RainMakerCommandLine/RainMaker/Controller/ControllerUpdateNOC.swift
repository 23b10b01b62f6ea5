import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct UpdateNOC: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "update-noc", abstract: "Make a controller get a certificate with the group's tag.",
            discussion: "Example: matterctl rainmaker controller update-noc hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let isDone = try await throughCloud(context) { try await $0.hubs.tell($0.hub, .updateNOC) }
            guard !isDone else { return try tellDone(context) }
            let record = try context.controller.nodes.record(of: node.node)
            let cloud = try await ControllerCloud(nil, context)
            try await device(context).updateNOC()
            _ = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
            try tellDone(context)
        }
    }
}
