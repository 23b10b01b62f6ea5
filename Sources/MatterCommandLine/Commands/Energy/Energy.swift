import ArgumentParser
import MatterController

struct Energy: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "energy", abstract: "Show the power, voltage, current and energy that a device measures.",
        discussion: "Example: matterctl energy heater")
    static let kinds = Reading.energy
    static let lack = "measures no energy"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
