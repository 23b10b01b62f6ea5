import MatterController

/// Follows devices of a kind and says what happens, a line each.
struct KindWatch {
    private let kind: DeviceKind
    private let parts: [NodeSelection.Part]
    private let context: CommandContext
    private let span: TimeSpan?
    private let count: Int?
    private let form: ValueForm?

    /// - Parameters:
    ///   - span: after which it ends.
    ///   - count: the lines after which it ends.
    ///   - form: `nil` for lines of text or JSON.
    init(
        _ kind: DeviceKind, _ parts: [NodeSelection.Part], span: TimeSpan?, count: Int?, form: ValueForm? = nil,
        _ context: CommandContext
    ) {
        self.form = form
        self.kind = kind
        self.parts = parts
        self.context = context
        self.span = span
        self.count = count
    }

    func run() async throws {
        try form?.check(context.console)
        let nodes = parts.map(\.node)
        var watch = DeviceWatch(kind)
        // A node among several whose endpoints were named is asked for those that all of them have.
        let paths = watch.paths(at: parts.count == 1 ? parts.flatMap(\.endpoints) : [nil], of: nodes)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: context.controller.subscriptions.usualSilence(of: nodes),
            attributePaths: paths.attributes, eventPaths: paths.events)
        if let form {
            return try await Watching(nodes: nodes, request: request, context: context, limit: span?.duration).run(
                .devices(watch), form.sink(context.console, .standard, namesNodes: nodes.count > 1), lines: count)
        }
        let events = context.controller.subscriptions.follow(request, of: nodes, setUp: context.timeout)
        let flow = ColumnFlow(
            context.console,
            [("TIME", 25)] + (nodes.count > 1 ? [("NODE", 12)] : []) + [("ENDPOINT", 0), ("WHAT", 16), ("VALUE", 0)])
        var begun: Set<NodeID> = []
        var left = count ?? .max
        let setUp = context.controller.subscriptions.setUpTime(for: nodes, request, usual: context.timeout)
        let timed = Timed(events, for: span?.duration, setUp: setUp) { $0.isEstablished }
        for try await event in timed.stream {
            var told: (node: NodeRecord, news: [DeviceNews])?
            switch event {
            case .subscription(let node, .established(_, _, let result)):
                told = (node, watch.news(result, of: node, isFirst: begun.insert(node.nodeID).inserted))
            case .subscription(let node, .report(let result)):
                told = (node, watch.news(result, of: node, isFirst: false))
            case .subscription(let node, .lost(let error, _)):
                context.console.warning("\(NodeTarget(node).text) does not report any more (\(error)); trying again")
            case .ended(let node, let error): throw Watching.named(error, node)
            }
            for news in (told?.news ?? []).prefix(left) {
                if let node = told?.node { say(news, of: node, flow, namesNode: nodes.count > 1) }
                left -= 1
            }
            if left == 0 { return }
        }
    }

    private func say(_ news: DeviceNews, of node: NodeRecord, _ flow: ColumnFlow, namesNode: Bool) {
        let console = context.console
        let time = PointInTime.text(WallClock.unixMilliseconds(), as: .posixMilliseconds) ?? "-"
        guard console.isJSON else {
            let name = namesNode ? [TerminalText.escaped(node.label)] : []
            let place = [time] + name + ["\(news.endpoint)"]
            let words = TerminalText.escaped(news.words)
            return flow.print(
                place + [news.quantity ?? "-", words], raw: place + [news.quantity, words].compactMap { $0 })
        }
        console.result(
            Report {
                Field("time", time)
                Field("node", node.nodeID)
                Field("name", node.name)
                Field("endpoint", news.endpoint)
                for field in news.fields { Field(field.name, field.value) }
            }.json)
    }
}
