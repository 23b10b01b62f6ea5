import ArgumentParser
import MatterController

extension FabricCommand {
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Exchange keys and certificates that have aged, on every node.",
            discussion: """
                Each is a job: a node that is off stays pending, and 'job resume' goes on. The root certificate and the fabric's \
                id stay; another root means another fabric.

                Example: matterctl fabric rotate identity-key --dry-run
                """, subcommands: [IdentityKey.self, Certificates.self])

        struct IdentityKey: NetworkCommand {
            static let configuration = CommandConfiguration(
                commandName: "identity-key", abstract: "Exchange the identity protection key of the fabric.",
                discussion: """
                    Each node first gets the new key beside the old one, then uses it, and then loses the old one; each step is \
                    done on all nodes before the next begins. Until the old key is taken from the first node, --roll-back goes back.

                    Example: matterctl fabric rotate identity-key
                    """)

            @OptionGroup(title: "Rotation") var rotation: RotationOptions
            @Flag(help: "Go back to the old key.") var rollBack = false
            @OptionGroup(title: HelpPage.common) var options: NetworkOptions

            func validate() throws {
                guard !rollBack || !rotation.dryRun else {
                    throw ValidationError("--roll-back and --dry-run exclude each other")
                }
            }

            func run(_ context: CommandContext) async throws {
                let run = RotationRun(
                    plan: .identityKey, known: rotation.nodes, context: context, time: options.timeout?.duration)
                if rotation.dryRun { return try await run.rehearse() }
                if rollBack { try await run.goBack() } else { try await run.perform() }
            }
        }

        struct Certificates: NetworkCommand {
            static let configuration = CommandConfiguration(
                commandName: "certificates", abstract: "Give every node another certificate and key, and then us.",
                discussion: """
                    A certificate that a node has confirmed is final. Ids and tags stay, and so do the access control lists.

                    Example: matterctl fabric rotate certificates --dry-run
                    """)

            @OptionGroup(title: "Rotation") var rotation: RotationOptions
            @OptionGroup(title: HelpPage.common) var options: NetworkOptions

            func run(_ context: CommandContext) async throws {
                let run = RotationRun(
                    plan: .certificates, known: rotation.nodes, context: context, time: options.timeout?.duration)
                if rotation.dryRun { return try await run.rehearse() }
                try await run.perform()
            }
        }
    }
}

/// The options of both rotations.
struct RotationOptions: ParsableArguments {
    @Flag(help: "Look at every node, and change nothing.") var dryRun = false
    @Option(
        name: .customLong("i-know"),
        help: ArgumentHelp(
            "An administrator that is not ours and may lose the fabric, by its node id or tag (cat:06D90001), as 'who' shows it; may be repeated.",
            valueName: "NAME"))
    var known: [AdministratorArgument] = []

    var nodes: [NodeID] { known.map(\.subject) }
}

/// An administrator that is not ours, as commands show it.
struct AdministratorArgument: ExpressibleByArgument {
    let subject: NodeID

    static var defaultCompletionKind: CompletionKind { .kind(.number) }

    /// `112233`, `cat:06D90001`, or `tag 06D90001` as `who` has it.
    init?(argument: String) {
        if let number = NameRule.parseNumber(argument) {
            subject = NodeID(number)
            return
        }
        let prefix = argument.lowercased().prefix(4)
        guard ["cat:", "tag:", "tag "].contains(prefix), let tag = CASEAuthenticatedTag(hex: argument.dropFirst(4)),
            tag.isValid
        else { return nil }
        subject = tag.subject
    }
}

/// One command about a rotation.
struct RotationRun {
    let plan: RotationPlan
    let known: [NodeID]
    let context: CommandContext
    /// The time that the user gives.
    let time: Duration?

    private var rotations: RotationService { context.controller.rotations }

    func perform() async throws {
        let began = ContinuousClock.now
        // A third of the time for looking: nodes that are off take all of it, and the work needs some as well.
        let budget = time.map { Budget($0 / 3) } ?? context.budget
        let job = try await rotations.begin(plan, knowing: known, budget: budget)
        try await resume(job, within: time.map { max(.seconds(1), $0 - (ContinuousClock.now - began)) })
    }

    /// Does it at the end of another command, which has printed its result.
    ///
    /// - Throws: `job.incomplete` if nodes are left.
    func finish() async throws {
        let job = try await rotations.begin(plan, knowing: known, budget: context.budget)
        try await context.controller.jobs.resume(job.id, within: time).requireDone()
    }

    func goBack() async throws { try await resume(rotations.turnBack(plan), within: time) }

    private func resume(_ job: Job, within rest: Duration?) async throws {
        let after = try await context.controller.jobs.resume(job.id, within: rest)
        context.console.show(after, isRunning: false, try NodeTitles(context.controller))
        try after.requireDone()
        guard after.rotation?.isBack != true else { return }
        if case .identityKey = plan, context.controller.hasMembers {
            context.console.warning(
                "the other administrators do not have the new key yet, and reach no device until then",
                .step("member.renew", "NAME"))
        }
        context.console.message("earlier backups have the old keys: make another one")
    }

    /// Looks at every node, and says what stands in the way.
    func rehearse() async throws {
        let console = context.console
        let answers = try await rotations.look(plan, budget: context.budget)
        let rows = answers.map(report)
        console.result {
            Field("dryRun", true)
            Field("kind", plan.name, label: "kind")
            Field(label: "nodes", ["\(answers.count { $0.value != nil }) of \(answers.count) answer"])
            Field("nodes", rows)
        }
        if !console.isJSON { console.rows(rows.first?.columns ?? [], rows.map(\.row), isFolding: true) }
        try rotations.checkAdministrators(answers, knowing: known)
        try NodeRound.judge(answers, console)
    }

    private func report(_ answer: NodeAnswer<RotationOutlook>) -> Report {
        let foreign = answer.value?.foreign.filter { !known.contains($0) } ?? []
        let state = answer.value == nil ? "no-answer" : foreign.isEmpty ? "ready" : "refused"
        return Report {
            Field("node", answer.node.nodeID, column: "NODE")
            Field("name", answer.node.name, column: "NAME")
            Field("state", state, column: "STATE")
            Field("keys", answer.value?.keys.map { JSONValue.int(Int64($0)) })
            Field("certificateSince", answer.value?.certificateSince.map { DateText.time($0) })
            Field(column: "SINCE", answer.value?.certificateSince.map { [DateText.time($0)] })
            Field("administrators", answer.value.map { value in value.foreign.map { JSONValue.id($0.rawValue) }.json })
            Field(
                column: "OTHER ADMINISTRATORS",
                answer.value.flatMap { value in
                    value.foreign.isEmpty ? nil : value.foreign.map(\.administratorName)
                })
            Field("error", answer.error)
        }
    }
}

extension RotationPlan {
    fileprivate var name: String {
        switch self {
        case .identityKey: Job.Kind.identityKey.rawValue
        case .certificates: Job.Kind.certificates.rawValue
        case .groupKey: Job.Kind.groupKey.rawValue
        }
    }
}

extension Controller {
    /// Whether there are administrators with keys of their own.
    fileprivate var hasMembers: Bool { !(((try? members.roster()) ?? nil)?.members.isEmpty ?? true) }
}
