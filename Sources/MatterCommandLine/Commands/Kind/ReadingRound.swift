import MatterController

/// A question to nodes for their values, which are shown with units on a terminal, and bare in a pipe.
struct ReadingRound {
    private let readings: [Reading]
    private let trait: String
    private let nodes: [NodeArgument]
    private let selection: NodeSelection

    /// - Parameter trait: what is said of a node that has some of them: `is a valve`.
    init(_ readings: [Reading], trait: String, _ nodes: [NodeArgument], _ selection: NodeSelection) {
        self.readings = readings
        self.trait = trait
        self.nodes = nodes
        self.selection = selection
    }

    init(_ kind: DeviceKind, _ nodes: [NodeArgument], _ selection: NodeSelection) {
        self.init(kind.readings, trait: kind.trait, nodes, selection)
    }

    private var lack: String { DeviceKind.lack(of: trait) }

    private var one: NodeArgument? { selection.meansOne(nodes.map(\.node)) ? nodes.first : nil }

    var target: NodeTarget? { one.map { NodeTarget($0.node) } }

    /// The nodes that are meant, and their endpoints.
    func parts(_ context: CommandContext) async throws -> [NodeSelection.Part] {
        if let one {
            let (node, endpoint) = try context.controller.nodes.place(of: one.node, endpoint: one.endpoint)
            return [NodeSelection.Part(node, [endpoint])]
        }
        return try context.controller.devices.parts(of: selection.query(nodes), having: readings, trait: trait)
    }

    func run(_ context: CommandContext) async throws {
        let parts = try await parts(context)
        let answers = try await context.controller.devices.readings(
            readings, at: parts, title: target?.text, lack: lack, budget: context.budget)
        let isAlone = one != nil
        if isAlone, let failure = answers.first?.failure { throw failure }
        context.console.result(
            answers.flatMap { answer in
                (answer.value ?? []).map { report($0, of: answer.node, isAlone: isAlone, context.console) }
                    + (answer.error.map { error in
                        context.console.isJSON ? [failed(answer.node, error)] : []
                    } ?? [])
            })
        try NodeRound.judge(answers, context.console)
    }

    private func failed(_ node: NodeRecord, _ error: Report) -> Report {
        Report {
            Field("node", node.nodeID)
            Field("name", node.name)
            Field("error", error)
        }
    }

    private func report(
        _ taken: TakenReading, of node: NodeRecord, isAlone: Bool, _ console: Console
    ) -> Report {
        let reading = taken.reading
        let value = console.isTerminal ? taken.text(of: node) : taken.report.value.map(reading.plain)
        return Report {
            Report(taken.report, of: NodeMark(node), in: .standard, ValuePrinter())
            if !isAlone { Field(column: "NODE", [node.label]) }
            Field(column: "ENDPOINT", ["\(taken.report.path.endpoint)"])
            Field("quantity", reading.name, column: "QUANTITY")
            Field(column: "VALUE", value.map { [$0] })
            Field("unit", reading.unit(measured: taken.measured))
        }
    }
}
