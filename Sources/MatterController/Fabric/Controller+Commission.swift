package import MatterCommissioning
package import MatterCredentials
import MatterDiscovery
package import MatterSession
import MatterSetupPayload
package import MatterTransport

extension Controller {
    /// What a commissioning needs beyond the request itself.
    package struct CommissionOptions: Sendable {
        package var attest: Commissioner.Attest
        package var progress: @Sendable (CommissioningProgress) -> Void
        /// Who issues the certificate instead of the fabric's own authority, and chooses the node id.
        package var issuer: (any NOCIssuer)?

        package init(
            attest: @escaping Commissioner.Attest, progress: @escaping @Sendable (CommissioningProgress) -> Void,
            issuer: (any NOCIssuer)? = nil
        ) {
            self.attest = attest
            self.progress = progress
            self.issuer = issuer
        }
    }

    /// Commissions a device onto the fabric, which is made if there is none, and adds it to the nodes.
    package func commission(
        _ request: CommissioningRequest, _ commission: CommissionOptions, deadline: Instant
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        let fabric = try await fabricOrNew()
        let store = try nodes()
        let journal = CommissioningJournal(options.state, fabric: fabric.name)
        if let name = request.name {
            try NameRule.check(name, what: "node")
            // A commissioning that was cut short at its very end has given the node its name already.
            let resumable = try journal.pending(
                passcode: request.passcode.value, discriminator: request.discriminator)
            try store.checkFree(name, for: try resumable.first { try store.node($0.nodeID)?.name == name }?.nodeID)
        }
        let fabrics = fabrics
        let foreign = commission.issuer
        let issuer = if let foreign { foreign } else { try issuer(for: fabric) }
        let environment = Commissioner.Environment(
            connector: Connector(manager: try await manager(), logger: options.logger),
            nodeConnector: try await nodeConnector(),
            discovery: discovery(), fabric: try credentials(), issuer: issuer, journal: journal,
            chooseNodeID: { requested in
                guard foreign == nil else { return requested }
                return try await fabrics.takeNodeID(in: fabric.name, requested: requested) { id in
                    try store.node(id) != nil || journal.node(id) != nil
                }
            },
            attest: commission.attest, random: options.random, logger: options.logger, unixTime: options.unixTime,
            timeZone: Clock.timeZone)
        let result = try await Commissioner(environment, progress: commission.progress)
            .commission(request, deadline: deadline)
        let pending = try journal.node(result.nodeID)
        let record = try await add(result, request, pending, to: store)
        if let pending {
            try await confirm(pending, to: issuer)
            try journal.complete(pending)
        }
        return (record, result)
    }

    /// The pending record stays until the issuer knows, so that the next try of the same code tells it again.
    private func confirm(_ pending: PendingNode, to issuer: any NOCIssuer) async throws {
        do {
            try await issuer.confirm(pending.receipt, node: pending.nodeID)
        } catch {
            throw CommissioningError(
                .issuerFailed, stage: .post,
                "node \(pending.nodeID.rawValue) is on the fabric, but the certificate issuer could not be told: \(error)",
                hint: "run the same command again", underlying: error)
        }
    }

    private func issuer(for fabric: FabricRecord) throws -> any NOCIssuer {
        guard fabric.issuer == .local else {
            throw ControllerError(
                .noIssuer, "the fabric '\(fabric.name)' was imported without the key of its certificate authority",
                hint: "commission where that key is, or import it with the fabric")
        }
        let local = LocalFabric(
            authority: try fabrics.authority(of: fabric), credentials: try credentials())
        return try local.issuer(
            adminVendorID: fabric.vendorID, random: options.random, validity: { [validity] in validity })
    }

    private func add(
        _ result: CommissionedNode, _ request: CommissioningRequest, _ pending: PendingNode?, to store: NodeStore
    ) async throws -> NodeRecord {
        var record = try store.node(result.nodeID) ?? NodeRecord(nodeID: result.nodeID)
        // What an interrupted commissioning was told, unless the name was given away meanwhile.
        let earlier = try pending?.name.flatMap { name in
            try store.sound().nodes.contains { $0.name == name } ? nil : name
        }
        record.name = request.name ?? record.name ?? earlier
        record.room = request.room ?? record.room ?? pending?.room
        record.vendorID = result.information.vendorID ?? pending?.vendorID
        record.productID = result.information.productID ?? pending?.productID
        record.vendorName = result.basics.vendorName
        record.productName = result.basics.productName
        record.serialNumber = result.basics.serialNumber
        record.sessionsPerFabric = result.basics.sessionsPerFabric
        record.addresses = [result.address]
        record.reliability = result.reliability
        record.endpoints = result.endpoints.map(NodeRecord.Endpoint.init)
        record.isLongIdleTime = result.information.isLongIdleTime
        record.commissionedAt = options.unixTime()
        try await store.save(record)
        return record
    }
}
