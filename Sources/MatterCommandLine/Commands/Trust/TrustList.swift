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
}
