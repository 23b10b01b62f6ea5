public import MatterModel

/// Why a commissioning did not succeed.
public struct CommissioningError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// Nothing that fits the setup code answered discovery.
        case nothingDiscovered = "discover.nothing-found"
        /// The code does not fit any of the devices that were tried.
        case wrongPasscode = "pase.wrong-passcode"
        /// The device refuses new commissioners.
        case windowClosed = "pase.window-closed"
        /// Another administrator holds the fail-safe.
        case failSafeBusy = "commission.fail-safe-busy"
        /// The device belongs to this fabric already.
        case alreadyOnFabric = "commission.already-on-fabric"
        /// The device has no room for another fabric.
        case fabricTableFull = "commission.fabric-table-full"
        /// The device wants its manufacturer's terms accepted.
        case termsRequired = "commission.terms-required"
        /// The attestation verdict forbids to go on.
        case attestationRefused = "attestation.refused"
        /// The device's certificate signing request is not valid.
        case invalidCSR = "commission.invalid-csr"
        /// The issuer gave a certificate that does not fit.
        case issuedCertificateInvalid = "issuer.invalid-certificate"
        /// The issuer failed.
        case issuerFailed = "issuer.failed"
        /// The device refused the certificates.
        case nocRejected = "commission.noc-rejected"
        /// The device answered a command with an error of the commissioning clusters.
        case deviceRefused = "commission.device-refused"
        /// The device answered a command with an Interaction Model status.
        case commandFailed = "commission.command-failed"
        /// The device answered something that does not decode.
        case malformedAnswer = "commission.malformed-answer"
        /// The device has the certificate, but refuses the session that it is for.
        case sessionRefused = "commission.session-refused"
        /// The device has the certificate, but could not be reached any more.
        case goneAfterNOC = "commission.gone-after-noc"
        /// The device was sent the certificate, and has forgotten it.
        case forgotten = "commission.forgotten"
        /// The device cannot be reached without a network, and none was named.
        case networkNeeded = "commission.network-needed"
        /// The device has no interface for the network that was named.
        case networkUnsuitable = "commission.network-unsuitable"
        /// The device could not join the network.
        case networkRefused = "commission.network-refused"
        /// The device has left for its network, and was not found there.
        case notOnNetwork = "commission.not-on-network"
        /// The device has forgotten a commissioning that was to be completed on another machine.
        case handoverExpired = "commission.handover-expired"
        /// The device no longer answers.
        case noAnswer = "commission.no-answer"
        /// The test option `--until` ended it.
        case stopped = "commission.stopped"
        /// Commissioning was ended from outside.
        case interrupted = "commission.interrupted"
        /// A defect of ours: a step that cannot follow the one before.
        case impossibleStep = "commission.impossible-step"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .nothingDiscovered: .notFound
            case .wrongPasscode, .windowClosed, .failSafeBusy, .alreadyOnFabric, .fabricTableFull, .nocRejected,
                .invalidCSR, .sessionRefused, .deviceRefused, .termsRequired, .networkRefused, .handoverExpired:
                .commissioningRefused
            case .attestationRefused: .attestationRefused
            case .issuerFailed, .issuedCertificateInvalid: .issuerFailed
            case .commandFailed, .malformedAnswer: .refused
            case .goneAfterNOC, .noAnswer, .forgotten, .notOnNetwork: .noAnswer
            case .networkNeeded, .networkUnsuitable: .invalidInput
            case .stopped, .interrupted: .interrupted
            case .impossibleStep: .defect
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The stage that failed.
    public var stage: CommissioningStage
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?
    /// The Interaction Model status, when a command failed with one.
    public var status: StatusIB?
    /// The error that led to this one; `nil` if there is none.
    public var underlying: (any Error)?
    /// The demand that has to be met, for `termsRequired`.
    public var terms: TermsDemand?
    /// The end of the attempt to join, for `networkRefused`.
    package var network: NetworkFailure?
    /// The steps that were left, for `stopped`.
    public var rehearsal: CommissioningRehearsal?
    /// In what state the device is left.
    public var aftermath: Aftermath = .untouched

    /// The state of the device after a failed commissioning.
    public enum Aftermath: Equatable, Sendable {
        /// Nothing was changed.
        case untouched
        /// The fail-safe was disarmed; the device has forgotten everything.
        case rolledBack
        /// The device was on the fabric and has left it again.
        case left
        /// The device has forgotten everything by itself.
        case forgotten
        /// The device could not be told; it forgets by itself when its fail-safe runs out.
        case rollsBack(within: Duration)
        /// The device may hold our certificate; the pending node is kept and taken up again next time.
        case pending(nodeID: UInt64, within: Duration)
        /// The device is on the fabric; what is missing here is made up for when the same command is run again.
        case unfinished(nodeID: UInt64)
        /// The device is on the fabric, and its record is kept.
        case commissioned(nodeID: UInt64)
    }

    package init(
        _ code: Code, stage: CommissioningStage, _ reason: String, hint: Hint? = nil, status: StatusIB? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.stage = stage
        self.reason = reason
        self.hint = hint
        self.status = status
        self.underlying = underlying
    }

    /// The stage in which it failed; `nil` if there are no stages.
    public var stageName: String? { stage.rawValue }

    /// Facts for programs, by name.
    public var facts: [Fact] {
        if let network { return network.facts }
        guard let terms else { return [] }
        return [
            Fact("vendorId", terms.vendorID), Fact("productId", terms.productID),
            Fact("termsVersion", terms.minimumVersion),
        ].compactMap { $0 }
    }
}

/// A commissioning that failed because of something that has nothing to do with commissioning, such as a full disk.
public struct InterruptedCommissioning: Error, CustomStringConvertible {
    /// The events.
    public var underlying: any Error
    /// The end of the attempt to join, for `networkRefused`.
    package var network: NetworkFailure?
    /// In what state the device is left.
    public var aftermath: CommissioningError.Aftermath

    package init(_ underlying: any Error, _ aftermath: CommissioningError.Aftermath) {
        self.underlying = underlying
        self.aftermath = aftermath
    }

    /// The value as text, as messages and logs show it.
    public var description: String { "\(underlying)" }
}

extension CommissioningError {
    /// A status of the device, or what the issuer lacks on this host, says more than the code.
    public var kind: FailureKind {
        switch code {
        case .commandFailed: status.map { FailureKind(status: $0.status) } ?? code.kind
        case .issuerFailed where (underlying as? any CodedError)?.kind == .serviceMissing: .serviceMissing
        default: code.kind
        }
    }
}
