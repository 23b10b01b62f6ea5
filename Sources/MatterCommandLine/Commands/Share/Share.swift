import ArgumentParser
import MatterController

struct Share: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Let another controller, such as a phone, add nodes.",
        discussion: """
            For one node, like 'window open'. For several, a few windows are open at a time, and the next one is opened when \
            one has been used. With --sheet, all are opened, for a page to print. With --to, a Matter server adds the nodes \
            itself.

            Example: matterctl share --room Hall --to ws://127.0.0.1:5580/ws
            """)

    @Argument(help: NodeSelection.wholeNodesHelp, completion: .kind(.node)) var nodes: [String] = []
    @OptionGroup var selection: NodeSelection
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long a window is open: 3 to 15 minutes (default: 5min; with --sheet: 15min).", valueName: "DURATION"))
    var span: TimeSpan?
    @Flag(help: "With the setup code that the device was made with, which matterctl does not know.") var basic = false
    @Option(
        name: .customLong("at-once"),
        help: ArgumentHelp("How many nodes have their turn at once: 1 to 16.", valueName: "N"))
    var together = SharePlan.usualCount
    @Option(
        help: ArgumentHelp("Write the codes into a page to print (.html) or a table (.csv).", valueName: "FILE"),
        completion: .kind(.file))
    var sheet: String?
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "Have this Matter server add them: wss://HOST/ws, ws://127.0.0.1:5580/ws, unix:/PATH.", valueName: "URL"))
    var server: String?
    @Flag(help: "With --to: send open setup codes unencrypted to another machine.") var insecure = false
    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp(
            "With --to: also trust the certificate authorities in this PEM file (env MATTERCTL_CA_FILE).",
            valueName: "FILE"), completion: .kind(.file))
    var authorityFile: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    private var isOne: Bool { selection.meansOne(nodes) }

    var target: NodeTarget? { isOne ? nodes.first.map { NodeTarget($0) } : nil }

    func validate() throws {
        try selection.require(nodes, options)
        if let span, !AdministrationService.windowDurations.contains(span.duration) {
            throw ValidationError("--for is 3 to 15 minutes")
        }
        guard (1...16).contains(together) else { throw ValidationError("--at-once is 1 to 16") }
        if basic, !isOne || sheet != nil || server != nil {
            throw ValidationError("--basic is for one node, without --sheet and --to")
        }
        if sheet != nil, server != nil { throw ValidationError("give --sheet or --to") }
        if server == nil, insecure || authorityFile != nil { throw ValidationError("--insecure and --ca need --to") }
        if let sheet { _ = try ShareSheet.Form(of: sheet) }
    }

    func run(_ context: CommandContext) async throws {
        let url = try server.map { text throws in try WebSocketURL(parsing: text, allowsPlain: insecure) }
        let records = try await selection.nodes(nodes, of: context.controller, in: .standard)
        if basic, let record = records.first {
            let window = try await context.controller.administration.openWindow(
                of: record, isBasic: true, for: span?.duration ?? usualSpan, title: NodeTarget(record).text,
                budget: context.budget)
            return try ShareRound.show(window, of: record, context.console)
        }
        if let sheet { try OutputFile.checkReplaceable(sheet) }
        let round = ShareRound(command: self, context: context, nodes: records, isOne: isOne)
        guard let url else {
            var plan = SharePlan(sheet == nil ? .person : .page, for: span?.duration ?? usualSpan)
            adapt(&plan, context)
            return try await round.run(plan)
        }
        let patience = Duration.seconds(10)
        let server = try await MatterServer.connect(
            to: url, authorities: authorityFile ?? Environment.variable("MATTERCTL_CA_FILE"),
            within: options.timeout.map { min($0.duration, patience) } ?? patience)
        do {
            var plan = SharePlan(.server(server), for: span?.duration ?? usualSpan)
            adapt(&plan, context)
            try await round.run(plan)
            await server.close()
        } catch {
            await server.close()
            throw error
        }
    }

    /// Paper takes its time.
    private var usualSpan: Duration { sheet == nil ? .seconds(300) : AdministrationService.windowDurations.upperBound }

    private func adapt(_ plan: inout SharePlan, _ context: CommandContext) {
        plan.together = together
        if options.timeout != nil { plan.deadline = context.deadline }
    }
}
