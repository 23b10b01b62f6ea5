import ArgumentParser
import MatterController

struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover", abstract: "Blinds, shutters and curtains.",
        discussion: "Example: matterctl cover bedroom 40%",
        subcommands: [CoverPosition.self, CoverOpen.self, CoverClose.self, CoverStop.self, CoverTilt.self],
        defaultSubcommand: CoverPosition.self)
}

struct CoverPosition: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "position", abstract: "Move to a position: 0% is open, 100% is closed.",
        discussion: "Example: matterctl cover position bedroom 40%")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0%–100%.") var position: ShareArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.position(position.number) }
}

struct CoverTilt: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "tilt", abstract: "Tilt the slats: 0% is open, 100% is closed.",
        discussion: "Example: matterctl cover tilt bedroom 75%")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0%–100%.") var tilt: ShareArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.tilt(tilt.number) }
}

struct CoverOpen: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open.", discussion: "Example: matterctl cover open bedroom")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.open }
}

struct CoverClose: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close.", discussion: "Example: matterctl cover close bedroom")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.close }
}

struct CoverStop: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop where it is.", discussion: "Example: matterctl cover stop bedroom")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { CoverVerb.stop }
}
