import ArgumentParser
import MatterController

struct Events: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the log of events that a node keeps.",
        discussion: """
            A PATH is EP/CLUSTER/EVENT, * for all; without one, all events. --since takes an event number, a time \
            (2026-11-22T08:00) or how long ago (2h); the device's clock decides.

            Example: matterctl events kitchen --since 1d
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: "Which events.", completion: .kind(.path(.event))) var paths: [String] = []
    @Option(help: ArgumentHelp("Only later ones.", valueName: "SINCE")) var since: String?
    @Flag(help: "Go on with new ones until stopped.") var follow = false
    @Option(help: ArgumentHelp("With --follow: end after this many lines.", valueName: "N")) var count: Int?
    @Option(name: .customLong("for"), help: ArgumentHelp("With --follow: how long to go on.", valueName: "DURATION"))
    var span: TimeSpan?
    @Flag(help: "Enums and bitmaps as numbers, without units.") var numeric = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }
    var goesOn: Bool { follow }

    /// With `--follow`, `--timeout` bounds the set-up alone.
    var longestRun: Duration? { follow ? nil : options.timeout?.duration }

    func validate() throws {
        try node.requireBare()
        try span?.requireSome("--for")
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
        if !follow, span != nil || count != nil { throw ValidationError("--for and --count need --follow") }
        _ = try since.map { try Beginning($0) }
    }

    /// Where the log begins.
    private enum Beginning: Sendable {
        case number(UInt64)
        /// Milliseconds since 1970.
        case time(UInt64)

        init(_ text: String) throws {
            if let number = UInt64(text) {
                self = .number(number)
            } else if let ago = DurationText.parse(text) {
                self = .time(
                    WallClock.unixMilliseconds() - min(WallClock.unixMilliseconds(), UInt64(ago / .milliseconds(1))))
            } else if let time = PointInTime.parse(text, as: .posixMilliseconds) {
                self = .time(UInt64(time))
            } else {
                throw ValidationError("--since is an event number, a time like 2026-11-22T08:00, or a duration like 2h")
            }
        }

        var number: UInt64? { if case .number(let number) = self { number } else { nil } }

        /// Whether an event is wanted. A device without a clock tells times since its start only, which prove nothing.
        func includes(_ event: EventReport.Event) -> Bool {
            switch self {
            case .number(let number): event.number >= number
            case .time(let time): event.times.epoch.map { $0 >= time } ?? true
            }
        }
    }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        let beginning = try since.map { try Beginning($0) }
        let found = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(found), context.console)
        let wanted =
            paths.isEmpty
            ? [EventPath(endpoint: PlacedPath.endpoint(found), isUrgent: true)]
            : try paths.map { try FollowedPaths.event(PlacedPath.text($0, at: found, in: catalogue), catalogue) }
        let record = try found.get().node
        var log = WatchLog(
            context.console, catalogue, numeric: numeric,
            WatchLog.Style(hasTime: true, hasPast: true), lines: count, wants: { beginning?.includes($0) ?? true })
        if follow {
            let request = SubscribeRequest(
                minIntervalFloor: 0, maxIntervalCeiling: context.controller.subscriptions.usualSilence(of: [record]),
                attributePaths: [], eventPaths: wanted,
                eventFilters: beginning?.number.map { [EventFilter(minimum: $0)] } ?? [])
            return try await Watching(
                nodes: [record], request: request, context: context, limit: span?.duration, hasPast: true
            ).run(&log)
        }
        let link = try await context.controller.links.link(to: record)
        let reports = try await link.readEvents(
            wanted.map { EventPath(endpoint: $0.endpoint, cluster: $0.cluster, event: $0.event) },
            from: beginning?.number, deadline: context.deadline(for: record))
        log.events(reports, of: record)
        let failed = reports.compactMap { report in
            if case .failure(let status) = report.outcome { status } else { nil }
        }
        if let status = failed.first, failed.count == reports.count {
            throw ControllerError(
                .status, "\(NodeTarget(node.node).text) answered with \(status)", status: status)
        }
    }
}
