import ArgumentParser
import MatterController

/// A device that is open for commissioning, in place of a node.
struct CodeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The setup code of a device that is open for commissioning, in place of a node; - for stdin.",
            valueName: "PAYLOAD"))
    var code: String?
    @OptionGroup var way: WayOptions

    var isGiven: Bool { code != nil }

    /// `nil` where no device is looked for over Bluetooth.
    var bluetoothAdapters: [String]? { isGiven ? way.adapters : nil }

    func check(_ options: NetworkOptions) throws {
        guard isGiven || !way.isGiven else { throw ValidationError("--via and --ble-adapter need --code") }
        try way.check(options)
    }

    /// Does something with the device, and leaves it as it was.
    ///
    /// - Throws: as ``Controller/inPASESession(_:progress:deadline:_:)``.
    func inPASESession<Result: Sendable>(
        _ context: CommandContext, _ work: @escaping @Sendable (UncommissionedDevice) async throws -> Result
    ) async throws -> Result {
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        return try await context.controller.commissioning.inPASESession(
            try way.requests(code ?? "", context.controller), progress: { printer.report($0) },
            deadline: context.deadline, work)
    }
}

extension WayOptions {
    /// The devices that a setup code is for, with what was said of the way to them.
    ///
    /// - Parameter code: `-` for stdin.
    func requests(_ code: String, _ controller: Controller) throws -> [CommissioningRequest] {
        try SetupPayload.parse(try StandardInput.payload(code)).map { payload in
            var request = CommissioningRequest(payload)
            request.addresses = controller.options.addresses
            request.via = via
            return request
        }
    }
}

/// A word that names a node, or with `--code`, where no node is named, is a path already.
struct NodeOrPath: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        text = argument
    }

    /// The word as messages name a node; `nil` for a group.
    var target: NodeTarget? { GroupTarget(NodeArgument(text)) == nil ? NodeTarget(text) : nil }

    /// The word as a node alone.
    func bare() throws -> NodeArgument {
        guard let node = NodeArgument(argument: text) else {
            throw ValidationError("The value '\(text)' is invalid for '<node>'")
        }
        try node.requireBare()
        return node
    }

    static func missing(_ argument: String, _ meaning: String) -> ValidationError {
        ValidationError("missing expected argument '\(argument)' (\(meaning))")
    }
}
