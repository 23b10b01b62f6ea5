import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudUserNOC: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "user-noc", abstract: "Have our own certificate on a group's fabric issued again.",
        discussion: "Example: matterctl cloud group user-noc --group 'Lake House'")

    @OptionGroup var group: GroupOptions
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let record = try setup.localFabric(ofGroup: try await client.findGroup(group.name))
        let joined = try await setup.fabric(client).refresh(record, force: true)
        console.object(Report(joined.record))
    }
}
