import ArgumentParser
import MatterController

struct Subscribe: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", abstract: "Follow attributes and events, one line per change.",
        discussion: """
            A word with a slash is a PATH, EP/CLUSTER/ELEMENT: an attribute or an event, * for all. Without one, it begins \
            with the state that status shows, and then tells all that changes. Other words are nodes, by id, by name, or by pattern like 'kitchen-*'. Goes on until stopped, and \
            subscribes again when a node was away.

            --plot draws numbers as a chart on the terminal, and --csv writes a table for other programs.

            Example: matterctl subscribe kitchen 1/on-off/on-off --for 1h
            """, aliases: ["watch"])

    @Argument(
        help: ArgumentHelp("The nodes, and what to follow.", valueName: "node-or-path"), completion: .kind(.nodeOrPath))
    var words: [String] = []
    @OptionGroup var selection: NodeSelection
    @Option(
        help: ArgumentHelp("Also these events, by name or number.", valueName: "PATH"), completion: .kind(.path(.event))
    ) var event: [String] = []
    @Option(help: ArgumentHelp("No reports sooner after each other than this.", valueName: "DURATION"))
    var min: TimeSpan?
    @Option(help: ArgumentHelp("Silence of a node longer than about this is a loss.", valueName: "DURATION"))
    var max: TimeSpan?
    @Option(help: ArgumentHelp("End after this many lines.", valueName: "N")) var count: Int?
    @Option(name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(
        help: ArgumentHelp(
            "End when this is so, also with !=, <, <=, > and >=; exit code 12 if --for or --count ends it before.",
            valueName: "PATH=VALUE"), completion: .kind(.condition))
    var until: String?
    @Flag(help: "Without a PATH: all values at the beginning, not only those that tell the state of a device.")
    var everything = false
    @Flag(help: "Draw the values of attributes that are numbers as a live chart.") var plot = false
    @Flag(help: "The values of attributes as lines of a table: time, node, name, path, value, unit.") var csv = false
    @Flag(help: "Begin each line with its time.") var timestamps = false
    @Flag(help: "Enums and bitmaps as numbers, without units.") var numeric = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// `--timeout` bounds the set-up alone.
    var longestRun: Duration? { nil }
    /// A chart is drawn by the process that has the terminal.
    var isServed: Bool { !plot }
    var goesOn: Bool { true }

    func validate() throws {
        if words.allSatisfy({ $0.contains("/") }), !selection.isGiven {
            throw ValidationError("name a node, or choose nodes with --all, --room, --type or --cluster")
        }
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
        try span?.requireSome("--for")
        guard try seconds(min, "--min") ?? 0 <= seconds(max, "--max") ?? .max else {
            throw ValidationError("--min must not be longer than --max")
        }
        guard let form = try form else { return }
        let option = form == .plot ? "--plot" : "--csv"
        guard event.isEmpty else { throw ValidationError("\(option) is for attributes, and --event is for events") }
        guard !timestamps else { throw ValidationError("\(option) has the times without --timestamps") }
        guard form != .plot || words.contains(where: { $0.contains("/") }) else {
            throw ValidationError("--plot needs a PATH, for example '*/temperature-measurement/measured-value'")
        }
        guard form != .plot || !numeric else {
            throw ValidationError("--plot draws values in their units, not --numeric")
        }
    }

    private var form: ValueForm? {
        get throws { try ValueForm.chosen(plot: plot, csv: csv, isJSON: options.state.output.json) }
    }

    private func seconds(_ span: TimeSpan?, _ option: String) throws -> UInt16? {
        guard let span else { return nil }
        guard let seconds = UInt16(exactly: span.duration.components.seconds) else {
            throw ValidationError("\(option) is at most 18h")
        }
        return seconds
    }

    func run(_ context: CommandContext) async throws {
        let form = try form
        try form?.check(context.console)
        let all = try catalogue.catalogue(try options.state.state())
        let named = words.filter { !$0.contains("/") }
        // A single device behind a bridge; several have paths with their endpoints.
        var found: PlacedPath.Place?
        if selection.meansOne(named), let only = named.first {
            found = context.controller.nodes.placement(of: only)
        }
        let known = try? await selection.nodes(named, of: context.controller, in: all)
        let catalogue = all.preferring(vendorsOf: known ?? [], context.console)
        var followed = try words.filter { $0.contains("/") }.map { try PlacedPath.text($0, at: found, in: catalogue) }
        if let endpoint = PlacedPath.endpoint(found), followed.isEmpty, event.isEmpty { followed = ["\(endpoint)/*/*"] }
        let paths = try FollowedPaths(
            followed, events: try event.map { try PlacedPath.text($0, at: found, in: catalogue) }, in: catalogue)
        if let form { try Self.check(followed, paths, for: form, in: catalogue) }
        let isQuiet = followed.allSatisfy { $0.hasSuffix("/*/*") } && event.isEmpty && !everything && !numeric
        let condition = try until.map { text in
            guard let condition = try AwaitedValue(PlacedPath.text(text, at: found, in: catalogue), in: catalogue)
            else {
                throw CommandLineError(.usage, "--until is PATH=VALUE, for example 1/on-off/on-off=true")
            }
            return condition
        }
        let chosen: [NodeRecord]
        if let known {
            chosen = known
        } else {
            chosen = try await selection.nodes(named, of: context.controller, in: all)
        }
        let nodes = chosen.filter { Self.isNamed($0, in: named) || paths.mayLead(to: $0) }
        guard !nodes.isEmpty else {
            throw ControllerError(
                .deviceLacks, "none of the chosen nodes has what these paths lead to", hint: .step("node.see"))
        }
        var attributes = paths.attributes
        if let condition, !attributes.contains(where: { $0.covers(condition.path) }) {
            attributes.append(condition.path)
        }
        let floor = try seconds(min, "--min") ?? 0
        let usual = context.controller.subscriptions.usualSilence(of: nodes)
        let request = SubscribeRequest(
            minIntervalFloor: floor,
            maxIntervalCeiling: Swift.max(floor, try seconds(max, "--max") ?? usual),
            attributePaths: attributes, eventPaths: form == nil ? paths.events : [])
        let watching = Watching(
            nodes: nodes, request: request, condition: condition, context: context, limit: span?.duration)
        if let form {
            return try await watching.run(
                .attributes(paths.attributes, catalogue, numeric: numeric, isQuiet: isQuiet),
                form.sink(context.console, catalogue, namesNodes: chosen.count > 1), lines: count)
        }
        var log = WatchLog(
            context.console, catalogue, numeric: numeric,
            WatchLog.Style(
                namesNodes: chosen.count > 1, isBare: paths.isSingle && condition == nil && chosen.count == 1,
                hasTime: timestamps, isQuiet: isQuiet), lines: count)
        try await watching.run(&log)
    }

    /// - Throws: an error of usage for what has no values, or with `--plot` no numbers.
    private static func check(
        _ words: [String], _ paths: FollowedPaths, for form: ValueForm, in catalogue: Catalogue
    ) throws {
        guard !words.isEmpty else { return }
        let option = form == .plot ? "--plot" : "--csv"
        guard paths.events.isEmpty else {
            throw CommandLineError(.usage, "\(option) is for attributes, and an event has no value")
        }
        guard form == .plot else { return }
        for (word, path) in zip(words, paths.attributes) where !FollowedValue.isQuantity(path, in: catalogue) {
            throw CommandLineError(
                .usage, "--plot draws numbers, and '\(word)' is not known to be one", hint: .step("plot.csv"))
        }
    }

    /// Whether the user has named a node, or a device behind it, in full.
    private static func isNamed(_ node: NodeRecord, in words: [String]) -> Bool {
        words.contains { word in
            node.name.map { NameRule.isSame($0, word) } ?? false || NameRule.parseNumber(word) == node.nodeID.rawValue
                || node.bridged.contains { NameRule.isSame($0.title, word) }
        }
    }
}

/// A run that follows nodes until something ends it.
struct Watching {
    let nodes: [NodeRecord]
    let request: SubscribeRequest
    var condition: AwaitedValue?
    let context: CommandContext
    /// How long to go on; `nil` until stopped.
    var limit: Duration?
    /// Whether the events that a node kept from before come first.
    var hasPast = false

    /// - Throws: the failure of the only node; ``SilentFailure`` with that of the first one of several; exit code 12 if
    ///   the condition was not met.
    func run(_ log: inout some FollowLog) async throws {
        let events = context.controller.subscriptions.follow(
            request, of: nodes, setUp: context.timeout, withLog: hasPast)
        var failure: (any Error)?
        let setUp = context.controller.subscriptions.setUpTime(for: nodes, request, usual: context.timeout)
        let timed = Timed(events, for: limit, setUp: setUp) { $0.isEstablished }
        reading: for try await event in timed.stream {
            switch event {
            case .subscription(let node, let event):
                let told = log.take(event, of: node)
                if let condition, told.contains(where: condition.isMet) { return }
                if log.remaining == 0 { break reading }
            case .ended(let node, let error):
                let error = Self.named(error, node)
                guard nodes.count > 1 else { throw error }
                log.ended(node, error)
                failure = failure ?? error
            }
        }
        // An interruption is how it ends, unless it waits for something.
        if condition != nil { try Task.checkCancellation() }
        if let failure { throw SilentFailure(status: ExitStatus(failure)) }
        guard condition == nil else {
            let time = limit.map { " within \(DurationText.format($0))" } ?? ""
            throw CommandLineError(
                .watchNotMet, "what was waited for did not happen\(time)")
        }
    }

    /// The same for values over time.
    func run(_ source: ValueLog.Source, _ sink: any ValueSink, lines: Int?) async throws {
        var log = ValueLog(source, sink, lines: lines)
        defer { sink.close() }
        try await run(&log)
    }

    /// A node answers so if no path leads to anything that it has and that we may see (Matter core specification 8.5.3.3).
    static func named(_ error: any Error, _ node: NodeRecord) -> any Error {
        guard let error = error as? InteractionError, error.status == .invalidAction else { return error }
        let name = node.name.map { "'\($0)'" } ?? node.nodeID.description
        return CommandLineError(.imStatus, "node \(name) has nothing that matches the path")
    }
}
