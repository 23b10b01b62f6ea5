import MatterState

/// The stores of matter.js: a folder for each node, in one of three forms.
enum MatterJSStore {
    /// Reads a folder, or the folders in it.
    ///
    /// - Returns: `nil` if there is no fabric of matter.js in any of them.
    /// - Throws: ``NeighbourError`` if a library is missing.
    static func read(_ path: String) throws(NeighbourError) -> StoreContents? {
        let base = StoreFolder(path: path)
        let below = base.names().map(base.path(of:)).filter { StoreFolder.status(of: $0)?.isFolder == true }
        var contents = StoreContents()
        var isStore = false
        for folder in [path] + below.sorted() where !folder.hasSuffix("/wal") {
            let values = try MatterJSValues(StoreFolder(path: folder))
            guard values.isStore else { continue }
            isStore = true
            let name = folder.split(separator: "/").last.map(String.init) ?? folder
            contents.faults += values.faults.map { "\(name)/\($0)" }
            contents.materials += materials(values, name)
            contents.files += changing(StoreFolder(path: folder))
        }
        return isStore ? contents : nil
    }

    private static func changing(_ folder: StoreFolder) -> [String] {
        let log = StoreFolder(path: folder.path(of: "wal"))
        return folder.names().map(folder.path(of:)).filter { StoreFolder.status(of: $0)?.isFile == true }
            + log.names().map(log.path(of:))
    }

    private static func materials(_ values: MatterJSValues, _ name: String) -> [NeighbourMaterial] {
        var fabrics = values["fabrics"]["fabrics"]?.items ?? []
        if fabrics.isEmpty, let fabric = values["credentials"]["fabric"] { fabrics = [fabric] }
        return fabrics.compactMap { fabric -> NeighbourMaterial? in
            guard let root = fabric["rootCert"]?.octets else { return nil }
            let index = fabric["fabricIndex"]?.number ?? 1
            var material = NeighbourMaterial(place: "fabric \(index) in \(name)")
            material.root = root
            material.intermediate = fabric["intermediateCACert"]?.octets.flatMap { $0.isEmpty ? nil : $0 }
            material.noc = fabric["operationalCert"]?.octets
            material.fabricID = fabric["fabricId"]?.number
            material.nodeID = fabric["nodeId"]?.number
            material.vendorID = fabric["rootVendorId"]?.number.flatMap { UInt16(exactly: $0) }
            material.label = fabric["label"]?.text.flatMap { $0.isEmpty ? nil : $0 }
            material.epochKey = fabric["identityProtectionKey"]?.octets
            material.operationalKey = fabric["operationalIdentityProtectionKey"]?.octets
            material.compressedFabricID =
                fabric["globalId"]?.number
                ?? fabric["operationalId"]?.octets.map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
            if let key = fabric["keyPair"]?["privateKey"]?.octets { material.keys.append(key) }
            addAuthority(values, to: &material)
            material.nodes = nodes(values, index)
            return material
        }
    }

    /// The keys of the authority, if it is that of the fabric: in `certificates`, and in old stores in `credentials`.
    private static func addAuthority(_ values: MatterJSValues, to material: inout NeighbourMaterial) {
        guard let root = material.root.flatMap({ try? MatterCertificate(anyForm: $0) }) else { return }
        for context in ["certificates", "credentials"] {
            let stored = values[context]
            guard let certificate = stored["rootCertBytes"]?.octets.flatMap({ try? MatterCertificate(anyForm: $0) }),
                certificate.publicKey == root.publicKey
            else { continue }
            if let key = stored["rootKeyPair"]?["privateKey"]?.octets { material.keys.append(key) }
            if let intermediate = stored["icacCertBytes"]?.octets,
                let key = stored["icacKeyPair"]?["privateKey"]?.octets
            {
                material.intermediate = material.intermediate ?? intermediate
                material.keys.append(key)
            }
            return
        }
    }

    private static func nodes(_ values: MatterJSValues, _ fabric: UInt64) -> [NodeRecord] {
        var found: [UInt64: NodeFacts] = [:]
        for (context, stored) in values.contexts {
            let parts = context.split(separator: ".")
            guard parts.count == 5, parts[0] == "nodes", parts[2] == "endpoints", parts[3] == "0",
                parts[4] == "commissioning", let address = stored["peerAddress"], let id = address["nodeId"]?.number,
                (address["fabricIndex"]?.number ?? fabric) == fabric
            else { continue }
            found[id] = facts(values, String(parts[1]))
        }
        for node in values["nodes"]["commissionedNodes"]?.items ?? [] {
            guard let id = node.items?.first?.number, found[id] == nil else { continue }
            found[id] = NodeFacts()
        }
        return found.map { $1.record(of: NodeID($0)) }.sorted { $0.nodeID < $1.nodeID }.withUniqueNames()
    }

    /// The attributes of `nodes.PEER.endpoints.ENDPOINT.CLUSTER`.
    private static func facts(_ values: MatterJSValues, _ peer: String) -> NodeFacts {
        var facts = NodeFacts()
        let prefix = "nodes.\(peer).endpoints."
        for (context, stored) in values.contexts where context.hasPrefix(prefix) {
            let parts = context.dropFirst(prefix.count).split(separator: ".")
            guard parts.count == 2, let endpoint = UInt16(parts[0]), let cluster = UInt32(parts[1]) else { continue }
            for (key, value) in stored {
                guard let attribute = UInt32(key) else { continue }
                facts.set(endpoint, cluster, attribute, value.plain)
            }
        }
        return facts
    }
}
