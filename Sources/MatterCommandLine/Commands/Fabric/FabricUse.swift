import ArgumentParser
import MatterController

extension FabricCommand {
    struct Use: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Choose the fabric that commands use when none is named.",
            discussion: "Example: matterctl fabric use lab")

        @Argument(help: "The name.", completion: .kind(.fabric)) var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            try FabricStore(try state.state()).choose(name)
            console.object {
                Field("fabric", name)
                Field("result", "chosen")
            }
        }
    }
}
