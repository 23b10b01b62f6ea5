public import MatterState

/// The holder's side: members come.
extension MemberService {
    /// The identifiers of tags that the specification keeps for joint fabrics (Matter core specification, 6.6.2.1.2).
    private static let identifiers: ClosedRange<UInt16> = 0x0001...0xFFFD

    /// Adds an administrator, durably, and makes the job that lets nodes admit it. The same request once more changes nothing.
    ///
    /// - Parameters:
    ///   - name: its name here.
    ///   - request: its signatures were checked.
    /// - Returns: the job, which `JobService.resume` does; `nil` if there is no node.
    /// - Throws: ``MemberError`` `notHolder` or `exists`, ``RecordError``, ``StoreError``.
    public func add(_ name: String, _ request: JoinRequest) async throws -> (
        member: MemberRoster.Member, job: Job?
    ) {
        let (fabric, _) = try holder()
        try NameRule.check(name, what: "member")
        let nodes = try context.nodes().sound().nodes.map(\.nodeID)
        let own = try context.credentials().identity
        let member = try await store().change { roster in
            var now = try roster ?? MemberRoster(tag: try newTag(apartFrom: own.cats))
            if let known = now.members.first(where: { $0.csr.publicKey == request.csr.publicKey }) {
                guard known.name == name else {
                    throw MemberError(
                        .exists, "the request is that of the member '\(known.name)'", hint: .step("member.see"))
                }
                return known
            }
            guard now.member(name) == nil else {
                throw MemberError(
                    .exists, "there is a member '\(name)' already, with another key", hint: .step("member.other-name"))
            }
            let taken = nodes + [own.nodeID] + now.members.map(\.nodeID) + now.former.map(\.nodeID)
            let member = MemberRoster.Member(
                name, request, nodeID: try NeighbourService.ownID(apartFrom: Set(taken), options.random),
                version: now.issuedTag.version, at: options.unixTime())
            now.add(member)
            roster = now
            return member
        }
        return (member, try await admission(to: fabric))
    }

    private func newTag(apartFrom others: [CASEAuthenticatedTag]) throws -> CASEAuthenticatedTag {
        while true {
            let identifier = try options.random.integer(UInt16.self)
            guard Self.identifiers.contains(identifier), !others.contains(where: { $0.identifier == identifier }) else {
                continue
            }
            return CASEAuthenticatedTag(identifier: identifier, version: 1)
        }
    }

    /// The job that lets all nodes admit the members. Each is looked at, so that one which does already is not written.
    ///
    /// - Returns: `nil` if there is no node.
    private func admission(to fabric: FabricRecord) async throws -> Job? {
        let nodes = try context.nodes().sound().nodes.map(\.nodeID)
        guard !nodes.isEmpty else { return nil }
        let jobs = try jobs()
        let now = options.unixTime()
        if let open = try jobs.sound().jobs.last(where: { $0.kind == .admit && !$0.pending.isEmpty }) {
            return try await jobs.note([.added(nodes)], of: open.id, at: now)
        }
        let owner = Job.Owner.current(options.moment())
        return try await jobs.add { id in Job(id: id, kind: .admit, owner: owner, nodes: nodes, at: now) }
    }

    /// Makes the job that lets all nodes admit the members, for nodes that were commissioned elsewhere or lost the entry.
    ///
    /// - Returns: `nil` if there is no node.
    /// - Throws: ``MemberError`` `notHolder`, ``StoreError``.
    public func admission() async throws -> Job? { try await admission(to: try holder().fabric) }

    /// An answer for a member: a certificate with the present tag, and what there is in the house.
    ///
    /// - Throws: ``MemberError`` `notHolder`, `unknown`, or `removalOpen` for one who is being removed; ``StoreError``,
    ///   ``CredentialsError``.
    public func answer(for name: String) async throws -> [UInt8] {
        let (fabric, authority) = try holder()
        let roster = try store().roster()
        guard let roster, let member = roster.member(name) else { throw unknown(name, among: roster) }
        guard roster.removal?.name != name else {
            throw MemberError(
                .removalOpen, "'\(name)' is being removed, and gets no certificate any more",
                hint: .step("member.go-on", name))
        }
        let credentials = try context.credentials()
        let local = LocalFabric(authority: authority, credentials: credentials)
        let issuer = try local.issuer(
            adminVendorID: fabric.vendorID, random: options.random, validity: { [context] in context.validity })
        let issued = try issuer.issue(member.csr, nodeID: member.nodeID, cats: [roster.issuedTag])
        var record = FabricRecord(
            name: fabric.name, fabricID: fabric.fabricID, compressedFabricID: fabric.compressedFabricID,
            vendorID: fabric.vendorID, issuer: .none, nodeID: member.nodeID, root: fabric.root,
            intermediate: fabric.intermediate, noc: issued.noc.tlv, nocIntermediate: issued.icac?.tlv)
        record.nodeIDs = .random
        record.membership = AdministratorMembership(
            member: name, holderHost: BackupFolder.host, holderNode: fabric.nodeID, tag: roster.issuedTag)
        return try await fabrics.answer(
            record, of: fabric, made: options.unixTime(), for: member.recipient, signedBy: credentials,
            random: options.random)
    }

    /// Notes that a member has imported a certificate, by its receipt.
    ///
    /// - Throws: ``MemberError`` `notHolder`, `invalidReceipt` or `unknown`, ``StoreError``.
    public func confirm(_ receipt: [UInt8]) async throws -> MemberRoster.Member {
        let (fabric, _) = try holder()
        let word = try MemberReceipt(
            decoding: receipt, root: try MatterCertificate(tlv: fabric.root), at: context.validationTime)
        return try await store().change { roster in
            guard var now = roster,
                let member = now.members.first(where: {
                    $0.nodeID == word.identity.nodeID && $0.csr.publicKey == word.identity.publicKey
                }),
                let tag = word.identity.cats.first(where: { $0.identifier == now.tag.identifier })
            else { throw MemberError(.invalidReceipt, "the receipt is not of a member of '\(fabric.name)'") }
            now.confirm(member.name, version: tag.version)
            roster = now
            return now.member(member.name) ?? member
        }
    }

    /// Lets a node that has just been commissioned admit the members, if there are any. What fails is left to a job.
    func admit(_ node: NodeRecord, deadline: Instant) async {
        do {
            guard let roster = try store().roster(), !roster.members.isEmpty, try context.fabric().membership == nil
            else { return }
            do {
                guard
                    case .refused(let error) = try await MemberWork(context: context, links: links)
                        .admit(node, deadline: deadline)
                else { return }
                throw error
            } catch {
                let job = try await jobs().add { id in
                    Job(
                        id: id, kind: .admit, owner: .current(options.moment()), nodes: [node.nodeID],
                        at: options.unixTime())
                }
                options.warn(
                    "\(node.title) does not admit the other administrators yet: \(error)",
                    .step("job.resume", "\(job.id)"))
            }
        } catch {
            options.warn("\(node.title) does not admit the other administrators yet: \(error)", .step("member.see"))
        }
    }
}
