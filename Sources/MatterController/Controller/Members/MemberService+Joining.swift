public import MatterState

/// The new machine's side: its request, and the answers to it.
extension MemberService {
    /// The result of an answer.
    public struct Joined: Sendable {
        /// The fabric as it is here now.
        public let fabric: FabricRecord
        /// Whether it is new here.
        public let isNew: Bool
        /// The nodes that are new here.
        public let nodes: [NodeRecord]
    }

    /// The place that an answer is for.
    private enum Place {
        case request(String)
        case fabric(String)
    }

    /// Makes keys and the request for a fabric that another machine has. A request that was made before is given again.
    ///
    /// - Parameter name: what the fabric will be called here.
    /// - Throws: ``RecordError`` `fabricExists` if a fabric has the name, ``StoreError``, ``CryptoError``.
    public func request(_ name: String) async throws -> JoinRequest {
        if let existing = try fabrics.fabric(named: name) {
            throw RecordError(
                .fabricExists, "the fabric '\(name)' already exists (id \(existing.fabricID))",
                hint: .step("fabric.name-in-use", name))
        }
        return try await JoinRequestStore(options.state).make(
            name, made: options.unixTime(), host: BackupFolder.host, random: options.random)
    }

    /// Whether bytes are an answer of the holder, be it a damaged one.
    public func isAnswer(_ octets: [UInt8]) -> Bool { MemberAnswer.isAnswer(octets) }

    /// Takes an answer: the first makes the fabric, later ones bring a new certificate and what is new in the house. All of it is
    /// checked before anything is written.
    ///
    /// - Parameter name: what the fabric is called here, if it is new; as in the request if `nil`.
    /// - Throws: ``MemberError`` `invalidAnswer` or `otherRequest`, ``ExportError`` `present` if a fabric has the name,
    ///   ``StoreError``.
    public func complete(_ octets: [UInt8], as name: String? = nil) async throws -> Joined {
        let requests = JoinRequestStore(options.state)
        var identities: [(Place, AgeIdentity)] = []
        for request in try requests.names() {
            if let keys = try requests.keys(of: request) { identities.append((.request(request), keys.identity)) }
        }
        for (fabric, identity) in try fabrics.answerIdentities() { identities.append((.fabric(fabric), identity)) }
        let (answer, place) = try MemberAnswer.open(octets, with: identities, at: context.validationTime)
        switch place {
        case .fabric(let title):
            let known = try fabrics.select(title)
            guard let identity = identity(of: place, identities) else {
                throw MemberError(.otherRequest, "the key of the request for '\(title)' is gone")
            }
            return try await renew(
                known, with: try answer.fabric(key: try fabrics.ownKey(of: known), identity: identity))
        case .request(let request):
            guard let keys = try requests.keys(of: request) else {
                throw MemberError(.otherRequest, "the request for '\(request)' was answered meanwhile")
            }
            let fabric = try answer.fabric(key: keys.operational, identity: keys.identity)
            let title = name ?? request
            let joined: Joined
            if let known = try fabrics.fabric(named: title), known.isSameNode(as: fabric.record) {
                // An earlier process has made the fabric, and ended before it forgot the request.
                joined = try await renew(known, with: fabric)
            } else {
                joined = Joined(
                    fabric: try await fabrics.join(fabric, made: answer.made, as: title), isNew: true,
                    nodes: fabric.nodes)
            }
            try await requests.remove(request)
            return joined
        }
    }

    private func identity(of place: Place, _ all: [(Place, AgeIdentity)]) -> AgeIdentity? {
        all.first { candidate, _ in
            if case (.fabric(let one), .fabric(let other)) = (candidate, place) { one == other } else { false }
        }?.1
    }

    private func renew(_ known: FabricRecord, with answer: ExportedFabric) async throws -> Joined {
        let record = try await fabrics.renew(known.name, with: answer)
        let store = NodeStore(options.state, fabric: record.name, identity: record.compressedFabricID)
        var names = try store.sound().nodes.compactMap(\.name)
        var added: [NodeRecord] = []
        for var node in answer.nodes where try !store.has(node.nodeID) {
            if let wanted = node.name {
                if names.contains(where: { NameRule.isSame($0, wanted) }) {
                    node.name = nil
                } else {
                    names.append(wanted)
                }
            }
            try await store.save(node)
            added.append(node)
        }
        try await fabrics.take(groups: answer.groups, of: record.name)
        return Joined(fabric: record, isNew: false, nodes: added)
    }

    /// The receipt for the certificate that we have, for the holder.
    ///
    /// - Throws: ``MemberError`` `notMember` on a fabric that was not joined by a request.
    public func receipt() throws -> [UInt8] {
        let fabric = try context.fabric()
        guard fabric.membership != nil else {
            throw MemberError(
                .notMember, "the fabric '\(fabric.name)' was not joined by a request, so there is nothing to confirm")
        }
        return try MemberReceipt.make(try context.credentials())
    }
}

extension FabricRecord {
    fileprivate func isSameNode(as other: FabricRecord) -> Bool {
        compressedFabricID == other.compressedFabricID && nodeID == other.nodeID
    }
}
