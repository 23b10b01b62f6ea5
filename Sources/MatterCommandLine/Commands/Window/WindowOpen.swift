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

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Option(name: .customLong("for"), help: ArgumentHelp("How long: 3 to 15 minutes.", valueName: "DURATION"))
    var span = TimeSpan(.seconds(300))
    @Flag(help: "With the setup code that the device was made with, which matterctl does not know.") var basic = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

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
        try context.console.show(window, of: record)
    }
}

extension Console {
    /// Prints the code of the only window that was opened, and draws it on a terminal.
    func show(_ window: OpenedWindow, of node: NodeRecord) throws {
        if let qrCode = try window.payload?.qrCode(), isTerminal, !isJSON {
            for line in QRDrawing.lines(qrCode) ?? [] { result(line) }
        }
        try result {
            Field("node", node.nodeID)
            Field("name", node.name)
            try Report(window)
        }
        if window.payload == nil, !isJSON { message("the setup code is the one on the device or in its papers") }
    }
}

extension Report {
    /// A window, and the code that admits.
    init(_ window: OpenedWindow) throws {
        let mode = window.payload == nil ? WindowState.Mode.basic : .enhanced
        try self.init {
            Field("window", mode.rawValue)
            if let payload = window.payload {
                Field("qrCode", try payload.qrCode(), label: "qr code")
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
