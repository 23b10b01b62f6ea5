import ArgumentParser
import MatterController

/// Where the PIN code of a lock comes from; never an argument, which other users of this machine can see.
struct PINOptions: ParsableArguments {
    @Option(
        name: .line(.pin),
        help: ArgumentHelp("The PIN code: @FILE, or @- for stdin.", valueName: "@FILE"), completion: .kind(.contents))
    var pin: String?

    /// - Parameter pin: the value of `--pin`.
    static func check(_ pin: String?) throws {
        guard let pin, !pin.hasPrefix("@") || pin.count < 2 else { return }
        throw ValidationError("--pin takes @FILE, or @- for stdin: other users can see the arguments of a command")
    }

    /// - Parameter pin: the value of `--pin`.
    static func code(_ pin: String?) throws -> String? {
        try pin.map { try InputFile.firstLine(String($0.dropFirst())) }
    }

    /// Asks a person.
    static func ask(_ target: NodeTarget?) throws -> String {
        try Prompt.line("PIN code of \(target?.text ?? "the lock")", isSecret: true, hint: "use --pin @FILE")
    }

    func validate() throws { try Self.check(pin) }

    func code() throws -> String? { try Self.code(pin) }
}

/// A command that is short for a verb of a lock.
protocol LockShortcut: NodesCommand, VerbNaming {
    var code: PINOptions { get }
    var relockAfter: TimeSpan? { get }
}

extension LockShortcut {
    var verbName: String? { nil }
    var otherNames: [String] { ["\(LockKind.name) \(Self.plainName)"] }

    /// The same line as that of the kind.
    private var line: KindCommand<LockKind> {
        var command = KindCommand<LockKind>()
        command.words = [Self.plainName] + nodes.map(\.text)
        var particular = KindOptions<LockKind>.none
        (particular.pin, particular.relockAfter) = (code.pin, relockAfter)
        (particular.verify, particular.dryRun) = (everyday.verify, everyday.dryRun)
        command.particular = particular
        command.selection = everyday.selection
        command.options = options
        return command
    }

    func validate() throws {
        let line = line
        try line.particular.validate()
        try line.validate()
    }

    func verb() throws -> any DeviceVerb { try line.verb() }

    func run(_ context: CommandContext) async throws { try await line.run(context) }
}

/// `lock door`, short for `door-lock lock door`.
struct LockDoor: LockShortcut, NodesCommand {
    static let plainName = "lock"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Lock a door.",
        discussion: """
            A lock that wants a PIN code gets it from a file, from stdin, or asks on a terminal.

            Example: matterctl lock door --verify
            """)

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var code: PINOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var relockAfter: TimeSpan? { nil }
}

/// `unlock door`, short for `door-lock unlock door`.
struct Unlock: LockShortcut, NodesCommand {
    static let plainName = "unlock"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Unlock a door.",
        discussion: """
            A lock that wants a PIN code gets it from a file, from stdin, or asks on a terminal.

            Example: matterctl unlock door --pin @pin.txt --relock-after 30s
            """)

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var code: PINOptions
    @Option(name: .line(.relockAfter), help: ArgumentHelp("Lock again after this time.", valueName: "DURATION"))
    var relockAfter: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
