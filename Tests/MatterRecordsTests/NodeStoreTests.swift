import Foundation
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

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
        #expect(try store.find("LÄMP").nodeID == NodeID(300))
        for unknown in ["Lam", "3", "", "0x", "18446744073709551616"] {
            #expect(await code { _ = try store.find(unknown) } == .unknownNode)
        }
    }

    /// With what the scanner does not know: a quote and a letter of two octets in the name, and devices behind a bridge.
    @Test("what completion needs of a node is what its record says, whether that is scanned or decoded")
    func briefs() async throws {
        var plain = node(2, "lamp")
        plain.room = "Küche"
        plain.addresses = [try PeerAddress(parsing: "127.0.0.1:5540")]
        var light = NodeRecord.Endpoint(number: 1, deviceTypes: [0x100], serverClusters: [3, 6, 0x131B_FC01])
        light.acceptedCommands = [6: [0, 1, 2]]
        plain.endpoints = [light]
        var bridge = node(3, #"5" bridge"#)
        light.bridged = BridgedDevice(label: "Desk lamp")
        bridge.endpoints = [light]
        // More than is read at once.
        var house = node(4, "house")
        house.endpoints = (1...200).map { .init(number: $0, deviceTypes: [0x100], serverClusters: [3, 6]) }
        for record in [plain, bridge, house, node(300)] { try await store.save(record) }
        let briefs = store.briefs()
        #expect(briefs.map(\.nodeID.rawValue) == [2, 3, 4, 300])
        #expect(briefs.map(\.name) == ["lamp", #"5" bridge"#, "house", nil])
        #expect(briefs[2].endpoints.count == 200 && briefs[3].endpoints.isEmpty)
        #expect(briefs[0].room == "Küche")
        #expect(briefs[0].endpoints.map(\.serverClusters) == [[3, 6, 0x131B_FC01]])
        #expect(briefs[1].endpoints.first?.bridged?.title == "Desk lamp")
    }

    @Test("a text that is no record is no brief, wherever it is cut off, and a damaged one ends nothing")
    func hostileBriefs() async throws {
        var record = node(2, "lamp")
        record.endpoints = [.init(number: 1, deviceTypes: [0x100], serverClusters: [3, 6])]
        try await store.save(record)
        let file = state.directory.path + "/fabrics/home/nodes/0000000000000002.json"
        let octets = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(NodeBrief(scanning: octets) == store.briefs().first)
        for length in 0..<octets.count - 1 { #expect(NodeBrief(scanning: Array(octets.prefix(length))) == nil) }
        let broken = [
            "\n", "\n{", "\n{}", "\n{\"nodeId\":-1}", "\n{\"nodeId\":99999999999999999999}",
            "\n{\"nodeId\":1,\"x\":[[[[}", "\n{\"nodeId\":1,\"endpoints\":[{\"endpoint\":70000}]}", "\n[1]",
            "\n{\"nodeId\":1,}",
            "\n{\"nodeId\":1,\"x\":,\"y\":2}", "\n{\"nodeId\":1,\"x\"::2}",
        ]
        for text in broken { #expect(NodeBrief(scanning: Array(text.utf8)) == nil, "\(text)") }
        try await store.save(node(7))
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: file))
        #expect(store.briefs().map(\.nodeID.rawValue) == [7])
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

    @Test("a name is found without reading the records of the other nodes")
    func index() async throws {
        for id in 1...50 as ClosedRange<UInt64> { try await store.save(node(id, "lamp \(id)")) }
        // A record that is read would be found damaged.
        let folder = state.directory.path + "/fabrics/home/nodes"
        for id in 1...49 {
            let name = String(id, radix: 16, uppercase: true)
            let file = folder + "/" + String(repeating: "0", count: 16 - name.count) + name + ".json"
            try #require(FileManager.default.fileExists(atPath: file))
            try #require(mkfifoInstead(of: file))
        }
        #expect(try store.find("lamp 50").nodeID == NodeID(50))
    }

    /// Something that is no record, and would be found out when it is read.
    private func mkfifoInstead(of file: String) -> Bool { unlink(file) == 0 && mkfifo(file, 0o600) == 0 }

    @Test("an index that is lost, stale or damaged costs time, and heals")
    func indexHeals() async throws {
        for id in 1...3 as ClosedRange<UInt64> { try await store.save(node(id, "lamp \(id)")) }
        func entry(_ name: String) throws -> String? { try state.files()["fabrics/home/names/" + name] }
        #expect(try entry("lamp%201")?.contains("1") == true)
        // As release 0.1.0 left it.
        try state.directory.deleteFolder("fabrics/home/names")
        #expect(try store.find("lamp 2").nodeID == NodeID(2))
        #expect(try entry("lamp%202") != nil && entry("lamp%201") == nil)
        // As a crash leaves it: the record says something else.
        try state.directory.write("fabrics/home/names/lamp%202", Array(#"{"nodeId":3}"#.utf8))
        #expect(try store.find("lamp 2").nodeID == NodeID(2))
        #expect(try entry("lamp%202")?.contains(#"{"nodeId":2}"#) == true)
        for bad in ["", "x", "{}", #"{"nodeId":"x"}"#] {
            try state.directory.write("fabrics/home/names/lamp%203", Array(bad.utf8))
            #expect(try store.find("lamp 3").nodeID == NodeID(3))
        }
        // A name that was given away leads to the node that has it.
        try await store.update(NodeID(1)) { $0.name = "old" }
        try await store.update(NodeID(2)) { $0.name = "lamp 1" }
        #expect(try store.find("lamp 1").nodeID == NodeID(2) && store.find("old").nodeID == NodeID(1))
        #expect(await code { _ = try store.find("lamp 2") } == .unknownNode)
        #expect(try entry("lamp%202") == nil)
        try await store.remove(NodeID(1))
        #expect(try entry("old") == nil)
        #expect(await code { _ = try store.find("old") } == .unknownNode)
    }

    @Test("long names that begin alike are told apart")
    func longNames() async throws {
        let names = ["a", "b"].map { String(repeating: "灯", count: 60) + $0 }
        for (id, name) in zip([1, 2] as [UInt64], names) { try await store.save(node(id, name)) }
        for (id, name) in zip([1, 2] as [UInt64], names) { #expect(try store.find(name).nodeID == NodeID(id)) }
    }

    @Test("a node with another certificate does not take the place of one that is there")
    func otherCertificate() async throws {
        var record = node(7, "lamp")
        record.certificate = [1, 2, 3]
        try await store.save(record)
        try await store.save(record)
        var other = node(7, "fan")
        other.certificate = [4, 5, 6]
        #expect(await code { try await store.save(other) } == .nodeExists)
        #expect(try store.node(NodeID(7)) == record)
        // One of release 0.1.0 does not say.
        try await store.save(node(8))
        other.nodeID = NodeID(8)
        try await store.save(other)
    }

    @Test("a node is not written into a fabric that was removed, or made again under the same name")
    func removedFabric() async throws {
        let fabrics = FabricStore(state.directory)
        let first = try await fabrics.add(try TestFabric().local, name: "home", vendorID: VendorID(0xFFF1))
        let store = NodeStore(state.directory, fabric: "home", identity: first.compressedFabricID)
        let sessions = ResumptionStore(state.directory, fabric: "home", identity: first.compressedFabricID)
        let session = ResumptionRecord(
            resumptionID: Array(0..<16), sharedSecret: SecretBytes(Array(32..<64)), peerNodeID: 1, peerCATs: [])
        try await store.save(node(1, "lamp"))
        try sessions.save(session, of: NodeID(1))
        try await fabrics.remove("home")
        for _ in 1...2 {
            #expect(await code { try await store.save(node(1, "lamp")) } == .fabricGone)
            #expect(await code { try sessions.save(session, of: NodeID(1)) } == .fabricGone)
            #expect(try store.all() == [] && sessions.load(NodeID(1)) == nil)
            if try fabrics.names().isEmpty {
                _ = try await fabrics.add(try TestFabric().local, name: "home", vendorID: VendorID(0xFFF1))
            }
        }
    }

    // MARK: Resumption records

    @Test("what a newer version keeps of a session is not overwritten")
    func newerResumption() throws {
        let store = ResumptionStore(state.directory, fabric: "home")
        let file = "fabrics/home/sessions/0000000000000005"
        try state.directory.write(file, Array("{}".utf8), version: 9)
        let record = ResumptionRecord(
            resumptionID: Array(0..<16), sharedSecret: SecretBytes(Array(32..<64)), peerNodeID: 5, peerCATs: [])
        #expect(try #require(throws: StoreError.self) { try store.save(record, of: NodeID(5)) }.code == .newerVersion)
        #expect(try state.files()[file]?.hasPrefix(#"{"matterctl":9,"#) == true)
        #expect(store.load(NodeID(5)) == nil)
    }

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
            "", "{}", String(repeating: "x", count: 47), String(repeating: "x", count: 49),
            String(repeating: "x", count: 48 + 4 * 4),
            #"{"resumptionId":"000102030405060708090a0b0c0d0e0f","sharedSecret":"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f","cats":[]}"#,
        ])
    func damagedResumption(contents: String) throws {
        try state.directory.writeSecret("fabrics/home/sessions/0000000000000005", Array(contents.utf8))
        #expect(ResumptionStore(state.directory, fabric: "home").load(NodeID(5)) == nil)
    }
}
