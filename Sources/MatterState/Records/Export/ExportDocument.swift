import MatterCrypto
import MatterModel

/// A record of the state directory in an export, with its secrets in the clear.
struct ExportedFile: Equatable, Sendable {
    /// The name of the file, below the folder of its fabric.
    var name: String
    /// The version of the record's format.
    var version = 1
    var contents: [UInt8]
}

/// All that is kept of some fabrics, in one document (docs/storage.md, "The export"): certificates, keys, nodes, names, rooms, groups,
/// the keys and counters of nodes that sleep. Its owner controls all devices.
public struct ExportDocument: Sendable {
    /// The format that this program writes, and the newest that it reads.
    static let version = 1
    static let format = "matterctl-export"

    /// When it was made, seconds since 1970.
    public let made: Int64
    /// The machine on which it was made; `nil` if it had no name.
    public let host: String?
    /// Its fabrics.
    public let fabrics: [ExportedFabric]
    /// The names and passwords of networks for new devices.
    let networks: [ExportedFile]
    /// The next counter of messages to groups; `nil` if there was none yet.
    let groupCounter: UInt32?

    /// How many networks for new devices it has the passwords of.
    public var networkCount: Int { networks.count }
}

/// One fabric in an export. All that can be checked was checked.
public struct ExportedFabric: Sendable {
    /// Its record, without keys.
    public let record: FabricRecord
    /// Its nodes.
    public let nodes: [NodeRecord]
    /// Its groups.
    public let groups: [GroupRecord]
    /// How many nodes are in it that sleep, with the keys of their check-ins.
    public let sleeperCount: Int
    /// Whether new devices can be commissioned with it: the key of the authority is in it.
    public let hasAuthorityKey: Bool
    let files: [ExportedFile]
}

// MARK: Writing

extension ExportDocument {
    /// The document as JSON.
    package func encoded() -> [UInt8] {
        var object: JSONObject = [
            "format": .string(Self.format), "version": .int(Int64(Self.version)),
            "made": .string(PointInTime.text(UInt64(clamping: made) * 1000, as: .posixMilliseconds) ?? ""),
        ]
        object["host"] = host.map { .string($0) }
        object["groupCounter"] = groupCounter.map { .uint(UInt64($0)) }
        object["networks"] = .array(networks.map(Self.json))
        object["fabrics"] = .array(
            fabrics.map { fabric in
                .object(["name": .string(fabric.record.name), "files": .array(fabric.files.map(Self.json))])
            })
        return JSONValue.object(object).utf8() + [0x0A]
    }

    static func json(_ file: ExportedFile) -> JSONValue {
        var object: JSONObject = ["file": .string(file.name)]
        if file.version != 1 { object["version"] = .int(Int64(file.version)) }
        // As JSON only where the same bytes come back.
        if file.name.hasSuffix(".json"), let value = try? JSONValue(parsing: file.contents),
            value.utf8() == file.contents
        {
            object["json"] = value
        } else {
            object["hex"] = .string(Hex.encode(file.contents))
        }
        return .object(object)
    }
}

// MARK: Reading

extension ExportDocument {
    /// Whether bytes look like such a document.
    package static func isDocument(_ octets: [UInt8]) -> Bool {
        octets.prefix(256).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    /// Reads a document, and checks all that can be checked: signatures, chains, key pairs, ids, and each record.
    ///
    /// - Throws: ``ExportError`` for the first fault.
    package init(decoding octets: [UInt8]) throws {
        let fields: RecordFields
        do {
            fields = try RecordFields(octets, "the document")
        } catch {
            throw ExportError(.damaged, error.reason)
        }
        guard (try? fields.string("format")) == Self.format else {
            throw ExportError(.damaged, "this is JSON, but not an export of matterctl")
        }
        do {
            let version: Int = try fields.integer("version")
            guard version <= Self.version else {
                throw ExportError(
                    .newerVersion, "the export was made by a newer version of this program (format \(version))")
            }
            let time = PointInTime.parse(try fields.string("made"), as: .posixMilliseconds)
            guard let made = time.map({ $0 / 1000 }) else { throw fields.wrong("made", "a time") }
            self.made = made
            host = try fields.optionalString("host")
            groupCounter = try fields.optionalInteger("groupCounter")
            networks = try fields.objects("networks").map { try Self.file($0, "networks") }
            fabrics = try fields.objects("fabrics").map { fabric in
                try ExportedFabric(
                    files: try fabric.objects("files").map { try Self.file($0, "fabric.json, nodes, keys") },
                    madeAt: made)
            }
        } catch let error as RecordError {
            throw ExportError(.damaged, error.reason)
        }
        guard !fabrics.isEmpty else { throw ExportError(.damaged, "there is no fabric in the export") }
        for network in networks {
            do {
                _ = try StoredNetwork(decoding: network.contents, network.name)
            } catch {
                throw ExportError(.damaged, "\(error)")
            }
        }
    }

    static func file(_ fields: RecordFields, _ place: String) throws -> ExportedFile {
        let name = try fields.string("file")
        let version: Int = try fields.optionalInteger("version") ?? 1
        guard (try? RecordName(name)) != nil, 1...1000 ~= version else {
            throw ExportError(.damaged, "a file of the export has a name or a version that is not allowed")
        }
        if let value = fields["json"] { return ExportedFile(name: name, version: version, contents: value.utf8()) }
        guard let octets = try? Hex.decode(try fields.string("hex")) else {
            throw ExportError(.damaged, "\(name) in the export has no contents")
        }
        return ExportedFile(name: name, version: version, contents: octets)
    }
}

extension ExportedFabric {
    static let record = "fabric.json"
    private static let keyFolder = "keys/"

    /// Checks the files of a fabric.
    ///
    /// - Parameter made: when the export was made: its certificates have to be valid then.
    init(files: [ExportedFile], madeAt made: Int64) throws {
        func contents(_ name: String) -> [UInt8]? { files.first { $0.name == name }?.contents }
        func fault(_ reason: String) -> ExportError { ExportError(.damaged, reason) }
        guard Set(files.map(\.name)).count == files.count else { throw fault("a file is in the export twice") }
        guard let octets = contents(Self.record) else { throw fault("a fabric in the export has no \(Self.record)") }
        do {
            let record = try FabricRecord(decoding: octets, Self.record)
            let place = "the fabric '\(record.name)' in the export"
            func key(_ name: String) throws -> P256PrivateKey? {
                try contents(Self.keyFolder + name).map { try P256PrivateKey(scalar: SecretBytes($0)) }
            }
            let root = try MatterCertificate(tlv: record.root)
            let chain = try OperationalChain(noc: record.noc, icac: record.nocIntermediate, root: root)
            let time = ValidationTime(unix: made)
            try OperationalChain.validate(root: root, at: time)
            let identity = try chain.validate(at: time)
            guard let operational = try key("operational"), let ipk = contents(Self.keyFolder + "ipk") else {
                throw fault("\(place) has no key of its own, or no identity protection key")
            }
            let credentials = try OperationalCredentials(
                chain: chain, key: operational, ipkEpochKey: SecretBytes(ipk))
            guard identity.fabricID == record.fabricID, identity.nodeID == record.nodeID,
                credentials.fabric.compressedFabricID == record.compressedFabricID
            else { throw fault("the ids of \(place) are not those of its certificates") }
            let authority = try CertificateAuthorityMaterial(
                fabricID: record.fabricID, root: root, rootKey: try key("root")?.scalar,
                intermediate: try record.intermediate.map { try MatterCertificate(tlv: $0) },
                intermediateKey: try key("intermediate")?.scalar)
            hasAuthorityKey = authority.canIssue
            var (nodes, groups, sleeperCount): ([NodeRecord], [GroupRecord], Int) = ([], [], 0)
            for file in files {
                let parts = file.name.split(separator: "/").map(String.init)
                switch (parts.first, parts.count) {
                case ("nodes", 2): nodes.append(try NodeRecord(decoding: file.contents, file.name))
                case ("groups", 2): groups.append(try GroupRecord(decoding: file.contents, file.name))
                case ("icd", 2):
                    guard let node = UInt64(parts[1], radix: 16) else {
                        throw fault("\(file.name) does not belong to a node")
                    }
                    _ = try ICDRegistration(decoding: file.contents, of: NodeID(node), file.name)
                    sleeperCount += 1
                case ("rooms.json", 1): _ = try RecordFields(file.contents, file.name).array("rooms")
                default: break
                }
            }
            for group in groups where contents(GroupStore.keyName(group.keySet)) == nil {
                throw fault("the key of the group '\(group.name)' is missing in the export")
            }
            self.record = record
            self.nodes = nodes.sorted { $0.nodeID < $1.nodeID }
            self.groups = groups.sorted { $0.group < $1.group }
            self.sleeperCount = sleeperCount
            self.files = files
        } catch let error as ExportError {
            throw error
        } catch {
            throw fault("the export is damaged: \(error)")
        }
    }
}
