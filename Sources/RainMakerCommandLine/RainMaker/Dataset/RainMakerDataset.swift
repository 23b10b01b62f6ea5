import ArgumentParser
import MatterCommandLine

struct RainMakerDataset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dataset", abstract: "The Thread network of a border router with RainMaker's older cluster.",
        discussion: "Example: matterctl rainmaker dataset set router dataset.hex",
        subcommands: [Show.self, Set.self, Start.self, Stop.self])
}
