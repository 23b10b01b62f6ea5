import ArgumentParser
import MatterController

struct Wait: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until an attribute has a value, or an event happens.",
        discussion: """
            Also with !=, <, <=, > and >=. Without a value, PATH is an event that is waited for. Exit code 12 if it did not \
            come in time.

            Example: matterctl wait sensor 1/boolean-state/state-value=true --for 10m && matterctl on hall
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: ArgumentHelp("What is waited for.", valueName: "path=value"), completion: .kind(.condition))
    var condition: String
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long, once the node answers; without it, as long as --timeout says, or for ever.",
            valueName: "DURATION"))
    var span: TimeSpan?
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// With `--for`, `--timeout` bounds the set-up alone.
    var longestRun: Duration? { nil }
    var isServed: Bool { true }
    var goesOn: Bool { true }

    func validate() throws {
        try node.requireBare()
        try span?.requireSome("--for")
    }

    func run(_ context: CommandContext) async throws {
        let start = ContinuousClock.now
        let all = try catalogue.catalogue(try options.state.state())
        let found = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(found), context.console)
        let condition = try PlacedPath.text(condition, at: found, in: catalogue)
        let awaited: AwaitedChange
        do { awaited = try AwaitedChange(condition, in: catalogue) } catch {
            guard (try? FollowedPaths.attribute(condition, catalogue)) != nil else { throw error }
            throw CommandLineError(
                .usage, "\(condition) is an attribute: say what value is waited for: \(condition)=VALUE")
        }
        let record = try found.get().node
        let request = awaited.request(silentForAtMost: context.controller.subscriptions.usualSilence(of: [record]))
        let events = context.controller.subscriptions.follow(request, of: [record], setUp: context.timeout)
        let met = { context.console.object(Report(record, result: "met")) }
        var isFirst = true
        let setUp = context.controller.subscriptions.setUpTime(for: [record], request, usual: context.timeout)
        let whole = span == nil ? options.timeout?.duration : nil
        let timed = Timed(
            events, for: whole ?? span?.duration, since: whole.map { _ in start }, setUp: setUp
        ) { $0.isEstablished }
        for try await event in timed.stream {
            switch event {
            case .subscription(_, .established(_, _, let result)):
                if awaited.isMet(by: result, isFirst: isFirst) { return met() }
                isFirst = false
            case .subscription(_, .report(let result)):
                if awaited.isMet(by: result, isFirst: false) { return met() }
            case .subscription(_, .lost): break
            case .ended(let node, let error): throw Watching.named(error, node)
            }
        }
        try Task.checkCancellation()
        let time = (span?.duration ?? whole).map { " within \(DurationText.format($0))" } ?? ""
        throw CommandLineError(
            .watchNotMet, "\(NodeTarget(node.node).text): \(condition) did not happen\(time)")
    }
}
