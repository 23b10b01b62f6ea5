import ArgumentParser
import MatterController
import MatterCredentials
import MatterErrors
import MatterLedger

extension TrustCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the trusted authorities and declaration signers.",
            discussion: "Example: matterctl trust ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let catalogue = try trustCatalogue()
            console.result(catalogue.keys.map { Report($0) })
            let age = TrustAge(date: catalogue.date, now: Clock.unixTime())
            let text = "as of \(age.day), \(age.days) days ago"
            console.message(
                age.isOld ? "warning: the authorities are \(text); \(Hints.text(.step("trust.update")))" : text)
        }
    }

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
