import ArgumentParser
import MatterController

struct On: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch on.", discussion: "Example: matterctl on kitchen")

    @Argument(help: "Node id or name, with /EP for an endpoint; or group:GROUP.") var node: NodeArgument
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var verb: Verb { .on }
}
