public import MatterState

/// Examines a device before it is sold: a fabric that is made for it takes it in, tries it in all ways, lets a second one in, and
/// leaves it as it was.
public struct DeviceCheckService: FabricService {
    let context: FabricContext
    private let judges: any AttestationJudging

    init(_ context: FabricContext, _ judges: any AttestationJudging) {
        self.context = context
        self.judges = judges
    }

    /// Examines the device of a code. The fabrics of the user are not touched.
    ///
    /// - Parameters:
    ///   - requests: one for each device that the code may be for; the first that is found is examined.
    ///   - trust: which authorities count. A device that is not trusted is examined all the same.
    ///   - progress: told of each case, and of the stages of a commissioning.
    ///   - deadline: the end of each commissioning; all else has times of its own.
    /// - Throws: `CancellationError` after the device was made to leave again; ``StoreError`` if there is no place for the
    ///   fabrics.
    public func examine(
        _ requests: [CommissioningRequest], code: SetupPayload, trust: TrustPolicy,
        progress: @escaping @Sendable (CommissioningProgress) -> Void, deadline: Instant
    ) async throws -> DeviceCheckReport {
        try await examined(requests, code, trust, progress) { deadline }.report
    }

    private func examined(
        _ requests: [CommissioningRequest], _ code: SetupPayload, _ trust: TrustPolicy,
        _ progress: @escaping @Sendable (CommissioningProgress) -> Void, turns: CheckTurns? = nil,
        _ deadline: @escaping @Sendable () -> Instant
    ) async throws -> (
        report: DeviceCheckReport, answer: DeviceComparison.Answer?,
        attestation: DeviceCheckFacts.Tried<AttestationReport>
    ) {
        let run = try DeviceCheckRun(options, judges, requests, code, trust, turns, progress)
        do {
            let report = try await run.examine(deadline)
            let seen = (report, await run.answer, await run.attestation)
            await run.close()
            return seen
        } catch {
            // The device leaves also for one who does not wait any more.
            await options.time.start { await run.leave() }.value
            await run.close()
            throw error
        }
    }
}

/// Devices of a manifest.
extension DeviceCheckService {
    /// The measure for devices of a manifest (own).
    public struct Measure: Sendable {
        /// Which authorities count.
        public var trust: TrustPolicy
        /// Asks the ledger; `nil` if it is not to be asked.
        public var ledger: LedgerInquiry?
        /// Whether what could not be compared is a failure.
        public var isStrict: Bool
        /// Devices that are examined by one measure at a time wait for each other.
        let turns = CheckTurns()

        /// A measure; each part of it can be changed.
        public init(_ trust: TrustPolicy, ledger: LedgerInquiry?, isStrict: Bool) {
            (self.trust, self.ledger, self.isStrict) = (trust, ledger, isStrict)
        }
    }

    /// Examines a device of a manifest, and compares it with its label, the manifest and the ledger.
    ///
    /// - Parameters:
    ///   - requests: one for each device that its code may be for.
    ///   - files: the path of its certificates; `nil` if there are none.
    ///   - progress: told of each case, and of the stages of a commissioning.
    ///   - patience: how long its commissioning may take, from its turn on. Of several devices that are examined by one measure at
    ///     a time, one is commissioned at a time and alone, so that the times are its own.
    /// - Throws: `CancellationError` after the device was made to leave again; ``StoreError`` if there is no place for the
    ///   fabrics.
    public func examine(
        _ device: DeviceManifest.Device, _ requests: [CommissioningRequest], files: String?, by measure: Measure,
        progress: @escaping @Sendable (CommissioningProgress) -> Void, patience: Duration
    ) async throws -> DeviceCheckReport {
        guard let code = device.code else { return try await compare(device, files: files, by: measure) }
        let time = options.time
        let seen = try await examined(requests, code, measure.trust, progress, turns: measure.turns) {
            time.now + patience
        }
        var comparison = DeviceComparison(device: device, answer: seen.answer, attestation: seen.attestation)
        if let files {
            switch judged(files, measure.trust) {
            case .done(let report):
                comparison.files = report
                if case .not = seen.attestation { comparison.attestation = .done(report) }
            case .failed(let reason): comparison.attestation = .failed(reason)
            case .not: break
            }
        }
        let cases = try await compared(comparison, by: measure)
        return DeviceCheckReport(
            vendorID: seen.report.vendorID, productID: seen.report.productID, began: seen.report.began,
            time: seen.report.time, cases: cases + seen.report.cases)
    }

    /// Compares a device of a manifest with its label, the manifest and the ledger, without asking the device.
    ///
    /// - Parameters:
    ///   - files: the path of its certificates; `nil` if there are none.
    ///   - failure: why the device could not be asked; `nil` if it was not to be asked.
    /// - Throws: `CancellationError`.
    public func compare(
        _ device: DeviceManifest.Device, files: String?, by measure: Measure, failure: String? = nil
    ) async throws -> DeviceCheckReport {
        let (began, start) = (options.unixTime(), options.time.now)
        var comparison = DeviceComparison(device: device)
        comparison.attestation =
            files.map { judged($0, measure.trust) }
            ?? .not("the device was not asked, and the manifest has no files of it")
        var cases = try await compared(comparison, by: measure)
        if let failure { cases.append(DeviceCheckCase(.commissioning, .failed, failure)) }
        if case .done(let report) = comparison.attestation {
            cases.append(DeviceCheckFacts.attestationCase(report, isComplete: false))
        }
        return DeviceCheckReport(
            vendorID: comparison.product?.vendorID, productID: comparison.product?.productID, began: began,
            time: options.time.now - start, cases: cases)
    }

    private func compared(_ comparison: DeviceComparison, by measure: Measure) async throws -> [DeviceCheckCase] {
        var comparison = comparison
        comparison.isStrict = measure.isStrict
        if let ledger = measure.ledger, let product = comparison.product {
            comparison.ledger = try await ledger.standing(
                of: product.vendorID, product.productID, version: comparison.softwareVersion)
        }
        return comparison.cases
    }

    private func judged(_ files: String, _ trust: TrustPolicy) -> DeviceCheckFacts.Tried<AttestationReport> {
        do {
            let evidence = try AttestationFiles(reading: files).evidence(random: options.random, path: files)
            return .done(try judges.judge(trust, ask: nil).judged(evidence).report)
        } catch {
            return .failed(MatterError(error).message)
        }
    }
}
