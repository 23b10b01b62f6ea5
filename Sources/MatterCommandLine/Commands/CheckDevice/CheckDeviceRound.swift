import MatterController

/// `check-device --manifest`: a result for each device when it is there, and the failure of one costs the others nothing.
struct CheckDeviceRound: Sendable {
    let command: CheckDevice
    let context: CommandContext
    /// The folder at which paths in the manifest begin.
    let folder: String

    /// A device that has had its turn.
    struct Outcome {
        let device: DeviceManifest.Device
        let report: DeviceCheckReport
        /// The folder of its report below that of all; `nil` if no reports are written.
        let place: String?
    }

    private static let columns = [
        ("LINE", 0), ("NAME", 16), ("RESULT", 6), ("LABEL", 6), ("CERTIFICATE", 11), ("LEDGER", 9), ("DEVICE", 9),
        ("SEEN", 0),
    ]
    static let mostAtATime = 16
    private static let usuallyAtATime = 4
    /// The ledger answers each of its questions within a time of its own.
    private static let ledgerTime = Duration.seconds(86_400)

    /// - Throws: `check.failed` after the rest was printed and written.
    func run(_ manifest: DeviceManifest) async throws {
        if let labels = command.labels { try OutputFile.checkReplaceable(labels) }
        if let report = command.report {
            try OutputFile.checkReplaceable("\(report)/index.html")
            for device in manifest.devices {
                try CheckDeviceFiles(folder: "\(report)/\(Self.place(of: device))").check()
            }
        }
        var outcomes: [Outcome] = []
        // Those that have to wait until an earlier one is done, by their places.
        var early: [Int: Outcome] = [:]
        let flow = ColumnFlow(context.console, Self.columns.map { (heading: $0.0, expected: $0.1) })
        do {
            try await withLedger { ledger in
                let measure = DeviceCheckService.Measure(
                    command.trust.policy(), ledger: ledger, isStrict: command.strict)
                let network = command.offline ? NetworkPreference() : try await command.preference(context)
                try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
                    var rest = manifest.devices.enumerated().makeIterator()
                    func begin() {
                        guard let (number, device) = rest.next() else { return }
                        group.addTask { (number, try await outcome(of: device, measure, network)) }
                    }
                    for _ in 0..<width { begin() }
                    do {
                        while let (number, outcome) = try await group.next() {
                            early[number] = outcome
                            while let next = early.removeValue(forKey: outcomes.count) {
                                outcomes.append(next)
                                print(next, flow)
                            }
                            begin()
                        }
                    } catch {
                        // Each makes its device leave, and one or the other may be done.
                        group.cancelAll()
                        while let result = await group.nextResult() {
                            if case .success(let (number, outcome)) = result { early[number] = outcome }
                        }
                        throw error
                    }
                }
            }
        } catch {
            // The devices that have had their turn are told of all the same.
            for (_, outcome) in early.sorted(by: { $0.key < $1.key }) {
                outcomes.append(outcome)
                print(outcome, flow)
            }
            if !outcomes.isEmpty { try? writeIndex(outcomes) }
            throw error
        }
        try writeIndex(outcomes)
        if let labels = command.labels { try writeLabels(outcomes, to: labels) }
        let failed = outcomes.filter { !$0.report.failed.isEmpty }.map { "\($0.device.line)" }
        guard !failed.isEmpty else { return }
        throw CommandLineError(
            .checkFailed,
            "\(failed.count) of \(Spelled.count(outcomes.count, "device")) failed: "
                + (failed.count == 1 ? "line " : "lines ") + failed.prefix(20).joined(separator: ", ")
                + (failed.count > 20 ? " …" : ""))
    }

    private func withLedger(_ body: (LedgerInquiry?) async throws -> Void) async throws {
        guard !command.noLedger else { return try await body(nil) }
        let net: LedgerNet = command.testNet ? .test : .main
        let cache = LedgerCache(context.controller.options.state, net)
        let now = Terminal.current.unixTime()
        try await LedgerConnection(output: command.options.state.output).withClient(
            net, deadline: .now + Self.ledgerTime
        ) { client in try await body(LedgerInquiry(cache, client, now: now)) }
    }

    private var width: Int { command.atATime ?? Self.usuallyAtATime }

    // MARK: A device

    /// Examines a device, and writes its report.
    private func outcome(
        of device: DeviceManifest.Device, _ measure: DeviceCheckService.Measure, _ network: NetworkPreference
    ) async throws -> Outcome {
        try Task.checkCancellation()
        let report = try await examined(device, measure, network)
        let place = command.report == nil ? nil : Self.place(of: device)
        if let folder = command.report, let place {
            try CheckDeviceFiles(folder: "\(folder)/\(place)").write(report, of: device)
        }
        return Outcome(device: device, report: report, place: place)
    }

    private func examined(
        _ device: DeviceManifest.Device, _ measure: DeviceCheckService.Measure, _ network: NetworkPreference
    ) async throws -> DeviceCheckReport {
        let service = context.controller.deviceChecks
        let files = device.attestation.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
        guard !command.offline, let code = device.code else {
            return try await service.compare(device, files: files, by: measure)
        }
        var addresses: [PeerAddress] = []
        if let address = device.address {
            do {
                addresses = try await PeerAddress.lookup(
                    address, deadline: Budget(nil, usual: context.timeout).deadline)
            } catch {
                try Task.checkCancellation()
                return try await service.compare(
                    device, files: files, by: measure, failure: ErrorReport(error).message)
            }
        }
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        return try await service.examine(
            device, [command.request(code, addresses, via: device.via, network)], files: files, by: measure,
            progress: progress(of: device, printer), patience: context.timeout)
    }

    /// The progress of one of several says whose it is, and leaves the stages out.
    private func progress(
        of device: DeviceManifest.Device, _ printer: ProgressPrinter
    ) -> @Sendable (CommissioningProgress) -> Void {
        guard width > 1 else { return { printer.report($0) } }
        let line = "line \(device.line)"
        return { progress in
            switch progress {
            case .began, .ended: break
            case .failed(let stage, _): printer.report(.note("\(line): \(stage.rawValue) failed"))
            case .note(let text): printer.report(.note("\(line): \(text)"))
            case .warning(let text, let hint): printer.report(.warning("\(line): \(text)", hint))
            }
        }
    }

    /// The folder of a device: its line, and its name as far as that can stand there.
    static func place(of device: DeviceManifest.Device) -> String {
        let digits = "\(device.line)"
        let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let name = (device.name ?? device.serialNumber ?? "").unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || 0x30...0x39 ~= scalar.value) ? Character(scalar) : "-"
        }
        let word = String(name.prefix(40)).split(separator: "-").joined(separator: "-")
        return word.isEmpty ? number : "\(number)-\(word)"
    }

    // MARK: Results

    private func print(_ outcome: Outcome, _ flow: ColumnFlow) {
        let (device, report) = (outcome.device, outcome.report)
        guard context.console.isJSON else {
            func verdict(_ kind: DeviceCheckCase.Kind) -> String {
                report.cases.first { $0.kind == kind }?.verdict.rawValue ?? "-"
            }
            return flow.print([
                "\(device.line)", device.name.map(TerminalText.escaped) ?? "-", report.verdict.rawValue,
                verdict(.label),
                verdict(.certificate), verdict(.ledger), outcome.played, TerminalText.escaped(outcome.seen),
            ])
        }
        context.console.result(outcome.result(in: command.report))
    }

    private func writeIndex(_ outcomes: [Outcome]) throws {
        guard let folder = command.report else { return }
        let path = "\(folder)/index.html"
        try OutputFile.replace(Array(CheckDeviceIndex(outcomes: outcomes).text.utf8), at: path)
        if !context.console.isJSON { context.console.message("the reports: \(TerminalText.escaped(path))") }
    }

    private func writeLabels(_ outcomes: [Outcome], to path: String) throws {
        let sheet = LabelSheet(outcomes: outcomes, made: Terminal.current.unixTime())
        try OutputFile.replace(Array(sheet.text.utf8), at: path)
        if !QRDrawing.isAvailable {
            context.console.warning("the labels have no pictures of QR codes: libqrencode is missing")
        }
        guard !context.console.isJSON else { return }
        context.console.message(
            "the labels: \(TerminalText.escaped(path)) (\(Spelled.count(sheet.printed.count, "label")), "
                + "\(sheet.left.count) left out)")
    }
}

extension CheckDeviceRound.Outcome {
    /// The kinds that compare a device with its manifest.
    private static let compared: Set<DeviceCheckCase.Kind> = [.label, .certificate, .ledger]

    /// The cases of the device itself, in a few words.
    var played: String {
        let cases = report.cases.filter { !Self.compared.contains($0.kind) && $0.verdict != .notTried }
        guard !cases.isEmpty else { return "not tried" }
        let failed = cases.filter { $0.verdict == .failed }
        guard failed.isEmpty else { return "failed: " + failed.map(\.kind.rawValue).joined(separator: " ") }
        return cases.contains { $0.verdict == .noted } ? DeviceCheckCase.Verdict.noted.rawValue : "passed"
    }

    /// The gravest reason.
    var seen: String {
        let cases = report.cases
        return (cases.first { $0.verdict == .failed } ?? cases.first { $0.verdict == .noted } ?? cases.first)?.reason
            ?? ""
    }

    /// - Parameter folder: of all reports; `nil` if none are written.
    func result(in folder: String?) -> Report {
        Report {
            Report(device)
            Field("result", report.verdict.rawValue)
            Report(report, tracing: false)
            if let folder, let place { Field("report", "\(folder)/\(place)/report.html") }
        }
    }
}
