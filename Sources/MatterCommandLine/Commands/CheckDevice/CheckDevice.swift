import ArgumentParser
import MatterController

struct CheckDevice: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-device", abstract: "Examine devices before they are sold, and write a report.",
        discussion: """
            A fabric that is made for it commissions the device, judges its attestation and its conformance, plays losses of \
            the radio, opens its window for a second fabric, and removes both. Your own fabrics are not touched. Exit code 12 \
            if a case fails. --manifest does so with many devices, and compares each with its label, its certificate and the \
            Alliance's ledger.

            Example: matterctl check-device MT:Y.K9042C00KA0648G00 --report lamp-7 --allow-test-devices
            """)
    static let defaultTimeout = Duration.seconds(120)

    @Argument(help: "QR payload (MT:…) or manual pairing code; - for stdin.") var payload: String?
    @Option(
        help: ArgumentHelp(
            "Examine the devices of a table or of lines of JSON (- for stdin): codes, numbers, names.",
            valueName: "FILE"),
        completion: .kind(.file))
    var manifest: String?
    @Option(
        help: ArgumentHelp("Write report.html and report.json into this folder.", valueName: "DIR"),
        completion: .kind(.folder))
    var report: String?
    @Option(
        help: ArgumentHelp("With --manifest: write a page of labels to print; a secret.", valueName: "FILE"),
        completion: .kind(.file))
    var labels: String?
    @Flag(help: "With --manifest: do not try to reach the devices.") var offline = false
    @Option(
        help: ArgumentHelp("With --manifest: examine up to this many devices at a time (4).", valueName: "N"))
    var atATime: Int?
    @Flag(help: "With --manifest: do not ask the ledger.") var noLedger = false
    @Flag(name: .long, help: "With --manifest: ask the ledger for devices in development.") var testNet = false
    @Flag(help: "With --manifest: what could not be compared is a failure.") var strict = false
    @OptionGroup var way: WayOptions
    @OptionGroup var network: NetworkJoinOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var place: PlaceOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var bluetoothAdapters: [String]? { way.adapters }

    /// `--timeout` bounds each commissioning.
    var longestRun: Duration? { nil }

    func validate() throws {
        try way.check(options)
        guard (payload == nil) != (manifest == nil) else {
            throw ValidationError("give either a PAYLOAD or --manifest")
        }
        guard manifest == nil else {
            if options.address != nil || way.via != nil {
                throw ValidationError("--manifest says where each device is: leave --address and --via out")
            }
            if let atATime, !(1...CheckDeviceRound.mostAtATime).contains(atATime) {
                throw ValidationError("--at-a-time is a number from 1 to \(CheckDeviceRound.mostAtATime)")
            }
            if noLedger, testNet { throw ValidationError("give --no-ledger or --test-net") }
            return
        }
        guard report != nil else { throw ValidationError("a report needs a folder: --report DIR") }
        guard labels == nil, !offline, !noLedger, !testNet, !strict, atATime == nil else {
            throw ValidationError(
                "--labels, --offline, --at-a-time, --no-ledger, --test-net and --strict need --manifest")
        }
    }

    func run(_ context: CommandContext) async throws {
        if let manifest {
            let contents = try InputFile.contents(manifest, upTo: DeviceManifest.largest)
            let round = CheckDeviceRound(command: self, context: context, folder: Self.folder(of: manifest))
            return try await round.run(try DeviceManifest(contents))
        }
        let files = CheckDeviceFiles(folder: report ?? ".")
        // All of it takes minutes: what cannot be written is said before.
        try files.check()
        let codes = try SetupPayload.parse(try StandardInput.payload(payload ?? ""))
        guard let code = codes.first else { throw ValidationError("the setup code is empty") }
        let preference = try await preference(context)
        let requests = codes.map { request($0, context.controller.options.addresses, via: way.via, preference) }
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        let found = try await context.controller.deviceChecks.examine(
            requests, code: code, trust: trust.policy(), progress: { printer.report($0) }, deadline: context.deadline)
        printer.finish()
        try files.write(found)
        if context.console.isJSON {
            context.console.object {
                Report(found, tracing: false)
                Field("report", files.page)
            }
        } else {
            context.console.result(found.cases.map { Report($0, tracing: false) })
            context.console.message("the report: \(TerminalText.escaped(files.page))")
        }
        let failed = found.failed.map(\.rawValue)
        guard !failed.isEmpty else { return }
        throw CommandLineError(
            .checkFailed,
            "\(failed.count) of \(Spelled.count(found.cases.count, "case")) failed: \(failed.joined(separator: ", "))")
    }

    /// The network that devices are to join.
    func preference(_ context: CommandContext) async throws -> NetworkPreference {
        let store = NetworkStore(context.controller.options.state)
        let given = try await network.credentials(
            store, context.console, options.state.output, patience: context.timeout)
        return NetworkPreference(
            given: given, known: given.isEmpty ? try store.credentials() : [], wantsChoice: false, canAsk: false)
    }

    func request(
        _ payload: SetupPayload, _ addresses: [PeerAddress], via: CommissioningWay?, _ network: NetworkPreference
    ) -> CommissioningRequest {
        var request = CommissioningRequest(payload)
        (request.addresses, request.via, request.network) = (addresses, via, network)
        request.country = place.countryOrCurrent
        request.location = place.location?.number
        return request
    }

    /// Paths in a manifest begin where it lies.
    private static func folder(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}

/// The files of a report about one device.
struct CheckDeviceFiles {
    let folder: String

    var page: String { "\(folder)/report.html" }
    private var data: String { "\(folder)/report.json" }

    func check() throws { for path in [page, data] { try OutputFile.checkReplaceable(path) } }

    /// - Parameter device: of a manifest; `nil` for one that stands alone.
    func write(_ found: DeviceCheckReport, of device: DeviceManifest.Device? = nil) throws {
        try OutputFile.replace(Array(CheckDevicePage(report: found, device: device).text.utf8), at: page)
        let report = Report {
            if let device { Report(device) }
            Report(found, tracing: true)
        }
        try OutputFile.replace(report.json.utf8() + [0x0A], at: data)
    }
}

extension DeviceCheckReport {
    /// The cases that failed.
    var failed: [DeviceCheckCase.Kind] { cases.filter { $0.verdict == .failed }.map(\.kind) }

    /// The judgement of all of it.
    var verdict: DeviceCheckCase.Verdict {
        count(.failed) > 0 ? .failed : count(.noted) > 0 ? .noted : count(.passed) > 0 ? .passed : .notTried
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
            Field("notes", report.count(.noted))
            Field("notTried", report.count(.notTried))
            Field("cases", report.cases.map { Report($0, tracing: tracing) })
        }
    }

    /// The words of a manifest about a device, without its code.
    init(_ device: DeviceManifest.Device) {
        self.init {
            Field("line", device.line)
            Field("name", device.name)
            Field("serialNumber", device.serialNumber)
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
            if tracing {
                Field("trace", one.trace)
                Field("messages", one.messages)
            }
        }
    }
}

extension JSONValue {
    /// Seconds with two decimals.
    fileprivate static func seconds(_ duration: Duration) -> JSONValue {
        .double((duration / .milliseconds(10)).rounded() / 100)
    }
}
