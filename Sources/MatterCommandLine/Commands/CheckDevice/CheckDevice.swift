import ArgumentParser
import MatterController

struct CheckDevice: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-device", abstract: "Examine a device before it is sold, and write a report.",
        discussion: """
            A fabric that is made for it commissions the device, judges its attestation and its conformance, plays losses of \
            the radio, opens its window for a second fabric, and removes both. Your own fabrics are not touched. Exit code 12 \
            if a case fails.

            Example: matterctl check-device MT:Y.K9042C00KA0648G00 --report lamp-7 --allow-test-devices
            """)
    static let defaultTimeout = Duration.seconds(120)

    @Argument(help: "QR payload (MT:…) or manual pairing code; - for stdin.") var payload: String
    @Option(
        help: ArgumentHelp("Write report.html and report.json into this folder.", valueName: "DIR"),
        completion: .kind(.folder))
    var report: String
    @OptionGroup var way: WayOptions
    @OptionGroup var network: NetworkJoinOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var place: PlaceOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var bluetoothAdapters: [String]? { way.adapters }

    /// `--timeout` bounds each commissioning.
    var longestRun: Duration? { nil }

    private var page: String { "\(report)/report.html" }
    private var data: String { "\(report)/report.json" }

    func validate() throws { try way.check(options) }

    func run(_ context: CommandContext) async throws {
        // All of it takes minutes: what cannot be written is said before.
        for path in [page, data] { try OutputFile.checkReplaceable(path) }
        let codes = try SetupPayload.parse(try StandardInput.payload(payload))
        guard let code = codes.first else { throw ValidationError("the setup code is empty") }
        let store = NetworkStore(context.controller.options.state)
        let given = try await network.credentials(
            store, context.console, options.state.output, patience: context.timeout)
        let requests = try codes.map { payload throws in
            var request = CommissioningRequest(payload)
            request.addresses = context.controller.options.addresses
            request.via = way.via
            request.country = place.countryOrCurrent
            request.location = place.location?.number
            request.network = NetworkPreference(
                given: given, known: given.isEmpty ? try store.credentials() : [], wantsChoice: false, canAsk: false)
            return request
        }
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        let found = try await context.controller.deviceChecks.examine(
            requests, code: code, trust: trust.policy(), progress: { printer.report($0) }, deadline: context.deadline)
        printer.finish()
        try OutputFile.replace(Array(CheckDevicePage(report: found).text.utf8), at: page)
        try OutputFile.replace(Report(found, tracing: true).json.utf8() + [0x0A], at: data)
        if context.console.isJSON {
            context.console.object {
                Report(found, tracing: false)
                Field("report", page)
            }
        } else {
            context.console.result(found.cases.map { Report($0, tracing: false) })
            context.console.message("the report: \(TerminalText.escaped(page))")
        }
        let failed = found.cases.filter { $0.verdict == .failed }.map(\.kind.rawValue)
        guard !failed.isEmpty else { return }
        throw CommandLineError(
            .checkFailed, "\(failed.count) of \(found.cases.count) cases failed: \(failed.joined(separator: ", "))")
    }
}

extension Report {
    /// - Parameter tracing: whether the lines of the log are in it.
    init(_ report: DeviceCheckReport, tracing: Bool) {
        self.init {
            Field("vendorId", report.vendorID)
            Field("productId", report.productID)
            Field("began", DateText.time(report.began))
            Field("seconds", JSONValue.seconds(report.time))
            Field("passed", report.count(.passed))
            Field("failed", report.count(.failed))
            Field("notTried", report.count(.notTried))
            Field("cases", report.cases.map { Report($0, tracing: tracing) })
        }
    }

    fileprivate init(_ one: DeviceCheckCase, tracing: Bool) {
        self.init {
            Field("case", one.kind.rawValue, column: "CASE")
            Field("verdict", one.verdict.rawValue, column: "VERDICT")
            Field("seconds", one.time.map(JSONValue.seconds), column: "SECONDS")
            Field("reason", one.reason, column: "SEEN")
            Field(
                "evidence",
                one.evidence.map { evidence in
                    Report {
                        Field("label", evidence.label)
                        Field("text", evidence.text)
                    }
                })
            if tracing { Field("trace", one.trace) }
        }
    }
}

extension JSONValue {
    /// Seconds with two decimals.
    fileprivate static func seconds(_ duration: Duration) -> JSONValue {
        .double((duration / .milliseconds(10)).rounded() / 100)
    }
}
