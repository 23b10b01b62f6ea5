import ArgumentParser
import MatterController

struct WordWatchOptions: ParsableArguments {
    @Flag(help: "Go on, with a line for each change, until stopped.") var watch = false
    @Option(name: .customLong("for"), help: ArgumentHelp("With --watch: end after this time.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(help: ArgumentHelp("With --watch: end after this many lines.", valueName: "N")) var count: Int?

    func validate() throws {
        guard watch || span == nil && count == nil else { throw ValidationError("--for and --count need --watch") }
        try span?.requireSome("--for")
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
    }
}

/// What a node reports that has words of its own.
struct Told {
    let endpoint: EndpointID
    let words: String
    let fields: Report
}

/// Follows nodes and says in words what happens, a line each.
struct WordWatch {
    private let round: ReadingRound
    private let options: WordWatchOptions
    private let context: CommandContext

    init(_ round: ReadingRound, _ options: WordWatchOptions, _ context: CommandContext) {
        self.round = round
        self.options = options
        self.context = context
    }

    /// - Parameters:
    ///   - paths: what to follow at some endpoints; `nil` stands for all of them.
    ///   - tell: what a report says; also whether it is the first of a node, with what was before.
    func run(
        _ paths: ([EndpointID?]) -> (attributes: [AttributePath], events: [EventPath]),
        tell: (ReadResult, _ isFirst: Bool) -> [Told]
    ) async throws {
        let parts = try await round.parts(context)
        // A node among several whose endpoints were named is asked for those that all of them have.
        let paths = paths(parts.count == 1 ? parts.flatMap(\.endpoints) : [nil])
        let nodes = parts.map(\.node)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: context.controller.subscriptions.usualSilence(of: nodes),
            attributePaths: paths.attributes, eventPaths: paths.events)
        let events = context.controller.subscriptions.follow(request, of: nodes, setUp: context.timeout)
        var begun: Set<NodeID> = []
        var left = options.count ?? .max
        let setUp = context.controller.subscriptions.setUpTime(for: nodes, request, usual: context.timeout)
        let timed = Timed(events, for: options.span?.duration, setUp: setUp) { $0.isEstablished }
        for try await event in timed.stream {
            var news: (node: NodeRecord, told: [Told])?
            switch event {
            case .subscription(let node, .established(_, _, let result)):
                news = (node, tell(result, begun.insert(node.nodeID).inserted))
            case .subscription(let node, .report(let result)): news = (node, tell(result, false))
            case .subscription(let node, .lost(let error, _)):
                context.console.warning("\(NodeTarget(node).text) does not report any more (\(error)); trying again")
            case .ended(let node, let error): throw Watching.named(error, node)
            }
            for told in (news?.told ?? []).prefix(left) {
                if let node = news?.node { say(told, of: node, namesNode: nodes.count > 1) }
                left -= 1
            }
            if left == 0 { return }
        }
    }

    private func say(_ told: Told, of node: NodeRecord, namesNode: Bool) {
        let console = context.console
        let time = PointInTime.text(WallClock.unixMilliseconds(), as: .posixMilliseconds) ?? "-"
        guard console.isJSON else {
            let name = namesNode ? [TerminalText.escaped(node.label)] : []
            return console.result(([time] + name + ["\(told.endpoint)", told.words]).joined(separator: "\t"))
        }
        console.result(
            Report {
                Field("time", time)
                Field("node", node.nodeID)
                Field("name", node.name)
                Field("endpoint", told.endpoint)
                told.fields
            }.json)
    }
}
