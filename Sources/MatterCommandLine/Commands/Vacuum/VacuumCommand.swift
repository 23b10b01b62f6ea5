import ArgumentParser
import MatterController

struct VacuumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vacuum", abstract: "Vacuum cleaners.", discussion: "Example: matterctl vacuum start robot",
        subcommands: [
            VacuumStart.self, VacuumStop.self, VacuumPause.self, VacuumResume.self, VacuumHome.self, VacuumStatus.self,
        ])
}

struct VacuumStart: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Begin to clean.", discussion: "Example: matterctl vacuum start robot")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { VacuumVerb.start }
}

struct VacuumStop: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop cleaning.", discussion: "Example: matterctl vacuum stop robot")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { VacuumVerb.stop }
}

struct VacuumPause: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause.", discussion: "Example: matterctl vacuum pause robot")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { VacuumVerb.pause }
}

struct VacuumResume: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Go on after a pause.", discussion: "Example: matterctl vacuum resume robot")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { VacuumVerb.resume }
}

struct VacuumHome: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "home", abstract: "Drive back to the dock.", discussion: "Example: matterctl vacuum home robot")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { VacuumVerb.home }
}

struct VacuumStatus: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what a vacuum cleaner does.",
        discussion: "Example: matterctl vacuum status robot")
    static let kinds = Reading.vacuum
    static let lack = "is no vacuum cleaner"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
