public import MatterCrypto

/// The nodes of one fabric: `nodes/ID.json` in the fabric's folder.
public struct NodeStore: Sendable {
    let state: StateDirectory
    private let fabric: String
    private let fabricFolder: FabricFolder
    private let names: NodeNames

    /// - Parameter identity: the fabric that has to be there when a node is added; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        self.fabric = fabric
        fabricFolder = FabricFolder(state: state, name: fabric, identity: identity)
        names = NodeNames(state, folder: fabricFolder.path)
    }

    /// The records of a fabric's nodes; also the name of the lock under which they are changed.
    static func folder(of fabric: String) -> String { "\(FabricStore.folder(of: fabric))/nodes" }

    var folder: String { Self.folder(of: fabric) }

    private func record(of id: NodeID) -> String { "\(folder)/\(id).json" }

    /// The record of a node; `nil` if there is none.
    ///
    /// - Throws: if it cannot be read.
    public func node(_ id: NodeID) throws -> NodeRecord? {
        let file = record(of: id)
        return try state.read(file).map { try NodeRecord(decoding: $0, file) }
    }

    /// All nodes, by id.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func all() throws -> [NodeRecord] {
        let (nodes, faults) = try sound()
        if let fault = faults.first { throw fault }
        return nodes
    }

    /// The nodes whose records are sound, by id, and what is wrong with the other records: one that is damaged does not
    /// keep the others from being used.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (nodes: [NodeRecord], faults: [any Error]) {
        var nodes: [NodeRecord] = []
        var faults: [any Error] = []
        for file in try state.records(in: folder) {
            do {
                if let contents = try state.read(file) { nodes.append(try NodeRecord(decoding: contents, file)) }
            } catch {
                faults.append(error)
            }
        }
        return (nodes.sorted { $0.nodeID < $1.nodeID }, faults)
    }

    /// Finds out whether records can be changed, before something is done elsewhere that they have to follow.
    package func checkWritable() async throws {
        try await state.withLock(folder) {}
    }

    /// The node that a user means: by id or by name.
    ///
    /// - Throws: ``RecordError`` `unknownNode`; for a name, what is wrong with a record that may be the one.
    package func find(_ text: String) throws -> NodeRecord {
        func unknown(_ nodes: [NodeRecord]) -> RecordError {
            RecordError(
                .unknownNode, "there is no node '\(text)' on the fabric '\(fabric)'", text,
                among: nodes.compactMap(\.name) + nodes.flatMap(\.bridged).map(\.title),
                see: .step(nodes.isEmpty ? "node.commission" : "node.see"))
        }
        if let number = NameRule.parseNumber(text) {
            guard let record = try node(NodeID(number)) else { throw unknown(try sound().nodes) }
            return record
        }
        if let id = names.node(named: text), let record = try? node(id), record.name == text { return record }
        let (nodes, faults) = try sound()
        if let record = nodes.first(where: { $0.name == text }) {
            names.note(text, record.nodeID)
            return record
        }
        let similar = nodes.filter { $0.name.map { NameRule.isSame($0, text) } ?? false }
        guard let record = similar.first, similar.count == 1 else { throw faults.first ?? unknown(nodes) }
        return record
    }

    /// The node that a user means, or the device behind a bridge, by what it is called.
    ///
    /// - Throws: as ``find(_:)``, and ``RecordError`` `ambiguousName` if several devices behind bridges are called so.
    public func place(_ text: String) throws -> (node: NodeRecord, endpoint: UInt16?) {
        do {
            return (try find(text), nil)
        } catch let error as RecordError where error.code == .unknownNode {
            let devices = try sound().nodes.flatMap(\.bridged)
            let exact = devices.filter { $0.title == text }
            let found = exact.isEmpty ? devices.filter { NameRule.isSame($0.title, text) } : exact
            guard let device = found.first else { throw error }
            guard found.count == 1 else {
                throw RecordError(
                    .ambiguousName,
                    "\(found.count) devices are called '\(text)': \(found.map(\.place).joined(separator: ", "))",
                    hint: .step("node.name-bridged", device.place))
            }
            return (device.node, device.endpoint.number)
        }
    }

    /// True if there is a record of a node, be it damaged.
    package func has(_ id: NodeID) throws -> Bool {
        do {
            return try node(id) != nil
        } catch let error where RecordError.isFault(of: error) {
            return true
        }
    }

    /// Adds or replaces a node; its name must not be another node's.
    ///
    /// - Throws: ``RecordError`` `nodeExists` for a node with another certificate: two devices would have one id.
    package func save(_ node: NodeRecord) async throws {
        try await state.withLock(folder) {
            try fabricFolder.check()
            let earlier = try self.node(node.nodeID)
            if let known = earlier?.certificate, let certificate = node.certificate, known != certificate {
                throw RecordError(
                    .nodeExists, "another device is node \(node.nodeID.rawValue) already",
                    hint: .step("node.reset-other"))
            }
            if let name = node.name {
                try NameRule.check(name, what: "node")
                try checkFree(name, for: node.nodeID)
            }
            try state.write(record(of: node.nodeID), node.encoded())
            noteName(node, instead: earlier?.name)
        }
    }

    private func noteName(_ node: NodeRecord, instead earlier: String?) {
        if let name = node.name { names.note(name, node.nodeID) }
        if let earlier, earlier != node.name { names.forget(earlier, of: node.nodeID) }
    }

    /// Changes a node that is there; what is not there stays away.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func update(_ id: NodeID, _ change: (inout NodeRecord) -> Void) async throws {
        try await state.withLock(folder) {
            guard var record = try node(id) else { return }
            try fabricFolder.check()
            let before = record
            change(&record)
            guard record != before else { return }
            if let name = record.name, name != before.name {
                try NameRule.check(name, what: "node")
                try checkFree(name, for: id)
            }
            if let room = record.room, room != before.room { try NameRule.checkRoom(room) }
            for (device, earlier) in zip(record.bridged, before.bridged) where device != earlier {
                if let name = device.device.name, name != earlier.device.name {
                    try NameRule.check(name, what: "device")
                }
                if let room = device.device.room, room != earlier.device.room { try NameRule.checkRoom(room) }
            }
            try state.write(self.record(of: id), record.encoded())
            if record.name != before.name { noteName(record, instead: before.name) }
        }
    }

    /// - Throws: ``RecordError`` if another node has the name.
    package func checkFree(_ name: String, for id: NodeID?) throws {
        let isTaken = { (node: NodeRecord) in
            node.nodeID != id && (node.name.map { NameRule.isSame($0, name) } ?? false)
        }
        guard let other = try sound().nodes.first(where: isTaken) else { return }
        throw RecordError(
            .nameTaken, "node \(other.nodeID.rawValue) is called '\(other.name ?? name)' already",
            hint: .step("node.name-in-use", "\(other.nodeID.rawValue)"))
    }

    @discardableResult
    package func remove(_ id: NodeID) async throws -> Bool {
        try await state.withLock(folder) {
            let name = (try? node(id))?.name
            let existed = try state.delete(record(of: id))
            if let name { names.forget(name, of: id) }
            return existed
        }
    }
}
