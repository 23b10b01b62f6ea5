import ArgumentParser
import MatterCommandLine

struct RainMakerController: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller", abstract: "Hand a RainMaker account to a controller device.",
        discussion: "Example: matterctl rainmaker controller setup hub --user me@example.com",
        subcommands: [
            Setup.self, Show.self, SetToken.self, ResetToken.self, Authorize.self, UpdateNOC.self, UpdateDevices.self,
        ])
}
