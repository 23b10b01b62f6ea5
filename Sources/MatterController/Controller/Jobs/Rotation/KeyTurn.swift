import MatterState

/// The two keys of a rotation, and the set of them that the nodes have in its phase.
struct KeyTurn: Sendable {
    let rotation: Job.Rotation
    let old: SecretBytes
    let new: SecretBytes

    /// As they are kept: one after the other.
    static func secret(old: SecretBytes, new: SecretBytes) -> SecretBytes {
        SecretBytes(old.copyBytes() + new.copyBytes())
    }

    init(_ rotation: Job.Rotation, old: SecretBytes, new: SecretBytes) {
        self.rotation = rotation
        self.old = old
        self.new = new
    }

    /// - Parameter secret: as ``secret(old:new:)`` gave it; `nil` is returned for anything else.
    init?(_ rotation: Job.Rotation, secret: SecretBytes) {
        let count = FabricIdentity.groupKeyCount
        guard secret.count == 2 * count else { return nil }
        let octets = secret.copyBytes()
        self.init(
            rotation, old: SecretBytes(Array(octets.prefix(count))), new: SecretBytes(Array(octets.suffix(count))))
    }

    /// The key that we use in this phase.
    var own: SecretBytes { rotation.usesNew ? new : old }

    func at(_ phase: Job.Rotation.Phase) -> KeyTurn { KeyTurn(rotation.at(phase), old: old, new: new) }

    /// The keys with their start times, in the order in which they lie on a node.
    var epochKeys: [EpochKey] {
        rotation.slots.map { EpochKey(key: $0.isNew ? new : old, start: $0.start) }
    }
}

/// A key of a group key set (Matter core specification, 11.2.5.4).
struct EpochKey: Sendable, Equatable {
    var key: SecretBytes
    /// Microseconds since 2000.
    var start: UInt64
}

extension GroupKeyManagement.GroupKeySet {
    /// A set of one to three keys.
    init(_ id: UInt16, _ keys: [EpochKey]) {
        func key(_ place: Int) -> EpochKey? { keys.indices.contains(place) ? keys[place] : nil }
        self.init(
            groupKeySetID: id, groupKeySecurityPolicy: .trustFirst, epochKey0: key(0)?.key.copyBytes(),
            epochStartTime0: key(0)?.start, epochKey1: key(1)?.key.copyBytes(), epochStartTime1: key(1)?.start,
            epochKey2: key(2)?.key.copyBytes(), epochStartTime2: key(2)?.start)
    }
}

/// The rotations of a group's key set, of which a member may have the keys of any phase.
struct GroupKeys: Sendable {
    /// The rotation that is under way; `nil` if none is.
    var turn: KeyTurn?
    /// All of them, with those that are over.
    var rotations: [Job.Rotation] = []

    /// Whether a set that begins at a time is ours.
    func wrote(_ start: UInt64) -> Bool { rotations.contains { $0.wrote(start) } }
}

extension FabricContext {
    /// The rotations of a group's key set.
    func groupKeys(ofSet keySet: UInt16) throws -> GroupKeys {
        let fabric = try fabric()
        let store = JobStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
        var keys = GroupKeys()
        for job in try store.sound().jobs where job.kind == .groupKey {
            guard let rotation = job.rotation, rotation.keySet == keySet else { continue }
            keys.rotations.append(rotation)
            guard job.isRotating, let secret = try store.identityKey(of: job.id) else { continue }
            keys.turn = KeyTurn(rotation, secret: secret)
        }
        return keys
    }
}

/// Group key sets of a node, by the commands of Group Key Management (Matter core specification, 11.2.7).
extension NodeLink {
    /// The start times of the keys in a set; empty if the node has no such set.
    func keyStarts(ofSet id: UInt16, deadline: Instant) async throws -> [UInt64] {
        typealias KeySet = GroupKeyManagement.GroupKeySet.Field
        let result = try await invoke(
            Command(GroupKeyManagement.KeySetRead(groupKeySetID: id), at: 0), .absolute, deadline: deadline)
        if case .status(let status) = result.outcome {
            guard status.status != .notFound else { return [] }
            try Outcome.check(result, of: node.title)
        }
        guard let set = result.answer()?[partial: GroupKeyManagement.KeySetReadResponse.Field.groupKeySet] else {
            throw ControllerError(.status, "\(node.title) garbled its answer about the key set \(id)")
        }
        return [set[KeySet.epochStartTime0], set[KeySet.epochStartTime1], set[KeySet.epochStartTime2]]
            .compactMap { $0 }
    }

    /// Replaces a key set as a whole, with one to three keys.
    func write(_ keys: [EpochKey], toSet id: UInt16, deadline: Instant) async throws {
        let set = GroupKeyManagement.GroupKeySet(id, keys)
        let result = try await invoke(
            Command(GroupKeyManagement.KeySetWrite(groupKeySet: set), at: 0), .absolute, deadline: deadline)
        try Outcome.check(result, of: node.title)
    }

    /// Sees to it that a set has these keys, and no others.
    ///
    /// - Throws: ``JobError`` `notTaken` if the node says that it took them, and has others.
    func ensure(_ keys: [EpochKey], inSet id: UInt16, deadline: Instant) async throws {
        let starts = keys.map(\.start)
        guard try await keyStarts(ofSet: id, deadline: deadline) != starts else { return }
        try await write(keys, toSet: id, deadline: deadline)
        guard try await keyStarts(ofSet: id, deadline: deadline) == starts else {
            throw JobError(.notTaken, "\(node.title) took the keys of set \(id), and has others")
        }
    }
}
