import ArgumentParser
import MatterCommandLine

struct RainMakerAccess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: "The access that the users of a group have to its devices.",
        discussion: "Example: matterctl rainmaker access refresh --group 'Lake House'",
        subcommands: [AccessRefresh.self])
}
