import ArgumentParser
import MatterDataModel
import MatterInteraction

struct Toggle: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Switch on what is off, and off what is on.",
        discussion: "Example: matterctl toggle kitchen")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func command(endpoint: EndpointID) -> Command {
        Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.toggle)
    }
}
