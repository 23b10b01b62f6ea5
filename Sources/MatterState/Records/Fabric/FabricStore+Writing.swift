public import MatterCrypto

extension FabricStore {
    /// Stores a new fabric, keys first, so that a record never stands without them.
    ///
    /// - Parameters:
    ///   - issuer: who issues for it, where that does not follow from the keys.
    ///   - nodeIDs: `.random` for a fabric that may have nodes already.
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func add(
        _ fabric: LocalFabric, name: String, vendorID: VendorID, issuer: FabricRecord.Issuer? = nil,
        nodeIDs: FabricRecord.NodeIDs = .sequential
    ) async throws -> FabricRecord {
        try NameRule.check(name, what: "fabric")
        var record = FabricRecord(fabric, name: name, vendorID: vendorID, issuer: issuer)
        return try await state.withLock(Self.folder) {
            if let existing = try self.fabric(named: name) {
                throw RecordError(
                    .fabricExists, "the fabric '\(name)' already exists (id \(existing.fabricID))",
                    hint: .step("fabric.name-in-use", name))
            }
            try checkLost(name)
            try keepChoice()
            // Without a record there can only be the remains of an interrupted removal: no keys or nodes for this one.
            try state.deleteFolder(Self.folder(of: name))
            let keys: [(String, SecretBytes?)] = [
                ("operational", fabric.credentials.key.scalar), ("ipk", fabric.credentials.ipkEpochKey),
                ("root", fabric.authority.rootKey), ("intermediate", fabric.authority.intermediateKey),
            ]
            for (kind, secret) in keys {
                if let secret { try state.writeSecret(Self.key(kind, of: name), secret.copyBytes()) }
            }
            record.nodeIDs = nodeIDs
            try begin(&record)
            try state.write(Self.record(of: name), record.encoded())
            // Once more, so that there is a previous copy to go back to.
            try state.write(Self.record(of: name), record.encoded())
            return record
        }
    }

    /// A record that is gone while its previous copy is there was lost, not removed: the keys beside it are still good.
    private func checkLost(_ name: String) throws {
        let file = Self.record(of: name)
        guard try state.readPrevious(file) != nil else { return }
        let path = "\(state.path)/\(file)"
        throw StoreError(
            .damaged, "the file \(path) is missing, and its previous copy is there: the fabric '\(name)' is still here",
            hint: "go back to the previous copy: mv '\(path).bak' '\(path)'", path: path, previousCopy: "\(path).bak")
    }

    /// The fabric of that name, made on first use if there is none at all.
    ///
    /// - Parameter makesNamed: makes the named one also if there are others.
    package func selectOrCreate(
        _ name: String?, makesNamed: Bool = false, vendorID: VendorID, validity: CertificateValidity,
        random: any RandomSource
    ) async throws -> FabricRecord {
        do {
            return try select(name)
        } catch let error as RecordError where error.code == .noFabric || makesNamed && error.code == .unknownFabric {
            do {
                return try await add(
                    try LocalFabric.create(validity: validity, random: random),
                    name: makesNamed ? name ?? "home" : "home",
                    vendorID: vendorID)
            } catch let error as RecordError where error.code == .fabricExists {
                // Another process was faster.
                return try select(name)
            }
        }
    }

    /// Replaces our own certificate on a fabric, for the key that it has.
    package func replaceCredentials(of name: String, with credentials: OperationalCredentials) async throws
        -> FabricRecord
    {
        try await state.withLock(Self.folder) {
            guard var record = try fabric(named: name) else { throw unknown(name) }
            guard try secret("operational", of: name) == credentials.key.scalar else {
                throw CredentialsError(.keyMismatch, "the new certificate is for another key", certificate: .node)
            }
            record.fabricID = credentials.fabric.fabricID
            record.compressedFabricID = credentials.fabric.compressedFabricID
            record.nodeID = credentials.nodeID
            record.root = credentials.root.tlv
            record.intermediate = credentials.icac?.tlv
            record.noc = credentials.noc.tlv
            record.nocIntermediate = credentials.icac?.tlv
            try state.writeSecret(Self.key("ipk", of: name), credentials.ipkEpochKey.copyBytes())
            try state.write(Self.record(of: name), record.encoded())
            return record
        }
    }

    /// Makes a fabric the one that commands use when none is named.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func choose(_ name: String) throws {
        guard try fabric(named: name) != nil else { throw unknown(name) }
        try writeChoice(name)
    }

    private func writeChoice(_ name: String) throws {
        try state.write(Self.choice, JSONValue.object(["fabric": .string(name)]).utf8())
    }

    /// The fabric that was the only one stays the one that commands use when another joins it.
    func keepChoice() throws {
        guard try state.records().allSatisfy({ $0 != Self.choice }) else { return }
        let (fabrics, faults) = try sound()
        let names = fabrics.map(\.name) + faults.map(\.name)
        if names.count == 1, let only = names.first { try writeChoice(only) }
    }

    /// Removes a fabric with its keys and nodes; the devices are not told. A fabric whose record is damaged can be removed,
    /// and so can what an interrupted removal has left.
    ///
    /// - Parameter runtime: where sessions are kept between processes; those of the fabric are removed.
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func remove(_ name: String, runtime: RuntimeDirectory? = nil) async throws {
        try await state.withLock(Self.folder) {
            guard try isHere(name) else { throw unknown(name) }
            // A node that is being added is added before, or finds the fabric gone.
            try await state.withLock(NodeStore.folder(of: name)) {
                let record = try? fabric(named: name)
                if (try? chosen()) == name { try state.delete(Self.choice) }
                // The record first: what is left of an interrupted removal is no fabric any more.
                try state.delete(Self.record(of: name))
                try state.deleteFolder(Self.folder(of: name))
                if let record { forgetWitness(of: record) }
                if let runtime {
                    KeptSessionStore.removeAll(of: record?.compressedFabricID, runtime, state: state)
                }
            }
        }
    }

    /// True if there is a fabric of that name, be it damaged, or something of one.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func isHere(_ name: String) throws -> Bool {
        guard StateDirectory.isComponent(StateDirectory.component(for: name)) else { return false }
        return try state.hasFolder(Self.folder(of: name))
    }
}
