import ArgumentParser
import MatterController

struct On: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch on.", discussion: "Example: matterctl on kitchen")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var verb: Verb { .on }
}
