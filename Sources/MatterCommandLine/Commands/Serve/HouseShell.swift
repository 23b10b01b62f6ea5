import Glibc
import HouseServer
import MatterController
import Synchronization

/// The commands of this user's shells, carried out by the server over its own sessions.
struct HouseShell: ShellCommands {
    private let controller: Controller
    private let shares: HouseShares
    private let state: String
    private let fabric: String
    private let modules: [VendorModule]

    /// - Parameter state: the state directory, as `ServerCall` identifies it.
    init(_ controller: Controller, _ shares: HouseShares, state: String, fabric: String) {
        self.controller = controller
        self.shares = shares
        self.state = state
        self.fabric = fabric
        modules = VendorModule.all
    }

    func refusal(of caller: ShellCaller) async -> String? {
        guard caller.program == ServerCall.program else { return "another version" }
        guard caller.state == state else { return "another state directory" }
        let named = caller.fabric ?? (try? controller.fabrics.select(nil))?.name
        return named == fabric ? nil : "another fabric"
    }

    func run(
        _ call: ShellCall, isUnheard: @escaping @Sendable () -> Bool,
        print: @escaping @Sendable (Bool, [UInt8]) -> Void
    ) async -> Int32? {
        let asks = Atomic(false)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { if input >= 0 { close(input) } }
        let terminal = Terminal(
            input: input, environment: { call.environment[$0] },
            isTerminal: { stream in
                switch stream {
                case .input:
                    // Only a question wants to know. It comes before anything is changed, and is not for the server to ask.
                    guard call.terminals.contains("input") else { return false }
                    asks.store(true, ordering: .relaxed)
                    withUnsafeCurrentTask { $0?.cancel() }
                    return false
                case .output: return call.terminals.contains("output")
                case .error: return call.terminals.contains("error")
                }
            },
            isUnheard: isUnheard,
            write: { text, stream in
                if !asks.load(ordering: .relaxed) { print(stream == .error, Array(text.utf8)) }
                return 0
            })
        let start = call.start.map { CommandStart(made: $0.made, taken: $0.taken) }
        let status = await CommandContext.$served.withValue(controller) {
            await CommandContext.$servedShares.withValue(shares) {
                await CommandStart.$ofShell.withValue(start) {
                    await Program.run(call.arguments, with: modules, on: terminal)
                }
            }
        }
        return asks.load(ordering: .relaxed) ? nil : status
    }
}
