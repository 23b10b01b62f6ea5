import ArgumentParser
import MatterController

struct TimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "The clocks of nodes.", discussion: "Example: matterctl time sync kitchen",
        subcommands: [TimeSync.self])
}

struct TimeSync: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Set a node's clock to the time of this machine.",
        discussion: """
            Shows how far the clock was off before, and is after.

            Example: matterctl time sync kitchen
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let (before, after) = try await context.controller.devices.synchronizeClock(
            of: record, title: NodeTarget(node.node).text, budget: context.budget)
        context.console.result {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("before", Report(before))
            Field(label: "before", [before.text])
            Field("after", Report(after))
            Field(label: "after", [after.text])
            Field(label: "granularity", after.granularityName.map { [$0] })
            Field(label: "source", after.sourceName.map { [$0] })
        }
    }
}

extension ClockReading {
    fileprivate var granularityName: String? {
        granularity.map { Report.name($0, TimeSynchronization.Attribute.granularity) }
    }

    fileprivate var sourceName: String? {
        source.map { Report.name($0, TimeSynchronization.Attribute.timeSource) }
    }

    /// How far the clock is off.
    fileprivate var text: String {
        guard let ahead else { return "not set" }
        let milliseconds = Int64((ahead / .milliseconds(1)).rounded())
        switch abs(milliseconds) {
        case 0: return "right"
        case let size where size < 10_000: return "\(size) ms \(milliseconds > 0 ? "fast" : "slow")"
        case let size: return "\(size / 1000) s \(milliseconds > 0 ? "fast" : "slow")"
        }
    }
}

extension Report {
    fileprivate init(_ reading: ClockReading) {
        self.init {
            Field("utcTime", reading.time.flatMap { PointInTime.text($0, as: .epochMicroseconds) })
            Field("aheadMs", reading.ahead.map { JSONValue.milliseconds($0) })
            Field("granularity", reading.granularityName)
            Field("source", reading.sourceName)
        }
    }

    /// As `read` prints it.
    fileprivate static func name(_ value: some AttributeValue, _ attribute: AttributeID) -> String {
        ValuePrinter().text(
            value.tlv, as: Catalogue.standard.attribute(cluster: TimeSynchronization.id, attribute)?.type)
    }
}
