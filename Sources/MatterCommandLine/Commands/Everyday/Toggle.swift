import ArgumentParser
import MatterController

struct Toggle: NodesCommand {
    static let plainName = "toggle"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Switch on what is off, and off what is on.",
        discussion: "Example: matterctl toggle kitchen")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { Verb.toggle }
}
