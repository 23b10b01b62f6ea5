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
        let run = try DeviceCheckRun(options, judges, requests, code, trust, progress)
        do {
            let report = try await run.examine(deadline)
            await run.close()
            return report
        } catch {
            // The device leaves also for one who does not wait any more.
            await options.time.start { await run.leave() }.value
            await run.close()
            throw error
        }
    }
}
