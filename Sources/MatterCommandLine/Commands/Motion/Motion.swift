import ArgumentParser
import MatterController

struct Motion: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "motion", abstract: "Show whether motion sensors detect people, or follow them.",
        discussion: "Example: matterctl motion hall --watch")
    static let kinds = Reading.motion
    static let lack = "has no motion sensor"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup var watch: WordWatchOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var longestRun: Duration? { watch.watch ? nil : options.timeout?.duration }

    func run(_ context: CommandContext) async throws {
        guard watch.watch else { return try await round.run(context) }
        try await WordWatch(round, watch, context).run { endpoints in
            (
                endpoints.map {
                    AttributePath(
                        endpoint: $0, cluster: OccupancySensing.id, attribute: OccupancySensing.Attribute.occupancy)
                }, []
            )
        } tell: { result, _ in
            result.attributes.compactMap { report in
                guard let bits: UInt8 = report.value?.integer() else { return nil }
                let isOccupied = bits & 1 == 1
                return Told(
                    endpoint: report.path.endpoint, words: isOccupied ? "occupied" : "unoccupied",
                    fields: Report { Field("occupied", isOccupied) })
            }
        }
    }
}
