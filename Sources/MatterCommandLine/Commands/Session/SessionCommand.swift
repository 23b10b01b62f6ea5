import ArgumentParser
import MatterController

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "The sessions with nodes that are kept between commands.",
        discussion: """
            A command leaves its session to the next one, in a folder in memory ($XDG_RUNTIME_DIR/matterctl), so that the \
            next one sends at once what it is about. A session is kept for an hour at most, and until the machine is \
            started again.

            Example: matterctl session warm --room Hall
            """, subcommands: [List.self, Drop.self, Warm.self])

    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the kept sessions.",
            discussion: "Example: matterctl session ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let isTerminal = console.isTerminal
            console.result(try state.controller().links.keptStates().map { Report($0, isTerminal: isTerminal) })
        }
    }

    struct Drop: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Close the kept sessions with nodes.",
            discussion: """
                The nodes are told. The next command sets up another session.

                Example: matterctl session drop --all
                """)

        @Argument(help: NodeSelection.wholeNodesHelp, completion: .kind(.node)) var nodes: [String] = []
        @OptionGroup var selection: NodeSelection
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var target: NodeTarget? { selection.meansOne(nodes) ? nodes.first.map { NodeTarget($0) } : nil }

        func validate() throws { try selection.require(nodes, options) }

        func run(_ context: CommandContext) async throws {
            let records = try await selection.nodes(nodes, of: context.controller, in: .standard)
            let answers = try await NodeAnswer.each(of: records) { node in
                try await context.controller.links.dropSession(with: node, deadline: context.deadline(for: node))
            }
            let reports = answers.map { answer in
                Report {
                    Report(answer.node, result: answer.error == nil ? "disconnected" : "failed")
                    Field("error", answer.error)
                }
            }
            if selection.meansOne(nodes), let report = reports.first {
                if answers.first?.error == nil { context.console.object(report) }
            } else {
                context.console.objects(reports)
            }
            try NodeRound.judge(answers, context.console)
        }
    }

    struct Warm: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "warm", abstract: "Set up sessions ahead, for the commands to come.",
            discussion: """
                A session that is there is tried. How each came to be (kept, resumed or full) and how long it took is \
                printed.

                Example: matterctl session warm --room Hall
                """)

        @Argument(help: NodeSelection.wholeNodesHelp, completion: .kind(.node)) var nodes: [String] = []
        @OptionGroup var selection: NodeSelection
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        private var isOne: Bool { selection.meansOne(nodes) }
        var target: NodeTarget? { isOne ? nodes.first.map { NodeTarget($0) } : nil }

        func validate() throws { try selection.require(nodes, options) }

        func run(_ context: CommandContext) async throws {
            let records = try await selection.nodes(nodes, of: context.controller, in: .standard)
            let answers = try await NodeAnswer.each(of: records) { node in
                try await context.controller.links.warm(node, deadline: context.deadline(for: node))
            }
            if let obstacle = context.controller.links.obstacleToKeeping {
                context.console.warning("no session is kept for later commands: \(obstacle)")
            }
            try NodeRound.print(answers, isOne: isOne, context.console) { _, session in
                Report {
                    Field("session", session.rung.rawValue)
                    Field("ms", JSONValue.milliseconds(session.time))
                }
            } rows: { node, session in
                [
                    Report {
                        Field("node", node.nodeID, column: "NODE")
                        Field("name", node.name, column: "NAME")
                        Field("session", session.rung.rawValue, column: "SESSION")
                        Field("ms", JSONValue.milliseconds(session.time), column: "MS")
                    }
                ]
            }
        }
    }
}

extension Report {
    /// A kept session in a list.
    ///
    /// - Parameter isTerminal: whether times have their unit.
    init(_ session: NodeLinks.KeptState, isTerminal: Bool) {
        func text(_ time: Duration) -> String { "\(time.components.seconds)" + (isTerminal ? " s" : "") }
        self.init {
            Field("node", session.node.nodeID, column: "NODE")
            Field("name", session.node.name, column: "NAME")
            session.report
            Field(column: "ADDRESS", [session.address.description])
            Field(column: "AGE", [text(session.age)])
            Field(column: "HEARD", session.silence.map { [text($0)] })
        }
    }
}

extension NodeLinks.KeptState {
    /// The facts about the session alone.
    var report: Report {
        Report {
            Field("address", address.description)
            Field("ageSeconds", age.components.seconds)
            Field("heardSeconds", silence.map(\.components.seconds))
            Field("roundTripMs", roundTrip.map(JSONValue.milliseconds))
        }
    }

    /// The same in words.
    var words: String { "kept since \(age.components.seconds) s at \(address)" }
}
