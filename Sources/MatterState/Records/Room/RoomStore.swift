public import MatterCrypto

/// The rooms of one fabric: those that nodes are in, and those that were added, which are in `rooms.json` in the fabric's
/// folder, so that a room may be empty.
public struct RoomStore: Sendable {
    private let state: StateDirectory
    private let fabric: String
    private let fabricFolder: FabricFolder
    private let nodes: NodeStore

    /// - Parameter identity: the fabric that has to be there when a room is added; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        self.fabric = fabric
        fabricFolder = FabricFolder(state: state, name: fabric, identity: identity)
        nodes = NodeStore(state, fabric: fabric, identity: identity)
    }

    private var file: String { "\(fabricFolder.path)/rooms.json" }
    private var lock: String { "\(fabricFolder.path)/rooms" }

    // MARK: Reading

    /// The rooms that were added.
    private func added() throws -> [String] {
        guard let contents = try state.read(file) else { return [] }
        return try RecordFields(contents, file).array("rooms").compactMap(\.stringValue)
    }

    /// All rooms by name, with the nodes whose records are sound, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (rooms: [Room], faults: [any Error]) {
        let (nodes, faults) = try nodes.sound()
        let devices = nodes.flatMap(\.bridged).filter { $0.device.room != nil }
        let names = try added() + nodes.compactMap(\.room) + devices.compactMap(\.device.room)
        // The first spelling is that of the room.
        let first = names.enumerated().filter { index, name in
            !names[..<index].contains { Room.isSame($0, name) }
        }.map(\.element)
        let rooms = first.map { name in
            Room(name: name, nodes: nodes.filter { $0.isIn(name) }, devices: devices.filter { $0.isIn(name) })
        }
        return (rooms.sorted { $0.name.lowercased() < $1.name.lowercased() }, faults)
    }

    /// All rooms by name, with the labels of their nodes, for words that a shell offers: records are only looked through, and what
    /// cannot be read is left out.
    public func briefs() -> [(name: String, nodes: [String])] {
        var rooms: [(name: String, nodes: [String])] = []
        var places: [String: Int] = [:]
        func place(_ name: String) -> Int {
            if let place = places[name] { return place }
            // The first spelling is that of the room.
            let place = rooms.firstIndex { Room.isSame($0.name, name) } ?? rooms.count
            if place == rooms.count { rooms.append((name, [])) }
            places[name] = place
            return place
        }
        for name in (try? added()) ?? [] { _ = place(name) }
        let nodes = nodes.briefs()
        for node in nodes {
            if let room = node.room { rooms[place(room)].nodes.append(node.name ?? "\(node.nodeID.rawValue)") }
        }
        for room in nodes.lazy.flatMap(\.endpoints).compactMap({ $0.bridged?.room }) { _ = place(room) }
        return rooms.sorted { $0.name.lowercased() < $1.name.lowercased() }
    }

    /// The room of a name; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func room(named name: String) throws -> Room? {
        try sound().rooms.first { Room.isSame($0.name, name) }
    }

    /// - Throws: ``RecordError`` `unknownRoom`; what is wrong with a record that may be in it.
    public func find(_ name: String) throws -> Room {
        let (rooms, faults) = try sound()
        if let room = rooms.first(where: { Room.isSame($0.name, name) }) { return room }
        throw faults.first
            ?? RecordError(
                .unknownRoom, "there is no room '\(name)' on the fabric '\(fabric)'", name, among: rooms.map(\.name),
                see: .step("room.see"))
    }

    // MARK: Changing

    /// Adds a room without nodes.
    ///
    /// - Throws: ``RecordError`` `roomExists`.
    public func add(_ name: String) async throws {
        try NameRule.checkRoom(name)
        try await change { names in
            if let known = try room(named: name) {
                throw RecordError(.roomExists, "there is a room '\(known.name)' already", hint: .step("room.see"))
            }
            names.append(name)
        }
    }

    /// Gives a room another name, and tells the records of its nodes. The nodes come first: if that is cut short, both
    /// rooms are there, and doing it again moves the rest.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func rename(_ room: Room, to name: String) async throws {
        try NameRule.checkRoom(name)
        try await move(room, to: name)
        try await change { names in
            let wasAdded = names.contains { Room.isSame($0, room.name) }
            names.removeAll { Room.isSame($0, room.name) || wasAdded && Room.isSame($0, name) }
            if wasAdded { names.append(name) }
        }
    }

    /// Forgets a room; its nodes are in none.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func remove(_ room: Room) async throws {
        try await move(room, to: nil)
        try await change { names in names.removeAll { Room.isSame($0, room.name) } }
    }

    private func move(_ room: Room, to name: String?) async throws {
        for node in room.nodes {
            try await nodes.update(node.nodeID) { record in if record.isIn(room.name) { record.room = name } }
        }
        for device in room.devices {
            try await nodes.update(device.node.nodeID) { record in
                record.update(bridged: device.endpoint.number) {
                    if Room.isSame(room.name, $0.room) { $0.room = name }
                }
            }
        }
    }

    private func change(_ change: (inout [String]) throws -> Void) async throws {
        try await state.withLock(lock) {
            try fabricFolder.check()
            let before = try added()
            var after = before
            try change(&after)
            guard after != before else { return }
            let object: JSONObject = ["rooms": .array(after.map { .string($0) })]
            try state.write(file, JSONValue.object(object).utf8())
        }
    }
}
