import ArgumentParser
import MatterCommandLine
import RainMaker

/// After a sharing change: our own certificate first, then those of the group's controllers, then, over sessions that prove
/// ours, the lists of the devices.
struct AccessRefresh: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract:
            "Update our certificate and the devices' access control lists after a group's users change.",
        discussion: """
            The cloud gives a tag another version when it takes a user's access away. What really takes it away is that \
            the devices ask for the new version, so every device of the group has to be reached; those that were not are \
            named, and the command can be repeated. The certificates of the group's controllers are renewed before; if one \
            cannot be, nothing is changed, since the controller would be locked out, unless --force is given.

            Example: matterctl cloud share ls && matterctl rainmaker access refresh --group 'Lake House'
            """)
    static let defaultTimeout = Duration.seconds(180)
    /// How long one device may take at least.
    private static let patience = Duration.seconds(30)
    /// How many devices are spoken to at a time.
    private static let breadth = 4

    @Option(help: ArgumentHelp("The group: id or name; that of the fabric if left out.", valueName: "GROUP"))
    var group: String?
    @Option(
        name: .long, help: ArgumentHelp("Only this node; may be repeated.", valueName: "NODE"), completion: .kind(.node)
    ) var node: [String] =
        []
    @Flag(help: "Change the lists even if the certificate of a controller could not be renewed.") var force = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        let state = context.controller.options.state
        let setup = CloudSetup(context)
        let (record, membership) = try setup.localFabric(named: group, orFabric: options.state.fabricName)
        let account = try CloudStore(state).select(membership.profile)
        let joined = try await setup.withClient(account) { client in
            let joined = try await setup.fabric(client).refresh(record)
            // No matter who commissioned them.
            _ = try await setup.adopt(joined, client)
            return joined
        }
        if joined.wasIssued { context.console.message("the cloud has issued our certificate again") }
        guard joined.group.isPrimary else {
            throw RainMakerError(
                .notPrimary,
                "our certificate is up to date; only primary users of the group can change the devices' lists",
                hint: .step("access.ask-primary"))
        }
        // No session is resumed: each device shows by CASE that it accepts the new certificate before anything changes.
        try ResumptionStore(state, fabric: record.name).removeAll()
        let store = NodeStore(state, fabric: record.name)
        let all = try store.all()
        let nodes = node.isEmpty ? all : try node.map { text throws in try store.find(text) }
        try await tellHubs(joined, setup, account, context)
        let renewed = try await renewControllers(all, joined, context)
        try await context.onFabric(record.name) { context in
            try report(try await refresh(nodes, joined.fabric, context), renewed: renewed, context)
        }
    }

    // MARK: Controllers

    /// Those that are told through the cloud have the administrators' tag, as far as is known. They get the command for a
    /// certificate with the present one before any list changes; whether they need it, the cloud does not tell.
    private func tellHubs(
        _ joined: RainMakerFabric.Joined, _ setup: CloudSetup, _ account: CloudAccount, _ context: CommandContext
    ) async throws {
        let group = joined.group.id
        var failures: [(hub: CloudHub, error: any Error)] = []
        try await setup.withClient(account) { client in
            let hubs = HubsInCloud(client)
            for hub in try await hubs.list(in: group) where hub.follows(group) {
                do {
                    try await hubs.tell(hub, .updateNOC)
                    context.console.message(
                        "the controller \(TerminalText.escaped(hub.name)) was told to get a new certificate")
                } catch let error as RainMakerError {
                    failures.append((hub, error))
                }
            }
        }
        for failure in failures {
            let report = ErrorReport(failure.error, target: nil)
            context.console.message(
                "warning: the controller \(TerminalText.escaped(failure.hub.name)) could not be told to get a new "
                    + "certificate: \(TerminalText.escaped(report.message))")
        }
        if let first = failures.first, !force {
            throw CommandLineError(
                .aclControllers,
                "no access list was changed: the controller \(first.hub.name) would be locked out",
                hint: .step("access.renew-first", first.hub.nodeID), kind: FailureKind(first.error))
        }
    }

    /// - Returns: the controllers that have another certificate now.
    private func renewControllers(
        _ nodes: [NodeRecord], _ joined: RainMakerFabric.Joined, _ context: CommandContext
    ) async throws -> Set<NodeID> {
        let (renewed, failures) = try await context.onFabric(
            joined.record.name, processing: HubDevice.processing
        ) { context in
            try await HubRenewal(context, fabric: joined.fabric, groupID: joined.group.id).renew(nodes)
        }
        for node in renewed { context.console.message("the controller \(Self.name(node)) got a new certificate") }
        for failure in failures {
            let report = ErrorReport(failure.error, target: NodeTarget(failure.node))
            context.console.message(
                "warning: the certificate of the controller \(Self.name(failure.node)) could not be renewed: "
                    + TerminalText.escaped(report.message))
        }
        if let first = failures.first, !force {
            throw CommandLineError(
                .aclControllers,
                "no access list was changed: the controller \(first.node.name ?? "\(first.node.nodeID.rawValue)") would be "
                    + "locked out",
                hint: .step("access.renew-first", "\(first.node.nodeID.rawValue)"), kind: FailureKind(first.error))
        }
        return Set(renewed.map(\.nodeID))
    }

    private static func name(_ node: NodeRecord) -> String {
        TerminalText.escaped(node.name ?? "\(node.nodeID.rawValue)")
    }

    // MARK: Devices

    private struct Outcome: Sendable {
        var node: NodeRecord
        var result: Result<Bool, any Error>
    }

    private func refresh(
        _ nodes: [NodeRecord], _ fabric: CloudFabric, _ context: CommandContext
    ) async throws -> [Outcome] {
        let own = try context.controller.context.credentials().identity
        var outcomes: [Outcome?] = Array(repeating: nil, count: nodes.count)
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { tasks in
            for (position, node) in nodes.enumerated() {
                if position >= Self.breadth, let (done, outcome) = try await tasks.next() { outcomes[done] = outcome }
                tasks.addTask {
                    do {
                        let changed = try await Self.grant(node, fabric, own, context)
                        return (position, Outcome(node: node, result: .success(changed)))
                    } catch let error as CancellationError {
                        throw error
                    } catch {
                        return (position, Outcome(node: node, result: .failure(error)))
                    }
                }
            }
            for try await (done, outcome) in tasks { outcomes[done] = outcome }
        }
        return outcomes.compactMap { $0 }
    }

    private static func grant(
        _ node: NodeRecord, _ fabric: CloudFabric, _ own: NodeIdentity, _ context: CommandContext
    ) async throws -> Bool {
        let deadline = min(context.deadline(for: node), max(.now + patience, .now + node.deliveryBudget))
        return try await context.controller.links.withLink(to: node) { link in
            let device = RainMakerDevice(link: link, node: node, deadline: deadline)
            return try await device.grant(admin: fabric.adminCAT, operate: fabric.operateCAT, own: own)
        }
    }

    // MARK: Result

    private func report(_ outcomes: [Outcome], renewed: Set<NodeID>, _ context: CommandContext) throws {
        context.console.result(outcomes.map { Self.record($0, isRenewed: renewed.contains($0.node.nodeID)) })
        let failed = outcomes.filter { if case .failure = $0.result { true } else { false } }
        guard let first = failed.first, case .failure(let error) = first.result else { return }
        for outcome in failed {
            guard case .failure(let error) = outcome.result else { continue }
            let report = ErrorReport(error, target: NodeTarget(outcome.node))
            context.console.message(
                "warning: node \(outcome.node.nodeID.rawValue): \(TerminalText.escaped(report.message))")
        }
        throw CommandLineError(
            .aclIncomplete,
            "\(failed.count) of \(outcomes.count) devices still have their old access list: "
                + failed.map { "\($0.node.nodeID.rawValue)" }.joined(separator: ", "),
            kind: FailureKind(error))
    }

    private static func record(_ outcome: Outcome, isRenewed: Bool) -> Report {
        let (result, failure): (String, ErrorReport?) =
            switch outcome.result {
            case .success(let changed): (changed ? "changed" : "unchanged", nil)
            case .failure(let error): ("failed", ErrorReport(error, target: NodeTarget(outcome.node)))
            }
        return Report {
            Field("node", outcome.node.nodeID, column: "NODE")
            Field("name", outcome.node.name, column: "NAME")
            if isRenewed { Field("certificate", "renewed") }
            Field("result", result, column: "ACCESS LIST")
            if let failure {
                Field(
                    "error",
                    Report {
                        Field("id", failure.id)
                        Field("message", failure.message)
                    })
            }
        }
    }
}
