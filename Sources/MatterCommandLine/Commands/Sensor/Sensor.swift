import ArgumentParser
import MatterController
import MatterDataModel
import MatterErrors
import MatterInteraction
import MatterRecords

/// A command that shows values of nodes: with units on a terminal, bare in a pipe.
protocol ReadingCommand: NetworkCommand {
    /// What there is to show.
    static var kinds: [Reading] { get }
    /// What is said of a node that has none of them.
    static var lack: String { get }

    var nodes: [NodeArgument] { get }
    var selection: NodeSelection { get }
}

extension ReadingCommand {
    private var one: NodeArgument? { selection.meansOne(nodes.map(\.node)) ? nodes.first : nil }

    var target: NodeTarget? { one.map { NodeTarget($0.node) } }

    func validate() throws { try selection.require(nodes.map(\.node), options) }

    func run(_ context: CommandContext) async throws {
        let parts: [NodeSelection.Part]
        if let one {
            let (node, endpoint) = try await context.controller.place(of: one.node, endpoint: one.endpoint)
            parts = [NodeSelection.Part(node, [endpoint])]
        } else {
            let clusters = Set(Self.kinds.map(\.cluster.rawValue))
            parts = try await selection.parts(nodes, of: context.controller, in: .standard) {
                !clusters.isDisjoint(with: $0.serverClusters)
            }
            guard !parts.isEmpty else {
                throw ControllerError(
                    .deviceLacks, "each node that is meant \(Self.lack)", hint: .step("node.see"))
            }
        }
        let places = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        let (kinds, lack, title) = (Self.kinds, Self.lack, target?.text)
        let answers = try await NodeRound.answers(of: parts.map(\.node)) { node in
            try await context.controller.withLink(to: node) { _ in
                var taken: [TakenReading] = []
                for endpoint in places[node.nodeID] ?? [] {
                    taken += try await context.controller.readings(
                        kinds, of: node, endpoint: endpoint, title: title ?? NodeTarget(node).text, lack: lack,
                        budget: context.budget)
                }
                return taken
            }
        }
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
        let value = taken.report.value.map {
            console.isTerminal
                ? reading.text($0, measured: taken.measured) : ValuePrinter().text($0, as: reading.type)
        }
        return Report {
            if !isAlone {
                Field("name", node.name)
                Field(column: "NODE", [node.label])
            }
            Field(column: "ENDPOINT", ["\(taken.report.path.endpoint)"])
            Field("quantity", reading.name, column: "QUANTITY")
            Field(column: "VALUE", value.map { [$0] })
            Field("unit", reading.unit(measured: taken.measured))
            Report(taken.report, of: node.nodeID, in: .standard, ValuePrinter())
        }
    }
}

struct Sensor: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor", abstract: "Show every value that a device measures.",
        discussion: "Example: matterctl sensor attic")
    static let kinds = Reading.sensors
    static let lack = "has no sensor"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}

struct Battery: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "Show what a device says of its batteries.",
        discussion: "Example: matterctl battery attic")
    static let kinds = Reading.battery
    static let lack = "says nothing of a battery"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
