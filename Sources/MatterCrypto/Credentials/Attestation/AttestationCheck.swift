/// The checks of a verification in the order in which a failure counts (Matter core specification, 6.2.3).
public enum AttestationStep: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The check of: inputs.
    case inputs
    /// The check of: PAI format.
    case paiFormat = "pai-format"
    /// The check of: DAC format.
    case dacFormat = "dac-format"
    /// The check of: identifiers.
    case identifiers
    /// The check of: attestation signature.
    case attestationSignature = "attestation-signature"
    /// The check of: authority.
    case authority
    /// The check of: DAC validity.
    case dacValidity = "dac-validity"
    /// The check of: chain.
    case chain
    /// The check of: elements.
    case elements
    /// The check of: nonce.
    case nonce
    /// The check of: declaration signer.
    case declarationSigner = "declaration-signer"
    /// The check of: declaration signature.
    case declarationSignature = "declaration-signature"
    /// The check of: declaration content.
    case declarationContent = "declaration-content"
    /// The check of: declaration rules.
    case declarationRules = "declaration-rules"
    /// The check of: basic information.
    case basicInformation = "basic-information"
    /// The check of: declaration certificates.
    case declarationCertificates = "declaration-certificates"
    /// The check of: declaration authority.
    case declarationAuthority = "declaration-authority"
    /// The check of: revocation.
    case revocation
    /// The check of: firmware.
    case firmware
    /// The check of: setup code.
    case setupCode = "setup-code"
    /// The check of: advertisement.
    case advertisement

    /// The value as text, as messages and logs show it.
    public var description: String { rawValue }

    /// Whether a device is only trusted if this was judged.
    var isNeeded: Bool {
        switch self {
        case .basicInformation, .revocation, .firmware, .setupCode, .advertisement, .dacValidity, .declarationAuthority:
            false
        default: true
        }
    }
}

/// One check and the outcome of it (Matter core specification, 6.2.3).
public struct AttestationCheck: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        case passed
        /// A person should know of it; the device is accepted all the same.
        case warned
        case failed(AttestationResult)
        /// There was nothing to compare, or nothing to compare it with.
        case notJudged
    }

    /// The checks made.
    public let step: AttestationStep
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
