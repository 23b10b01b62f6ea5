package import MatterCredentials
package import MatterCrypto
package import MatterStore
import MatterTLV

/// The fabrics in the state directory: `fabrics/NAME/fabric.json`, their keys, nodes and sessions below it.
package struct FabricStore: Sendable {
    package let state: StateDirectory

    package init(_ state: StateDirectory) {
        self.state = state
    }

    private static let folder = "fabrics"
    private static let choice = "default-fabric.json"

    /// The folder of one fabric.
    package static func folder(of name: String) -> String {
        "\(folder)/\(StateDirectory.component(for: name))"
    }

    private static func record(of name: String) -> String { "\(folder(of: name))/fabric.json" }

    private static func key(_ kind: String, of name: String) -> String { "\(folder(of: name))/keys/\(kind)" }

    // MARK: Reading

    /// The names of all fabrics, in order.
    package func names() throws -> [String] {
        try state.folders(in: Self.folder).compactMap { folder in
            try state.read("\(folder)/fabric.json").map { try FabricRecord(decoding: $0, "\(folder)/fabric.json").name }
        }.sorted()
    }

    /// - Returns: `nil` if there is no fabric of that name.
    package func fabric(named name: String) throws -> FabricRecord? {
        let file = Self.record(of: name)
        return try state.read(file).map { try FabricRecord(decoding: $0, file) }
    }

    /// The fabric to work with: the one that is named, else the only one, else the one chosen before.
    ///
    /// - Throws: ``RecordError`` with `.noFabric` if there is none at all.
    package func select(_ name: String?) throws -> FabricRecord {
        if let name {
            guard let record = try fabric(named: name) else { throw unknown(name) }
            return record
        }
        let chosen = try state.read(Self.choice).map { try RecordFields($0, Self.choice).string("fabric") }
        if let chosen, let record = try fabric(named: chosen) { return record }
        let names = try names()
        guard let first = names.first else {
            throw RecordError(
                .noFabric, "there is no fabric yet",
                hint: "commission a device, which makes one, or create one: matterctl fabric create NAME")
        }
        guard names.count == 1, let record = try fabric(named: first) else {
            throw RecordError(
                .ambiguousFabric, "there are several fabrics: \(names.joined(separator: ", "))",
                hint: "say which with --fabric NAME, or choose one: matterctl fabric use NAME")
        }
        return record
    }

    /// The name chosen with ``choose(_:)``.
    package func chosen() throws -> String? {
        try state.read(Self.choice).map { try RecordFields($0, Self.choice).string("fabric") }
    }

    /// Our credentials on a fabric. Signatures are not checked again: that was done when they were stored.
    package func credentials(of fabric: FabricRecord) throws -> OperationalCredentials {
        let root = try MatterCertificate(tlv: fabric.root)
        let chain = try OperationalChain(noc: fabric.noc, icac: fabric.nocIntermediate, root: root)
        return try OperationalCredentials(
            chain: chain, key: try P256PrivateKey(scalar: try secret("operational", of: fabric.name)),
            ipkEpochKey: try secret("ipk", of: fabric.name))
    }

    /// The certificate authority of a fabric; it cannot issue if its key is not here.
    package func authority(of fabric: FabricRecord) throws -> CertificateAuthorityMaterial {
        try CertificateAuthorityMaterial(
            fabricID: fabric.fabricID, root: try MatterCertificate(tlv: fabric.root),
            rootKey: try optionalSecret("root", of: fabric.name),
            intermediate: try fabric.intermediate.map { try MatterCertificate(tlv: $0) },
            intermediateKey: try optionalSecret("intermediate", of: fabric.name))
    }

    private func optionalSecret(_ kind: String, of name: String) throws -> SecretBytes? {
        try state.readSecret(Self.key(kind, of: name)).map { SecretBytes($0) }
    }

    private func secret(_ kind: String, of name: String) throws -> SecretBytes {
        guard let secret = try optionalSecret(kind, of: name) else {
            throw StoreError(
                .damaged, "the \(kind) key of the fabric '\(name)' is missing",
                hint: "restore \(state.path)/\(Self.key(kind, of: name)) from a backup")
        }
        return secret
    }

    // MARK: Writing

    /// Stores a new fabric, keys first, so that a record never stands without them.
    ///
    /// - Parameter issuer: who issues for it, where that does not follow from the keys.
    package func add(
        _ fabric: LocalFabric, name: String, vendorID: VendorID, issuer: FabricRecord.Issuer? = nil
    ) async throws -> FabricRecord {
        try NameRule.check(name, what: "fabric")
        let record = FabricRecord(
            name: name, fabricID: fabric.fabricID,
            compressedFabricID: fabric.credentials.fabric.compressedFabricID, vendorID: vendorID,
            issuer: issuer ?? (fabric.authority.canIssue ? .local : .none), nodeID: fabric.credentials.nodeID,
            root: fabric.authority.root.tlv, intermediate: fabric.authority.intermediate?.tlv,
            noc: fabric.credentials.noc.tlv, nocIntermediate: fabric.credentials.icac?.tlv)
        return try await state.withLock(Self.folder) {
            if let existing = try self.fabric(named: name) {
                throw RecordError(
                    .fabricExists, "there is a fabric '\(name)' already (id \(existing.fabricID))",
                    hint: "choose another name, or remove it first: matterctl fabric remove \(name)")
            }
            try checkLost(name)
            // Without a record there can only be the remains of an interrupted removal: no keys or nodes for this one.
            try state.deleteFolder(Self.folder(of: name))
            let keys: [(String, SecretBytes?)] = [
                ("operational", fabric.credentials.key.scalar), ("ipk", fabric.credentials.ipkEpochKey),
                ("root", fabric.authority.rootKey), ("intermediate", fabric.authority.intermediateKey),
            ]
            for (kind, secret) in keys {
                if let secret { try state.writeSecret(Self.key(kind, of: name), secret.copyBytes()) }
            }
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
    package func selectOrCreate(
        _ name: String?, vendorID: VendorID, validity: CertificateValidity, random: any RandomSource
    ) async throws -> FabricRecord {
        do {
            return try select(name)
        } catch let error as RecordError where error.code == .noFabric {
            do {
                return try await add(
                    try LocalFabric.create(validity: validity, random: random), name: "home", vendorID: vendorID)
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
    package func choose(_ name: String) throws {
        guard try fabric(named: name) != nil else { throw unknown(name) }
        try state.write(Self.choice, JSONValue.object(["fabric": .string(name)]).utf8())
    }

    /// Removes a fabric with its keys and nodes; the devices are not told.
    package func remove(_ name: String) async throws {
        try await state.withLock(Self.folder) {
            guard try fabric(named: name) != nil else { throw unknown(name) }
            if try chosen() == name { try state.delete(Self.choice) }
            // The record first: what is left of an interrupted removal is no fabric any more.
            try state.delete(Self.record(of: name))
            try state.deleteFolder(Self.folder(of: name))
        }
    }

    /// Takes the next free node id of a fabric; no other process gets it.
    package func takeNodeID(in name: String, requested: NodeID?, inUse: (NodeID) throws -> Bool) async throws -> NodeID
    {
        // The lock of all fabrics, so that one that is being removed does not come back.
        try await state.withLock(Self.folder) {
            guard var record = try fabric(named: name) else { throw unknown(name) }
            if let requested {
                guard requested.isOperational, requested != record.nodeID else {
                    throw RecordError(.nodeExists, "\(requested.rawValue) cannot be the id of a node")
                }
                guard try !inUse(requested) else {
                    throw RecordError(
                        .nodeExists, "there is a node \(requested.rawValue) already",
                        hint: "choose another id, or let matterctl choose")
                }
                return requested
            }
            var candidate = Self.operational(record.nextNodeID)
            while try candidate == record.nodeID || inUse(candidate) {
                candidate = Self.operational(candidate.rawValue + 1)
            }
            record.nextNodeID = candidate.rawValue + 1
            try state.write(Self.record(of: name), record.encoded())
            return candidate
        }
    }

    /// The id, or the first of all where the range of nodes' ids ends.
    private static func operational(_ number: UInt64) -> NodeID {
        NodeID(number).isOperational ? NodeID(number) : NodeID(1)
    }

    private func unknown(_ name: String) -> RecordError {
        RecordError(.unknownFabric, "there is no fabric '\(name)' here", hint: "see them with: matterctl fabric ls")
    }
}
