import MatterLedger

/// A device's evidence, and the judgement of it (Matter core specification, 6.2.3).
public struct AttestedDevice: Sendable {
    /// The device's display.
    public var evidence: AttestationEvidence
    /// The checks made, with their results.
    public var report: AttestationReport

    /// Why a device is not trusted; `nil` if it is.
    public var refusal: CommissioningError? {
        report.verdict.isRefusal ? AttestationRefusal(report: report).error : nil
    }
}

extension CommissioningService {
    /// Judges a device that is open for commissioning, and leaves it as it was. No fabric is needed.
    ///
    /// - Parameter requests: one for each device that a code is for; the first that is found is judged.
    /// - Throws: ``CommissioningError`` with its stage; ``StoreError`` if the authorities cannot be read.
    public func attest(
        _ requests: [CommissioningRequest], trust: TrustPolicy,
        progress: @escaping @Sendable (CommissioningProgress) -> Void = { _ in }, deadline: Instant
    ) async throws -> AttestedDevice {
        let judge = try self.trust.judge(trust, ask: nil)
        return try await withFirstFound(of: requests, progress: progress) { inquiry, request in
            judge.judged(try await inquiry.evidence(of: request, deadline: deadline))
        }
    }
}

extension AttestationJudge {
    func judged(_ evidence: AttestationEvidence) -> AttestedDevice {
        AttestedDevice(evidence: evidence, report: examine(evidence))
    }
}
