import Foundation
import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterState

@Suite("Room store") struct RoomStoreTests {
    private let state: TemporaryState
    private let nodes: NodeStore
    private let rooms: RoomStore

    init() throws {
        state = try TemporaryState()
        nodes = NodeStore(state.directory, fabric: "home")
        rooms = RoomStore(state.directory, fabric: "home")
    }

    private func save(_ id: UInt64, _ room: String?) async throws {
        var node = NodeRecord(nodeID: NodeID(id))
        node.room = room
        try await nodes.save(node)
    }

    private func list() throws -> [String: [UInt64]] {
        let rooms = try rooms.sound().rooms
        return Dictionary(uniqueKeysWithValues: rooms.map { ($0.name, $0.nodes.map(\.nodeID.rawValue)) })
    }

    @Test("rooms are those that were added and those of nodes, once each whatever the case, by name")
    func listing() async throws {
        #expect(try list().isEmpty)
        for (id, room) in [(3, "hall"), (1, "Hall"), (2, nil)] as [(UInt64, String?)] { try await save(id, room) }
        try await rooms.add("Attic")
        #expect(try list() == ["Attic": [], "Hall": [1, 3]])
        #expect(try rooms.sound().rooms.map(\.name) == ["Attic", "Hall"])
        // The same, looked through.
        #expect(rooms.briefs().map(\.name) == ["Attic", "Hall"] && rooms.briefs().map(\.nodes) == [[], ["1", "3"]])
        #expect(try rooms.find("HALL").name == "Hall" && rooms.room(named: "den") == nil)
        #expect(throws: RecordError.self) { try rooms.find("den") }
        for name in ["attic", "HALL", "", "a/b"] {
            await #expect(throws: RecordError.self) { try await rooms.add(name) }
        }
    }

    @Test("a rename that was cut short leaves both rooms, and doing it again moves the rest")
    func interruptedRename() async throws {
        try await rooms.add("Hall")
        for id in 1...2 as ClosedRange<UInt64> { try await save(id, "Hall") }
        // As far as it came.
        try await nodes.update(NodeID(1)) { $0.room = "Entrance" }
        #expect(try list() == ["Hall": [2], "Entrance": [1]])
        try await rooms.rename(try rooms.find("hall"), to: "Entrance")
        #expect(try list() == ["Entrance": [1, 2]])
        for id in 1...2 as ClosedRange<UInt64> { try await nodes.update(NodeID(id)) { $0.room = nil } }
        #expect(try list() == ["Entrance": []], "it was added")
    }

    @Test("a room goes, and its nodes stay; a node that has moved meanwhile keeps its room")
    func removal() async throws {
        try await rooms.add("Hall")
        for id in 1...2 as ClosedRange<UInt64> { try await save(id, "Hall") }
        let hall = try rooms.find("Hall")
        try await nodes.update(NodeID(2)) { $0.room = "Den" }
        try await rooms.remove(hall)
        #expect(try list() == ["Den": [2]])
        #expect(try nodes.all().map(\.room) == [nil, "Den"])
    }
}
