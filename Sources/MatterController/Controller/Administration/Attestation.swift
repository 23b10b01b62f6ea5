import MatterNetwork

/// The value of the proof of a device's origin (Matter core specification, 6.2.3).
public struct AttestationJudgement: Sendable {
    /// The verdict: `trusted`, `test`, `untrusted` and others, as `matterctl attest` prints them.
    public let verdict: String
    /// Why a commissioning would refuse the device; `nil` if it would not.
    public let refusal: MatterError?
    /// Every check in its order, as a line with what was expected and found.
    public let checks: [String]

    init(_ device: AttestedDevice) {
        verdict = device.report.verdict.rawValue
        refusal = device.refusal.map { MatterError($0) }
        checks = device.report.lines
    }
}

extension Controller {
    /// Judges the origin of a device that is open for commissioning, and leaves it as it was. No fabric is needed.
    ///
    /// - Parameters:
    ///   - code: the QR payload (`MT:…`) or the manual pairing code that the device shows.
    ///   - trust: whose keys prove it.
    /// - Throws: ``MatterError``.
    public func attest(
        _ code: String, trust: TrustPolicy = TrustPolicy(), within time: Duration = .seconds(60)
    ) async throws -> AttestationJudgement {
        try await reportingErrors {
            let requests = try SetupPayload.parse(code).map { CommissioningRequest($0) }
            return AttestationJudgement(
                try await commissioning.attest(requests, trust: trust, deadline: Instant.now + time))
        }
    }
}

extension Node {
    /// Judges the origin of the node again.
    ///
    /// - Parameter trust: whose keys prove it.
    /// - Throws: ``MatterError``.
    public func attest(
        trust: TrustPolicy = TrustPolicy(), within time: Duration? = nil
    ) async throws -> AttestationJudgement {
        try await reportingErrors {
            AttestationJudgement(
                try await controller.trust.attest(
                    record, trust: trust, deadline: Budget(time).deadline(for: record)))
        }
    }
}
