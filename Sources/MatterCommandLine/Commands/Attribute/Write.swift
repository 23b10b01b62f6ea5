import ArgumentParser
import MatterController

struct Write: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write attributes.",
        discussion: """
            PATH is EP/CLUSTER/ATTRIBUTE. VALUE follows the attribute's type: 50%, 21.5C, 2s, a name of an enum, null, \
            hex:0A0B, JSON for lists and structures; raw:21 is a number in the steps of the type; @FILE takes it from a file, @- \
            from stdin. Several paths with their \
            values go into one request; PATH=VALUE is the same as PATH VALUE.

            Example: matterctl write kitchen 0/basic-information/node-label Kitchen
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Argument(
        help: ArgumentHelp("What to write: PATH VALUE, or PATH=VALUE.", valueName: "path value"),
        completion: .kind(.settings))
    var settings: [String]
    @Flag(help: "As a timed interaction, even if nothing demands it.") var timed = false
    @Option(name: .long, help: ArgumentHelp("Only if the cluster has this data version.", valueName: "N"))
    var dataVersion: UInt32?
    @Flag(help: "Write an access control list even if it locks us out of the device.") var force = false
    @Flag(name: .long, help: "Send nothing; show what would be sent.") var dryRun = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { !dryRun }

    func validate() throws {
        try node.requireBare()
        let pairs = try AttributeSetting.pairs(settings)
        if dataVersion != nil, pairs.count > 1 {
            // The first write would change the version that the second one names.
            throw ValidationError("--data-version is for one attribute")
        }
        if dryRun { try options.requireOffline() }
    }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        let found = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(found), context.console)
        let parser = context.console.parser(catalogue, isStrict: true)
        var settings = try AttributeSetting.pairs(settings).map {
            try AttributeSetting((PlacedPath.text($0.path, at: found, in: catalogue), $0.value), with: parser)
        }
        for index in settings.indices { try await check(&settings[index], context) }
        let record = try found.get().node
        let writes = settings.map { AttributeWrite($0.target, value: $0.parsed.value, dataVersion: dataVersion) }
        let isTimed = timed || settings.contains { $0.definition?.mustTimedWrite ?? false }
        if dryRun {
            return try Rehearsal(
                writes, isTimed: isTimed, of: NodeMark(record), in: catalogue, context.console.printer(in: catalogue)
            )
            .print(on: context.console)
        }
        let link = try await context.controller.links.link(to: record)
        let mayRepeat = writes.allSatisfy { catalogue.mayRepeat(writeOf: $0.attribute, inCluster: $0.cluster) }
        let results: [AttributeWriteResult]
        do {
            results = try await link.write(
                writes, isTimed: isTimed, mayRepeat ? .absolute : .atMostOnce, deadline: context.deadline(for: record))
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            if !error.isOfSilentNode { error.state = await link.stateAfterwards(of: writes) }
            throw error
        }
        let reports = zip(settings, results).map { setting, result in
            Report {
                Report(setting.target, of: NodeMark(record), in: catalogue)
                Report(result.status)
            }
        }
        if reports.count == 1 { reports.forEach(context.console.object) } else { context.console.objects(reports) }
        let failures = zip(settings, results).filter { !$1.status.isSuccess }
        guard let first = failures.first else { return }
        var bounds: Hint?
        if first.1.status.status == .constraintError {
            let target = NodeTarget(node.node)
            bounds = await link.bounds(
                of: first.0.target, title: target.text, label: target.argument, in: catalogue,
                deadline: context.deadline(for: record))
        }
        try judge(failures, bounds, context.console, catalogue)
    }

    /// Warns of what the device may refuse, and stops what would lock us out.
    private func check(_ setting: inout AttributeSetting, _ context: CommandContext) async throws {
        for warning in setting.parsed.warnings { context.console.message("warning: \(warning); the device decides") }
        guard !force,
            AccessGuard.concerns(cluster: setting.target.cluster, attribute: setting.target.attribute)
        else { return }
        setting.parsed.value = try AccessGuard(node: node.node).checked(
            setting.parsed.value, own: try context.controller.context.credentials().identity)
    }

    /// - Parameter bounds: the values that the device takes, if it refused one for that.
    /// - Throws: the first failure; others are told before.
    private func judge(
        _ failures: [(AttributeSetting, AttributeWriteResult)], _ bounds: Hint?, _ console: Console,
        _ catalogue: Catalogue
    ) throws {
        guard let (setting, result) = failures.first else { return }
        if !console.isJSON {
            for (setting, result) in failures.dropFirst() {
                console.message("warning: \(setting.path.text(.attribute, in: catalogue)): \(result.status)")
            }
        }
        let whose = NodeTarget(node.node)
        // The device decides, as it may be newer than the catalogue; if it refuses, the catalogue can help.
        let isReadOnly = result.status.status == .unsupportedWrite && setting.definition?.isWritable == false
        throw ControllerError(
            .status,
            "\(whose.text) answered the write of \(setting.path.text(.attribute, in: catalogue)) with \(result.status)",
            hint: isReadOnly
                ? setting.definition.map {
                    Hint(StatusAdvice.instead(ofWriting: $0, at: setting.path, setting.word, whose))
                } : bounds,
            status: result.status, at: setting.path)
    }
}
