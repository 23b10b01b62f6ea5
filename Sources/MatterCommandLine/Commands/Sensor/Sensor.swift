import ArgumentParser
import MatterController

/// A command that shows values of nodes: with units on a terminal, bare in a pipe.
protocol ReadingCommand: NetworkCommand, DeviceCommand {
    /// What there is to show.
    static var kinds: [Reading] { get }
    /// What is said of a node that has none of them.
    static var lack: String { get }

    var nodes: [NodeArgument] { get }
    var selection: NodeSelection { get }
}

extension ReadingCommand {
    var round: ReadingRound { ReadingRound(Self.kinds, lack: Self.lack, nodes, selection) }

    var target: NodeTarget? { round.target }

    func validate() throws { try selection.require(nodes.map(\.node), options) }

    func run(_ context: CommandContext) async throws { try await round.run(context) }
}

struct Sensor: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor", abstract: "Show every value that a device measures.",
        discussion: "Example: matterctl sensor attic")
    static let kinds = Reading.sensors + Reading.energy
    static let lack = "has no sensor"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}

struct Battery: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "Show what a device says of its batteries.",
        discussion: "Example: matterctl battery attic")
    static let kinds = Reading.battery
    static let lack = "reports no battery"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
