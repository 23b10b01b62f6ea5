import FoundationEssentials
public import MatterState

/// A store of another program that was written.
public struct WrittenStore: Sendable {
    /// The paths of its files.
    public let files: [String]
    /// How many nodes are in it; chip-tool keeps no list of them.
    public let nodeCount: Int
}

/// A fabric with its keys, to be written as another program keeps it.
struct NeighbourWriter {
    let record: FabricRecord
    let authority: CertificateAuthorityMaterial
    let credentials: OperationalCredentials
    let nodes: [NodeRecord]
    /// Where messages to groups go on; `nil` if there was none.
    let groupCounter: UInt32?

    /// A file of the store: its name below the folder, and its bytes.
    typealias File = (name: String, contents: [UInt8])

    /// The files of the store.
    ///
    /// - Throws: ``NeighbourError``, ``CredentialsError``.
    func files(for neighbour: Neighbour) throws -> [File] {
        switch neighbour {
        case .chipTool: try chipTool()
        case .pythonMatterServer: try python()
        case .matterjs: try matterjs()
        }
    }

    // MARK: The SDK's programs

    /// The programs of the SDK make a certificate for themselves at each start, and use one identity protection key for all fabrics.
    private func checkedForSDK(_ program: String) throws -> SecretBytes {
        guard let rootKey = authority.rootKey else {
            throw NeighbourError(
                .noAuthority,
                "\(program) issues its own certificate at each start, and the key of the fabric's root is not here",
                hint: .step("neighbour.no-authority"))
        }
        guard credentials.ipkEpochKey == SecretBytes(SDKValues.usualEpochKey) else {
            throw NeighbourError(
                .otherKey,
                "\(program) always uses one identity protection key, and the devices of the fabric '\(record.name)' have another: it "
                    + "could reach none of them",
                hint: .step("neighbour.other-ipk"))
        }
        return rootKey
    }

    private func authorityValues(_ rootKey: SecretBytes, suffix: String) throws -> [(String, [UInt8])] {
        var values = [
            ("ExampleOpCredsCAKey" + suffix, authority.root.publicKey.x963 + rootKey.copyBytes()),
            ("ExampleCARootCert" + suffix, try authority.root.der()),
        ]
        if let intermediate = authority.intermediate, let key = authority.intermediateKey {
            values += [
                ("ExampleOpCredsICAKey" + suffix, intermediate.publicKey.x963 + key.copyBytes()),
                ("ExampleCAIntermediateCert" + suffix, try intermediate.der()),
            ]
        }
        return values
    }

    private static func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private var groupCounters: [(String, [UInt8])] {
        guard let groupCounter else { return [] }
        return [("g/gdc", Self.littleEndian(UInt64(groupCounter), 4))]
    }

    private func chipTool() throws -> [File] {
        let rootKey = try checkedForSDK("chip-tool")
        let names: [UInt64: String] = [1: "alpha", 2: "beta", 3: "gamma"]
        let name = names[record.fabricID.rawValue] ?? "\(record.fabricID.rawValue)"
        var values = try authorityValues(rootKey, suffix: "0")
        values.append(("LocalNodeId", Self.littleEndian(record.nodeID.rawValue, 8)))
        let tags = credentials.noc.cats
        if !tags.isEmpty {
            let three = tags.prefix(3).map { UInt64($0.rawValue) } + [0, 0, 0]
            values.append(("CommissionerCATs", three.prefix(3).flatMap { Self.littleEndian($0, 4) }))
        }
        var files = [("chip_tool_config.\(name).ini", Self.ini(values))]
        if !groupCounters.isEmpty { files.append(("chip_tool_config.ini", Self.ini(groupCounters))) }
        return files
    }

    private static func ini(_ values: [(String, [UInt8])]) -> [UInt8] {
        let lines = values.map { key, value in "\(key)=\(Data(value).base64EncodedString())\n" }
        return Array(("[Default]\n" + lines.joined()).utf8)
    }

    private func python() throws -> [File] {
        let rootKey = try checkedForSDK("python-matter-server")
        let index: UInt64 = 1
        let tlv = { (members: [TLVElement]) in TLVElement(.anonymous, .structure(members)).encoded() }
        let operational = try FabricIdentity.operationalIPK(
            epochKey: credentials.ipkEpochKey, compressedFabricID: record.compressedFabricID)
        // Structures of the SDK's own: start time, session id and key of each of three.
        let keys = (0..<3).map { place in
            TLVValue.structure([
                TLVElement(4, .uint(0)), TLVElement(5, .uint(0)),
                TLVElement(6, .octets(place == 0 ? operational.copyBytes() : [UInt8](repeating: 0, count: 16))),
            ])
        }
        var values: [(String, [UInt8])] = [
            ("g/fidx", tlv([TLVElement(0, .uint(index + 1)), TLVElement(1, .array(of: [.uint(index)]))])),
            ("f/1/n", record.noc), ("f/1/r", record.root), ("f/1/i", record.nocIntermediate ?? []),
            ("f/1/m", tlv([TLVElement(0, .uint(UInt64(record.vendorID.rawValue))), TLVElement(1, .string(""))])),
            (
                "f/1/k/0",
                tlv([
                    TLVElement(1, .uint(0)), TLVElement(2, .uint(1)), TLVElement(3, .array(of: keys)),
                    TLVElement(7, .uint(0xFFFF)),
                ])
            ),
        ]
        values += try authorityValues(rootKey, suffix: "1") + groupCounters
        var stored = JSONObject()
        for (key, value) in values { stored[key] = .string(Data(value).base64EncodedString()) }
        let authorities: JSONObject = [
            "1": .array([
                .object([
                    "fabricId": .uint(record.fabricID.rawValue), "vendorId": .uint(UInt64(record.vendorID.rawValue)),
                ])
            ])
        ]
        let document: JSONObject = [
            "repl-config": .object(["caList": .object(authorities)]), "sdk-config": .object(stored),
        ]
        return [
            ("chip.json", JSONValue.object(document).utf8()),
            ("\(record.compressedFabricID.rawValue).json", serverNodes()),
        ]
    }

    /// The nodes as the server keeps them: it reads their attributes at its start, since the version of their interview is 0.
    private func serverNodes() -> [UInt8] {
        var list = JSONObject()
        for node in nodes {
            let time = JSONValue.string("2000-01-01T00:00:00")
            var attributes = JSONObject()
            if let vendor = node.vendorID { attributes["0/40/2"] = .uint(UInt64(vendor)) }
            if let product = node.productID { attributes["0/40/4"] = .uint(UInt64(product)) }
            list["\(node.nodeID.rawValue)"] = .object([
                "node_id": .uint(node.nodeID.rawValue), "date_commissioned": time, "last_interview": time,
                "interview_version": .int(0), "available": .bool(false),
                "is_bridge": .bool(node.endpoints.contains { $0.bridged != nil }), "attributes": .object(attributes),
                "attribute_subscriptions": .array([]),
            ])
        }
        // Ids are given out in order behind the last.
        let last = nodes.map(\.nodeID.rawValue).max() ?? 0
        let document: JSONObject = [
            "vendor_info": .object([:]), "last_node_id": .uint(last), "nodes": .object(list),
        ]
        return JSONValue.object(document).utf8()
    }

    // MARK: matter.js

    /// Values that JSON has no form for are strings with JSON in them.
    private static func special(_ kind: String, _ value: String) -> JSONValue {
        .string(JSONValue.object(["__object__": .string(kind), "__value__": .string(value)]).serialized())
    }

    private static func octets(_ octets: [UInt8]) -> JSONValue { special("Uint8Array", Hex.encode(octets)) }
    private static func large(_ number: UInt64) -> JSONValue { special("BigInt", "\(number)") }
    private static func pair(_ key: P256PublicKey, _ scalar: SecretBytes) -> JSONValue {
        .object(["publicKey": octets(key.x963), "privateKey": octets(scalar.copyBytes())])
    }

    private func matterjs() throws -> [File] {
        let operational = try FabricIdentity.operationalIPK(
            epochKey: credentials.ipkEpochKey, compressedFabricID: record.compressedFabricID)
        var fabric: JSONObject = [
            "fabricIndex": .int(1), "fabricId": Self.large(record.fabricID.rawValue),
            "nodeId": Self.large(record.nodeID.rawValue), "rootNodeId": Self.large(record.nodeID.rawValue),
            "globalId": Self.large(record.compressedFabricID.rawValue),
            "operationalId": Self.octets(Self.bigEndian(record.compressedFabricID.rawValue)),
            "rootPublicKey": Self.octets(authority.root.publicKey.x963),
            "keyPair": Self.pair(credentials.key.publicKey, credentials.key.scalar),
            "rootVendorId": .uint(UInt64(record.vendorID.rawValue)), "rootCert": Self.octets(record.root),
            "identityProtectionKey": Self.octets(credentials.ipkEpochKey.copyBytes()),
            "operationalIdentityProtectionKey": Self.octets(operational.copyBytes()),
        ]
        if let intermediate = record.nocIntermediate { fabric["intermediateCACert"] = Self.octets(intermediate) }
        fabric["operationalCert"] = Self.octets(record.noc)
        fabric["label"] = .string(String(record.name.prefix(32)))
        var values: [(String, JSONValue)] = [
            ("fabrics.fabrics", .array([.object(fabric)])), ("fabrics.nextFabricIndex", .int(2)),
            ("certificates.rootCertId", Self.large(1)), ("certificates.rootCertBytes", Self.octets(record.root)),
            (
                "certificates.rootKeyIdentifier",
                Self.octets(authority.root.publicKey.keyIdentifier)
            ),
            ("certificates.nextCertificateId", Self.large(100)),
        ]
        if let rootKey = authority.rootKey {
            values.append(("certificates.rootKeyPair", Self.pair(authority.root.publicKey, rootKey)))
        }
        if let intermediate = authority.intermediate, let key = authority.intermediateKey {
            values += [
                ("certificates.icacCertId", Self.large(2)),
                ("certificates.icacCertBytes", Self.octets(intermediate.tlv)),
                ("certificates.icacKeyPair", Self.pair(intermediate.publicKey, key)),
                ("certificates.icacKeyIdentifier", Self.octets(intermediate.publicKey.keyIdentifier)),
            ]
        }
        for (place, node) in nodes.enumerated() {
            values.append(
                (
                    "nodes.peer\(place + 1).endpoints.0.commissioning.peerAddress",
                    .object(["fabricIndex": .int(1), "nodeId": Self.large(node.nodeID.rawValue)])
                ))
        }
        return values.map { name, value in ("server/\(name)", value.utf8()) }
            + [("server/driver.json", Array(#"{"kind":"file"}"#.utf8))]
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] { Self.littleEndian(value, 8).reversed() }
}

extension NeighbourService {
    /// Writes a fabric with its keys as the store of another program, which then starts with it. Both have one node id: they must
    /// not be used at the same time.
    ///
    /// - Parameter path: the folder where that program keeps its data. Nothing in it is overwritten.
    /// - Throws: ``NeighbourError`` `present` if there is a store already, `noAuthority` or `otherKey` if the program could not act on
    ///   the fabric; ``StoreError``.
    public func write(_ fabric: FabricRecord, for neighbour: Neighbour, to path: String) throws -> WrittenStore {
        let nodes = try NodeStore(options.state, fabric: fabric.name).sound().nodes
        let writer = NeighbourWriter(
            record: fabric, authority: try fabrics.authority(of: fabric),
            credentials: try fabrics.credentials(of: fabric),
            nodes: nodes, groupCounter: try fabrics.groupCounterBeyond())
        let files = try writer.files(for: neighbour).map { file in
            (path: StoreFolder(path: path).path(of: file.name), contents: file.contents)
        }
        if let taken = files.first(where: { StoreFolder.status(of: $0.path) != nil }) {
            throw NeighbourError(
                .present, "\(taken.path) is there already; nothing was written",
                hint: .step("neighbour.present"))
        }
        for file in files {
            let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
            try PrivateFile.create(name, file.contents, in: StoreFolder.parent(of: file.path))
        }
        return WrittenStore(files: files.map(\.path), nodeCount: neighbour == .chipTool ? 0 : nodes.count)
    }
}
