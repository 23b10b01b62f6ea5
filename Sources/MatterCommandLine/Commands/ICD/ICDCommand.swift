import ArgumentParser
import MatterController

struct ICDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "icd", abstract: "Devices that sleep, and check in when they wake up.",
        discussion: """
            A device that sleeps for long times is reached while it is awake. If it is registered with, it checks in with \
            this machine when it wakes up.

            Example: matterctl icd listen
            """, subcommands: [List.self, Listen.self, Register.self, Unregister.self, StayActive.self])

    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the nodes that check in, with their last check-in and the next.",
            discussion: "Example: matterctl icd ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let (registrations, faults) = try controller.context.registrations().sound()
            let nodes = try controller.context.nodes().sound().nodes
            console.result(
                registrations.map { registration in
                    Report(registration, nodes.first { $0.nodeID == registration.nodeID })
                })
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault }
        }
    }

    struct Register: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "register", abstract: "Let a node that is awake check in with this machine.",
            discussion: """
                Under a new key; a node that checks in already gets another key. Commissioning does this for devices that \
                sleep for long times.

                Example: matterctl icd register sensor
                """)

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { true }

        func validate() throws { try node.requireBare() }

        func run(_ context: CommandContext) async throws {
            let record = try context.controller.nodes.record(of: node.node)
            guard
                let registration = try await context.controller.sleepers.register(
                    with: record, title: NodeTarget(node.node).text, budget: context.budget)
            else { return }
            context.console.result(Report(registration, record))
        }
    }

    struct Unregister: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "unregister", abstract: "Let a node that is awake no longer check in with this machine.",
            discussion: "Example: matterctl icd unregister sensor --wait")

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
        @Flag(help: "Forget the key without telling the device.") var offline = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// Without the device, there is no session to share.
        var isServed: Bool { !offline }

        func validate() throws { try node.requireBare() }

        func run(_ context: CommandContext) async throws {
            try await context.controller.sleepers.unregister(
                from: try context.controller.nodes.record(of: node.node), isGone: offline,
                title: NodeTarget(node.node).text, budget: context.budget)
            try tellDone(context)
        }
    }

    struct StayActive: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "stay-active", abstract: "Ask a node that is awake to stay awake for longer.",
            discussion: """
                The node answers how long it will: often 30 seconds at most.

                Example: matterctl icd stay-active sensor --for 30s --wait
                """)

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
        @Option(name: .customLong("for"), help: ArgumentHelp("How long.", valueName: "DURATION"))
        var span = TimeSpan(.seconds(30))
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { true }

        func validate() throws {
            try node.requireBare()
            try span.requireSome("--for")
        }

        func run(_ context: CommandContext) async throws {
            let record = try context.controller.nodes.record(of: node.node)
            let promise = try await context.controller.sleepers.keepAwake(
                record, for: span.duration, title: NodeTarget(node.node).text, budget: context.budget)
            context.console.result {
                Field("node", record.nodeID)
                Field("name", record.name)
                Field(
                    "stayActiveMs", JSONValue.milliseconds(promise), label: "awake for",
                    text: DurationText.format(promise))
            }
        }
    }
}

extension Report {
    fileprivate init(_ registration: ICDRegistration, _ node: NodeRecord?) {
        let sleep = registration.sleep
        let ways = ActiveModeTrigger.ways(sleep)
        self.init {
            Field("node", registration.nodeID, label: "node", column: "NODE")
            Field("name", node?.name, label: "name", column: "NAME")
            Field("confirmed", registration.current != nil)
            Field("longIdleTime", sleep.isLong)
            Field(
                "idleSeconds", sleep.idle, label: "sleeps for up to", column: "SLEEPS FOR",
                text: DurationText.format(.seconds(Int64(sleep.idle))))
            Field(
                "activeThresholdMs", sleep.threshold, label: "awake after activity",
                text: DurationText.format(.milliseconds(Int64(sleep.threshold))))
            Field("maxBackOffSeconds", sleep.mostBackOff)
            if let last = registration.last {
                let next = DateText.time(last.at + Int64(sleep.idle))
                Field("counter", last.counter, label: "counter")
                Field("lastCheckIn", DateText.time(last.at), label: "last check-in", column: "LAST CHECK-IN")
                Field("nextBy", next, label: "next by", column: "NEXT BY")
            } else {
                Field(column: "LAST CHECK-IN", nil)
                Field(column: "NEXT BY", nil)
            }
            Field("wakeUp", ways.isEmpty ? nil : ways)
            Field(label: "wake it up", ways.isEmpty ? nil : ways)
        }
    }
}
