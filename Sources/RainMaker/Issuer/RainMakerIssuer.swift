import MatterState

/// Gives devices their certificates from a group's fabric in the cloud (docs/rainmaker.md).
///
/// Wrong certificates are refused here, before the device hears of them.
package struct RainMakerIssuer: NOCIssuer {
    /// When the cloud learns what the device is.
    package enum MetadataMode: String, Sendable, CaseIterable {
        case none
        case withNOC = "with-noc"
        case withConfirm = "with-confirm"
    }

    /// Asks a device for its proof, over its operational session: `nil` if it is no RainMaker device. The text is its node
    /// id as the cloud wrote it, which the device has to sign.
    package typealias Challenge = @Sendable (_ node: NodeID, _ text: String) async throws -> RainMakerEvidence?

    private let client: CloudClient
    private let joined: RainMakerFabric.Joined
    private let store: RainMakerStore
    private let metadataMode: MetadataMode
    private let deviceName: String?
    private let challenge: Challenge
    private let unixTime: @Sendable () -> Int64

    /// - Parameters:
    ///   - joined: the fabric, just read; see ``RainMakerFabric/refresh(_:force:)``.
    ///   - deviceName: the name that the user gives to the device.
    init(
        client: CloudClient, joined: RainMakerFabric.Joined, state: StateDirectory, metadataMode: MetadataMode,
        deviceName: String?, unixTime: @escaping @Sendable () -> Int64, challenge: @escaping Challenge
    ) {
        self.client = client
        self.joined = joined
        store = RainMakerStore(state, fabric: joined.record.name)
        self.metadataMode = metadataMode
        self.deviceName = deviceName
        self.unixTime = unixTime
        self.challenge = challenge
    }

    private var groupID: String { joined.membership.groupID }

    private var validationTime: ValidationTime {
        ValidationTime(unix: unixTime())
    }

    package func prepare() async throws -> FabricParameters? {
        guard joined.membership.isPrimary else {
            throw RainMakerError(
                .notPrimary, "only primary users of the group '\(joined.membership.groupName)' can add devices",
                hint: "ask a primary user to add the device, or to share the group as primary")
        }
        return try FabricParameters(
            rootCertificate: joined.fabric.root, ipk: joined.fabric.ipk,
            caseAdminSubject: joined.fabric.adminCAT.subject, adminVendorID: joined.record.vendorID)
    }

    // MARK: Issuing

    package func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        guard context.requestedNodeID == nil else {
            throw RainMakerError(
                .invalidInput, "the cloud chooses the ids of nodes", hint: .step("cloud.chooses-ids"))
        }
        let metadata = try await metadata(context)
        let (issued, text) = try await Self.issue(
            csr, group: groupID, fabric: joined.fabric, fabricID: joined.record.fabricID,
            metadata: metadataMode == .withNOC ? metadata : nil, client: client, time: validationTime)
        try store.save(
            PendingConfirmation(
                requestID: issued.receipt.rawValue, nodeID: issued.nodeID, matterNodeID: text,
                metadata: metadataMode == .withConfirm
                    ? metadata.map { JSONValue.object($0).serialized() } : nil,
                issuedAt: unixTime()))
        return issued
    }

    /// G6, with every check of the answer before the device hears of it.
    ///
    /// - Returns: the certificate, and the node id as the cloud wrote it.
    package static func issue(
        _ csr: CertificateSigningRequest, group: String, fabric: CloudFabric, fabricID: FabricID,
        metadata: JSONObject?, client: CloudClient, time: ValidationTime
    ) async throws -> (issued: IssuedNOC, nodeText: String) {
        let call = CloudCall.nodeNOC(group: group, csr: csr.pem, metadata: metadata)
        let answer = try CloudCertificate(
            try await client.call(call), isNode: true, group: group, call.operation)
        let issued = IssuedNOC(
            noc: answer.noc, icac: nil, nodeID: answer.nodeID ?? .unspecified,
            receipt: NOCReceipt(rawValue: answer.requestID ?? ""))
        do {
            _ = try issued.validate(csr: csr, root: fabric.root, fabricID: fabricID, at: time)
        } catch {
            throw RainMakerError(
                .invalidCertificate, "the cloud's node certificate is not valid: \(error)",
                hint: "nothing was sent to the device; try again, and report it to the operator of the cloud")
        }
        return (issued, answer.nodeText ?? issued.nodeID.description)
    }

    private func metadata(_ context: NOCIssueContext) async throws -> JSONObject? {
        guard metadataMode != .none, let read = context.readAttributes else { return nil }
        var readings: [NOCIssueContext.AttributeReading] = []
        for (cluster, attribute) in DeviceMetadata.wanted {
            readings += try await read(nil, cluster, attribute)
        }
        return DeviceMetadata(readings, name: deviceName, group: groupID).json
    }

    // MARK: Confirming

    package func confirm(_ receipt: NOCReceipt, node: NodeID) async throws {
        // A fabric that is not pending any more was confirmed before.
        guard var pending = try store.pending(receipt.rawValue) else { return }
        try await prove(&pending)
        try await Self.confirm(pending, group: groupID, client: client, store: store)
    }

    private func prove(_ pending: inout PendingConfirmation) async throws {
        guard !pending.isChallenged else { return }
        try await Self.prove(&pending, store: store, challenge: challenge)
    }

    /// Asks the device for its proof and keeps what it gives.
    package static func prove(
        _ pending: inout PendingConfirmation, store: RainMakerStore, challenge: Challenge
    ) async throws {
        do {
            pending.evidence = try await challenge(pending.nodeID, pending.matterNodeID)
        } catch let error as CancellationError {
            throw error
        } catch {
            var failure =
                error as? RainMakerError
                ?? RainMakerError(.challengeFailed, "the device's proof could not be read: \(error)")
            failure.nodeID = pending.nodeID
            throw failure
        }
        pending.isChallenged = true
        try store.save(pending)
    }

    /// Sends a confirmation; what is needed to repeat it stays until the cloud has taken it.
    package static func confirm(
        _ pending: PendingConfirmation, group: String, client: CloudClient, store: RainMakerStore
    ) async throws {
        do {
            _ = try await client.call(
                .confirm(
                    group: group, request: pending.requestID, rainmakerNodeID: pending.evidence?.nodeID,
                    signature: pending.evidence?.signature, metadata: pending.metadataObject))
        } catch var error as RainMakerError {
            // An earlier confirmation may have arrived, and only its answer was lost.
            if error.refusesRequest, try await client.lists(pending.nodeID, in: group) {
                return try store.removePending(pending.requestID)
            }
            error.nodeID = pending.nodeID
            error.hint =
                error.cloudCode.flatMap { CloudErrorCode($0) } == .expired
                ? .step("cloud.request-forgotten", "\(pending.nodeID.rawValue)")
                : .step("cloud.repeat-confirmation", pending.requestID)
            throw error
        }
        try store.removePending(pending.requestID)
    }

    package func abandon(_ receipt: NOCReceipt) async {
        // The cloud's request runs out by itself.
        try? store.removePending(receipt.rawValue)
    }
}
