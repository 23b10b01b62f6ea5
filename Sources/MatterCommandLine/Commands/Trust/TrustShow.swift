import ArgumentParser
import MatterLedger

extension TrustCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the trusted keys with a key id or subject.",
            discussion: "Example: matterctl trust show Espressif")

        @Argument(help: "The key id, or part of the subject.") var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let keys = try trustCatalogue().keys(named: name)
            if console.isJSON { return console.result(keys.map { Report($0) }) }
            for (index, key) in keys.enumerated() {
                if index > 0 { console.result("") }
                console.result(Report(key))
            }
        }
    }
}
