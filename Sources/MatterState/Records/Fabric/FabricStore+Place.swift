/// Notices a fabric that is used in another folder than before: a copy repeats what the original has done meanwhile.
extension FabricStore {
    /// Makes a fabric good for use in this state directory, if it was used in another one before: counters that must not go back leap
    /// forward, since the other one may use them. Durable when it returns.
    ///
    /// - Parameters:
    ///   - record: of the fabric, as it was read.
    ///   - now: seconds since 1970.
    /// - Returns: the record, with where it was used before; `nil` if it was used here.
    /// - Throws: ``StoreError``, ``RecordError``.
    package func settle(_ record: FabricRecord, at now: Int64) async throws -> FabricRecord? {
        guard !isWhereItWas(record), let here = try here(), !record.isUsed(in: here) else { return nil }
        return try await state.withLock(Self.folder) {
            guard var record = try fabric(named: record.name), !record.isUsed(in: here) else { return nil }
            let last = record.lastFolder
            // A record of an earlier release that does not say: nothing was noticed.
            if last != nil { try await leap(record.name) }
            var place = FabricPlace(here, host: BackupFolder.host)
            if let last, last.inode == here.inode, let before = record.place {
                // Perhaps one folder that several machines use in turn.
                place.sharers = Array(Set(before.sharers + [last.machine, here.machine].compactMap { $0 })).sorted()
            }
            if let last {
                record.provenance = FabricProvenance(
                    way: .copy, host: record.place?.host, isSameMachine: last.machine.map { $0 == here.machine },
                    at: now)
            }
            record.place = place
            try state.write(Self.record(of: record.name), record.encoded())
            return last == nil ? nil : record
        }
    }

    /// The state directory, as fabrics remember it.
    func here() throws(StoreError) -> FabricOrigin? { try state.place().map { FabricOrigin($0, generation: 0) } }

    /// True for the folder and the machine of the record. Each command asks that, so no more is looked at than is open already, and
    /// the id of the machine.
    private func isWhereItWas(_ record: FabricRecord) -> Bool {
        guard let last = record.lastFolder, let folder = state.identity() else { return false }
        return folder.inode == last.inode && folder.device == last.device
            && state.machineID.map(FabricOrigin.digest) == last.machine
    }

    private func leap(_ name: String) async throws {
        if let counter = try CounterBlock.upcoming(Self.groupCounter, in: state) {
            try await CounterBlock.leap(Self.groupCounter, beyond: counter, in: state)
        }
        try await ICDStore(state, fabric: name).leap()
    }
}

extension FabricRecord {
    /// The folder in which it was used last; `nil` if that is not known.
    fileprivate var lastFolder: FabricOrigin? { place?.folder ?? origin }

    /// Whether it was used in a folder before.
    fileprivate func isUsed(in here: FabricOrigin) -> Bool {
        place?.includes(here) ?? origin?.isSamePlace(as: here) ?? false
    }
}
