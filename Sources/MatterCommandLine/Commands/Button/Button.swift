import ArgumentParser
import MatterController

struct Button: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "button",
        abstract: "Show the positions of buttons and switches, or follow what people do with them.",
        discussion: "Example: matterctl button bedside --watch")
    static let kinds = Reading.button
    static let lack = "has no button"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup var watch: WordWatchOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var longestRun: Duration? { watch.watch ? nil : options.timeout?.duration }

    func run(_ context: CommandContext) async throws {
        guard watch.watch else { return try await round.run(context) }
        try await WordWatch(round, watch, context).run { endpoints in
            ([], endpoints.map { EventPath(endpoint: $0, cluster: Switch.id, isUrgent: true) })
        } tell: { result, isFirst in
            // What the device kept from before the start is its log, and no news.
            isFirst ? [] : result.events.compactMap(Told.init(button:))
        }
    }
}

extension Told {
    /// An event of the cluster Switch (Matter application cluster specification 1.13.6).
    fileprivate init?(button report: EventReport) {
        guard let event = report.event, report.path.cluster == Switch.id else { return nil }
        // All events of the cluster begin with a position, and those of several presses count them next.
        typealias Presses = Switch.MultiPressComplete.Field
        let data = event.data.flatMap { PartialStructure<Switch.MultiPressComplete>(tlv: $0) }
        let (position, count) = (data?[Presses.previousPosition], data?[Presses.totalNumberOfPressesCounted])
        let times = count.map { $0 == 1 ? "once" : $0 == 2 ? "twice" : "\($0) times" }
        let words: String
        switch report.path.event {
        case Switch.Event.switchLatched: words = "turned to \(position ?? 0)"
        case Switch.Event.initialPress: words = "pressed"
        case Switch.Event.longPress: words = "held"
        case Switch.Event.shortRelease: words = "released"
        case Switch.Event.longRelease: words = "released after it was held"
        case Switch.Event.multiPressOngoing: words = "pressed \(times ?? "again") so far"
        case Switch.Event.multiPressComplete: words = times.map { "pressed \($0) in all" } ?? "no more presses"
        default: return nil
        }
        self.init(
            endpoint: report.path.endpoint, words: words,
            fields: Report {
                Field("button", words)
                Field(
                    "event", Catalogue.standard.cluster(Switch.id)?.event(report.path.event)?.name)
                Field("eventId", report.path.event)
                Field("position", position.map { Int64($0) })
                Field("presses", count.map { Int64($0) })
            })
    }
}
