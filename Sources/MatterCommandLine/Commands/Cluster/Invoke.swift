import ArgumentParser
import MatterController
import Synchronization

struct Invoke: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "invoke", abstract: "Send commands.",
        discussion: """
            Fields are name=value words; nested values are JSON, name=@FILE takes the value from a file. Unknown fields are \
            an error before anything is sent. Another EP/CLUSTER/COMMAND begins another command; they go into one message \
            where the device takes several, and all are sent whatever the answers. A command to a group names no endpoint: \
            matterctl invoke group:lights on-off/toggle. With --code, a device that is open for commissioning gets the \
            commands and nothing else; no node is named then.

            Example: matterctl invoke kitchen 1/level-control/move-to-level level=127 transition-time=10
            """)

    @Argument(help: "Node id or name; or group:GROUP; none with --code.", completion: .kind(.nodeOrGroup))
    var node: NodeOrPath
    @Argument(help: "EP/CLUSTER/COMMAND.", completion: .kind(.path(.invoke))) var path: String?
    @Argument(help: "Fields, as name=value; then further commands with theirs.", completion: .kind(.fields)) var fields:
        [String] = []
    @OptionGroup var code: CodeOptions
    @Option(
        name: .long, help: ArgumentHelp("All fields as a JSON object.", valueName: "FILE"), completion: .kind(.file))
    var jsonFields: String?
    @Flag(help: "As a timed interaction, even if nothing demands it.") var timed = false
    @Flag(name: .long, help: "Each command in a message of its own, after the answer to the one before.")
    var oneByOne = false
    @Flag(help: "Enums and bitmaps as numbers, without units.") var numeric = false
    @Flag(name: .long, help: "Send nothing; show what would be sent.") var dryRun = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var target: NodeTarget? { code.isGiven ? nil : node.target }

    var bluetoothAdapters: [String]? { code.bluetoothAdapters }
    var isServed: Bool { !dryRun && !code.isGiven }

    /// The first command, and the words after it.
    var words: (path: String, fields: [String]) {
        code.isGiven ? (node.text, [path].compactMap { $0 } + fields) : (path ?? "", fields)
    }

    func validate() throws {
        try code.check(options)
        if !code.isGiven {
            _ = try node.bare()
            guard path != nil else { throw NodeOrPath.missing("<path>", "EP/CLUSTER/COMMAND") }
        }
        if jsonFields != nil, !words.fields.isEmpty { throw ValidationError("give either fields or --json-fields") }
        if dryRun { try options.requireOffline() }
    }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        guard !code.isGiven else { return try await runByCode(all, context) }
        let node = NodeArgument(node.text)
        if let group = GroupTarget(node) { return try await send(to: group, all, context) }
        let found = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(found), context.console)
        let (invoked, runs) = try commands(catalogue, context) { try PlacedPath.text($0, at: found, in: catalogue) }
        let record = try found.get().node
        if dryRun { return try rehearse(runs, of: NodeMark(record), catalogue, context) }
        let link = try await context.controller.links.link(to: record)
        let answers = InvokeAnswers(
            context.console, NodeMark(record), NodeTarget(node.node), isSingle: invoked.count == 1, catalogue,
            context.console.printer(numeric: numeric, in: catalogue))
        var results: [CommandResult] = []
        do {
            for run in runs {
                let batches =
                    run.commands.count == 1
                    ? [run.commands]
                    : try await link.batches(of: run.commands, deadline: context.deadline(for: record))
                for batch in batches {
                    results += try await send(batch, isTimed: run.isTimed, link, record, catalogue, context)
                }
            }
        } catch {
            // Work of earlier runs is kept.
            answers.show(results)
            throw error
        }
        answers.show(results)
        guard var failure = answers.failure(results) else { return }
        // The device decides; what it takes can be asked of it.
        if failure.1.status?.status == .constraintError, failure.1.hint == nil,
            let refused = invoked.first(where: { $0.command.path == failure.0.path })
        {
            let target = NodeTarget(node.node)
            failure.1.hint = await link.bounds(
                of: refused.command, title: target.text, label: target.argument, in: catalogue,
                deadline: context.deadline(for: record))
        }
        throw failure.1
    }

    private typealias Run = (commands: [Command], isTimed: Bool)

    /// The words typed.
    private func commands(
        _ catalogue: Catalogue, _ context: CommandContext, place: (String) throws -> String = { $0 }
    ) throws -> (invoked: [InvokedCommand], runs: [Run]) {
        let invoked = try InvokedCommand.split(words.path, words.fields).map {
            try InvokedCommand(
                (try place($0.path), $0.fields), jsonFields: jsonFields, with: context.console.parser(catalogue))
        }
        for warning in invoked.flatMap(\.warnings) {
            context.console.message("warning: \(warning); the device decides")
        }
        let runs =
            oneByOne
            ? invoked.flatMap { [$0].runs(timed: timed) } : invoked.runs(timed: timed)
        return (invoked, runs)
    }

    private func rehearse(
        _ runs: [Run], of node: NodeMark?, _ catalogue: Catalogue, _ context: CommandContext
    ) throws {
        let batches = runs.flatMap { run in
            InvokeTransaction.batches(
                of: run.commands, maxPathsPerInvoke: .max, maxPayload: Rehearsal.maxPayload
            ).map { (commands: $0, isTimed: run.isTimed) }
        }
        try Rehearsal(batches, of: node, in: catalogue, context.console.printer(numeric: numeric, in: catalogue))
            .print(on: context.console)
    }

    /// Sends the commands to a device that is open for commissioning.
    private func runByCode(_ catalogue: Catalogue, _ context: CommandContext) async throws {
        let (invoked, runs) = try commands(catalogue, context)
        if dryRun { return try rehearse(runs, of: nil, catalogue, context) }
        let answers = InvokeAnswers(
            context.console, nil, nil, isSingle: invoked.count == 1, catalogue,
            context.console.printer(numeric: numeric, in: catalogue))
        let results = Mutex<[CommandResult]>([])
        do {
            try await code.inPASESession(context) { device in
                for run in runs {
                    for batch in device.batches(of: run.commands) {
                        let work = batch.compactMap {
                            catalogue.expectedWork(ofCommand: $0.path.command, inCluster: $0.path.cluster)
                        }.max()
                        let answer = try await device.invoke(batch: batch, isTimed: run.isTimed, work: work)
                        results.withLock { $0 += answer }
                    }
                }
            }
        } catch {
            // Work of earlier runs is kept.
            answers.show(results.withLock { $0 })
            throw error
        }
        let all = results.withLock { $0 }
        answers.show(all)
        if let failure = answers.failure(all) { throw failure.1 }
    }

    private func send(
        _ batch: [Command], isTimed: Bool, _ link: NodeLink, _ record: NodeRecord, _ catalogue: Catalogue,
        _ context: CommandContext
    ) async throws -> [CommandResult] {
        let work = batch.compactMap {
            catalogue.expectedWork(ofCommand: $0.path.command, inCluster: $0.path.cluster)
        }.max()
        let mayRepeat = batch.allSatisfy {
            catalogue.mayRepeat(command: $0.path.command, ofCluster: $0.path.cluster)
        }
        do {
            return try await link.invoke(
                batch: batch, isTimed: isTimed, mayRepeat ? .absolute : .atMostOnce, work: work,
                deadline: context.deadline(for: record, work: work))
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            if !error.isOfSilentNode { error.state = await link.stateAfterwards(of: batch) }
            throw error
        }
    }
}

/// Prints what came of commands.
private struct InvokeAnswers {
    private let console: Console
    /// `nil` for a device that is on no fabric of ours.
    private let node: NodeMark?
    private let title: String
    private let isSingle: Bool
    private let catalogue: Catalogue
    private let printer: ValuePrinter

    init(
        _ console: Console, _ node: NodeMark?, _ target: NodeTarget?, isSingle: Bool, _ catalogue: Catalogue,
        _ printer: ValuePrinter
    ) {
        self.console = console
        self.node = node
        title = target?.text ?? "the device"
        self.isSingle = isSingle
        self.catalogue = catalogue
        self.printer = printer
    }

    func show(_ results: [CommandResult]) {
        guard !results.isEmpty else { return }
        if console.isJSON {
            let reports = results.map(report)
            return isSingle ? reports.forEach(console.object) : console.objects(reports)
        }
        let rows = results.flatMap { result in
            (response(result)?.objectValue?.members ?? []).map { member in
                (isSingle ? [] : [result.path.text(in: catalogue)])
                    + [TerminalText.escaped(member.key), TerminalText.text(member.value)]
            }
        }
        console.rows((isSingle ? [] : ["COMMAND"]) + ["FIELD", "VALUE"], rows, isFolding: true)
    }

    /// The first failure; others are told.
    func failure(_ results: [CommandResult]) -> (CommandResult, ControllerError)? {
        let failures = results.compactMap { result in
            Outcome.failure(result, of: title, in: catalogue).map { (result, $0) }
        }
        for (result, failure) in failures.dropFirst() where !console.isJSON {
            console.warning("\(result.path.text(in: catalogue)): \(failure.refusal?.name ?? "\(result.status)")")
        }
        return failures.first
    }

    private func report(_ result: CommandResult) -> Report {
        Report {
            Report(result.path, of: node, in: catalogue)
            if let response = response(result) {
                Field("response", response)
            } else {
                Report(result.status)
            }
        }
    }

    private func response(_ result: CommandResult) -> JSONValue? {
        guard case .response(let number, let fields) = result.outcome else { return nil }
        let definitions = catalogue.cluster(result.path.cluster)?.response(number)?.fields ?? []
        return printer.json(fields: fields, of: definitions)
    }
}
