import Foundation
import MatterCredentials
import MatterCrypto
import MatterSecureChannel
import MatterStore
import Testing

@testable import MatterSession

@Suite("Node store")
struct NodeStoreTests {
    private let state: TemporaryState
    private let store: NodeStore

    init() throws {
        state = try TemporaryState()
        store = NodeStore(state.directory, fabric: "home")
    }

    private func node(_ id: UInt64, _ name: String? = nil) -> NodeRecord { NodeRecord(nodeID: NodeID(id), name: name) }

    private func code(_ body: () async throws -> Void) async -> RecordError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    @Test("nodes are kept by id, listed by id, and found by id or name")
    func finding() async throws {
        #expect(try store.all() == [])
        for record in [node(300, "lamp"), node(2), node(0x10, "16 lamps")] { try await store.save(record) }
        #expect(try store.all().map(\.nodeID.rawValue) == [2, 16, 300])
        #expect(try store.find("lamp").nodeID == NodeID(300))
        #expect(try store.find("300").name == "lamp" && store.find("0x12C").name == "lamp")
        #expect(try store.find("16 lamps").nodeID == NodeID(16))
        #expect(try store.node(NodeID(3)) == nil)
        for unknown in ["Lamp", "3", "", "0x", "18446744073709551616"] {
            #expect(await code { _ = try store.find(unknown) } == .unknownNode)
        }
    }

    @Test("a name belongs to one node")
    func uniqueNames() async throws {
        try await store.save(node(1, "lamp"))
        #expect(await code { try await store.save(node(2, "lamp")) } == .nameTaken)
        #expect(try store.node(NodeID(2)) == nil)
        try await store.save(node(2, "other"))
        #expect(await code { try await store.update(NodeID(2)) { $0.name = "lamp" } } == .nameTaken)
        #expect(await code { try await store.update(NodeID(2)) { $0.name = "7" } } == .invalidName)
        #expect(try store.node(NodeID(2))?.name == "other")
        // Its own name is no obstacle.
        try await store.save(node(1, "lamp"))
        #expect(await code { try store.checkFree("lamp", for: nil) } == .nameTaken)
        #expect(await code { try store.checkFree("lamp", for: NodeID(1)) } == nil)
    }

    @Test("of many that want one name at once, one gets it")
    func nameRace() async throws {
        let directory = state.directory
        let winners = await withTaskGroup(of: Bool.self) { group in
            for id in 1...12 as ClosedRange<UInt64> {
                group.addTask {
                    let store = NodeStore(StateDirectory(path: directory.path), fabric: "home")
                    return (try? await store.save(NodeRecord(nodeID: NodeID(id), name: "lamp"))) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try store.all().count == 1)
    }

    @Test("updates of one record at once all count")
    func concurrentUpdates() async throws {
        try await store.save(node(1))
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<30 {
                group.addTask { try await store.update(NodeID(1)) { $0.commissionedAt = ($0.commissionedAt ?? 0) + 1 } }
            }
            try await group.waitForAll()
        }
        #expect(try store.node(NodeID(1))?.commissionedAt == 30)
    }

    @Test("a node that is gone is not brought back by an update")
    func removal() async throws {
        try await store.save(node(1, "lamp"))
        #expect(try await store.remove(NodeID(1)))
        #expect(try await !store.remove(NodeID(1)))
        try await store.update(NodeID(1)) { $0.room = "attic" }
        #expect(try store.all() == [])
    }

    @Test("a record that cannot be used is named")
    func badRecord() async throws {
        try await store.save(node(1))
        try state.directory.write("fabrics/home/nodes/0000000000000001.json", Array(#"{"nodeId":true}"#.utf8))
        let error = try #require(throws: RecordError.self) { _ = try store.all() }
        #expect(error.reason.contains("nodes/0000000000000001.json") && error.reason.contains("nodeId"))
    }

    @Test("a damaged record keeps no other node from being found or named, and may be the one that is not found")
    func damagedNeighbour() async throws {
        try await store.save(node(1, "lamp"))
        try await store.save(node(2, "fan"))
        try state.directory.write("fabrics/home/nodes/0000000000000002.json", Array(#"{"nodeId":true}"#.utf8))
        #expect(try store.find("lamp").nodeID == NodeID(1))
        #expect(await code { _ = try store.find("fan") } == .invalid)
        #expect(await code { _ = try store.find("2") } == .invalid)
        #expect(await code { _ = try store.find("3") } == .unknownNode)
        try await store.save(node(3, "plug"))
        #expect(await code { try await store.save(node(4, "lamp")) } == .nameTaken)
        let (nodes, faults) = try store.sound()
        #expect(nodes.map(\.nodeID.rawValue) == [1, 3] && faults.count == 1)
        #expect(try await store.remove(NodeID(2)))
        #expect(try store.all().count == 2)
    }

    // MARK: Resumption records

    @Test("what resumes a session comes back, for that node only, and goes when it is removed")
    func resumption() throws {
        let store = ResumptionStore(state.directory, fabric: "home")
        let record = ResumptionRecord(
            resumptionID: Array(0..<16), sharedSecret: SecretBytes(Array(32..<64)), peerNodeID: 5,
            peerCATs: [CASEAuthenticatedTag(0x0001_0002), CASEAuthenticatedTag(0xFFFF_0001)])
        #expect(store.load(NodeID(5)) == nil)
        try store.save(record, of: NodeID(5))
        let loaded = try #require(store.load(NodeID(5)))
        #expect(loaded.resumptionID == record.resumptionID && loaded.sharedSecret == record.sharedSecret)
        #expect(loaded.peerNodeID == 5 && loaded.peerCATs == record.peerCATs)
        #expect(store.load(NodeID(6)) == nil)
        #expect(ResumptionStore(state.directory, fabric: "office").load(NodeID(5)) == nil)
        try store.remove(NodeID(5))
        #expect(store.load(NodeID(5)) == nil)
        try store.remove(NodeID(5))
    }

    @Test(
        "a record that is damaged in any way counts as none",
        arguments: [
            "", "{}", "[]", #"{"resumptionId":"00","sharedSecret":"00"}"#,
            #"{"resumptionId":"000102030405060708090a0b0c0d0e0f","sharedSecret":"00"}"#,
            #"{"resumptionId":"000102030405060708090a0b0c0d0e","sharedSecret":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"}"#,
            #"{"resumptionId":"000102030405060708090a0b0c0d0e0g","sharedSecret":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"}"#,
            #"{"resumptionId":"000102030405060708090a0b0c0d0e0f","sharedSecret":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f","cats":[true]}"#,
            #"{"resumptionId":"000102030405060708090a0b0c0d0e0f","sharedSecret":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f","cats":7}"#,
        ])
    func damagedResumption(contents: String) throws {
        try state.directory.writeSecret("fabrics/home/sessions/0000000000000005", Array(contents.utf8))
        #expect(ResumptionStore(state.directory, fabric: "home").load(NodeID(5)) == nil)
    }
}
