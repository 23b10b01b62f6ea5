package import MatterCrypto

/// A fabric here whose authority's key is on another machine.
extension FabricStore {
    /// The key that opens answers of the holder, below the folder of the fabric.
    static let recipientKey = "keys/recipient"
    /// The files that members have as well: nodes, rooms, groups and their keys.
    private static let shared = ["nodes/", "groups/", "keys/group-", "rooms.json"]

    /// Makes the answer for a member, with all that it has to know.
    ///
    /// - Parameter record: the fabric as the member keeps it.
    package func answer(
        _ record: FabricRecord, of fabric: FabricRecord, made: Int64, for recipient: AgeRecipient,
        signedBy holder: OperationalCredentials, random: any RandomSource
    ) async throws -> [UInt8] {
        let files = try await state.withLock(Self.folder) { try self.files(of: fabric.name) }
        let ipk = ExportedFile(name: "keys/ipk", contents: try secret("ipk", of: fabric.name).copyBytes())
        return try MemberAnswer.seal(
            record, [ipk] + files.filter { file in Self.shared.contains { file.name.hasPrefix($0) } }, made: made,
            for: recipient, signedBy: holder, random: random)
    }

    /// The identities of the fabrics here that are opened with answers, by the name of the fabric.
    package func answerIdentities() throws -> [(name: String, identity: AgeIdentity)] {
        try sound().fabrics.filter { $0.membership != nil }.compactMap { fabric in
            try state.withSecret("\(Self.folder(of: fabric.name))/\(Self.recipientKey)") { SecretBytes($0) }
                .map { (fabric.name, try AgeIdentity(scalar: $0)) }
        }
    }

    /// Stores the fabric of a first answer. It is there as a whole, or not at all.
    ///
    /// - Parameter name: what it is called here.
    /// - Throws: ``ExportError`` `present` if a fabric has the name, ``StoreError``.
    package func join(_ fabric: ExportedFabric, made: Int64, as name: String) async throws -> FabricRecord {
        let document = ExportDocument(made: made, host: nil, fabrics: [fabric], networks: [], groupCounter: nil)
        try await state.withLock(Self.folder) { try keepChoice() }
        return try await restore(fabric, of: document, as: name, isFirst: true).record
    }

    /// The key of our own certificate.
    package func ownKey(of fabric: FabricRecord) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: try secret("operational", of: fabric.name))
    }

    /// Takes over a later certificate of ours, the identity protection key and the keys of groups. Sessions that were set up with the
    /// old certificate are not resumed any more.
    ///
    /// - Parameter answer: a fabric that was checked; it is the one of that name here.
    package func renew(_ name: String, with answer: ExportedFabric) async throws -> FabricRecord {
        try await state.withLock(Self.folder) {
            guard var record = try fabric(named: name) else { throw unknown(name) }
            let new = answer.record
            guard record.compressedFabricID == new.compressedFabricID, record.nodeID == new.nodeID,
                record.membership?.holderNode == new.membership?.holderNode
            else {
                throw MemberError(
                    .invalidAnswer, "the answer is of another fabric, or of another holder, than '\(name)' here")
            }
            for file in answer.files where file.name == "keys/ipk" || file.name.hasPrefix("keys/group-") {
                try state.writeSecret("\(Self.folder(of: name))/\(file.name)", file.contents)
            }
            record.noc = new.noc
            record.nocIntermediate = new.nocIntermediate
            record.membership = new.membership
            try state.write(Self.record(of: name), record.encoded())
            // Behind it, so that none of the old certificate is left.
            try ResumptionStore(state, fabric: name).removeAll()
            return record
        }
    }

    /// Groups of an answer: those that are new, and those that have another key now.
    package func take(groups: [GroupRecord], of name: String) async throws {
        let folder = "\(Self.folder(of: name))/groups"
        try await state.withLock(folder) {
            let known = try GroupStore(state, fabric: name).sound().groups
            for group in groups {
                let same = known.first { $0.group == group.group }
                guard same == nil || same?.keySet != group.keySet || same?.keyStart != group.keyStart else { continue }
                let digits = String(group.group, radix: 16, uppercase: true)
                let file = "\(folder)/\(String(repeating: "0", count: 4 - digits.count))\(digits).json"
                try state.write(file, group.encoded())
            }
        }
    }
}
