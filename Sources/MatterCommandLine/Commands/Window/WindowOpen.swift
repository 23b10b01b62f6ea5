import ArgumentParser
import MatterController

struct WindowOpen: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a commissioning window, and print the setup code for it.",
        discussion: """
            The setup code is made for this window. Enter it in the other administrator's app. The node stays on this \
            fabric, too.

            Example: matterctl window open kitchen --for 10min
            """)

    @Argument(help: "Node id or name.") var node: NodeArgument
    @Option(name: .customLong("for"), help: ArgumentHelp("How long: 3 to 15 minutes.", valueName: "DURATION"))
    var span = TimeSpan(.seconds(300))
    @Flag(help: "With the setup code that the device was made with, which matterctl does not know.") var basic = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try node.requireBare()
        guard AdministrationService.windowDurations.contains(span.duration) else {
            throw ValidationError("--for is 3 to 15 minutes")
        }
    }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let window = try await context.controller.administration.openWindow(
            of: record, isBasic: basic, for: span.duration, title: NodeTarget(node.node).text, budget: context.budget)
        let console = context.console
        let qrCode = try window.payload?.qrCode()
        if let qrCode, console.isTerminal, !console.isJSON {
            for line in QRDrawing.lines(qrCode) ?? [] { console.result(line) }
        }
        try console.result {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("window", basic ? WindowState.Mode.basic.rawValue : WindowState.Mode.enhanced.rawValue)
            if let payload = window.payload {
                Field("qrCode", qrCode, label: "qr code")
                Field(
                    "manualCode", try payload.manualCode(), label: "manual code",
                    text: try payload.formattedManualCode())
                Field("passcode", payload.passcode.value)
                Field("discriminator", payload.discriminator.long)
                Field("vendorId", payload.vendorID)
                Field("productId", payload.productID)
            }
            Report(windowEnd: window.end, left: window.duration)
        }
        if basic, !console.isJSON {
            console.message("the setup code is the one on the device or in its papers")
        }
    }
}

extension Report {
    /// When a window ends.
    init(windowEnd end: Int64?, left: Duration) {
        self.init {
            Field(
                "leftSeconds", end == nil ? nil : left.components.seconds, label: "open for",
                text: DurationText.format(left))
            Field("until", end.map(DateText.time), label: "until")
        }
    }
}
