import ArgumentParser
import MatterController

/// The state of locks, whose other commands are not made from the declaration of their kind.
struct LockShow: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the state of locks, or follow it.",
        discussion: "Example: matterctl lock show door")

    @Argument(help: ArgumentHelp("\(KindLine.nodesHelp).", valueName: "node")) var nodes: [NodeArgument] = []
    @Flag(help: "Go on, with a line for each change, until stopped.") var watch = false
    @Option(name: .customLong("for"), help: ArgumentHelp("With --watch: end after this time.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(help: ArgumentHelp("With --watch: end after this many lines.", valueName: "N")) var count: Int?
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { !watch }
    var isServed: Bool { true }
    var goesOn: Bool { watch }

    private var round: ReadingRound { ReadingRound(LockKind.kind, nodes, selection) }

    var target: NodeTarget? { round.target }

    var longestRun: Duration? { watch ? nil : options.timeout?.duration }

    func validate() throws {
        guard watch || span == nil && count == nil else { throw ValidationError("--for and --count need --watch") }
        try span?.requireSome("--for")
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
    }

    func run(_ context: CommandContext) async throws {
        guard watch else { return try await round.run(context) }
        try await KindWatch(LockKind.kind, round, span: span, count: count, context).run()
    }
}
