import ArgumentParser
import MatterCommandLine

struct RainMakerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rainmaker", abstract: "The custom clusters of RainMaker devices.",
        discussion: "Example: matterctl rainmaker node-id Porch",
        subcommands: [
            RainMakerAccess.self, RainMakerNodeID.self, RainMakerChallenge.self, RainMakerController.self,
            RainMakerDataset.self,
            RainMakerParticipant.self,
        ])
}
