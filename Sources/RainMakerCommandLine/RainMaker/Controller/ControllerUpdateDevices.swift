import ArgumentParser
import Logging
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct UpdateDevices: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "update-devices", abstract: "Make a controller read the group's list of devices.",
            discussion: """
                If it cannot, it is made to log in and to get its certificate again first.

                Example: matterctl rainmaker controller update-devices hub
                """)
        static let defaultTimeout = Duration.seconds(180)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let isDone = try await throughCloud(context) { try await $0.hubs.tell($0.hub, .updateDeviceList) }
            guard !isDone else { return try tellDone(context) }
            let device = try await device(context)
            do {
                try await device.updateDeviceList()
            } catch let error as ControllerError where error.code == .status {
                context.logger.debug("the controller could not update its list; logging it in again: \(error)")
                let record = try context.controller.nodes.record(of: node.node)
                let cloud = try await ControllerCloud(nil, context)
                let known = try await device.status().url
                guard let url = try? CloudAccount.url(parsing: known) else { throw error }
                try await device.authorize(url)
                try await device.updateNOC()
                _ = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
                try await self.device(context).updateDeviceList()
            }
            try tellDone(context)
        }
    }
}
