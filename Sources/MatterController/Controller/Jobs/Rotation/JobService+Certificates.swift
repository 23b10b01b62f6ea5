import MatterState

/// Our part of a rotation of certificates.
extension JobService {
    /// The means for new certificates; `nil` for other work, or if the authority's key is not here.
    func renewal(of job: Job, _ store: JobStore) throws -> CertificateRenewal? {
        guard job.kind == .certificates else { return nil }
        let fabric = try context.fabric()
        let authority = try fabrics.authority(of: fabric)
        guard fabric.issuer == .local, authority.canIssue else { return nil }
        let local = LocalFabric(authority: authority, credentials: try context.credentials())
        return CertificateRenewal(
            local: local, vendorID: fabric.vendorID, validity: context.validity, time: context.validationTime,
            random: options.random
        ) { [now] node, certificate in
            let digest = certificate.digest
            let after = try await store.note([.rotated(.marked(node, digest))], of: job.id, at: now)
            return after.rotation?.marks[node] ?? digest
        }
    }

    /// Gives us a new key and a new certificate, once no node is pending. A node has to take it before the old one is put away.
    ///
    /// - Returns: what came of it.
    func renewOwn(_ job: Job, deadline: Instant?) async -> Job.Event {
        let fabricID: NodeID
        do {
            let fabric = try context.fabric()
            fabricID = fabric.nodeID
            do {
                try await renewOwn(of: fabric, deadline: deadline)
                return .done(fabricID)
            } catch {
                return .failed(fabricID, Job.Reason(error))
            }
        } catch {
            return .failed(NodeID(0), Job.Reason(error))
        }
    }

    private func renewOwn(of fabric: FabricRecord, deadline: Instant?) async throws {
        let held = try context.credentials()
        let local = LocalFabric(authority: try fabrics.authority(of: fabric), credentials: held)
        let authority = try local.issuer(
            adminVendorID: fabric.vendorID, random: options.random, validity: { [context] in context.validity })
        let new = try authority.issueOwnCredentials(
            key: try P256PrivateKey.generate(options.random), nodeID: held.nodeID, cats: held.identity.cats)
        try await prove(new, deadline: deadline)
        try await fabrics.replaceOwnCertificate(of: fabric.name, with: new)
        context.forgetCredentials()
        // Sessions that are resumed would go on with the old certificate.
        try context.resumptions().removeAll()
    }

    /// Sets up a session under credentials with the first node that answers.
    private func prove(_ credentials: OperationalCredentials, deadline: Instant?) async throws {
        let work = JobWork(kind: .certificates, context: context, links: links, borrowed: nil)
        var failure: (any Error)?
        for node in try context.nodes().sound().nodes where node.nodeID != credentials.nodeID {
            do {
                let deadline = deadline ?? Budget(nil).deadline(for: node)
                return try await work.withFreshLink(to: node, as: credentials) { link in
                    _ = try await link.ownCertificate(deadline: deadline)
                }
            } catch {
                try Task.checkCancellation()
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
