public import MatterState

/// Commissioning on two machines: one that reaches the device, and one that is on the network of the fabric.
extension CommissioningService {
    /// The data that the other machine needs to complete a pending node.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func handover(of node: NodeID, passcode: SetupPasscode) throws -> Handover {
        guard let pending = try context.journal().node(node) else {
            throw RecordError(.unknownNode, "node \(node) is not pending", hint: .step("node.see"))
        }
        return Handover(
            fabric: try context.fabric(), credentials: try context.credentials(), passcode: passcode, node: pending)
    }

    /// The name of the fabric of a handover here; one that is not known yet is taken over, without its authority.
    ///
    /// - Throws: ``CommissioningError`` `handoverExpired` if the device has forgotten the attempt by now.
    public func fabric(of handover: Handover) async throws -> String {
        let left = handover.node.failSafeEnds - options.unixTime()
        guard left > 0 else {
            throw CommissioningError(
                .handoverExpired, stage: .case,
                "the device has forgotten this attempt: its fail-safe expired \(-left) s ago",
                hint: "begin again on the machine that reaches the device")
        }
        let local = try LocalFabric(
            importing: handover.chain, keys: [handover.key], ipk: handover.ipk, at: context.validationTime)
        let identity = local.credentials.fabric.compressedFabricID
        if let known = try fabrics.sound().fabrics.first(where: { $0.compressedFabricID == identity }) {
            return known.name
        }
        return try await fabrics.add(
            local, name: handover.fabricName, vendorID: handover.vendorID, nodeIDs: .random
        ).name
    }

    /// Completes the node of a handover over the network of the fabric.
    ///
    /// - Throws: ``CommissioningError`` with its stage, ``InterruptedCommissioning`` once the device may have kept something,
    ///   ``ControllerError`` or ``RecordError`` before anything is sent.
    public func complete(
        _ handover: Handover, name: String?, room: String?, readsEndpoints: Bool,
        progress: @escaping @Sendable (CommissioningProgress) -> Void, deadline: Instant
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        let journal = try context.journal()
        var pending = handover.node
        // The digest of the other machine means nothing here.
        pending.fingerprint = try journal.fingerprint(of: handover.passcode, random: options.random)
        try journal.record(pending)
        var request = CommissioningRequest(
            SetupCode(passcode: handover.passcode, discriminator: pending.discriminator))
        request.name = name
        request.room = room
        request.addresses = options.addresses
        request.readsEndpoints = readsEndpoints
        request.onlyResumes = true
        let fabric = try context.fabric()
        let isOurs = fabric.issuer == .none
        return try await commission(
            [request],
            CommissionOptions(
                trust: TrustPolicy(enforcement: .skip), issuer: isOurs ? .custom(AbsentIssuer()) : .ofFabric,
                progress: progress),
            deadline: deadline)
    }
}

/// The issuer of a machine that only completes: the certificate is on the device already.
private struct AbsentIssuer: NOCIssuer {
    func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        throw ControllerError(.noIssuer, "the certificate was issued on another machine")
    }
}
