import ArgumentParser
import MatterController

extension TrustCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the trusted authorities, declaration signers and lists of revoked certificates.",
            discussion: "Example: matterctl trust ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            var faults: [LedgerError] = []
            let catalogue = try trustCatalogue { faults.append($0) }
            let lists = try revocationEntries()
            console.result(catalogue.keys.map { Report($0) } + lists.map { Report($0) })
            let age = TrustAge(date: catalogue.date, now: Terminal.current.unixTime())
            let text = "as of \(age.day), \(age.days) days ago"
            if age.isOld {
                console.warning("the authorities are \(text)", .step("trust.update"))
            } else {
                console.message(text)
            }
            if let outdated = catalogue.outdated {
                let stored = TrustAge(date: outdated, now: Terminal.current.unixTime())
                console.warning(
                    "the stored authorities are as of \(stored.day), \(stored.days) days ago, older than this program: only those that are built in count",
                    .step("trust.update"))
            }
            if lists.isEmpty {
                console.message("revocation: not known; \(Hints.text(.step("trust.fetch-lists")))")
            } else {
                let (missing, stale) = (lists.count { $0.state == .missing }, lists.count { $0.state == .stale })
                let oldest = lists.compactMap { $0.stored?.contents?.fetched }.min().map {
                    ", oldest fetched \(TrustAge(date: $0, now: Terminal.current.unixTime()).days) days ago"
                }
                console.message(
                    "revocation lists: \(lists.count), not fetched: \(missing), out of date: \(stale)\(oldest ?? "")")
            }
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault }
        }
    }
}
