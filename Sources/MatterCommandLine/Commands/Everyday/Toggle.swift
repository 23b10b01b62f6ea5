import ArgumentParser
import MatterController

struct Toggle: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Switch on what is off, and off what is on.",
        discussion: "Example: matterctl toggle kitchen")

    @Argument(help: "Node id or name, with /EP for an endpoint; or group:GROUP.") var node: NodeArgument
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var verb: Verb { .toggle }
}
