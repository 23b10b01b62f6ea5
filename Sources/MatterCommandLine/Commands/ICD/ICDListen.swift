import ArgumentParser
import MatterController

extension ICDCommand {
    struct Listen: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "listen", abstract: "Take the check-ins of nodes that sleep, and print a line for each.",
            discussion: """
                Until stopped. Nodes find this machine by mDNS, at the port that is printed on stderr. One process of a \
                state directory listens; commands with --wait use what it hears.

                Example: matterctl icd listen
                """)

        @Option(help: ArgumentHelp("The UDP port; any by default.", valueName: "PORT")) var port: UInt16 = 0
        @Option(help: ArgumentHelp("End after this many check-ins.", valueName: "N")) var count: Int?
        @Option(name: .customLong("for"), help: ArgumentHelp("How long to go on.", valueName: "DURATION"))
        var span: TimeSpan?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var longestRun: Duration? { nil }

        func validate() throws {
            try span?.requireSome("--for")
            if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
            if options.wait { throw ValidationError("listen waits by itself: leave --wait out") }
        }

        func run(_ context: CommandContext) async throws {
            let (controller, console, port) = (context.controller, context.console, port)
            let nodes = try controller.context.nodes()
            if try controller.context.registrations().sound().registrations.isEmpty {
                console.warning("no node checks in here", .step("icd.register-any"))
            }
            let (checkIns, told) = AsyncStream.makeStream(of: VerifiedCheckIn.self)
            let listener = Task {
                defer { told.finish() }
                try await controller.sleepers.listenForCheckIns(
                    port: port, ready: { console.message("listening for check-ins on UDP port \($0)") },
                    tell: { told.yield($0) })
            }
            let timer = span.map { span in
                Task {
                    try? await Task.sleep(for: span.duration)
                    listener.cancel()
                }
            }
            await withTaskCancellationHandler {
                var left = count
                var work: [Task<Void, Never>] = []
                for await checkIn in checkIns {
                    work.append(Task { await Self.work(at: checkIn, controller, console) })
                    Self.report(checkIn, name: (try? nodes.node(checkIn.node))?.name, on: console)
                    left = left.map { $0 - 1 }
                    if left == 0 { break }
                }
                for task in work { await task.value }
                listener.cancel()
            } onCancel: {
                listener.cancel()
            }
            timer?.cancel()
            // To be stopped is how it ends.
            do { try await listener.value } catch is CancellationError {}
        }

        /// Does what jobs have left to do on the node while it is awake.
        private static func work(at checkIn: VerifiedCheckIn, _ controller: Controller, _ console: Console) async {
            do {
                try await controller.jobs.workAtCheckIn(of: checkIn.node)
            } catch {
                console.warning("the jobs of node \(checkIn.node.rawValue) could not go on: \(error)")
            }
        }

        private static func report(_ checkIn: VerifiedCheckIn, name: String?, on console: Console) {
            let threshold = checkIn.activeThreshold
            let report = Report {
                Field("node", checkIn.node, column: "NODE")
                Field("name", name, column: "NAME")
                Field("counter", checkIn.counter, column: "COUNTER")
                Field(
                    "activeThresholdMs", threshold, column: "AWAKE FOR",
                    text: threshold.map { DurationText.format(.milliseconds(Int64($0))) })
                Field("time", DateText.time(checkIn.at), column: "TIME")
                if checkIn.hasNewKey { Field("newKey", true) }
            }
            console.result(console.isJSON ? report.json.serialized() : report.row.joined(separator: "\t"))
        }
    }
}
