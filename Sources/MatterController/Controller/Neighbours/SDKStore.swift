import MatterState

/// The findings in a store: the parts of its fabrics, and what is damaged.
struct StoreContents {
    var materials: [NeighbourMaterial] = []
    var faults: [String] = []
    /// The files that the program writes while it runs.
    var files: [String] = []
}

/// The stores of chip-tool and of the SDK's Python controller.
enum SDKStore {
    /// The id that the example controllers take unless they are told another one.
    private static let usualNodeID: UInt64 = 112_233

    // MARK: chip-tool

    private static let main = "chip_tool_config.ini"

    /// Reads the folder with `chip_tool_config.ini` and the files of the identities beside it.
    ///
    /// - Returns: `nil` if there is nothing of chip-tool.
    static func chipTool(_ path: String) -> StoreContents? {
        let isFile = StoreFolder.status(of: path)?.isFile == true
        let folder = StoreFolder(path: isFile ? StoreFolder.parent(of: path) : path)
        let names = folder.names().filter { $0.hasPrefix("chip_tool_config.") && $0.hasSuffix(".ini") }
        guard !names.isEmpty else { return nil }
        var contents = StoreContents()
        contents.files = names.map(folder.path(of:))
        var values = SDKValues(ini: [], file: main)
        var identities: [Identity] = []
        for name in names {
            guard let octets = folder.contents(name) else {
                contents.faults.append("\(name) cannot be read")
                continue
            }
            let read = SDKValues(ini: octets, file: name)
            contents.faults += read.faults
            if name == main { values = read } else { identities.append(Identity(file: name, values: read)) }
        }
        let authorities = identities.map { identity in
            Authority(
                place: identity.file, fabricID: identity.fabricID, vendorID: nil,
                authority: identity.values.authority("0"), nodeID: identity.nodeID, tags: identity.tags)
        }
        contents.materials = materials(values, main, authorities, faults: &contents.faults)
        return contents
    }

    /// One of the commissioners that chip-tool can be.
    private struct Identity {
        let file: String
        let values: SDKValues

        /// `alpha`, `beta` and `gamma` have fabrics 1 to 3; other fabrics are named by their number.
        var fabricID: UInt64? {
            let name = file.dropFirst("chip_tool_config.".count).dropLast(".ini".count)
            return ["alpha": 1, "beta": 2, "gamma": 3][String(name)] ?? UInt64(name)
        }
        var nodeID: UInt64 {
            guard let octets = values["LocalNodeId"], octets.count == 8 else { return usualNodeID }
            return octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        var tags: [UInt32] {
            guard let octets = values["CommissionerCATs"], octets.count == 12 else { return [] }
            return stride(from: 0, to: 12, by: 4).map { place in
                octets[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }.filter { $0 != 0 }
        }
    }

    // MARK: The Python controller

    /// Reads `chip.json`, and the files of the Matter server with its nodes beside it.
    ///
    /// - Parameter path: of the file, or of its folder.
    /// - Returns: `nil` if there is no such file.
    static func python(_ path: String) -> StoreContents? {
        let isFile = StoreFolder.status(of: path)?.isFile == true
        let folder = StoreFolder(path: isFile ? StoreFolder.parent(of: path) : path)
        let file = isFile ? path : folder.path(of: "chip.json")
        guard let octets = StoreFolder.contents(at: file) else { return nil }
        var contents = StoreContents()
        let name = file.split(separator: "/").last.map(String.init) ?? file
        contents.files = [file] + folder.names().filter(isServerFile).map(folder.path(of:))
        let json: JSONValue
        do { json = try JSONValue(parsing: octets) } catch {
            contents.faults.append("\(name) is damaged: \(error)")
            return contents
        }
        guard let stored = json["sdk-config"]?.objectValue else {
            contents.faults.append("\(name) has no member 'sdk-config'")
            return contents
        }
        let values = SDKValues(object: stored, file: name)
        contents.faults += values.faults
        let authorities = authorities(values, json["repl-config"]?["caList"]?.objectValue, name)
        contents.materials = materials(values, name, authorities, faults: &contents.faults)
        for index in contents.materials.indices {
            addServerNodes(to: &contents.materials[index], folder, &contents.faults)
        }
        return contents
    }

    private static func authorities(_ values: SDKValues, _ list: JSONObject?, _ file: String) -> [Authority] {
        values.authoritySuffixes.flatMap { suffix -> [Authority] in
            guard let authority = values.authority(suffix) else { return [] }
            let fabrics = list?[suffix]?.arrayValue ?? []
            let known = fabrics.map { fabric in
                Authority(
                    place: file, fabricID: fabric["fabricId"]?.integer(), vendorID: fabric["vendorId"]?.integer(),
                    authority: authority, nodeID: usualNodeID, tags: [])
            }
            return known.isEmpty
                ? [
                    Authority(
                        place: file, fabricID: nil, vendorID: nil, authority: authority, nodeID: usualNodeID, tags: [])
                ] : known
        }
    }

    /// `COMPRESSED-FABRIC-ID.json`, in decimal.
    private static func isServerFile(_ name: String) -> Bool {
        name.hasSuffix(".json") && UInt64(name.dropLast(".json".count)) != nil
    }

    /// The nodes in the file that the Matter server has for a fabric; in the one before if that is damaged.
    private static func addServerNodes(
        to material: inout NeighbourMaterial, _ folder: StoreFolder, _ faults: inout [String]
    ) {
        guard let root = material.root, let certificate = try? MatterCertificate(anyForm: root),
            let fabricID = material.fabricID,
            let compressed = try? FabricIdentity.compressedFabricID(
                rootPublicKey: certificate.publicKey, fabricID: FabricID(fabricID))
        else { return }
        let name = "\(compressed.rawValue).json"
        guard StoreFolder.status(of: folder.path(of: name)) != nil else { return }
        material.compressedFabricID = compressed.rawValue
        for file in [name, name + ".backup"] {
            guard let octets = folder.contents(file) else { continue }
            guard let json = try? JSONValue(parsing: octets), let nodes = json["nodes"]?.objectValue else {
                faults.append("\(file) is damaged" + (file == name ? "; the copy before it is looked at" : ""))
                continue
            }
            add(nodes, to: &material, file, &faults)
            return
        }
    }

    private static func add(
        _ nodes: JSONObject, to material: inout NeighbourMaterial, _ file: String, _ faults: inout [String]
    ) {
        var found: [NodeRecord] = []
        for member in nodes.members {
            guard let id = member.value["node_id"]?.integer(as: UInt64.self) ?? UInt64(member.key) else {
                faults.append("\(file): a node without a number, '\(member.key)'")
                continue
            }
            var facts = NodeFacts()
            for attribute in member.value["attributes"]?.objectValue?.members ?? [] {
                let parts = attribute.key.split(separator: "/").map { UInt32($0) }
                guard parts.count == 3, let endpoint = parts[0].flatMap({ UInt16(exactly: $0) }),
                    let cluster = parts[1],
                    let number = parts[2]
                else { continue }
                facts.set(endpoint, cluster, number, attribute.value)
            }
            found.append(facts.record(of: NodeID(id)))
        }
        let others = material.nodes.filter { node in !found.contains { $0.nodeID == node.nodeID } }
        material.nodes = (found + others).withUniqueNames()
    }

    // MARK: Both

    /// An authority, with the ids that its controller has if there is no certificate of it.
    private struct Authority {
        let place: String
        let fabricID: UInt64?
        let vendorID: UInt16?
        let authority: SDKAuthority?
        let nodeID: UInt64
        let tags: [UInt32]

        /// The public key of the root, by which the fabrics of the main file are told from each other.
        var rootPoint: P256PublicKey? {
            if let root = authority?.root, let certificate = try? MatterCertificate(anyForm: root) {
                return certificate.publicKey
            }
            return authority?.rootKey.flatMap { try? PrivateKeyFile.decode($0).publicKey }
        }
    }

    private static func materials(
        _ values: SDKValues, _ file: String, _ authorities: [Authority], faults: inout [String]
    ) -> [NeighbourMaterial] {
        var found: [NeighbourMaterial] = []
        var used: Set<Int> = []
        for index in values.fabricIndices {
            let prefix = "f/\(String(index, radix: 16))/"
            var material = NeighbourMaterial(place: "fabric \(index) in \(file)")
            material.root = values[prefix + "r"]
            material.intermediate = values[prefix + "i"]
            material.noc = values[prefix + "n"]
            if let description = values.fields(prefix + "m") {
                material.vendorID = description[0]?.integer()
                material.label = description[1]?.text.flatMap { $0.isEmpty ? nil : $0 }
            }
            // Three keys, of which the first is in use.
            let keys = values.fields(prefix + "k/0")?[3]?.items
            material.operationalKey = keys?.first.flatMap { try? TLVFields($0, prefix + "k/0") }?[6]?.octetString
            material.nodes = values.nodeIDs(of: index).map { NodeRecord(nodeID: NodeID($0)) }
            let certificate = material.root.flatMap { try? MatterCertificate(anyForm: $0) }
            let leaf = material.noc.flatMap { try? MatterCertificate(anyForm: $0) }
            material.fabricID = leaf?.fabricID?.rawValue
            for (place, authority) in authorities.enumerated() {
                guard let certificate, authority.rootPoint == certificate.publicKey,
                    authority.fabricID == nil || authority.fabricID == material.fabricID || leaf == nil
                else { continue }
                used.insert(place)
                material.fabricID = material.fabricID ?? authority.fabricID
                material.nodeID = authority.nodeID
                material.tags = authority.tags
                material.vendorID = material.vendorID ?? authority.vendorID
                material.intermediate = material.intermediate ?? authority.authority?.intermediate
                material.keys = authority.authority?.keys(material.intermediate) ?? []
                break
            }
            found.append(material)
        }
        // An authority without a fabric in the main file is enough: the program makes the rest again.
        for (place, authority) in authorities.enumerated() where !used.contains(place) {
            guard let keys = authority.authority, let root = keys.root else { continue }
            guard !found.contains(where: { $0.root == root }) else { continue }
            var material = NeighbourMaterial(place: authority.place)
            material.root = root
            material.intermediate = keys.intermediate
            material.keys = keys.keys(keys.intermediate)
            material.fabricID = authority.fabricID
            material.nodeID = authority.nodeID
            material.tags = authority.tags
            material.vendorID = authority.vendorID
            found.append(material)
        }
        return found
    }
}
