public import MatterCrypto

/// The groups of one fabric and their keys: `groups/ID.json` and `keys/group-SET` in the fabric's folder.
public struct GroupStore: Sendable {
    private let state: StateDirectory
    private let fabric: String
    private let fabricFolder: FabricFolder

    /// - Parameter identity: the fabric that has to be there when a group is added; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        self.fabric = fabric
        fabricFolder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    /// Also the name of the lock under which groups are changed.
    private var folder: String { "\(fabricFolder.path)/groups" }

    private func record(of group: UInt16) -> String { "\(folder)/\(Self.digits(group)).json" }

    /// The file of a key, below the folder of the fabric.
    static func keyName(_ keySet: UInt16) -> String { "keys/group-\(digits(keySet))" }

    private func keyFile(_ keySet: UInt16) -> String { "\(fabricFolder.path)/\(Self.keyName(keySet))" }

    private static func digits(_ number: UInt16) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - text.count) + text
    }

    // MARK: Reading

    /// The groups whose records are sound, by id, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (groups: [GroupRecord], faults: [any Error]) {
        var groups: [GroupRecord] = []
        var faults: [any Error] = []
        for file in try state.records(in: folder) {
            do {
                if let contents = try state.read(file) { groups.append(try GroupRecord(decoding: contents, file)) }
            } catch {
                faults.append(error)
            }
        }
        return (groups.sorted { $0.group < $1.group }, faults)
    }

    /// The group that a user means: by id or by name.
    ///
    /// - Throws: ``RecordError`` `unknownGroup`; what is wrong with a record that may be the one.
    public func find(_ text: String) throws -> GroupRecord {
        let (groups, faults) = try sound()
        let number = NameRule.parseNumber(text)
        if let group = groups.first(where: { number == UInt64($0.group) || $0.name == text }) {
            return group
        }
        throw faults.first
            ?? RecordError(
                .unknownGroup, "there is no group '\(text)' on the fabric '\(fabric)'", text, among: groups.map(\.name),
                see: .step("group.see"))
    }

    /// The epoch key of a group.
    package func key(of group: GroupRecord) throws -> SecretBytes {
        let file = keyFile(group.keySet)
        guard let key = try state.withSecret(file, { SecretBytes($0) }) else {
            throw StoreError(
                .damaged, "the key of the group '\(group.name)' is missing", hint: .step("group.key-lost", group.name),
                path: "\(state.path)/\(file)")
        }
        return key
    }

    // MARK: Changing

    /// Adds a group with a key of its own, or with that of another group.
    ///
    /// - Parameters:
    ///   - id: the id; the lowest free one if `nil`.
    ///   - start: from when on a new key is used, microseconds since 2000.
    /// - Throws: ``RecordError`` `groupExists` if the name or the id is taken.
    package func create(
        _ name: String, id: UInt16? = nil, keyOf other: GroupRecord? = nil, start: UInt64, random: any RandomSource
    ) async throws -> GroupRecord {
        try NameRule.check(name, what: "group")
        return try await state.withLock(folder) {
            try fabricFolder.check()
            let (groups, faults) = try sound()
            // Its id or key set may be the one that would be chosen.
            if let fault = faults.first { throw fault }
            if let taken = groups.first(where: { $0.name == name || $0.group == id }) {
                throw RecordError(
                    .groupExists, "group \(taken.group) is called '\(taken.name)' already",
                    hint: .step("group.other-name"))
            }
            guard let group = id ?? GroupRecord.ids.first(where: { id in !groups.contains { $0.group == id } }) else {
                throw RecordError(.groupExists, "the fabric has no group id left")
            }
            var record: GroupRecord
            if let other {
                record = GroupRecord(group: group, name: name, keySet: other.keySet, keyStart: other.keyStart)
            } else {
                record = GroupRecord(
                    group: group, name: name, keySet: try unusedKeySet(groups, random), keyStart: start)
                // The key first, so that a record never stands without it.
                try state.writeSecret(
                    keyFile(record.keySet), try random.secret(FabricIdentity.groupKeyCount).copyBytes())
            }
            try state.write(self.record(of: group), record.encoded(), replacing: false)
            return record
        }
    }

    /// At random, since other administrators of the fabric give out ids too. Set 0 is the identity protection key.
    private func unusedKeySet(_ groups: [GroupRecord], _ random: any RandomSource) throws -> UInt16 {
        while true {
            let id: UInt16 = try random.integer()
            if id != 0, !groups.contains(where: { $0.keySet == id }) { return id }
        }
    }

    /// Replaces the key that we send with to the groups of a key set. Durable when it returns.
    ///
    /// - Parameter start: from when on it counts on the members, microseconds since 2000; `nil` leaves that as it is.
    package func use(_ key: SecretBytes, startingAt start: UInt64?, ofSet keySet: UInt16) async throws {
        try await state.withLock(folder) {
            let groups = try sound().groups.filter { $0.keySet == keySet }
            guard let first = groups.first else { return }
            if try self.key(of: first) != key { try state.writeSecret(keyFile(keySet), key.copyBytes()) }
            guard let start else { return }
            for var group in groups where group.keyStart != start {
                group.keyStart = start
                try state.write(record(of: group.group), group.encoded())
            }
        }
    }

    /// Changes a group that is there; what is not there stays away.
    package func update(_ group: UInt16, _ change: (inout GroupRecord) -> Void) async throws {
        try await state.withLock(folder) {
            let file = record(of: group)
            guard let contents = try state.read(file) else { return }
            let before = try GroupRecord(decoding: contents, file)
            var after = before
            change(&after)
            if after != before { try state.write(file, after.encoded()) }
        }
    }

    /// Forgets a group, and its key unless another group uses it.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func remove(_ group: GroupRecord) async throws {
        try await state.withLock(folder) {
            try state.delete(record(of: group.group))
            let (others, faults) = try sound()
            guard faults.isEmpty, !others.contains(where: { $0.keySet == group.keySet }) else { return }
            try state.delete(keyFile(group.keySet))
        }
    }

    /// Forgets the members on a node that has left.
    package func forget(_ node: NodeID) async throws {
        for group in try sound().groups where !group.members(of: node).isEmpty {
            try await update(group.group) { $0.remove { $0.nodeID == node } }
        }
    }
}
