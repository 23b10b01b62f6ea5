public import MatterState

/// The contents of the store of another program.
public struct NeighbourStore: Sendable {
    /// Whose store it is.
    public let neighbour: Neighbour
    /// Its fabrics that are whole.
    public let fabrics: [NeighbourFabric]
    /// The parts that are damaged or that do not fit, in words; without them the rest is whole.
    public let faults: [String]
}

/// Fabrics in the stores of other programs, and taking them over.
public struct NeighbourService: FabricService {
    let context: FabricContext

    init(_ context: FabricContext) { self.context = context }

    /// Reads the store of another program, and checks it. Nothing is written, neither there nor here.
    ///
    /// - Parameters:
    ///   - path: the folder of the store, or its main file.
    ///   - evenIfInUse: also if the other program runs, or has written within three minutes.
    ///   - ipk: the identity protection key of the fabric, where it is not the one that the store has or that the program uses
    ///     by default.
    /// - Throws: ``NeighbourError`` if there is no such store, or it is in use.
    public func read(
        _ neighbour: Neighbour, at path: String, evenIfInUse: Bool = false, ipk: SecretBytes? = nil
    ) throws -> NeighbourStore {
        let found =
            switch neighbour {
            case .chipTool: SDKStore.chipTool(path)
            case .pythonMatterServer: SDKStore.python(path)
            case .matterjs: try MatterJSStore.read(path)
            }
        guard let found else {
            throw NeighbourError(
                .noStore, "there is no store of \(neighbour.rawValue) at \(path)",
                hint: .step("neighbour.\(neighbour.rawValue)"))
        }
        let folder = StoreFolder(path: path)
        let sign = StoreOwner.sign(of: neighbour, folder: folder, files: found.files, now: options.unixTime())
        if let sign, !evenIfInUse {
            throw NeighbourError(
                .inUse, "\(neighbour.rawValue) may be running: \(sign)",
                hint: .step("neighbour.stop"))
        }
        var fabrics: [NeighbourFabric] = []
        var faults = found.faults
        for material in found.materials {
            do {
                fabrics.append(
                    try NeighbourFabric(
                        checking: material, ipk: ipk, at: context.validationTime, validity: context.validity))
            } catch let error as NeighbourError {
                // A wrong key is the user's to mend; the rest is the store's.
                if found.materials.count == 1, error.code == .unknownKey { throw error }
                faults.append(error.reason)
            } catch {
                faults.append("\(material.place): \(error)")
            }
        }
        guard !fabrics.isEmpty else {
            throw NeighbourError(
                .damaged,
                faults.isEmpty
                    ? "the store has no fabric" : "no fabric of the store is whole: \(faults.joined(separator: "; "))",
                hint: "nothing was changed; if there is a copy of the store, read that")
        }
        return NeighbourStore(neighbour: neighbour, fabrics: fabrics, faults: faults)
    }

    /// The fabric with the nodes that advertise themselves and that the store does not know.
    ///
    /// - Parameter duration: how long the network is searched.
    /// - Throws: ``DiscoveryError`` if it cannot be searched.
    public func withAdvertisedNodes(
        _ fabric: NeighbourFabric, searching duration: Duration = .seconds(3)
    ) async throws -> NeighbourFabric {
        let found = try await context.advertisedNodes(of: fabric.compressedFabricID, within: duration)
        var fabric = fabric
        let known = Set(fabric.nodes.map(\.nodeID))
        let new = found.filter { $0 != fabric.nodeID && $0.isOperational && !known.contains($0) }
        fabric.nodes = (fabric.nodes + new.map { NodeRecord(nodeID: $0) }).sorted { $0.nodeID < $1.nodeID }
        return fabric
    }

    /// Goes on as the controller of another program, with its node id and its tags. The other program must stay off for good:
    /// two controllers of one id take each other's sessions.
    ///
    /// A fabric that was taken over before gets the nodes that are new.
    ///
    /// - Parameter name: of the fabric here.
    /// - Returns: the fabric, and the nodes that are new.
    /// - Throws: ``RecordError`` if another fabric has the name, ``StoreError``.
    public func takeOver(_ fabric: NeighbourFabric, name: String) async throws -> (
        fabric: FabricRecord, nodes: [NodeRecord]
    ) {
        let record: FabricRecord
        if let existing = try fabrics.fabric(named: name), existing.compressedFabricID == fabric.compressedFabricID,
            existing.nodeID == fabric.nodeID
        {
            record = existing
        } else {
            record = try await fabrics.add(fabric.local, name: name, vendorID: fabric.vendorID, nodeIDs: .random)
        }
        return (record, try await addNodes(of: fabric, to: record))
    }

    /// Adds the nodes that the fabric here does not have yet. The labels of nodes become names where they are free.
    func addNodes(of fabric: NeighbourFabric, to record: FabricRecord) async throws -> [NodeRecord] {
        let store = NodeStore(options.state, fabric: record.name, identity: fabric.compressedFabricID)
        var names = try store.sound().nodes.compactMap(\.name)
        var added: [NodeRecord] = []
        for var node in fabric.nodes where try !store.has(node.nodeID) && node.nodeID != record.nodeID {
            if let wanted = node.name {
                if names.contains(where: { NameRule.isSame($0, wanted) }) {
                    node.name = nil
                } else {
                    names.append(wanted)
                }
            }
            try await store.save(node)
            added.append(node)
        }
        return added
    }
}
