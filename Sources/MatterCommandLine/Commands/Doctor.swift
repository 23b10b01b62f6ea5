import ArgumentParser
import MatterController

struct Doctor: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why devices are not reached.",
        discussion: """
            Looks at this machine and its network or, with a node, at the way to it, layer by layer, and at its own \
            diagnostics. It changes nothing. What is wrong comes with the step that mends it.

            Example: matterctl doctor kitchen
            """)

    @Argument(help: "Node id or name; this machine and its network by default.", completion: .kind(.node)) var node:
        NodeArgument?
    @Flag(help: "Let warnings count as failures in the exit code.") var strict = false
    @Option(
        help: ArgumentHelp(
            "Write the checks and what they rest on into a new file, for who helps you.", valueName: "FILE"),
        completion: .kind(.file))
    var bundle: String?
    @Flag(help: "Replace names and addresses in that file.") var anonymous = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var target: NodeTarget? { node.map { NodeTarget($0.node) } }
    var onlyReads: Bool { true }

    func validate() throws {
        try node?.requireBare()
        guard bundle != nil || !anonymous else { throw ValidationError("--anonymous is for --bundle FILE") }
    }

    func run(_ context: CommandContext) async throws {
        let (doctor, console) = (context.controller.doctor, context.console)
        let record = try node.map { try context.controller.nodes.record(of: $0.node) }
        let checkup =
            if let record {
                try await doctor.examine(record, budget: Budget(options.timeout?.duration))
            } else { try await doctor.examine() }
        if let bundle { try await write(bundle, checkup, record, context) }
        if console.isJSON {
            console.object {
                Field("node", record?.nodeID)
                Field("name", record?.name)
                Field("verdict", checkup.worst.rawValue)
                Field("checks", checkup.checks.map { Report($0) })
            }
        } else {
            show(checkup.checks, console)
        }
        try requireHealth(checkup)
    }

    /// On a terminal, what is wrong in whole sentences: a table would cut off the commands that mend it.
    private func show(_ checks: [Check], _ console: Console) {
        guard console.isTerminal, console.table.width != nil else { return console.result(checks.map { Report($0) }) }
        for check in checks where check.verdict != .ok {
            console.text(console.styled(check.verdict.rawValue, under: "VERDICT") + "  \(check.subject.rawValue)")
            console.text("    seen   \(TerminalText.escaped(check.seen))")
            if let cure = check.cure { console.text("    to do  \(TerminalText.escaped(Hints.text(cure)))") }
        }
        let sound = checks.filter { $0.verdict == .ok }.map(\.subject.rawValue)
        guard !sound.isEmpty else { return }
        console.text("\(console.styled("ok", under: "VERDICT"))  \(sound.joined(separator: ", "))")
    }

    /// With the machine's checks, which explain those of a node.
    private func write(
        _ path: String, _ checkup: Checkup, _ record: NodeRecord?, _ context: CommandContext
    ) async throws {
        let doctor = context.controller.doctor
        var checkups = [(subject: record?.label ?? "", checkup: checkup)]
        if record != nil { checkups.insert(("", try await doctor.examine()), at: 0) }
        try await doctor.bundle(
            version: Version.text, checkups, isAnonymous: anonymous, cure: Hints.text
        ).write(to: path)
    }

    /// - Throws: `doctor.fault` if something is wrong.
    private func requireHealth(_ checkup: Checkup) throws {
        let least: Check.Verdict = strict ? .warning : .failure
        let faults = checkup.checks.filter { $0.verdict >= least }
        guard !faults.isEmpty else { return }
        let names = faults.map(\.subject.rawValue).joined(separator: ", ")
        throw CommandLineError(
            .doctorFault, faults.count == 1 ? "one check failed: \(names)" : "\(faults.count) checks failed: \(names)")
    }
}

extension Report {
    init(_ check: Check) {
        let cure = check.cure.map(Hints.text)
        self.init {
            Field("check", check.subject.rawValue, column: "CHECK")
            Field("layer", check.subject.layer.rawValue)
            Field("verdict", check.verdict.rawValue, column: "VERDICT")
            Field("seen", check.seen, column: "SEEN")
            Field("cure", cure)
            Field(column: "TO DO", cure.map { [$0] })
        }
    }
}
