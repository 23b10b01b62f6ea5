import ArgumentParser
import MatterController

struct WindowStatus: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether a commissioning window is open, and who opened it.",
        discussion: """
            The first line is closed, enhanced (open with a code of its own) or basic (open with the device's code). A \
            device does not tell how long its window stays open; matterctl knows it of windows that it opened.

            Example: matterctl window status kitchen
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let (state, end) = try await context.controller.administration.windowState(
            of: record, title: NodeTarget(node.node).text, budget: context.budget)
        let names = LedgerNames(try options.state.state())
        let left = end.map { Duration.seconds($0 - context.controller.options.unixTime()) } ?? .zero
        context.console.result {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("window", state.mode.rawValue, label: "")
            if let opener = state.opener {
                Report(opener, names)
                if end != nil { Report(windowEnd: end, left: left) }
            }
        }
    }
}

extension Report {
    init(_ opener: WindowState.Opener, _ names: LedgerNames) {
        let vendor = names.vendorName(opener.vendorID)
        let id = opener.vendorID.map { "0x" + Hex.number($0, digits: 4, uppercase: true) }
        self.init {
            Field(
                "openedBy",
                Report {
                    Field("fabricIndex", opener.fabricIndex)
                    Field("vendorId", opener.vendorID)
                    Field("vendorName", vendor)
                    Field("label", opener.label)
                    Field("us", opener.isOurs)
                })
            Field(
                label: "opened by",
                [
                    opener.isOurs ? "our fabric" : "another fabric",
                    opener.fabricIndex.map { "index \($0)" }, opener.label.map { "'\($0)'" },
                    [vendor, id].compactMap { $0 }.joined(separator: " "),
                ].compactMap { $0 })
        }
    }
}
