import Logging
import MatterLedger

/// Which devices a commissioning accepts: what their attestation has to prove, and whose keys prove it.
public struct TrustPolicy: Sendable, Hashable {
    /// The consequence of a failed attestation.
    public enum Enforcement: String, Sendable, CaseIterable {
        /// The device is refused.
        case enforce
        /// The device is accepted with a warning.
        case warn
        /// Nothing is checked.
        case skip
    }

    /// The consequence if it is not known whether a device's certificates are revoked. A device with a revoked one is refused
    /// like one that fails otherwise.
    public enum Revocation: String, Sendable, CaseIterable {
        /// The device is refused.
        case strict
        /// The device is accepted.
        case soft
        /// Lists of revoked certificates are not looked into.
        case off
    }

    /// The consequence of a failed attestation.
    public var enforcement: Enforcement
    /// Whether development devices are accepted, whose keys are public.
    public var allowsTestDevices: Bool
    /// A folder of attestation authorities (PAA certificates, DER or PEM) to trust.
    public var folder: String?
    /// The consequence if it is not known whether a device's certificates are revoked.
    public var revocation = Revocation.soft
    /// A file of revoked certificates that counts besides the lists of the ledger (JSON, in the form that the reference
    /// implementation's tools write).
    public var revocationSet: String?

    /// Names what to accept; devices that cannot prove their origin are refused by default.
    public init(enforcement: Enforcement = .enforce, allowsTestDevices: Bool = false, folder: String? = nil) {
        self.enforcement = enforcement
        self.allowsTestDevices = allowsTestDevices
        self.folder = folder
    }

    /// Trusts the authorities in a folder, and the development authorities if asked to.
    public static func folder(_ path: String, testDevices: Bool = false) -> TrustPolicy {
        TrustPolicy(allowsTestDevices: testDevices, folder: path)
    }

    /// Trusts development devices only: their keys are public, so their attestation proves nothing.
    public static let testDevices = TrustPolicy(allowsTestDevices: true)
}

extension TrustPolicy {
    /// The keys that the policy trusts: of the program, of the ledgers as far as they were brought, and the user's own.
    ///
    /// - Throws: ``AttestationError`` if the folder cannot be read, or what is wrong with the user's own record.
    func store(_ records: TrustRecords, _ ledgers: [StoredTrust]) throws -> TrustStore {
        guard enforcement != .skip else { return TrustStore(builtIn: false) }
        var (files, unreadable): ([TrustFile], [UnusableTrustFile]) = ([], [])
        if let folder { (files, unreadable) = try TrustDirectory.read(folder) }
        let own = try records.ownTrust()
        return TrustStore(
            allowTestDevices: allowsTestDevices, files: own.files + files, ledgers: ledgers,
            distrusted: Set(own.distrusted), unreadable: unreadable)
    }

    /// The data of the ledgers that count.
    func ledgers(_ records: TrustRecords, warn: Controller.Warn) throws -> [StoredTrust] {
        guard enforcement != .skip else { return [] }
        var ledgers: [StoredTrust] = []
        for net in allowsTestDevices ? LedgerNet.allCases : [.main] {
            do {
                if let stored = try records.stored(net, warn: { warn($0.reason, $0.hint) }) { ledgers.append(stored) }
            } catch let error as LedgerError {
                // The program's own table is still there.
                warn(error.reason, error.hint)
            }
        }
        return ledgers
    }
}

/// Asks a person about a device that is in order but for its authority, which is not known.
///
/// - Returns: whether to let it in all the same.
public typealias AskAboutDevice = @Sendable (AttestationReport) async throws -> Bool

/// Judges the attestation of devices by a policy.
struct AttestationJudge: Sendable {
    private let enforcement: TrustPolicy.Enforcement
    private let trust: TrustStore
    private let revocation: RevocationCheck?
    private let time: ValidationTime
    private let warn: Controller.Warn
    private let ask: AskAboutDevice?
    /// Gets every step of the verification.
    private let logger: Logger

    init(
        _ policy: TrustPolicy, records: TrustRecords, time: ValidationTime, logger: Logger,
        warn: @escaping Controller.Warn, ask: AskAboutDevice? = nil
    ) throws {
        enforcement = policy.enforcement
        let ledgers = try policy.ledgers(records, warn: warn)
        trust = try policy.store(records, ledgers)
        revocation = try policy.revocationCheck(ledgers, records)
        self.time = time
        self.logger = logger
        self.warn = warn
        self.ask = ask
    }

    /// Lets a device pass, or throws ``CommissioningError`` to refuse it.
    func attest(_ evidence: AttestationEvidence) async throws -> AttestationSummary {
        guard enforcement != .skip else { return AttestationSummary(.skipped) }
        let report = examine(evidence)
        guard report.verdict.isRefusal else { return AttestationSummary(report) }
        let refusal = AttestationRefusal(report: report)
        if enforcement == .warn {
            warn("attestation failed: \(refusal.reason)", .step("attestation.not-enforced"))
            return AttestationSummary(report, isAccepted: true)
        }
        if let ask, report.lacksOnlyAuthority, try await ask(report) {
            return AttestationSummary(report, isAccepted: true)
        }
        throw refusal.error
    }

    /// Judges whatever the policy makes of it.
    func examine(_ evidence: AttestationEvidence) -> AttestationReport {
        let report = AttestationVerifier(trust: trust, revocation: revocation).verify(evidence, at: time)
        for line in report.lines { logger.debug("\(line)") }
        if let hint = report.hint { logger.debug("hint: \(hint)") }
        for file in trust.unusable { warn(file.description, nil) }
        warnIfOld(report)
        return report
    }

    /// Old keys matter where the ledger's were asked for.
    private func warnIfOld(_ report: AttestationReport) {
        guard case .now(let seconds) = time else { return }
        guard report.authority != nil || report.result == .paaNotFound,
            let date = trust.date(of: report.authority?.origin)
        else { return }
        let age = TrustAge(date: date, now: MatterEpoch.unix(seconds))
        guard age.isOld else { return }
        warn("the known authorities are of \(age.day), \(age.days) days ago", .step("trust.update"))
    }
}
