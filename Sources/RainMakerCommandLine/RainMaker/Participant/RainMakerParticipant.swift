import ArgumentParser
import MatterCommandLine

struct RainMakerParticipant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant", abstract: "The data on a participant's badge.",
        discussion: "Example: matterctl rainmaker participant show badge", subcommands: [Show.self, Set.self])
}
