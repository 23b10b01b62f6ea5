import ArgumentParser
import MatterRecords

extension FabricCommand {
    struct Show: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a fabric's ids and certificates.",
            discussion: "Example: matterctl fabric show home --json")

        @Argument(help: "The name; the fabric in use if left out.") var name: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let store = FabricStore(try state.state())
            let record = try store.select(name ?? state.fabricName)
            let report = FabricReport(record, isInUse: nil)
            if output.json {
                output.console.result(report.json)
            } else {
                for line in try report.lines() { output.console.result(line) }
            }
        }
    }
}
