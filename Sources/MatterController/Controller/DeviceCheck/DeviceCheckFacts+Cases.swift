import MatterCrypto
import MatterModel

/// The judgement of each case.
extension DeviceCheckFacts {
    private typealias Evidence = DeviceCheckCase.Evidence

    var cases: [DeviceCheckCase] {
        DeviceCheckCase.Kind.played.compactMap { kind in
            switch kind {
            case .label, .certificate, .ledger: nil
            case .payload: payloadCase
            case .discovery: judged(kind, discovery, advertisementCase)
            case .commissioning: judged(kind, commissioning, commissioningCase)
            case .attestation: judged(kind, attestation) { Self.attestationCase($0) }
            case .conformance: judged(kind, conformance, conformanceCase)
            case .loss: judged(kind, loss, lossCase)
            case .window: judged(kind, window, windowCase)
            case .secondAdministrator: judged(kind, second, secondCase)
            case .removal: judged(kind, removal, removalCase)
            }
        }
    }

    private func judged<Value>(
        _ kind: DeviceCheckCase.Kind, _ tried: Tried<Value>, _ judge: (Value) -> DeviceCheckCase
    ) -> DeviceCheckCase {
        switch tried {
        case .not(let reason): DeviceCheckCase(kind, .notTried, reason)
        case .failed(let reason): DeviceCheckCase(kind, .failed, reason)
        case .done(let value): judge(value)
        }
    }

    private static func number(_ number: UInt16?) -> String { number.map { hexadecimal(UInt32($0)) } ?? "none" }

    private static func seconds(_ time: Duration) -> String { DurationText.format(time) }

    // MARK: Before the fabric

    private var payloadCase: DeviceCheckCase {
        var evidence = [
            Evidence("vendor", Self.number(code.vendorID)), Evidence("product", Self.number(code.productID)),
            Evidence(
                "discriminator",
                code.discriminator.long.map { "\($0)" } ?? "\(code.discriminator.short) (the first four bits)"),
            Evidence("commissioning flow", "\(code.commissioningFlow)"),
        ]
        if let ways = code.discoveryCapabilities {
            evidence.append(Evidence("found by", ways.names.joined(separator: ", ")))
        }
        guard case .done(let device) = commissioning else {
            return DeviceCheckCase(
                .payload, .passed, "the code is sound; no device said which product it is", evidence)
        }
        evidence.append(
            Evidence("the device says", "\(Self.number(device.vendorID)), \(Self.number(device.productID))"))
        func differs(_ code: UInt16?, _ device: UInt16?) -> Bool { code.map { $0 != 0 && $0 != device } ?? false }
        if differs(code.vendorID, device.vendorID) || differs(code.productID, device.productID) {
            return DeviceCheckCase(.payload, .failed, "the code is that of another product than the device", evidence)
        }
        return DeviceCheckCase(
            .payload, .passed,
            code.vendorID == nil ? "the code is sound; it names no product" : "the code is sound, and names the device",
            evidence)
    }

    private func advertisementCase(_ found: Advertisement) -> DeviceCheckCase {
        let evidence = [
            Evidence("found after", Self.seconds(found.time)), Evidence("instance", found.instance),
            Evidence("addresses", found.addresses.joined(separator: ", ")),
            Evidence("discriminator", Self.number(found.discriminator)),
            Evidence("vendor and product", "\(Self.number(found.vendorID)), \(Self.number(found.productID))"),
        ]
        func differs(_ code: UInt16?, _ device: UInt16?) -> Bool {
            if let code, let device { code != 0 && code != device } else { false }
        }
        if differs(code.vendorID, found.vendorID) || differs(code.productID, found.productID) {
            return DeviceCheckCase(.discovery, .failed, "it advertises another product than its code names", evidence)
        }
        guard !found.addresses.isEmpty else {
            return DeviceCheckCase(.discovery, .failed, "it advertises no address", evidence)
        }
        return DeviceCheckCase(.discovery, .passed, "it advertises what its code says", evidence)
    }

    // MARK: Taking it in

    private func commissioningCase(_ facts: Commissioning) -> DeviceCheckCase {
        DeviceCheckCase(
            .commissioning, .passed, "commissioned in \(Self.seconds(facts.total))",
            [Evidence("address", facts.address)]
                + facts.stages.map { Evidence($0.stage.rawValue, Self.seconds($0.duration)) })
    }

    /// - Parameter isComplete: whether all that a verdict needs should be there.
    static func attestationCase(_ report: AttestationReport, isComplete: Bool = true) -> DeviceCheckCase {
        let evidence =
            report.facts.map { Evidence($0.label, $0.text) }
            + report.checks.map { Evidence($0.step.rawValue, $0.texts.joined(separator: "; ")) }
            + report.notes.map { Evidence("note", $0) }
        let failure = report.result.flatMap { $0 == .success ? nil : ": \($0)" } ?? ""
        if report.verdict == .incomplete, !isComplete {
            return DeviceCheckCase(
                .attestation, .noted, "nothing is wrong with the files, but some that a verdict needs are missing",
                evidence)
        }
        guard !report.verdict.isRefusal, report.verdict != .skipped else {
            return DeviceCheckCase(
                .attestation, .failed, "the verdict is '\(report.verdict.rawValue)'\(failure)", evidence)
        }
        return DeviceCheckCase(.attestation, .passed, "the verdict is '\(report.verdict.rawValue)'", evidence)
    }

    private func conformanceCase(_ report: ConformanceReport) -> DeviceCheckCase {
        let failures = report.count(.failure)
        let evidence =
            [
                Evidence("rules", "Matter \(report.specification), strictly"),
                Evidence(
                    "examined",
                    [
                        Spelled.count(report.endpoints.count, "endpoint"),
                        Spelled.count(report.clusters.count, "cluster"),
                        Spelled.count(report.attributes, "attribute"),
                    ].joined(separator: ", ")
                ),
            ]
            + report.findings.map { finding in
                Evidence(
                    "\(finding.severity.rawValue) \(finding.rule)",
                    "\(finding.place): \(finding.text) Expected: \(finding.expected); found: \(finding.found)")
            }
        let others =
            "\(Spelled.count(report.count(.warning), "warning")), \(Spelled.count(report.count(.note), "note"))"
        return failures > 0
            ? DeviceCheckCase(.conformance, .failed, "\(Spelled.count(failures, "failure")), \(others)", evidence)
            : DeviceCheckCase(.conformance, .passed, "no failure, \(others)", evidence)
    }

    // MARK: In use

    private func lossCase(_ runs: [Loss]) -> DeviceCheckCase {
        let evidence = runs.map { run in
            Evidence(
                run.script.text,
                "\(run.answered) of \(Spelled.count(run.asked, "question")) answered in \(Self.seconds(run.time)), "
                    + "\(Spelled.count(run.faults, "fault")) in \(Spelled.count(run.datagrams, "datagram"))"
                    + (run.failure.map { "; \($0)" } ?? ""))
        }
        let broken = runs.filter { $0.answered < $0.asked || $0.failure != nil }
        if let first = broken.first {
            return DeviceCheckCase(
                .loss, .failed, "it does not answer all questions while \(first.script.text)", evidence)
        }
        // A fault that did not happen proves nothing.
        let idle = runs.filter { $0.faults == 0 }
        guard idle.isEmpty, !runs.isEmpty else {
            return DeviceCheckCase(.loss, .notTried, "no datagram was hit", evidence)
        }
        return DeviceCheckCase(
            .loss, .passed, "it answers all questions in \(Spelled.count(runs.count, "play"))", evidence)
    }

    private func windowCase(_ window: Window) -> DeviceCheckCase {
        let evidence = [
            Evidence("after OpenCommissioningWindow", window.opened.rawValue),
            Evidence("after RevokeCommissioning", window.closed.rawValue),
            Evidence("opened in", Self.seconds(window.time)),
        ]
        guard window.opened == .enhanced else {
            return DeviceCheckCase(
                .window, .failed, "it says that the window it opened is \(window.opened.rawValue)", evidence)
        }
        guard window.closed == .closed else {
            return DeviceCheckCase(.window, .failed, "it says that the window it closed is open", evidence)
        }
        return DeviceCheckCase(.window, .passed, "the window opens and closes", evidence)
    }

    private func secondCase(_ second: Second) -> DeviceCheckCase {
        let evidence = [
            Evidence("commissioned by the window in", Self.seconds(second.total)),
            Evidence("fabric indices", second.indices.map { "\($0)" }.joined(separator: ", ")),
            Evidence("each reads what the other writes", second.sharesChanges ? "yes" : "no"),
        ]
        guard Set(second.indices).count == 2 else {
            return DeviceCheckCase(
                .secondAdministrator, .failed, "it does not tell the two fabrics apart", evidence)
        }
        guard second.sharesChanges else {
            return DeviceCheckCase(
                .secondAdministrator, .failed, "an administrator does not read what the other one has written", evidence
            )
        }
        return DeviceCheckCase(.secondAdministrator, .passed, "both fabrics control it", evidence)
    }

    private func removalCase(_ removal: Removal) -> DeviceCheckCase {
        let evidence = [
            Evidence("a removed fabric is admitted", removal.admitsOld ? "yes" : "no"),
            Evidence("open for commissioning again", removal.isOpen ? "yes" : "no"),
            Evidence("removed in", Self.seconds(removal.time)),
        ]
        guard !removal.admitsOld else {
            return DeviceCheckCase(.removal, .failed, "it admits a fabric that it was told to remove", evidence)
        }
        return DeviceCheckCase(
            .removal, .passed,
            removal.isOpen
                ? "both fabrics are gone, and it can be commissioned again"
                : "both fabrics are gone; it is not open for commissioning by itself", evidence)
    }
}
