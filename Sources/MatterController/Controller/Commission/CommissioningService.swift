import Logging
import MatterLedger

/// Makes the judge of what devices show for their makers.
protocol AttestationJudging: Sendable {
    /// - Parameter ask: whom to ask about a device whose authority is not known; `nil` to refuse it.
    func judge(_ trust: TrustPolicy, ask: AskAboutDevice?) throws -> AttestationJudge
}

extension TrustService: AttestationJudging {}

/// How devices come onto a fabric: commissioning, attestation, readiness, lists of setup codes.
public struct CommissioningService: FabricService {
    let context: FabricContext
    let issuers: Issuers
    let trust: any AttestationJudging
    let aftercare: Aftercare

    /// The work of others after a commissioning.
    struct Aftercare: Sendable {
        /// Registers with a device that sleeps.
        var register: @Sendable (NodeRecord, CommissionOptions) async -> Void = { _, _ in }
        /// Lets the other administrators in, until its deadline.
        var admit: @Sendable (NodeRecord, Instant) async -> Void = { _, _ in }
        /// Makes a device leave again: its own deadline, and that of the service.
        var remove: @Sendable (NodeRecord, Instant, Instant) async throws -> Void
        /// Gives a device the keys of a rotation that is under way.
        var catchUp: @Sendable (NodeRecord) async throws -> Void = { _ in }
    }

    init(_ context: FabricContext, _ issuers: Issuers, _ trust: any AttestationJudging, _ aftercare: Aftercare) {
        self.context = context
        self.issuers = issuers
        self.trust = trust
        self.aftercare = aftercare
    }
}

extension CommissioningService {
    /// The input of a commissioning beyond the request itself.
    public struct CommissionOptions: Sendable {
        package var trust: TrustPolicy
        package var issuer: IssuerChoice
        /// Whether the device leaves the fabric again if the issuer cannot be told of it.
        public var leavesUnlessConfirmed = false
        /// Whether a device that sleeps is registered with; `nil` for one that sleeps for long times.
        public var checksIn: Bool?
        package var progress: @Sendable (CommissioningProgress) -> Void
        /// Whom to ask about a device whose authority is not known; `nil` to refuse it.
        public var ask: AskAboutDevice?
        /// Finds the device in place of the controller's discovery.
        public var discovery: (any Discovery)?

        /// How to commission: what to trust, who issues the certificate, and what is done with it.
        public init(
            trust: TrustPolicy, issuer: IssuerChoice = .ofFabric,
            progress: @escaping @Sendable (CommissioningProgress) -> Void = { _ in }
        ) {
            self.trust = trust
            self.issuer = issuer
            self.progress = progress
        }
    }

    /// Commissions a device onto the fabric, which is made if there is none, and adds it to the nodes.
    ///
    /// - Parameter requests: one for each device that a code is for; the first that is found is commissioned.
    /// - Throws: ``CommissioningError`` with its stage, ``InterruptedCommissioning`` once the device may have kept something,
    ///   ``ControllerError`` or ``RecordError`` before anything is sent.
    public func commission(
        _ requests: [CommissioningRequest], _ commission: CommissionOptions, deadline: Instant
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        var commission = commission
        if commission.discovery == nil, requests.count == 1, let filter = requests.first?.filter {
            // The device is looked for while everything else is made ready.
            commission.discovery = context.discovery().map { SharedBrowse($0, for: filter) }
        }
        let judge = try trust.judge(commission.trust, ask: commission.ask)
        let work = try await issuers.issuerWork(commission.issuer, deviceName: requests.first?.name, deadline: deadline)
        do {
            let commissioned = try await first(of: requests, commission, judge, work?.issuer, deadline: deadline)
            await work?.finish(commissioned.node)
            await work?.close()
            await aftercare.register(commissioned.node, commission)
            // It is among the job's nodes, whatever comes of this.
            do { try await aftercare.catchUp(commissioned.node) } catch { options.logger.debug("\(error)") }
            await aftercare.admit(commissioned.node, options.time.now + Self.admissionPatience)
            return commissioned
        } catch {
            await work?.close()
            throw error
        }
    }

    private func first(
        of requests: [CommissioningRequest], _ commission: CommissionOptions, _ judge: AttestationJudge,
        _ issuer: (any NOCIssuer)?, deadline: Instant
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        var failure = CommissioningError(.nothingDiscovered, stage: .discover, "there is no setup code")
        for (index, request) in requests.enumerated() {
            do {
                return try await self.commission(request, commission, judge, issuer, deadline: deadline)
            } catch let error as CommissioningError where error.code == .nothingDiscovered {
                if index == 0 { failure = error }
            } catch let error as CommissioningError
                where commission.leavesUnlessConfirmed && error.code == .issuerFailed && error.stage == .post
            {
                throw try await removed(error, serviceDeadline: deadline)
            }
        }
        throw failure
    }

    /// Makes a device leave whose issuer could not be told of it.
    private func removed(
        _ error: CommissioningError, serviceDeadline: Instant
    ) async throws -> CommissioningError {
        guard case .commissioned(let id) = error.aftermath, let node = try context.nodes().node(NodeID(id)) else {
            return error
        }
        var failure = error
        do {
            try await aftercare.remove(node, options.time.now + Self.removalPatience, serviceDeadline)
        } catch {
            guard try context.nodes().node(node.nodeID) == nil else {
                failure.reason += "; the device could not be made to leave the fabric either: \(error)"
                failure.hint = .step("node.remove-later", "\(id)")
                return failure
            }
            // The device is out; what the service knows of it, if anything, is repeated later.
            options.logger.debug("\(error)")
        }
        failure.reason =
            "the certificate issuer could not be told of node \(id), and the device has left the fabric again: "
            + (error.underlying.map { "\($0)" } ?? error.reason)
        failure.hint = nil
        failure.aftermath = .left
        return failure
    }

    /// How long a device may take to let the other administrators in.
    private static let admissionPatience = Duration.seconds(20)

    /// How long a device may take to leave again.
    private static let removalPatience = Duration.seconds(20)

    private func commission(
        _ request: CommissioningRequest, _ commission: CommissionOptions, _ judge: AttestationJudge,
        _ foreign: (any NOCIssuer)?, deadline: Instant
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        let fabric = try await context.fabricOrNew()
        let store = try context.nodes()
        let journal = try context.journal()
        for fault in try journal.sound().faults {
            commission.progress(.warning("\(fault)", (fault as? any CodedError)?.hint))
        }
        if let room = request.room { try NameRule.checkRoom(room) }
        let nameReservation = try request.name.map { try reserveName($0, request, store, journal) }
        defer { withExtendedLifetime(nameReservation) {} }
        let issuer = try foreign ?? issuers.issuer(for: fabric)
        let isForeign = foreign != nil
        let lease = try lease(fabric, request, store, journal, isForeign: isForeign, commission.progress)
        let isOurs = !isForeign && request.requestedNodeID == nil
        // Looking whether a random id is free takes a while, which can pass while the device is found.
        if isOurs, fabric.nodeIDs == .random { await lease.prepare() }
        var environment = Commissioner.Environment(
            connector: Connector(manager: try context.manager(), logger: options.logger),
            nodeConnector: try context.nodeConnector(),
            discovery: commission.discovery ?? context.discovery(), fabric: try context.credentials(),
            issuer: ClaimingIssuer(issuer: issuer, lease: lease),
            journal: journal,
            chooseNodeID: { requested in
                // Another issuer chooses, but what the user wants is reserved all the same.
                isForeign && requested == nil ? nil : try await lease.choose(requested)
            },
            attest: { evidence in try await judge.attest(evidence) }, random: options.random,
            logger: options.logger, unixTime: options.unixTime, timeZone: TimeZoneRules.ofHost)
        environment.bluetooth = bluetooth(for: request)
        environment.nameOfNode = { id in (try? store.node(id))?.name }
        environment.prepareNodeID = { if isOurs { await lease.prepare() } }
        let identityKey = environment.fabric.ipkEpochKey
        environment.checkKey = { [context] in try context.checkIdentityKey(identityKey) }
        do {
            let result = try await Commissioner(environment, progress: commission.progress)
                .commission(request, deadline: deadline)
            let record = try await keep(result, request, store, journal, issuer)
            // Of an earlier node with that id, which an issuer of its own may give again.
            try? context.keptSessions()?.remove(result.nodeID)
            await lease.release()
            return (record, result)
        } catch {
            await lease.release()
            throw error
        }
    }

    /// The host's Bluetooth, if the device may have to be looked for there.
    func bluetooth(for request: CommissioningRequest) -> (any BluetoothCentral)? {
        guard request.addresses.isEmpty, request.ways(hasBluetooth: true).contains(.ble) else { return nil }
        return context.bluetooth()
    }

    private func lease(
        _ fabric: FabricRecord, _ request: CommissioningRequest, _ store: NodeStore, _ journal: CommissioningJournal,
        isForeign: Bool, _ progress: @escaping @Sendable (CommissioningProgress) -> Void
    ) throws -> NodeIDLease {
        // An issuer that knows the device may give it the id of an attempt that came to nothing.
        let own =
            isForeign
            ? try journal.pending(request.code).map(\.nodeID)
            : []
        let (fabrics, random, time, discovery) = (fabrics, options.random, options.time, context.discovery())
        let inUse: @Sendable (NodeID) throws -> Bool = {
            try store.has($0) || journal.has($0) && !own.contains($0)
        }
        let giveBack: ListedNodeIDs.GiveBack = { ids in
            try await fabrics.giveBack(ids, to: fabric.name, identity: fabric.compressedFabricID)
        }
        let setAside: ListedNodeIDs.SetAside = { count in
            try await fabrics.setNodeIDsAside(
                count, in: fabric.name, identity: fabric.compressedFabricID, inUse: inUse)
        }
        let listed = request.listPlace
        return NodeIDLease(
            take: { requested in
                let preferred = requested == nil ? try await listed?.id(setAside: setAside, giveBack: giveBack) : nil
                return try await fabrics.takeNodeID(
                    in: fabric.name, identity: fabric.compressedFabricID, requested: requested, preferred: preferred,
                    random: random, inUse: inUse)
            },
            giveBack: { taken in
                if await listed?.ids.takeBack(taken.id) != true { try await giveBack([taken.id]) }
            },
            lookUp: { id in await discovery?.hasOperational(id, of: fabric.compressedFabricID, time) ?? false },
            note: { progress(.note($0)) }, time: time)
    }

    /// Makes sure, before anything is sent, that the node can have the name at the end.
    private func reserveName(
        _ name: String, _ request: CommissioningRequest, _ store: NodeStore, _ journal: CommissioningJournal
    ) throws -> Reservation {
        try NameRule.check(name, what: "node")
        guard let reservation = try fabrics.reserveNodeName(name, in: try context.fabric().name) else {
            throw RecordError(
                .nameTaken, "another command is commissioning a device as '\(name)'", hint: "choose another name")
        }
        // A commissioning that was cut short at its very end has given the node its name already.
        let resumable = try journal.pending(request.code)
        if let other = try journal.sound().nodes.first(where: { $0.name == name }),
            !resumable.contains(where: { $0.nodeID == other.nodeID })
        {
            throw RecordError(
                .nameTaken, "node \(other.nodeID.rawValue), which is still being commissioned, is called '\(name)'",
                hint: .step("node.forget-other", "\(other.nodeID.rawValue)"))
        }
        do {
            try store.checkFree(name, for: try resumable.first { try store.node($0.nodeID)?.name == name }?.nodeID)
        } catch var error as RecordError where error.code == .nameTaken {
            let known = try journal.commissioned(request.code)
            if let owner = try? store.find(name), known.contains(where: { $0.nodeID == owner.nodeID }) {
                let id = owner.nodeID.rawValue
                throw CommissioningError(
                    .alreadyOnFabric, stage: .discover,
                    "a device with this code is already commissioned, as node \(id) '\(name)'",
                    hint: .step("node.already-here", "\(id)"))
            }
            if let pending = resumable.first {
                error.hint = .step("node.name-of-pending", "\(pending.nodeID.rawValue)")
            }
            throw error
        }
        return reservation
    }

    /// Makes durable what a commissioning has brought about. The device is on the fabric by now: a failure says so.
    private func keep(
        _ result: CommissionedNode, _ request: CommissioningRequest, _ store: NodeStore,
        _ journal: CommissioningJournal, _ issuer: any NOCIssuer
    ) async throws -> NodeRecord {
        let id = result.nodeID.rawValue
        var record: NodeRecord
        var nameFault: RecordError?
        let pending: PendingNode?
        do {
            pending = try journal.node(result.nodeID)
            record = try newRecord(of: result, request, pending, store)
            do {
                try await store.save(record)
            } catch let error as RecordError where error.code == .nameTaken {
                // Renamed while the commissioning went on. Better a node without a name than none.
                nameFault = RecordError(
                    .nameTaken, "the device is now node \(id), without a name: \(error.reason)",
                    hint: .step("node.give-name", "\(id)"))
                record.name = nil
                try await store.save(record)
            }
        } catch var error as RecordError where error.code == .fabricGone {
            error.reason += "; the device is on it as node \(id)"
            error.hint = "reset the device, then commission it again"
            throw InterruptedCommissioning(error, .commissioned(nodeID: id))
        } catch {
            throw InterruptedCommissioning(error, .unfinished(nodeID: id))
        }
        if let pending {
            try await confirm(pending, to: issuer)
            do {
                try journal.complete(pending)
            } catch {
                throw InterruptedCommissioning(error, .unfinished(nodeID: id))
            }
        }
        if let nameFault { throw InterruptedCommissioning(nameFault, .commissioned(nodeID: id)) }
        return record
    }

    /// The pending record stays until the issuer knows, so that the next try of the same code tells it again.
    private func confirm(_ pending: PendingNode, to issuer: any NOCIssuer) async throws {
        do {
            try await issuer.confirm(pending.receipt, node: pending.nodeID)
        } catch {
            var failure = CommissioningError(
                .issuerFailed, stage: .post,
                "node \(pending.nodeID.rawValue) is on the fabric, but the certificate issuer could not be told: \(error)",
                hint: "run the same command again", underlying: error)
            failure.aftermath = .commissioned(nodeID: pending.nodeID.rawValue)
            throw failure
        }
    }

    private func newRecord(
        of result: CommissionedNode, _ request: CommissioningRequest, _ pending: PendingNode?, _ store: NodeStore
    ) throws -> NodeRecord {
        let existing = try store.node(result.nodeID)
        guard existing?.certificate != nil || existing == nil || result.wasPending else {
            throw RecordError(
                .nodeExists, "another device is node \(result.nodeID.rawValue) already",
                hint: .step("node.reset-other"))
        }
        var record = existing ?? NodeRecord(nodeID: result.nodeID)
        // Settings of an interrupted commissioning hold, unless the name was given away meanwhile.
        let earlier = try pending?.name.flatMap { name in
            try store.sound().nodes.contains { $0.name == name } ? nil : name
        }
        record.name = request.name ?? record.name ?? earlier
        record.room = request.room ?? record.room ?? pending?.room
        record.vendorID = result.information.vendorID ?? pending?.vendorID
        record.productID = result.information.productID ?? pending?.productID
        record.take(result.basics, at: options.unixTime())
        record.addresses = [result.address]
        record.reliability = result.reliability
        record.take(result.endpoints.map(NodeRecord.Endpoint.init))
        record.isLongIdleTime = result.information.isLongIdleTime
        record.commissionedAt = options.unixTime()
        record.attestation = result.attestation?.report.verdict ?? record.attestation
        record.certificate = pending.map { Array(SHA256.hash($0.noc).prefix(16)) } ?? record.certificate
        return record
    }
}
