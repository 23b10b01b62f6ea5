import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudGroups: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the groups and their fabrics.",
        discussion: """
            With --group, a line for each of its nodes follows: its id in the cloud, and that on the fabric. A group whose \
            fabric cannot be used is listed with a warning.

            Example: matterctl cloud group ls --json
            """, aliases: ["list"])

    @Option(help: ArgumentHelp("Only this one, with its nodes: id or name.", valueName: "GROUP")) var group: String?
    @Flag(help: "Only groups that are Matter fabrics.") var matter = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let groups: [CloudGroup]
        if let group {
            groups = [try await client.findGroup(group)]
        } else {
            groups = try await client.groups(onlyMatter: matter)
        }
        console.result(groups.map { Report($0) })
        if group != nil, !console.isJSON { console.result(groups.flatMap(\.nodes).map { Report($0) }) }
        // The others are as good as ever, so that this is no failure.
        for fault in groups.compactMap(\.fault) {
            console.message("warning: \(TerminalText.escaped(fault.reason))")
        }
    }
}
