/// The checks of a verification in the order in which a failure counts.
package enum AttestationStep: String, Sendable, CaseIterable, CustomStringConvertible {
    case inputs
    case paiFormat = "pai-format"
    case dacFormat = "dac-format"
    case identifiers
    case attestationSignature = "attestation-signature"
    case authority
    case dacValidity = "dac-validity"
    case chain
    case elements
    case nonce
    case declarationSigner = "declaration-signer"
    case declarationSignature = "declaration-signature"
    case declarationContent = "declaration-content"
    case declarationRules = "declaration-rules"
    case basicInformation = "basic-information"
    case declarationCertificates = "declaration-certificates"
    case declarationAuthority = "declaration-authority"
    case revocation
    case firmware
    case setupCode = "setup-code"
    case advertisement

    package var description: String { rawValue }

    /// Whether a device is only trusted if this was judged.
    var isNeeded: Bool {
        switch self {
        case .basicInformation, .revocation, .firmware, .setupCode, .advertisement, .dacValidity, .declarationAuthority:
            false
        default: true
        }
    }
}

/// One check and the outcome of it.
package struct AttestationCheck: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        case passed
        /// A person should know of it; the device is accepted all the same.
        case warned
        case failed(AttestationResult)
        /// There was nothing to compare, or nothing to compare it with.
        case notJudged
    }

    package let step: AttestationStep
    package let outcome: Outcome
    /// The rule, with its values.
    package let expected: String?
    /// The values of the device.
    package let found: String?
    /// The reason for a failure, a warning or a missing judgement; empty for a check that passed.
    package let detail: String
    /// Where the trusted key came from that the check ends at, if it ends at one.
    package let origin: TrustOrigin?

    package init(
        _ step: AttestationStep, _ outcome: Outcome, expected: String? = nil, found: String? = nil,
        detail: String = "", origin: TrustOrigin? = nil
    ) {
        self.step = step
        self.outcome = outcome
        self.expected = expected
        self.found = found
        self.detail = detail
        self.origin = origin
    }

    package var isFailure: Bool { if case .failed = outcome { true } else { false } }

    /// The number of the reference implementation for a failure, and its meaning in words.
    package var result: AttestationResult? { if case .failed(let result) = outcome { result } else { nil } }

    /// `passed`, `warned`, `failed`, `not-judged`.
    package var outcomeName: String {
        switch outcome {
        case .passed: "passed"
        case .warned: "warned"
        case .failed: "failed"
        case .notJudged: "not-judged"
        }
    }
}
