import ArgumentParser

struct ThreadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thread", abstract: "Thread networks.",
        discussion: "Example: matterctl thread dataset show @dataset.hex", subcommands: [Dataset.self])

    struct Dataset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dataset", abstract: "Check and make the operational datasets of Thread networks.",
            discussion: """
                A dataset has the network key in it: it is read from a file or from stdin, and its keys are never shown.

                Example: matterctl thread dataset show @dataset.hex
                """, subcommands: [Show.self, Make.self])
    }
}
