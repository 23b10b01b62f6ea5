import ArgumentParser
import MatterController

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure.", shouldDisplay: false, subcommands: [ToggleRuns.self])

    struct ToggleRuns: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "toggle", abstract: "Toggle a light many times in one process.",
            discussion: "Example: matterctl bench toggle kitchen --count 200 --json")
        static let defaultTimeout = Duration.seconds(300)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(help: ArgumentHelp("How many times.", valueName: "N")) var count = 200
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func validate() throws {
            guard (1...100_000).contains(count) else { throw ValidationError("--count takes 1 to 100000") }
        }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            let place = try await controller.nodes.endpoint(
                serving: OnOff.id, of: try controller.nodes.record(of: node.node), named: node.endpoint,
                budget: context.budget)
            let record = place.node
            try await place.link.connect(deadline: context.deadline(for: record))
            let command = Command(endpoint: place.endpoint, cluster: OnOff.id, command: OnOff.Command.toggle)
            var times: [Duration] = []
            for _ in 0..<count {
                let start = Instant.now
                let result = try await place.link.invoke(command, .atMostOnce, deadline: context.deadline(for: record))
                try Outcome.check(result, of: NodeTarget(node.node).text)
                times.append(.now - start)
            }
            times.sort()
            func quantile(_ key: String, _ label: String, _ share: Double) -> Field {
                let time = JSONValue.milliseconds(times[min(times.count - 1, Int(Double(times.count) * share))])
                return Field(key, time, label: label, text: "\(TerminalText.text(time)) ms")
            }
            context.console.result {
                Field("count", count, label: "toggles")
                quantile("minMs", "fastest", 0)
                quantile("p50Ms", "median", 0.5)
                quantile("p95Ms", "95 of 100 within", 0.95)
                quantile("maxMs", "slowest", 1)
            }
        }
    }
}
