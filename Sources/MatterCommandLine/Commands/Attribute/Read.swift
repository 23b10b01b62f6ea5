import ArgumentParser
import MatterController

struct Read: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read attributes, and events.",
        discussion: """
            A PATH is EP/CLUSTER/ATTRIBUTE, each a number or a name, * for all; EP/CLUSTER is all attributes of a cluster. EP \
            may be left out where a single endpoint has the cluster. Without a path, everything is read. \
            With --data-version, a cluster that still has this version is not read: that is said on stderr. With --code, a \
            device that is open for commissioning is read and left as it was; no node is named then.

            Example: matterctl read kitchen 1/on-off/on-off
            """)

    @Argument(help: "Node id or name; none with --code.", completion: .kind(.node)) var node: NodeOrPath?
    @Argument(help: "What to read.", completion: .kind(.path(.read))) var paths: [String] = []
    @OptionGroup var code: CodeOptions
    @Option(
        name: [.customLong("events"), .customLong("event")],
        help: ArgumentHelp("Also the log of these events, EP/CLUSTER/EVENT; may be repeated.", valueName: "PATH"),
        completion: .kind(.path(.event)))
    var events: [String] = []
    @Option(name: .long, help: ArgumentHelp("Only if the cluster no longer has this data version.", valueName: "N"))
    var dataVersion: UInt32?
    @Flag(help: "Enums and bitmaps as numbers, without units.") var numeric = false
    @Flag(help: "Fail if any path does.") var strict = false
    @Flag(name: .long, help: "Also entries of other fabrics.") var allFabrics = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { !code.isGiven }

    var target: NodeTarget? { code.isGiven ? nil : node?.target }

    var bluetoothAdapters: [String]? { code.bluetoothAdapters }

    func validate() throws {
        try code.check(options)
        if code.isGiven {
            guard node != nil else { throw NodeOrPath.missing("<paths> ...", "what to read") }
            guard events.isEmpty, dataVersion == nil else {
                throw ValidationError("--events and --data-version need a node, not --code")
            }
            return
        }
        guard let node else { throw NodeOrPath.missing("<node>", "node id or name") }
        _ = try node.bare()
    }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        let word = node?.text ?? ""
        guard !code.isGiven else { return try await runByCode([word] + paths, all, context) }
        let node = NodeArgument(word)
        let found = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(found), context.console)
        let wanted = try (paths.isEmpty && events.isEmpty ? ["*"] : paths).map {
            try FollowedPaths.attribute(PlacedPath.text($0, at: found, in: catalogue), catalogue)
        }
        let logs = try events.map { word in
            let path = try FollowedPaths.event(PlacedPath.text(word, at: found, in: catalogue), catalogue)
            return EventPath(endpoint: path.endpoint, cluster: path.cluster, event: path.event)
        }
        let version = try filter(wanted)
        let record = try found.get().node
        let link = try await context.controller.links.link(to: record)
        // One path is asked for once, however often it is wanted.
        var known: Set<AttributePath> = []
        let unique = wanted.filter { known.insert($0).inserted }
        let result = try await link.read(
            unique, events: logs, unlessAt: version.map { [$0] } ?? [], isFabricFiltered: !allFabrics,
            deadline: context.deadline(for: record))
        let output = AttributeOutput(
            context, record, NodeTarget(node.node), catalogue: catalogue, numeric: numeric, isStrict: strict)
        if let version, result.attributes.isEmpty, result.unattributed.isEmpty {
            return try output.print(unchanged: version, events: events.isEmpty ? nil : result.events)
        }
        try output.print(
            Self.ordered(result.attributes, by: wanted), events: events.isEmpty ? nil : result.events,
            requested: wanted,
            unattributed: result.unattributed)
    }

    /// Reads a device that is open for commissioning.
    private func runByCode(_ paths: [String], _ catalogue: Catalogue, _ context: CommandContext) async throws {
        let wanted = try (paths.isEmpty && events.isEmpty ? ["*"] : paths).map {
            try FollowedPaths.attribute($0, catalogue)
        }
        let isFabricFiltered = !allFabrics
        let result = try await code.inPASESession(context) { device in
            try await device.read(wanted, isFabricFiltered: isFabricFiltered)
        }
        try AttributeOutput(context, nil, nil, catalogue: catalogue, numeric: numeric, isStrict: strict).print(
            Self.ordered(result.attributes, by: wanted), requested: wanted, unattributed: result.unattributed)
    }

    /// The cluster that may be left out.
    private func filter(_ paths: [AttributePath]) throws -> DataVersionFilter? {
        guard let dataVersion else { return nil }
        let clusters = Set(paths.map { [$0.endpoint.map { UInt32($0.rawValue) }, $0.cluster?.rawValue] })
        guard clusters.count == 1, let endpoint = paths.first?.endpoint, let cluster = paths.first?.cluster else {
            throw CommandLineError(
                .usageDataVersion, "--data-version needs the paths of one cluster of one endpoint")
        }
        return DataVersionFilter(
            path: ClusterPath(endpoint: endpoint, cluster: cluster), dataVersion: dataVersion)
    }

    /// In request order, once for each path that was asked for; the answers to one path in the order of the device.
    private static func ordered(_ reports: [AttributeReport], by paths: [AttributePath]) -> [AttributeReport] {
        paths.flatMap { path in reports.filter { path.covers($0.path) } }
            + reports.filter { report in !paths.contains { $0.covers(report.path) } }
    }
}
