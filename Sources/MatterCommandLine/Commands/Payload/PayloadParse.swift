import ArgumentParser
import JSON
import MatterSetupPayload

extension PayloadCommand {
    struct Parse: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "parse", abstract: "Show what is in a QR payload or manual pairing code.",
            discussion: "Prints the passcode.\n\nExample: matterctl payload parse 3497-011-2332")

        @Argument(help: "MT:… or a manual pairing code; - for stdin.") var payload: String
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func execute() async throws {
            let text = payload == "-" ? try StandardInput.line() ?? "" : payload
            let payloads = try SetupPayload.parse(text)
            if output.json {
                let objects = payloads.map { PayloadReport($0).json }
                output.console.result(objects.count == 1 ? objects[0] : .array(objects))
                return
            }
            for (index, payload) in payloads.enumerated() {
                if index > 0 { output.console.result("") }
                for line in PayloadReport(payload).lines { output.console.result(line) }
            }
        }
    }
}
