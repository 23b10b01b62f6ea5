import Glibc
import MatterLedger

/// The changes by an update of the trusted authorities.
public struct TrustUpdateOutcome: Sendable, Hashable {
    /// How many authorities and signers of declarations are known now.
    public let authorities: Int
    /// How many of them are new.
    public let added: Int
    /// How many are no longer trusted.
    public let removed: Int
    /// How many lists of revoked certificates are stored.
    public let lists: Int
}

/// Which makers of devices are trusted, and what their devices show for it.
public struct TrustService: FabricService {
    let context: FabricContext
    let links: NodeLinks

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }
}

extension TrustService {
    /// Judges a node of the fabric.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer,
    ///   ``StoreError`` if the authorities cannot be read.
    public func attest(_ node: NodeRecord, trust: TrustPolicy, deadline: Instant) async throws -> AttestedDevice {
        let judge = try judge(trust)
        let link = try await links.link(to: node)
        return judge.judged(try await link.attestation(random: options.random, deadline: deadline))
    }

    /// Judges what is in files, without a device.
    ///
    /// - Throws: `attestation.unreadable-files`.
    public func attest(files path: String, trust: TrustPolicy) throws -> AttestedDevice {
        let files = try AttestationFiles(reading: path)
        return try judge(trust).judged(try files.evidence(random: options.random, path: path))
    }

    /// Judges the attestation of devices by a policy.
    func judge(_ trust: TrustPolicy, ask: AskAboutDevice? = nil) throws -> AttestationJudge {
        try AttestationJudge(
            trust, records: TrustRecords(options.state), time: context.validationTime, logger: options.logger,
            warn: options.warn, ask: ask)
    }

    /// Brings the trusted authorities and the lists of revoked certificates up to date from the Alliance's ledger.
    ///
    /// No authority changes unless all could be fetched; an update that was cut short goes on where it stopped.
    ///
    /// - Parameters:
    ///   - development: from the ledger for development, whose devices count only where a ``TrustPolicy`` allows test devices.
    ///   - losses: whether it is agreed to that more than a tenth of the authorities go, or one that came with the program.
    /// - Throws: ``MatterError``: `issuerFailed` if the ledger gives no answer, `invalidInput` if authorities would be lost and
    ///   that is not agreed to.
    public func update(
        forDevelopment development: Bool = false, acceptingLosses losses: Bool = false,
        within time: Duration = .seconds(180)
    ) async throws -> TrustUpdateOutcome {
        try await reportingErrors {
            let environment = LedgerConnection.variables.reduce(into: [:]) { environment, name in
                environment[name] = getenv(name).map { String(cString: $0) }
            }
            let connection = LedgerConnection(
                environment: environment, userAgent: "matterctl", logger: options.logger)
            let records = TrustRecords(options.state)
            let deadline = ContinuousClock.now + time
            let net: LedgerNet = development ? .test : .main
            let now = options.unixTime()
            return try await connection.withClient(net, deadline: deadline) { client in
                let update = TrustUpdate(client: client, records: records, now: now)
                let plan = try await update.plan()
                guard losses || plan.reservations.isEmpty else {
                    let why = plan.reservations.joined(separator: ", and ")
                    throw ControllerError(.outOfLimits, "the update is not taken over: \(why)")
                }
                try update.save(plan)
                let lists = try await connection.withListFetcher(net, deadline: deadline) { fetcher in
                    try await RevocationUpdate(plan.set, records: records, now: now) {
                        try await fetcher.fetch($0.url)
                    }.run()
                }
                return TrustUpdateOutcome(
                    authorities: plan.set.authorities.count + plan.set.signers.count, added: plan.additions.count,
                    removed: plan.removals.count,
                    lists: lists.count)
            }
        }
    }
}
