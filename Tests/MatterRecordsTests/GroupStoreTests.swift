import Foundation
import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterState

@Suite("Group store") struct GroupStoreTests {
    private let state: TemporaryState
    private let store: GroupStore

    init() throws {
        state = try TemporaryState()
        store = GroupStore(state.directory, fabric: "home")
    }

    private func create(_ name: String, id: UInt16? = nil, keyOf other: GroupRecord? = nil) async throws -> GroupRecord
    {
        try await store.create(name, id: id, keyOf: other, start: 7, random: SystemRandom())
    }

    @Test("a group gets the lowest free id and a key of its own, and is found by name or id")
    func finding() async throws {
        let lights = try await create("lights")
        let hall = try await create("hall", id: 0x101)
        let fans = try await create("fans")
        #expect([lights, hall, fans].map(\.group) == [1, 0x101, 2])
        #expect(Set([lights, hall, fans].map(\.keySet)).count == 3)
        let keys = try [lights, hall, fans].map { try store.key(of: $0).copyBytes() }
        #expect(Set(keys).count == 3 && keys.allSatisfy { $0.count == 16 })
        #expect(try store.find("hall") == hall && store.find("257") == hall && store.find("0x101") == hall)
        #expect(try store.sound().groups == [lights, fans, hall])
        #expect(throws: RecordError.self) { try store.find("attic") }
        for name in ["lights", "a:b", "7"] { await #expect(throws: RecordError.self) { try await create(name) } }
        await #expect(throws: RecordError.self) { try await create("den", id: 0x101) }
    }

    @Test("members are kept in order, once each, and go with their node")
    func members() async throws {
        let lights = try await create("lights")
        let other = try await create("other")
        for (node, endpoint) in [(9, 1), (2, 3), (2, 1), (9, 1)] as [(UInt64, UInt16)] {
            try await store.update(lights.group) {
                $0.add(.init(nodeID: NodeID(node), endpoint: endpoint, isPending: node == 9))
            }
        }
        try await store.update(other.group) { $0.add(.init(nodeID: NodeID(2), endpoint: 1)) }
        let members = try store.find("lights").members
        #expect(members.map(\.nodeID.rawValue) == [2, 2, 9] && members.map(\.endpoint) == [1, 3, 1])
        #expect(members.map(\.isPending) == [false, false, true])
        try await store.forget(NodeID(2))
        #expect(try store.sound().groups.map { $0.members.map(\.nodeID.rawValue) } == [[9], []])
        try await store.update(0x777) { _ in Issue.record("there is no such group") }
    }

    @Test("a key is removed with the last group that uses it; it is in no record")
    func keys() async throws {
        let lights = try await create("lights")
        let bright = try await create("bright", keyOf: lights)
        #expect(bright.keySet == lights.keySet && bright.group != lights.group)
        let key = try store.key(of: lights)
        for (name, contents) in try state.files() where name.contains("/groups/") {
            #expect(!contents.contains(String(decoding: key.copyBytes(), as: UTF8.self)))
        }
        try await store.remove(lights)
        #expect(try store.key(of: bright) == key)
        try await store.remove(bright)
        let error = #expect(throws: StoreError.self) { try store.key(of: bright) }
        #expect(error?.code == .damaged)
        #expect(try store.sound().groups == [])
    }

    @Test("groups that are created side by side have different ids", .timeLimit(.minutes(5)))
    func race() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<8 { tasks.addTask { _ = try await create("g\(number)") } }
            try await tasks.waitForAll()
        }
        #expect(try store.sound().groups.map(\.group) == Array(1...8))
    }

    @Test("a damaged record stops the making of groups, and shows itself beside the others")
    func damage() async throws {
        let lights = try await create("lights")
        _ = try await create("hall")
        let path = state.directory.path + "/fabrics/home/groups/0001.json"
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
        let (groups, faults) = try store.sound()
        #expect(groups.map(\.name) == ["hall"] && faults.count == 1)
        #expect(try store.find("hall").group == 2)
        await #expect(throws: StoreError.self) { try await create("den") }
        #expect(throws: StoreError.self) { try store.find(lights.name) }
    }
}
