import ArgumentParser
import MatterController

struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover", abstract: "Blinds, shutters and curtains.",
        discussion: "Example: matterctl cover bedroom 40%",
        subcommands: [CoverPosition.self, CoverOpen.self, CoverClose.self, CoverStop.self, CoverTilt.self],
        defaultSubcommand: CoverPosition.self)
}

struct CoverPosition: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "position", abstract: "Move to a position: 0% is open, 100% is closed.",
        discussion: "Example: matterctl cover position bedroom 40%")

    @OptionGroup var words: NodesAndValue<ShareArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { CoverVerb.position(try words.value().number) }
}

struct CoverTilt: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "tilt", abstract: "Tilt the slats: 0% is open, 100% is closed.",
        discussion: "Example: matterctl cover tilt bedroom 75%")

    @OptionGroup var words: NodesAndValue<ShareArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { CoverVerb.tilt(try words.value().number) }
}

struct CoverOpen: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open.", discussion: "Example: matterctl cover open bedroom")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.open }
}

struct CoverClose: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close.", discussion: "Example: matterctl cover close bedroom")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.close }
}

struct CoverStop: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop where it is.", discussion: "Example: matterctl cover stop bedroom")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.stop }
}
