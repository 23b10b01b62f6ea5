import Glibc
import HouseServer
import MatterController
import Synchronization

/// Commands that the server runs for its visitors: those that only look.
struct ServedCommands: CommandRunner {
    private let place: [String]
    private let terminal: Terminal

    init(_ state: StateOptions, _ terminal: Terminal) {
        place = (state.home.map { ["--home", $0] } ?? []) + (state.fabric.map { ["--fabric", $0] } ?? [])
        self.terminal = terminal
    }

    func output(of document: HouseDocument) async -> CommandOutput {
        let arguments =
            switch document {
            case .map: ["map", "--json"]
            case .jobs: ["job", "ls", "--json"]
            }
        let texts = Mutex((result: "", errors: ""))
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { if input >= 0 { close(input) } }
        let inside = Terminal(
            input: input, environment: { [terminal] in terminal.variable($0) }, isTerminal: { _ in false },
            write: { text, stream in
                texts.withLock { if stream == .output { $0.result += text } else { $0.errors += text } }
                return 0
            })
        let modules = VendorModule.all
        let status = await Program.run(arguments + place, with: modules, on: inside)
        return texts.withLock { texts in
            CommandOutput(status: status, result: Array(texts.result.utf8), errors: Array(texts.errors.utf8))
        }
    }
}
