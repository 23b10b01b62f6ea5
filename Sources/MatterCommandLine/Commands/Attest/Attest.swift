import ArgumentParser
import MatterController

struct Attest: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "attest", abstract: "Judge the attestation of a device without commissioning it.",
        discussion: """
            WHAT is the setup code of a device that is open for commissioning (- reads it from stdin), which stays as it is, or \
            a node of the fabric. --from judges files without a device: those that --save wrote, or a device maker's own.

            Example: matterctl attest 3497-011-2332
            """)
    static let defaultTimeout = Duration.seconds(60)

    @Argument(
        help: ArgumentHelp("Setup code, node id or name; - for a code on stdin.", valueName: "what"),
        completion: .kind(.node))
    var subject: String?
    @Flag(help: "Judge all nodes of the fabric, and print a table.") var all = false
    @Option(
        help: ArgumentHelp("Judge the certificates, the declaration and the answer in this folder.", valueName: "DIR"),
        completion: .kind(.folder))
    var from: String?
    @Option(
        help: ArgumentHelp("Write certificates, declaration, answer and report into this folder.", valueName: "DIR"),
        completion: .kind(.folder))
    var save: String?
    @OptionGroup var way: WayOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var bluetoothAdapters: [String]? { way.adapters }

    func validate() throws {
        let ways = [subject != nil, all, from != nil].count { $0 }
        guard ways == 1 else { throw ValidationError("give one of a setup code, a node, --all and --from DIR") }
        guard !all || save == nil else { throw ValidationError("--save takes one device, not --all") }
        guard !way.isGiven || subject.map(isCode) ?? false else {
            throw ValidationError("--via and --ble-adapter need the setup code of a device")
        }
        try way.check(options)
    }

    var target: NodeTarget? { subject.flatMap { isCode($0) ? nil : NodeTarget($0) } }

    func run(_ context: CommandContext) async throws {
        guard !all else { return try await AttestedNodes(trust: trust.policy()).show(context) }
        let (device, node) = try await attested(context)
        let report = Report(device.report, of: node)
        if let save {
            let files = AttestationFiles.files(of: device.evidence) + [("report.json", report.json.utf8() + [0x0A])]
            for file in files { try OutputFile.write(file.contents, to: "\(save)/\(file.name)", isPrivate: true) }
        }
        let names = LedgerNames(context.controller.options.state)
        context.console.result {
            report
            Report(ledger: names, device.evidence.vendorID?.rawValue, device.evidence.productID)
        }
        if let refusal = device.refusal { throw refusal }
    }

    private func attested(_ context: CommandContext) async throws -> (AttestedDevice, NodeRecord?) {
        let controller = context.controller
        if let from { return (try controller.trust.attest(files: from, trust: trust.policy()), nil) }
        let subject = subject ?? ""
        guard isCode(subject) else {
            let node = try controller.nodes.record(of: subject)
            let deadline = context.deadline(for: node)
            return (try await controller.trust.attest(node, trust: trust.policy(), deadline: deadline), node)
        }
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        let device = try await controller.commissioning.attest(
            try way.requests(subject, controller), trust: trust.policy(), progress: { printer.report($0) },
            deadline: context.deadline)
        return (device, nil)
    }

    /// True for what cannot be meant as a node: a QR payload, or as many digits as a manual pairing code has.
    private func isCode(_ text: String) -> Bool {
        if text == "-" || text.uppercased().hasPrefix("MT:") { return true }
        let digits = text.filter { $0 != "-" && $0 != " " }
        return [11, 21].contains(digits.count) && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}
