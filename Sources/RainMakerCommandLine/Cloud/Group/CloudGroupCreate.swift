import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudCreateFabric: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a group that is a Matter fabric, in the cloud only.",
        discussion: "Example: matterctl cloud group create 'Lake House'")

    @Argument(help: "The name of the group.") var name: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let id = try await client.createGroup(name: name)
        // A created group is reported whatever comes of reading it.
        if !output.json { console.result(TerminalText.escaped(id)) }
        let group: CloudGroup
        do {
            group = try await client.createdGroup(id)
        } catch {
            console.object {
                Field("group", id)
                Field("name", name)
            }
            throw error
        }
        console.object(Report(group))
        _ = try group.requireFabric()
    }
}
