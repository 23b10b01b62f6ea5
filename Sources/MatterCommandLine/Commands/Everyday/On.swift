import ArgumentParser
import MatterController

struct On: NodesCommand {
    static let plainName = "on"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Switch on.", discussion: "Example: matterctl on kitchen")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { Verb.on }
}
