import ArgumentParser
import MatterController

extension TrustCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the trusted keys and the lists of revoked certificates with a key id or subject.",
            discussion: "Example: matterctl trust show Espressif")

        @Argument(help: "The key id, or part of the subject.") var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let lists = try revocationEntries().filter { $0.isNamed(name) }
            let catalogue = try trustCatalogue()
            let keys = try lists.isEmpty ? catalogue.keys(named: name) : (try? catalogue.keys(named: name)) ?? []
            let reports = keys.map { Report($0) } + lists.map { Report($0) }
            if console.isJSON { return console.result(reports) }
            for (index, report) in reports.enumerated() {
                if index > 0 { console.result("") }
                console.result(report)
            }
        }
    }
}
