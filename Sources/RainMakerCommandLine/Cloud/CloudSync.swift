import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudSync: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Take over the nodes of a group, even those that others commissioned them.",
        discussion: "Example: matterctl cloud sync --group 'Lake House' && matterctl toggle Porch")

    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let record = try setup.localFabric(ofGroup: try await client.findGroup(group))
        let joined = try await setup.fabric(client).refresh(record)
        await repeatRemovals(joined, client, setup)
        let adopted = try await setup.adopt(joined, client)
        console.result(adopted.map { Report($0) })
    }

    /// Tells the cloud what it could not be told before.
    private func repeatRemovals(
        _ joined: RainMakerFabric.Joined, _ client: CloudClient, _ setup: CloudSetup
    ) async {
        let store = RainMakerStore(setup.state, fabric: joined.record.name)
        let removal = GroupRemoval(client: client, store: store, groupID: joined.group.id)
        do {
            for waiting in try store.allRemovals() { try await removal.tell(waiting) }
        } catch {
            console.message("warning: \(TerminalText.escaped("\(error)"))")
        }
    }
}
