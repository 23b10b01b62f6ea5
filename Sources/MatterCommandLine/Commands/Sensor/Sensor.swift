import ArgumentParser
import MatterController
import MatterDataModel
import MatterInteraction
import MatterRecords

/// Prints what a node measures: with units on a terminal, the bare values in a pipe.
struct ReadingOutput {
    private let context: CommandContext
    private let node: NodeArgument

    init(_ context: CommandContext, _ node: NodeArgument) {
        self.context = context
        self.node = node
    }

    /// - Parameter lack: what is said of a node that has none of them.
    func print(_ kinds: [Reading], lack: String) async throws {
        let record = try await context.controller.record(of: node.node)
        let taken = try await context.controller.readings(
            kinds, of: record, endpoint: node.endpoint, title: NodeTarget(node.node).text, lack: lack,
            budget: context.budget)
        let isTerminal = context.console.isTerminal
        context.console.result(
            taken.map { taken in
                let reading = taken.reading
                let value = taken.report.value
                return Report {
                    Field(
                        column: "ENDPOINT", ["\(taken.report.path.endpoint)"])
                    Field("quantity", reading.name, column: "QUANTITY")
                    Field(
                        column: "VALUE",
                        value.map {
                            [
                                isTerminal
                                    ? reading.text($0, measured: taken.measured)
                                    : ValuePrinter().text($0, as: reading.type)
                            ]
                        })
                    Field("unit", reading.unit(measured: taken.measured))
                    Report(taken.report, of: record.nodeID, in: .standard, ValuePrinter())
                }
            })
    }
}

struct Sensor: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "sensor", abstract: "Show every value that a device measures.",
        discussion: "Example: matterctl sensor attic")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        try await ReadingOutput(context, node).print(Reading.sensors, lack: "has no sensor")
    }
}

struct Battery: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "Show what a device says of its batteries.",
        discussion: "Example: matterctl battery attic")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        try await ReadingOutput(context, node).print(Reading.battery, lack: "says nothing of a battery")
    }
}
