extension FabricStore {
    /// Folders of a fabric that an export leaves out: they can be made again, or would do harm on a second machine.
    private static let derived: Set<String> = [
        "sessions", "names", "seen", "modes", "silent", "reserved", "reserved-names", "jobs",
    ]
    private static let networks = "networks"
    /// The record of the counter that all messages to groups have, whatever their group and fabric (Matter core specification
    /// 4.6.1.3).
    package static let groupCounter = "counters/group.json"

    /// All that is kept of fabrics.
    ///
    /// - Parameters:
    ///   - names: of the fabrics; `nil` for all.
    ///   - made: the time, seconds since 1970.
    ///   - host: the name of this machine.
    /// - Returns: the document, and what is wrong with records that are not in it.
    /// - Throws: ``StoreError``, ``RecordError`` if a fabric itself cannot be read.
    package func export(
        _ names: [String]?, madeAt made: Int64, host: String?
    ) async throws -> (document: ExportDocument, faults: [any Error]) {
        // No fabric is removed, and none gives out an id meanwhile.
        try await state.withLock(Self.folder) {
            let names = try names ?? self.names()
            guard !names.isEmpty else { throw try missingAll() }
            var faults: [any Error] = []
            let fabrics = try names.map { name in
                guard try fabric(named: name) != nil else { throw unknown(name) }
                let files = try files(in: Self.folder(of: name), &faults)
                return try ExportedFabric(files: files, madeAt: made)
            }
            let networks = try records(in: Self.networks, below: Self.networks, &faults)
            return (
                ExportDocument(
                    made: made, host: host, fabrics: fabrics, networks: networks,
                    groupCounter: try CounterBlock.upcoming(Self.groupCounter, in: state)), faults
            )
        }
    }

    /// A counter of messages to groups that another machine may go on from; `nil` if there was none yet.
    package func groupCounterBeyond() throws -> UInt32? {
        try CounterBlock.upcoming(Self.groupCounter, in: state).map { $0 &+ CounterBlock.longLeap }
    }

    private func missingAll() throws -> any Error {
        do {
            _ = try select(nil)
            return unknown("")
        } catch {
            return error
        }
    }

    /// The records of a fabric.
    ///
    /// - Throws: what is wrong with the first that is damaged.
    func files(of name: String) throws -> [ExportedFile] {
        var faults: [any Error] = []
        let files = try files(in: Self.folder(of: name), &faults)
        if let fault = faults.first { throw fault }
        return files
    }

    private func files(in folder: String, _ faults: inout [any Error]) throws -> [ExportedFile] {
        var files = try records(in: folder, below: folder, &faults)
        for inner in try state.folders(in: folder) {
            guard let name = inner.split(separator: "/").last, !Self.derived.contains(String(name)) else { continue }
            // A key of another program, which a job acts with, stays with the job.
            files += try records(in: inner, below: folder, &faults).filter { !$0.name.hasPrefix("keys/job-") }
        }
        return files
    }

    private func records(
        in folder: String, below outer: String, _ faults: inout [any Error]
    ) throws -> [ExportedFile] {
        try state.records(in: folder).compactMap { file in
            do {
                guard let (version, contents) = try state.readAnyVersion(file) else { return nil }
                return ExportedFile(
                    name: String(file.dropFirst(outer.count + 1)), version: version, contents: contents)
            } catch let error as StoreError where error.code == .damaged && !file.hasSuffix("/fabric.json") {
                faults.append(error)
                return nil
            }
        }
    }

    // MARK: Bringing back

    /// The fabric of an export as it is kept here from now on.
    public struct Restored: Sendable {
        /// Its record.
        public let record: FabricRecord
        /// Another fabric here that has the same node: both at once take each other's sessions.
        public let twin: String?
    }

    /// Stores a fabric of an export. It is there as a whole, or not at all.
    ///
    /// Counters that must not go back leap forward: that of messages to groups, and those of check-ins, whose keys are renewed at
    /// the next one. New nodes get random ids, since others may have been given out elsewhere.
    ///
    /// - Parameters:
    ///   - document: what the fabric is in.
    ///   - name: what it is called here.
    ///   - isFirst: for an identity that no other machine has.
    /// - Throws: ``ExportError`` `present` if a fabric has the name, ``StoreError``.
    package func restore(
        _ fabric: ExportedFabric, of document: ExportDocument, as name: String, isFirst: Bool = false
    ) async throws -> Restored {
        try NameRule.check(name, what: "fabric")
        var record = fabric.record
        record.name = name
        record.nodeIDs = .random
        record.origin = nil
        record.provenance =
            isFirst
            ? nil : FabricProvenance(way: .export, host: document.host, isSameMachine: nil, at: document.made)
        return try await state.withLock(Self.folder) {
            if let existing = try self.fabric(named: name) {
                let isSame =
                    existing.compressedFabricID == record.compressedFabricID && existing.nodeID == record.nodeID
                throw ExportError(
                    .present,
                    isSame
                        ? "the fabric '\(name)' is here already"
                        : "there is another fabric '\(name)' here (id \(existing.fabricID))",
                    hint: .step("export.present", name))
            }
            guard try state.readPrevious(Self.record(of: name)) == nil else {
                throw ExportError(
                    .present, "the fabric '\(name)' is here, and its record is missing",
                    hint: .step("export.present", name))
            }
            let twin = try sound().fabrics.first {
                $0.compressedFabricID == record.compressedFabricID && $0.nodeID == record.nodeID
            }
            let folder = Self.folder(of: name)
            try state.deleteFolder(folder)
            for file in fabric.files where file.name != "fabric.json" {
                let contents = try Self.leapt(file)
                let isSecret = !file.name.hasSuffix(".json")
                try state.write(
                    "\(folder)/\(file.name)", contents, version: file.version, keepingPrevious: !isSecret)
            }
            for network in document.networks where try state.read("\(Self.networks)/\(network.name)") == nil {
                try state.writeSecret("\(Self.networks)/\(network.name)", network.contents)
            }
            if let counter = document.groupCounter {
                try await CounterBlock.leap(Self.groupCounter, beyond: counter, in: state)
            }
            record.place = try here().map { FabricPlace($0, host: BackupFolder.host) }
            // The record last: without it there is no fabric. Twice, so that there is a previous copy.
            for _ in 0..<2 { try state.write(Self.record(of: name), record.encoded()) }
            return Restored(record: record, twin: twin?.name)
        }
    }

    private static func leapt(_ file: ExportedFile) throws -> [UInt8] {
        let parts = file.name.split(separator: "/")
        guard parts.count == 2, parts[0] == "icd", let node = UInt64(parts[1], radix: 16) else { return file.contents }
        var registration = try ICDRegistration(decoding: file.contents, of: NodeID(node), file.name)
        registration.leap()
        return registration.encoded()
    }
}
