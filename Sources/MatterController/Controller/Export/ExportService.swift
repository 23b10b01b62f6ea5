public import MatterState

/// How an export is protected.
public enum ExportProtection: Sendable {
    /// Not at all: a reader of the file controls all devices.
    case none
    /// By the age format, with a passphrase or for recipients.
    case age(AgeProtection)
}

/// Something that an export needs before it can be read.
public enum ExportLock: Sendable, Equatable {
    /// Nothing: it is not encrypted.
    case none
    /// Its passphrase.
    case passphrase
    /// One of the identities that it was made for.
    case identity
}

/// An export in the form of a file.
public struct ExportFile: Sendable {
    /// The file as it is written.
    public let bytes: [UInt8]
    /// Its contents.
    public let document: ExportDocument
    /// The faults of records that are not in it.
    public let faults: [any Error]
}

/// A backup that was written and read again.
public struct WrittenBackup: Sendable {
    /// Where it is.
    public let path: String
    /// The export that is in it.
    public let file: ExportFile
    /// How many older ones were removed.
    public let removed: Int
}

/// The last backup, as the state directory remembers it.
public struct BackupNote: Sendable, Equatable {
    /// When it was made, seconds since 1970.
    public let at: Int64
    /// Where it is.
    public let path: String
}

/// Taking fabrics out of this state directory as one document, and bringing them back: exports for another machine, backups.
public struct ExportService: FabricService {
    let context: FabricContext

    private static let note = "backup.json"
    /// How long the network is searched for one who acts as our own node.
    private static let search = Duration.seconds(2)

    init(_ context: FabricContext) { self.context = context }

    // MARK: Out

    /// Fabrics as one document (docs/storage.md, "The export").
    ///
    /// - Parameters:
    ///   - names: of the fabrics; all if `nil`.
    ///   - protection: of the file.
    /// - Throws: ``StoreError``, ``RecordError``, ``ExportError`` if a fabric cannot be read as a whole; ``AgeError``,
    ///   ``CryptoError`` if it cannot be encrypted.
    public func make(_ names: [String]?, protectedBy protection: ExportProtection) async throws -> ExportFile {
        let (document, faults) = try await fabrics.export(
            names, madeAt: options.unixTime(), host: BackupFolder.host)
        let plain = document.encoded()
        let octets: [UInt8] =
            switch protection {
            case .none: plain
            case .age(let protection): try AgeFile.seal(plain, for: protection, random: options.random)
            }
        return ExportFile(bytes: octets, document: document, faults: faults)
    }

    /// Writes a backup into a folder: as a whole, durably, and read again; then removes older ones.
    ///
    /// - Parameters:
    ///   - names: of the fabrics; all if `nil`.
    ///   - folder: made if it is not there.
    ///   - count: how many backups stay in the folder; `nil` for all.
    /// - Throws: as ``make(_:protectedBy:)``; ``StoreError`` `damaged` if other bytes are there afterwards.
    public func backUp(
        _ names: [String]? = nil, to folder: String, protectedBy protection: ExportProtection, keep count: Int? = nil
    ) async throws -> WrittenBackup {
        let file = try await make(names, protectedBy: protection)
        var isSealed = true
        if case .none = protection { isSealed = false }
        let backups = BackupFolder(path: folder)
        let stamp = DateStamp.compact(file.document.made)
        let path = try backups.write(file.bytes, stamp: stamp, isSealed: isSealed)
        let ids = file.document.fabrics.map { JSONValue.string($0.record.compressedFabricID.description) }
        let note: JSONObject = [
            "at": .int(file.document.made), "path": .string(path), "fabrics": .array(ids),
        ]
        try options.state.write(Self.note, JSONValue.object(note).utf8())
        return WrittenBackup(path: path, file: file, removed: try count.map(backups.keep) ?? 0)
    }

    /// The last backup with a fabric in it.
    ///
    /// - Returns: `nil` if there was none, or the note of it cannot be read.
    public func lastBackup(of fabric: FabricRecord) -> BackupNote? {
        guard let contents = try? options.state.read(Self.note), let json = try? JSONValue(parsing: contents),
            let at: Int64 = json["at"]?.integer(), let path = json["path"]?.stringValue
        else { return nil }
        let ids = (json["fabrics"]?.arrayValue ?? []).map(\.stringValue)
        guard ids.contains(fabric.compressedFabricID.description) else { return nil }
        return BackupNote(at: at, path: path)
    }

    // MARK: In

    /// The newest backup in a folder, or the path itself if it is no folder.
    ///
    /// - Throws: ``ExportError`` `noBackup`, ``StoreError``.
    public func newestBackup(at path: String) throws -> String {
        guard BackupFolder.isFolder(path) else { return path }
        guard let newest = try BackupFolder(path: path).newest() else {
            throw ExportError(
                .noBackup, "there is no backup in \(path): their names begin with matterctl- and a time",
                hint: .step("export.no-backup"))
        }
        return newest
    }

    /// The bytes of an export or a backup.
    ///
    /// - Throws: ``StoreError``.
    public func contents(at path: String) throws -> [UInt8] { try BackupFolder.contents(at: path) }

    /// Something that an export needs before it can be read.
    ///
    /// - Throws: ``ExportError`` `damaged` if the bytes are no export.
    public func lock(of octets: [UInt8]) throws -> ExportLock {
        if AgeFile.isAge(octets) {
            guard let needsPassphrase = AgeFile.needsPassphrase(octets) else {
                throw ExportError(.damaged, "the encrypted file is damaged: its header cannot be read")
            }
            return needsPassphrase ? .passphrase : .identity
        }
        guard ExportDocument.isDocument(octets) else {
            throw ExportError(.damaged, "this is not an export of matterctl, nor encrypted by age")
        }
        return .none
    }

    /// Opens an export, and checks all of it.
    ///
    /// - Parameter key: the passphrase or the identities, where it is encrypted.
    /// - Throws: ``ExportError``, ``AgeError``, ``CryptoError``.
    public func open(_ octets: [UInt8], with key: AgeKey? = nil) throws -> ExportDocument {
        guard try lock(of: octets) != .none else { return try ExportDocument(decoding: octets) }
        guard let key else {
            throw ExportError(.locked, "the file is encrypted, and nothing was given to open it with")
        }
        return try ExportDocument(decoding: try AgeFile.open(octets, with: key))
    }

    /// Stores fabrics of an export, each as a whole or not at all; none where the name of one is taken.
    ///
    /// - Parameter name: what the fabric is called here, if there is one only; as in the export if `nil`.
    /// - Throws: ``ExportError`` `present` if a fabric has the name, ``RecordError``, ``StoreError``.
    public func restore(
        _ chosen: [ExportedFabric], of document: ExportDocument, as name: String? = nil
    ) async throws -> [FabricStore.Restored] {
        let titles = chosen.map { name ?? $0.record.name }
        for title in titles where try fabrics.fabric(named: title) != nil {
            throw ExportError(
                .present, "the fabric '\(title)' is here already; nothing was written",
                hint: .step("export.present", title))
        }
        var restored: [FabricStore.Restored] = []
        for (fabric, title) in zip(chosen, titles) {
            restored.append(try await fabrics.restore(fabric, of: document, as: title))
        }
        return restored
    }

    /// Whether the network has one who acts as our own node at this moment: a copy of the fabric that waits for check-ins.
    ///
    /// - Returns: false also where the network cannot be searched.
    public func isInUseElsewhere(_ fabric: FabricRecord) async -> Bool {
        let found = try? await context.advertisedNodes(of: fabric.compressedFabricID, within: Self.search) {
            $0 == fabric.nodeID
        }
        return found?.contains(fabric.nodeID) ?? false
    }
}

/// Times in names of files.
enum DateStamp {
    /// `20261128T132000Z`.
    static func compact(_ time: Int64) -> String {
        let text = PointInTime.text(UInt64(clamping: time) * 1000, as: .posixMilliseconds) ?? "\(time)"
        return text.filter { $0 != "-" && $0 != ":" }
    }
}
