import ArgumentParser
import MatterController

struct On: SwitchCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch on.", discussion: "Example: matterctl on kitchen")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { Verb.on }
}
