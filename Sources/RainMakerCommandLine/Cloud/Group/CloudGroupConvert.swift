import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudConvert: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make a group a Matter fabric.",
        discussion: "Example: matterctl cloud group convert --group Hq3xTnW8bLk5sZr9cVdYpM")

    @OptionGroup var group: GroupOptions
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let group = try await client.convert(try await client.findGroup(group.name).id)
        console.object(Report(group))
    }
}
