package import MatterCrypto

/// A node id that belongs to this process until it is let go; by then a record should say what became of it.
package struct TakenNodeID: Sendable {
    package var id: NodeID
    /// No other command gets the id while this lives.
    package var reservation: Reservation
    /// How the fabric's ids are chosen from now on.
    package var nodeIDs: FabricRecord.NodeIDs
    /// Why they are random from now on, if they were in order until now.
    package var doubt: String?
}

extension FabricStore {
    /// Takes a node id of a fabric; no other process gets it. Durable when it returns.
    ///
    /// Ids are given out in order as long as the state directory can be shown to be the one in which all earlier ones
    /// were given out, and its record the latest. Otherwise they are random from then on, so that no device gets the id of
    /// another of which we do not know.
    ///
    /// - Parameters:
    ///   - identity: the fabric that has to have this name; `nil` if any will do.
    ///   - requested: the id that the user wants, or that an issuer has given.
    ///   - preferred: one that was set aside; another one if that is taken after all.
    ///   - inUse: whether there is something of a node with an id.
    /// - Throws: ``RecordError`` `nodeExists` for a requested id that is ours, or another node's, or being given to another.
    package func takeNodeID(
        in name: String, identity: CompressedFabricID? = nil, requested: NodeID?, preferred: NodeID? = nil,
        random: any RandomSource = SystemRandom(), inUse: (NodeID) throws -> Bool
    ) async throws -> TakenNodeID {
        // The lock of all fabrics, so that one that is being removed does not come back.
        try await state.withLock(Self.folder) {
            try FabricFolder(state: state, name: name, identity: identity).check()
            guard var record = try fabric(named: name) else { throw unknown(name) }
            let before = record
            let doubt = try settle(&record)
            if doubt != nil { try becomeRandom(&record, random) }
            let (id, reservation) =
                if let requested {
                    try reserve(requested, record, inUse)
                } else {
                    try reserve(preferred: preferred, record, inUse) ?? reserve(&record, random, inUse)
                }
            record.origin?.generation += 1
            if record != before { try write(&record, random) }
            return TakenNodeID(id: id, reservation: reservation, nodeIDs: record.nodeIDs, doubt: doubt)
        }
    }

    /// Sets ids aside for devices that get theirs in the order of a list. Durable when it returns.
    ///
    /// Only a user who asks for one of them gets it besides; ``takeNodeID`` takes them as `preferred`.
    ///
    /// - Returns: none where the ids of the fabric are not given out in order.
    package func setNodeIDsAside(
        _ count: Int, in name: String, identity: CompressedFabricID? = nil, inUse: (NodeID) throws -> Bool
    ) async throws -> [NodeID] {
        try await state.withLock(Self.folder) {
            try FabricFolder(state: state, name: name, identity: identity).check()
            guard var record = try fabric(named: name) else { throw unknown(name) }
            // The command that takes the next id is told of a doubt.
            guard try settle(&record) == nil, record.nodeIDs == .sequential else { return [] }
            var ids: [NodeID] = []
            while ids.count < count {
                let candidate = Self.operational(record.nextNodeID)
                record.nextNodeID = candidate.rawValue + 1
                if candidate != record.nodeID, try !inUse(candidate) { ids.append(candidate) }
            }
            record.origin?.generation += 1
            try write(&record, SystemRandom())
            return ids
        }
    }

    /// Gives back ids with which no certificate was asked for, in their order. Those after which others were given out stay
    /// gaps.
    package func giveBack(_ ids: [NodeID], to name: String, identity: CompressedFabricID? = nil) async throws {
        try await state.withLock(Self.folder) {
            try FabricFolder(state: state, name: name, identity: identity).check()
            guard var record = try fabric(named: name), record.nodeIDs == .sequential, record.origin != nil else {
                return
            }
            let before = record.nextNodeID
            for id in ids.reversed() where record.nextNodeID == id.rawValue + 1 { record.nextNodeID = id.rawValue }
            guard record.nextNodeID != before else { return }
            record.origin?.generation += 1
            try write(&record, SystemRandom())
        }
    }

    /// Writes a record of the next generation.
    private func write(_ record: inout FabricRecord, _ random: any RandomSource) throws {
        try state.write(Self.record(of: record.name), record.encoded())
        guard let origin = record.origin, !vouch(origin.generation, for: record) else { return }
        // The next record could not be told from a backup of this one.
        try becomeRandom(&record, random)
        try state.write(Self.record(of: record.name), record.encoded())
    }

    private func becomeRandom(_ record: inout FabricRecord, _ random: any RandomSource) throws {
        record.nodeIDs = .random
        record.origin = nil
        // For release 0.1.0, which counts on from here.
        record.nextNodeID = try Self.randomNumber(random)
    }

    // MARK: One id

    private func reserve(
        _ id: NodeID, _ record: FabricRecord, _ inUse: (NodeID) throws -> Bool
    ) throws -> (NodeID, Reservation) {
        guard id.isOperational, id != record.nodeID else {
            throw RecordError(
                .nodeExists,
                "\(id.rawValue) cannot be the id of a node\(id == record.nodeID ? ": it is our own" : "")",
                hint: .step("node.choose-id"))
        }
        guard try !inUse(id) else {
            throw RecordError(
                .nodeExists, "node \(id.rawValue) already exists",
                hint: .step("node.choose-id") + "; " + .step("node.see"))
        }
        guard let reservation = try reservation(of: id, in: record.name) else {
            throw RecordError(
                .nodeExists, "another command is giving the id \(id.rawValue) to a device",
                hint: .step("node.choose-id"))
        }
        return (id, reservation)
    }

    private func reserve(
        preferred id: NodeID?, _ record: FabricRecord, _ inUse: (NodeID) throws -> Bool
    ) throws -> (NodeID, Reservation)? {
        guard let id, record.nodeIDs == .sequential, id != record.nodeID, try !inUse(id) else { return nil }
        return try reservation(of: id, in: record.name).map { (id, $0) }
    }

    private func reserve(
        _ record: inout FabricRecord, _ random: any RandomSource, _ inUse: (NodeID) throws -> Bool
    ) throws -> (NodeID, Reservation) {
        while true {
            let candidate =
                switch record.nodeIDs {
                case .sequential: Self.operational(record.nextNodeID)
                case .random: NodeID(try Self.randomNumber(random))
                }
            if record.nodeIDs == .sequential { record.nextNodeID = candidate.rawValue + 1 }
            guard candidate != record.nodeID, try !inUse(candidate),
                let reservation = try reservation(of: candidate, in: record.name)
            else { continue }
            return (candidate, reservation)
        }
    }

    private func reservation(of id: NodeID, in name: String) throws -> Reservation? {
        try state.reserve("\(Self.folder(of: name))/reserved/\(id)")
    }

    /// Claims a name for a node that is being commissioned.
    ///
    /// - Returns: `nil` if another commissioning has claimed it.
    package func reserveNodeName(_ name: String, in fabric: String) throws -> Reservation? {
        try state.reserve("\(Self.folder(of: fabric))/reserved-names/\(StateDirectory.component(for: name))")
    }

    /// The id, or the first of all where the range of nodes' ids ends.
    private static func operational(_ number: UInt64) -> NodeID {
        NodeID(number).isOperational ? NodeID(number) : NodeID(1)
    }

    /// 48 bits are enough to meet no other id, and few enough for a JSON number.
    private static func randomNumber(_ random: any RandomSource) throws -> UInt64 {
        max(1, try random.integer(UInt64.self) >> 16)
    }

    // MARK: Whether we know every id

    /// Stamps the record of a fabric that is new here, after its folder was made.
    func begin(_ record: inout FabricRecord) throws {
        record.place = try here().map { FabricPlace($0, host: BackupFolder.host) }
        guard record.nodeIDs == .sequential else { return }
        record.origin = try state.place().map { FabricOrigin($0, generation: 0) }
        if !vouch(0, for: record) { try becomeRandom(&record, SystemRandom()) }
    }

    /// Finds out whether this is still the state directory that the record was written in, and brings the record up to
    /// date where it is.
    ///
    /// - Returns: why it is not known to be, if it is not.
    private func settle(_ record: inout FabricRecord) throws -> String? {
        guard record.nodeIDs == .sequential else { return nil }
        guard let place = try state.place() else { return "the state directory is gone" }
        let here = FabricOrigin(place, generation: record.origin?.generation ?? 0)
        guard let origin = record.origin else {
            // Release 0.1.0 wrote it. One that this release has seen before was put back from a backup.
            guard generation(of: here, record) == nil else { return "the state directory was restored from a backup" }
            record.origin = here
            return nil
        }
        guard origin.isSamePlace(as: here) else { return "the state directory is a copy" }
        record.origin = here
        guard state.witness != nil else { return nil }
        guard let generation = generation(of: here, record) else {
            return "nothing outside the state directory shows that it is current"
        }
        return generation > origin.generation ? "the state directory was restored from a backup" : nil
    }

    private var witness: StateDirectory? { state.witness.map { StateDirectory(path: $0) } }

    /// One for each state directory: a fabric may be in several.
    private func witnessRecord(_ origin: FabricOrigin, _ record: FabricRecord) -> String {
        "generations/\(record.compressedFabricID)-\(String(origin.inode, radix: 16)).json"
    }

    /// How far the record had come, as it is known outside of the state directory.
    private func generation(of origin: FabricOrigin, _ record: FabricRecord) -> UInt64? {
        let file = witnessRecord(origin, record)
        guard let contents = try? witness?.read(file) else { return nil }
        return try? RecordFields(contents, file).integer("generation")
    }

    /// Repeats outside of the state directory how far the record has come.
    ///
    /// - Returns: whether that could be done.
    private func vouch(_ generation: UInt64, for record: FabricRecord) -> Bool {
        guard let origin = record.origin else { return false }
        guard let witness else { return true }
        let contents = JSONValue.object(["generation": .id(generation)]).utf8()
        return (try? witness.write(witnessRecord(origin, record), contents, keepingPrevious: false)) != nil
    }

    func forgetWitness(of record: FabricRecord) {
        guard let origin = record.origin else { return }
        _ = try? witness?.delete(witnessRecord(origin, record))
    }
}
