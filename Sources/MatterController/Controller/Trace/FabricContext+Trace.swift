import MatterState

/// The knowledge of a fabric about messages: the names of its nodes, and the keys of its groups.
extension FabricContext {
    /// The keys of the fabric's groups, and the names of its nodes, for the messages of a capture.
    ///
    /// - Throws: ``StoreError`` and ``RecordError``, also if there is no fabric.
    public func traceKeys() throws -> TraceKeys {
        var keys = TraceKeys()
        let identity = try fabric().compressedFabricID
        let store = try groups()
        var sets: Set<UInt16> = []
        for group in try store.sound().groups where sets.insert(group.keySet).inserted {
            let key = try GroupKey(epochKey: try store.key(of: group), compressedFabricID: identity)
            keys.ring.add(
                GroupMessageSecurity(
                    sessionID: key.sessionID, key: key.operationalKey, privacyKey: try key.privacyKey()))
        }
        keys.names = try traceNames()
        return keys
    }

    /// - Throws: if there is no fabric.
    func traceNames() throws -> TraceNames {
        let store = try nodes()
        let credentials = try credentials()
        let own = credentials.nodeID
        var names = TraceNames()
        names.name = { id in
            id == own.rawValue ? "this controller" : (try? store.node(NodeID(id)))?.name
        }
        names.destination = { destination, random in
            for node in (try? store.sound())?.nodes ?? [] {
                let candidate = try? credentials.fabric.destinationID(
                    nodeID: node.nodeID, ipk: credentials.operationalIPK, initiatorRandom: random)
                if candidate == destination { return "\(node.nodeID.rawValue)" + (node.name.map { " '\($0)'" } ?? "") }
            }
            return nil
        }
        return names
    }
}
