import ArgumentParser
import MatterDataModel
import MatterInteraction

struct On: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch on.", discussion: "Example: matterctl on kitchen")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func command(endpoint: EndpointID) -> Command {
        Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.on)
    }
}
