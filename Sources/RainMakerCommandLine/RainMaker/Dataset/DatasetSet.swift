import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerDataset {
    struct Set: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Give a border router an operational dataset.",
            discussion: "Example: matterctl rainmaker dataset set router dataset.hex")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Argument(
            help: "The dataset is the first line of this file, in hexadecimal digits; - for stdin.",
            completion: .kind(.file))
        var file: String
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// False: the file is the shell's.
        var isServed: Bool { false }

        func run(_ context: CommandContext) async throws {
            let dataset = try SecretText(InputFile.firstLine(file))
            try await device(context).setDataset(dataset)
            try tellDone(context)
        }
    }
}
