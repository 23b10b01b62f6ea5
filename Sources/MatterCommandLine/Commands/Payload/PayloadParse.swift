import ArgumentParser
import MatterController

extension PayloadCommand {
    struct Parse: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "parse", abstract: "Show what is in a QR payload or manual pairing code.",
            discussion: "Prints the passcode.\n\nExample: matterctl payload parse 3497-011-2332")

        @Argument(help: "MT:… or a manual pairing code; - for stdin.") var payload: String
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func execute() async throws {
            let text = payload == "-" ? try StandardInput.line() ?? "" : payload
            let reports = try SetupPayload.parse(text).map { Report($0) }
            if output.json, reports.count > 1 { return console.result(reports.json) }
            for (index, report) in reports.enumerated() {
                if index > 0 { console.result("") }
                console.result(report)
            }
        }
    }
}
