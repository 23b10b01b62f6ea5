import MatterNetwork

/// Waiting for an issuer or a person, while the device's fail-safe stays armed.
extension CommissioningRun {
    /// While an issuer works or a person decides, the fail-safe is extended this often.
    private static let keepAlive = Duration.seconds(20)

    func issue(
        _ csr: CertificateSigningRequest, _ given: NOCIssueContext, nodeID: NodeID?, keepAlive: CommissioningCommand
    ) async throws -> IssuedNOC {
        var context = given
        context.requestedNodeID = nodeID
        let channel = channel
        context.readAttributes = { endpoint, cluster, attribute in
            try await channel.read([
                AttributePath(
                    endpoint: endpoint.map { EndpointID($0) }, cluster: cluster.map { ClusterID($0) },
                    attribute: attribute.map { AttributeID($0) })
            ])
            .attributes.compactMap { report in
                report.value.map {
                    NOCIssueContext.AttributeReading(
                        endpoint: report.path.endpoint.rawValue, cluster: report.path.cluster.rawValue,
                        attribute: report.path.attribute.rawValue, value: $0)
                }
            }
        }
        let issuer = environment.issuer
        let complete = context
        return try await keepingFailSafe(keepAlive, overdue: Self.slowIssuer) {
            do {
                return try await issuer.issue(csr, context: complete)
            } catch let error as CancellationError {
                throw error
            } catch let error as CommissioningError {
                throw error
            } catch {
                throw CommissioningError(
                    .issuerFailed, stage: .issueNOC, "the certificate issuer failed: \(error)", underlying: error)
            }
        }
    }

    func keepAlive(_ memory: Memory) -> CommissioningCommand {
        .armFailSafe(seconds: memory.failSafe.seconds, breadcrumb: memory.breadcrumb)
    }

    /// Waits for an issuer or a person, whose slowness must not let the fail-safe run out.
    ///
    /// - Parameter overdue: the error when the time of the command is over.
    func keepingFailSafe<Result: Sendable>(
        _ keepAlive: CommissioningCommand, overdue: CommissioningError,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let channel = channel
        return try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await time.sleep(until: deadline)
                throw overdue
            }
            group.addTask {
                while true {
                    try await time.sleep(for: Self.keepAlive)
                    do {
                        _ = try await channel.invoke(keepAlive)
                    } catch {
                        // The time ended, and the device had no part in that.
                        throw time.now < deadline ? error : overdue
                    }
                }
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    static var unanswered: CommissioningError {
        CommissioningError(
            .attestationRefused, stage: .attestation, "attestation failed: no answer came within the command's time")
    }

    static var unchosen: CommissioningError {
        CommissioningError(
            .networkNeeded, stage: .network, "no network was chosen within the command's time",
            hint: .step("network.name-wifi"))
    }

    private static var slowIssuer: CommissioningError {
        CommissioningError(
            .issuerFailed, stage: .issueNOC, "the certificate issuer did not answer within the command's time",
            hint: .step("issuer.slow"))
    }
}
