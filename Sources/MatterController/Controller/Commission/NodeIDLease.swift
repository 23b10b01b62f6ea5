import MatterState

/// The node id of one commissioning: no other command gets it while the commissioning goes on.
actor NodeIDLease {
    /// Takes an id out of the state directory.
    typealias Take = @Sendable (_ requested: NodeID?) async throws -> TakenNodeID
    /// Gives back an id that no certificate was asked for with.
    typealias GiveBack = @Sendable (TakenNodeID) async throws -> Void
    /// True if a device is on the network as that node.
    typealias LookUp = @Sendable (NodeID) async -> Bool

    private let take: Take
    private let giveBack: GiveBack
    private let lookUp: LookUp
    private let note: @Sendable (String) -> Void
    private let time: any TimeSource
    private var taken: TakenNodeID?
    private var early: Task<TakenNodeID, any Error>?

    init(
        take: @escaping Take, giveBack: @escaping GiveBack = { _ in }, lookUp: @escaping LookUp,
        note: @escaping @Sendable (String) -> Void, time: any TimeSource = SystemTime()
    ) {
        self.take = take
        self.giveBack = giveBack
        self.lookUp = lookUp
        self.note = note
        self.time = time
    }

    /// Takes an id now, for later: making sure of it takes its time, which can pass while the device works.
    func prepare() {
        guard early == nil, taken == nil else { return }
        early = Task(executorPreference: time.executor) { try await self.free(nil) }
    }

    /// The id for the device; always the same.
    func choose(_ requested: NodeID?) async throws -> NodeID {
        if let taken, requested == nil || requested == taken.id { return taken.id }
        let new = if requested == nil, let early { try await early.value } else { try await free(requested) }
        taken = new
        return new.id
    }

    /// Takes the id that an issuer has given.
    ///
    /// - Throws: ``CommissioningError`` if it is ours, or another node's.
    func claim(_ given: NodeID) async throws {
        if taken?.id == given { return }
        do {
            taken = try await take(given)
        } catch let error as RecordError where error.code == .nodeExists {
            throw CommissioningError(
                .issuedCertificateInvalid, stage: .issueNOC,
                "the issuer's certificate is not valid: \(error.reason)",
                hint: "the issuer must give each device its own id", underlying: error)
        }
    }

    /// Lets the id go. One that was not chosen is as good as new, so that refused devices use up no ids.
    func release() async {
        let unused = taken == nil ? early : nil
        early = nil
        taken = nil
        unused?.cancel()
        if let unused = try? await unused?.value { try? await giveBack(unused) }
    }

    private func free(_ requested: NodeID?) async throws -> TakenNodeID {
        while true {
            let candidate = try await take(requested)
            if let doubt = candidate.doubt { note("\(doubt): new nodes get random ids from now on") }
            guard candidate.nodeIDs == .random, await lookUp(candidate.id) else { return candidate }
            guard requested == nil else {
                throw RecordError(
                    .nodeExists, "this network already has a node \(candidate.id.rawValue) of this fabric",
                    hint: .step("node.choose-id"))
            }
        }
    }
}

/// An issuer whose node ids are looked at before a device sees them.
struct ClaimingIssuer: NOCIssuer {
    let issuer: any NOCIssuer
    let lease: NodeIDLease

    func prepare() async throws -> FabricParameters? { try await issuer.prepare() }

    func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        let issued = try await issuer.issue(csr, context: context)
        do {
            try await lease.claim(issued.nodeID)
        } catch {
            await issuer.abandon(issued.receipt)
            throw error
        }
        return issued
    }

    func confirm(_ receipt: NOCReceipt, node: NodeID) async throws { try await issuer.confirm(receipt, node: node) }

    func abandon(_ receipt: NOCReceipt) async { await issuer.abandon(receipt) }
}

extension Discovery {
    /// True if a node of a fabric advertises itself, as far as that shows within a second.
    func hasOperational(
        _ node: NodeID, of fabric: CompressedFabricID, _ time: any TimeSource = SystemTime()
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    for try await update in resolveOperational(
                        compressedFabricID: fabric.rawValue, nodeID: node.rawValue)
                    {
                        if case .found = update { return true }
                    }
                } catch {
                    // Without discovery, chance alone keeps random ids apart.
                }
                return false
            }
            group.addTask {
                try? await time.sleep(for: .seconds(1))
                return false
            }
            return await group.next() ?? false
        }
    }
}
