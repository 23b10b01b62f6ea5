import Logging
import MatterState

/// A new certificate for one node under a fail-safe (Matter core specification, 11.18.6.9): a node that is not told that all is well has
/// its old one again a minute later.
extension JobWork {
    /// How long a node waits for the confirmation before it goes back.
    private static let failSafeSeconds: UInt16 = 60
    private static let nonceCount = 32
    private static let undoing = Duration.seconds(5)

    func renewCertificate(of node: NodeRecord, deadline: Instant) async throws -> Verdict {
        guard let renewal else {
            throw ControllerError(
                .noIssuer, "the key of the fabric's certificate authority is not here", hint: .step("job.no-authority"))
        }
        _ = try await links.gate?.meet(node, for: .short)
        try await withFreshLink(to: node, as: try context.credentials()) { link in
            try await checkAdministrators(of: node, link, deadline: deadline)
            let present = try await link.ownCertificate(deadline: deadline)
            let first = try await renewal.mark(node.nodeID, present)
            // An earlier attempt may have come so far.
            if first != present.digest, try await isFinal(first, link, deadline: deadline) { return }
            do {
                try await update(link, present, renewal, deadline: deadline)
            } catch {
                await undo(link)
                throw error
            }
            // The sessions of the old certificate end with it.
            await link.renew()
            guard try await isFinal(first, link, deadline: deadline) else {
                throw JobError(.notTaken, "\(node.title) has its old certificate again")
            }
        }
        try await links.endSession(with: node.nodeID)
        let now = context.options.unixTime()
        try await context.nodes().update(node.nodeID) { $0.certifiedAt = now }
        return .done
    }

    /// Lets the node ask for a certificate, and gives it one with the ids of the old one.
    private func update(
        _ link: NodeLink, _ present: MatterCertificate, _ renewal: CertificateRenewal, deadline: Instant
    ) async throws {
        let session = try await link.connect(deadline: deadline)
        let channel = CommissioningChannel(session: session, deadline: deadline)
        func ask(_ command: CommissioningCommand, _ stage: CommissioningStage) async throws -> CommissioningAnswer {
            try CommissioningAnswer(try await channel.invoke(command), to: command, stage: stage)
        }
        try await ask(.armFailSafe(seconds: Self.failSafeSeconds, breadcrumb: 0), .armFailSafe).requireOK()
        typealias Chain = NodeOperationalCredentials.CertificateChainResponse.Field
        let dac = try await ask(.certificateChain(.dacCertificate), .attestation).required(Chain.certificate)
        let nonce = try context.options.random.bytes(Self.nonceCount)
        typealias Response = NodeOperationalCredentials.CSRResponse.Field
        let answer = try await ask(.csrForUpdate(nonce: nonce), .csr)
        let request: CertificateSigningRequest
        do {
            request = try NOCSRElements(decoding: try answer.required(Response.nocsrElements)).verify(
                nonce: nonce, signature: try answer.required(Response.attestationSignature),
                attestationKey: try AttestationCertificate(der: dac).publicKey,
                attestationChallenge: session.established.keys.attestationChallenge.copyBytes())
        } catch let error as CredentialsError {
            throw CommissioningError(
                .invalidCSR, stage: .csr, "the device's certificate signing request is not valid: \(error)",
                hint: "this is a fault of the device; restart it and try again", underlying: error)
        }
        let issued = try renewal.issue(request, like: present, for: link.node)
        do {
            try await ask(.updateNOC(noc: issued.noc.tlv, icac: issued.icac?.tlv), .addNOC).requireNOCAccepted()
        } catch let error as TransportError {
            // It may have the certificate; the next session tells.
            context.options.logger.debug("\(error)")
        } catch let error as SessionError {
            context.options.logger.debug("\(error)")
        }
    }

    /// Confirms a certificate that is not the first one. A node without a fail-safe of ours has what it has for good.
    private func isFinal(_ first: [UInt8], _ link: NodeLink, deadline: Instant) async throws -> Bool {
        guard try await link.ownCertificate(deadline: deadline).digest != first else { return false }
        let channel = CommissioningChannel(session: try await link.connect(deadline: deadline), deadline: deadline)
        let command = CommissioningCommand.commissioningComplete
        let answer = try CommissioningAnswer(
            try await channel.invoke(command), to: command, stage: .complete)
        try answer.requireOK(toleratingAll: [.noFailSafe, .invalidAuthentication])
        return try await link.ownCertificate(deadline: deadline).digest != first
    }

    private func undo(_ link: NodeLink) async {
        guard let session = try? await link.connect(deadline: link.time.now + Self.undoing) else { return }
        let channel = CommissioningChannel(session: session, deadline: link.time.now + Self.undoing)
        _ = try? await channel.invoke(.armFailSafe(seconds: 0, breadcrumb: 0))
    }
}

/// The means for new certificates: the fabric's authority, and the place where it is written down which ones are the old ones.
struct CertificateRenewal: Sendable {
    let local: LocalFabric
    let vendorID: VendorID
    let validity: CertificateValidity
    let time: ValidationTime
    let random: any RandomSource
    /// Writes down which certificate a node has, unless that was done before.
    ///
    /// - Returns: the digest of the first one.
    let mark: @Sendable (NodeID, MatterCertificate) async throws -> [UInt8]

    /// A certificate for the key of a request, with the node id and the tags of another one.
    func issue(
        _ request: CertificateSigningRequest, like old: MatterCertificate, for node: NodeRecord
    ) throws -> IssuedNOC {
        let authority = try local.issuer(adminVendorID: vendorID, random: random, validity: { [validity] in validity })
        let identity = try OperationalChain(noc: old, icac: local.authority.intermediate, root: local.authority.root)
            .identity
        guard identity.nodeID == node.nodeID else {
            throw CredentialsError(
                .nodeMismatch, "the certificate of \(node.title) is for the node \(identity.nodeID)", certificate: .node
            )
        }
        let issued = try authority.issue(request, nodeID: identity.nodeID, cats: identity.cats)
        _ = try issued.validate(
            csr: request, root: local.authority.root, fabricID: local.fabricID, requestedNodeID: node.nodeID, at: time)
        return issued
    }
}

extension MatterCertificate {
    /// By which it can be told from others.
    var digest: [UInt8] { Array(SHA256.hash(tlv).prefix(16)) }
}

extension NodeLink {
    /// The node's certificate on our fabric.
    ///
    /// - Throws: ``ControllerError`` `status` if it shows none.
    func ownCertificate(deadline: Instant) async throws -> MatterCertificate {
        let path = ConcreteAttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id,
            attribute: NodeOperationalCredentials.Attribute.nocs)
        let list: FabricList<ListEntry<NodeOperationalCredentials.NOC>> = try await list(
            path, "list of certificates", deadline: deadline)
        guard let entry = list.entries.first else {
            throw ControllerError(.status, "\(node.title) shows no certificate of our fabric")
        }
        return try MatterCertificate(tlv: entry.noc)
    }
}

extension NodeOperationalCredentials.NOC: FabricScopedStructure {}
