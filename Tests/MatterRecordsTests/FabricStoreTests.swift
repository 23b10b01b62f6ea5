import Foundation
import JSON
import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

@Suite("Fabric store")
struct FabricStoreTests {
    private let state: TemporaryState
    private let store: FabricStore
    private let vendor = VendorID(0xFFF1)

    init() throws {
        state = try TemporaryState()
        store = FabricStore(state.directory)
    }

    private func code(_ body: () async throws -> Void) async -> RecordError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    private func add(_ name: String, withIntermediate: Bool = false) async throws -> (LocalFabric, FabricRecord) {
        let fabric = try LocalFabric.create(withIntermediate: withIntermediate, validity: TestFabric.validity)
        return (fabric, try await store.add(fabric, name: name, vendorID: vendor))
    }

    // MARK: Keeping

    @Test("a fabric comes back with its credentials and its authority", arguments: [true, false])
    func roundTrip(withIntermediate: Bool) async throws {
        let (fabric, added) = try await add("Zu Hause", withIntermediate: withIntermediate)
        let record = try #require(try store.fabric(named: "Zu Hause"))
        #expect(record == added && record.issuer == .local && record.nextNodeID == 1)
        #expect(record.nodeID == fabric.credentials.nodeID && record.vendorID == vendor)
        let credentials = try store.credentials(of: record)
        #expect(credentials.key.scalar == fabric.credentials.key.scalar)
        #expect(credentials.operationalIPK == fabric.credentials.operationalIPK)
        #expect(credentials.chain == fabric.credentials.chain)
        let authority = try store.authority(of: record)
        #expect(authority == fabric.authority && authority.canIssue)
    }

    @Test("a fabric without its authority's key issues nothing")
    func imported() async throws {
        let fabric = try LocalFabric.create(validity: TestFabric.validity)
        let imported = try LocalFabric(
            importing: fabric.credentials.chain, keys: [fabric.credentials.key], ipk: fabric.credentials.ipkEpochKey,
            at: .now(TestFabric.now))
        let record = try await store.add(imported, name: "other", vendorID: vendor)
        #expect(record.issuer == .none)
        #expect(try !store.authority(of: record).canIssue)
        #expect(try store.credentials(of: record).nodeID == fabric.credentials.nodeID)
    }

    @Test("a missing key is told with the file that it was in")
    func missingKey() async throws {
        let (_, record) = try await add("home")
        try state.directory.delete("fabrics/home/keys/operational")
        let error = try #require(throws: StoreError.self) { _ = try store.credentials(of: record) }
        #expect(error.code == .damaged && error.reason.contains("operational"))
        #expect(error.hint?.description.contains("fabrics/home/keys/operational") == true)
    }

    @Test("a name is taken once, and must be one")
    func names() async throws {
        _ = try await add("home")
        let fabric = try LocalFabric.create(validity: TestFabric.validity)
        #expect(await code { _ = try await store.add(fabric, name: "home", vendorID: vendor) } == .fabricExists)
        for name in ["", "12", "a/b", "../x"] {
            #expect(await code { _ = try await store.add(fabric, name: name, vendorID: vendor) } == .invalidName)
        }
        _ = try await add("Home")
        #expect(try store.names() == ["Home", "home"])
    }

    @Test("secrets are in no JSON record, and every record is readable JSON")
    func secrets() async throws {
        let (fabric, _) = try await add("home", withIntermediate: true)
        try store.choose("home")
        let nodes = NodeStore(state.directory, fabric: "home")
        try await nodes.save(NodeRecord(nodeID: NodeID(1), name: "lamp"))
        let session = SecretBytes(try SystemRandom().bytes(32))
        try ResumptionStore(state.directory, fabric: "home").save(
            .init(resumptionID: Array(1...16), sharedSecret: session, peerNodeID: 1), of: NodeID(1))
        let secrets = [
            fabric.credentials.key.scalar, fabric.credentials.ipkEpochKey, fabric.credentials.operationalIPK, session,
            try #require(fabric.authority.rootKey), try #require(fabric.authority.intermediateKey),
        ].map { hexString($0.copyBytes()) }
        let records = try state.files().filter { $0.key.hasSuffix(".json") }
        #expect(records.count == 3)
        for (name, text) in records {
            for secret in secrets { #expect(!text.lowercased().contains(secret), "\(name)") }
            let contents = try #require(try state.directory.read(name))
            #expect(try JSONValue(parsing: contents).objectValue != nil)
        }
    }

    // MARK: Choosing

    @Test("the named fabric, else the chosen one, else the only one")
    func selection() async throws {
        #expect(await code { _ = try store.select(nil) } == .noFabric)
        #expect(await code { _ = try store.select("home") } == .unknownFabric)
        _ = try await add("home")
        #expect(try store.select(nil).name == "home")
        _ = try await add("office")
        // The first one stays the one that commands use.
        #expect(try store.select(nil).name == "home" && store.chosen() == "home")
        #expect(try store.select("office").name == "office")
        #expect(await code { try store.choose("garden") } == .unknownFabric)
        try store.choose("office")
        #expect(try store.select(nil).name == "office" && store.chosen() == "office")
        #expect(try store.select("home").name == "home")
        #expect(await code { _ = try store.select("garden") } == .unknownFabric)
        // Only when the chosen one goes is it unclear which is meant.
        _ = try await add("lab")
        try await store.remove("office")
        #expect(await code { _ = try store.select(nil) } == .ambiguousFabric)
    }

    @Test("the first commissioning makes a fabric, once, however many processes begin at once")
    func selectOrCreate() async throws {
        let store = store
        let made = try await withThrowingTaskGroup(of: FabricRecord.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.selectOrCreate(
                        nil, vendorID: VendorID(0xFFF1), validity: TestFabric.validity, random: SystemRandom())
                }
            }
            return try await group.reduce(into: Set<CompressedFabricID>()) { $0.insert($1.compressedFabricID) }
        }
        #expect(made.count == 1)
        #expect(try store.names() == ["home"])
        #expect(
            await code {
                _ = try await store.selectOrCreate(
                    "other", vendorID: vendor, validity: TestFabric.validity, random: SystemRandom())
            } == .unknownFabric)
    }

    // MARK: Removing

    @Test("a removed fabric leaves nothing behind, and is not the chosen one any more")
    func removal() async throws {
        _ = try await add("home")
        _ = try await add("office")
        try store.choose("home")
        try await NodeStore(state.directory, fabric: "home").save(NodeRecord(nodeID: NodeID(1)))
        try await store.remove("home")
        #expect(try store.names() == ["office"] && store.chosen() == nil)
        #expect(try store.select(nil).name == "office")
        #expect(try !state.files().keys.contains { $0.hasPrefix("fabrics/home/") })
        #expect(await code { try await store.remove("home") } == .unknownFabric)
    }

    @Test("what an interrupted removal left belongs to no later fabric of that name")
    func interruptedRemoval() async throws {
        let (first, _) = try await add("home", withIntermediate: true)
        try await NodeStore(state.directory, fabric: "home").save(NodeRecord(nodeID: NodeID(7), name: "old"))
        // The record goes first.
        try state.directory.delete("fabrics/home/fabric.json")
        #expect(try store.names() == [])
        let (_, record) = try await add("home")
        #expect(try NodeStore(state.directory, fabric: "home").all() == [])
        #expect(try store.authority(of: record).intermediateKey == nil)
        #expect(try store.credentials(of: record).key.scalar != first.credentials.key.scalar)
    }

    @Test("a fabric whose record was lost is not made again over its keys: the previous copy leads back to it")
    func lostRecord() async throws {
        let (first, _) = try await add("home")
        // Written again, the record has a previous copy.
        _ = try await store.takeNodeID(in: "home", requested: nil) { _ in false }
        let path = state.directory.path + "/fabrics/home/fabric.json"
        try FileManager.default.removeItem(atPath: path)
        let error = try await #require(throws: StoreError.self) { _ = try await add("home") }
        #expect(error.code == .damaged && error.hint?.description.contains("mv '\(path).bak' '\(path)'") == true)
        try FileManager.default.moveItem(atPath: path + ".bak", toPath: path)
        let record = try #require(try store.fabric(named: "home"))
        #expect(try store.credentials(of: record).key.scalar == first.credentials.key.scalar)
    }

    @Test("a removal that was interrupted can be repeated, wherever that was")
    func repeatedRemoval() async throws {
        _ = try await add("home")
        try await NodeStore(state.directory, fabric: "home").save(NodeRecord(nodeID: NodeID(7), name: "old"))
        try state.directory.delete("fabrics/home/fabric.json")
        #expect(try store.halfRemoved() == ["home"])
        #expect(await code { _ = try store.select("home") } == .unknownFabric)
        try await store.remove("home")
        #expect(try store.halfRemoved() == [])
        #expect(try !state.files().keys.contains { $0.hasPrefix("fabrics/home") })
        #expect(await code { try await store.remove("home") } == .unknownFabric)
        for name in ["", "..", ".", String(repeating: "x", count: 300)] {
            #expect(await code { try await store.remove(name) } == .unknownFabric)
        }
    }

    // MARK: Damage

    private func damage(_ file: String) throws {
        let path = state.directory.path + "/" + file
        var octets = try Data(contentsOf: URL(fileURLWithPath: path))
        octets[octets.count / 2] ^= 0xFF
        try octets.write(to: URL(fileURLWithPath: path))
    }

    @Test("a damaged fabric is named, keeps no other from being used, and can be removed")
    func damagedFabric() async throws {
        for name in ["home", "Zu Hause"] { _ = try await add(name) }
        try damage("fabrics/Zu%20Hause/fabric.json")
        let (fabrics, faults) = try store.sound()
        #expect(fabrics.map(\.name) == ["home"] && faults.map(\.name) == ["Zu Hause"])
        #expect((faults.first?.error as? StoreError)?.code == .damaged)
        // There is a previous copy from the beginning.
        #expect((faults.first?.error as? StoreError)?.previousCopy != nil)
        #expect(try store.select(nil).name == "home")
        // Without a choice, there are two.
        try state.directory.delete("default-fabric.json")
        #expect(await code { _ = try store.select(nil) } == .ambiguousFabric)
        try await store.remove("Zu Hause")
        #expect(try store.names() == ["home"] && store.select(nil).name == "home")
    }

    @Test("the only fabric stays the one in use beside another, even if it is damaged")
    func damagedFirst() async throws {
        _ = try await add("home")
        try damage("fabrics/home/fabric.json")
        _ = try await add("guest")
        #expect(try store.chosen() == "home")
        #expect(throws: StoreError.self) { _ = try store.select(nil) }
        #expect(try store.select("guest").name == "guest")
    }

    @Test("a damaged choice is no loss where there is one fabric, and is put right by choosing again")
    func damagedChoice() async throws {
        _ = try await add("home")
        try store.choose("home")
        try damage("default-fabric.json")
        #expect(try store.select(nil).name == "home")
        _ = try await add("guest")
        let error = try #require(throws: StoreError.self) { _ = try store.select(nil) }
        #expect(error.code == .damaged && error.hint == .step("fabric.choose-again"))
        try store.choose("guest")
        #expect(try store.select(nil).name == "guest")
    }

    @Test("a key of a wrong length, or that is none, is a damaged file", arguments: ["operational", "root"])
    func badKey(kind: String) async throws {
        let (_, record) = try await add("home")
        let file = "fabrics/home/keys/\(kind)"
        try state.directory.writeSecret(file, [UInt8](repeating: 1, count: 31))
        let error = try #require(throws: StoreError.self) {
            if kind == "root" { _ = try store.authority(of: record) } else { _ = try store.credentials(of: record) }
        }
        #expect(error.code == .damaged && error.path?.hasSuffix(file) == true, "\(error)")
        guard kind == "operational" else { return }
        try state.directory.writeSecret(file, [UInt8](repeating: 0, count: 32))
        #expect(try #require(throws: StoreError.self) { _ = try store.credentials(of: record) }.code == .damaged)
    }

    // MARK: Node ids

    @Test("ids are given out in order, and none that is ours or in use")
    func nodeIDs() async throws {
        let own = NodeID(3)
        let fabric = try LocalFabric.create(nodeID: own, validity: TestFabric.validity)
        _ = try await store.add(fabric, name: "home", vendorID: vendor)
        func take(_ requested: UInt64? = nil, used: Set<UInt64> = []) async throws -> UInt64 {
            try await store.takeNodeID(in: "home", requested: requested.map { NodeID($0) }) {
                used.contains($0.rawValue)
            }.id.rawValue
        }
        #expect(try await take() == 1)
        #expect(try await take(used: [2, 4]) == 5)
        #expect(try await take() == 6)
        #expect(try await take(100) == 100)
        #expect(try await take() == 7)
        for refused: UInt64 in [0, 3, 0xFFFF_FFF0_0000_0000, .max] {
            #expect(await code { _ = try await take(refused) } == .nodeExists)
        }
        #expect(await code { _ = try await take(50, used: [50]) } == .nodeExists)
        #expect(
            await code { _ = try await store.takeNodeID(in: "none", requested: nil) { _ in false } } == .unknownFabric)
    }

    @Test("ids set aside are given to no other device, and those at the end that are left over come back")
    func aside() async throws {
        _ = try await add("home")
        func take(_ preferred: NodeID? = nil, _ requested: NodeID? = nil) async throws -> TakenNodeID {
            try await store.takeNodeID(in: "home", requested: requested, preferred: preferred) { _ in false }
        }
        let first = try await take()
        // Of those that are in use there is none among them.
        let ids = try await store.setNodeIDsAside(4, in: "home") { $0.rawValue == 3 }
        #expect(ids == [2, 4, 5, 6].map { NodeID($0) })
        let last = try await take(ids[3])
        #expect(last.id == NodeID(6))
        let foreign = try await take(nil, NodeID(5))
        #expect(foreign.id == NodeID(5))
        // A user has it now, so there is another one.
        let other = try await take(ids[2])
        #expect(other.id == NodeID(7))
        try await store.giveBack([ids[0], ids[1]], to: "home")
        #expect(try await take().id == NodeID(8))
        let rest = try await store.setNodeIDsAside(3, in: "home") { _ in false }
        try await store.giveBack(Array(rest.dropFirst()), to: "home")
        #expect(try await take().id == NodeID(rest[0].rawValue + 1))
        withExtendedLifetime((first, last, foreign, other)) {}
    }

    @Test(
        "at the end of the range the ids begin again",
        arguments: [0, 0xFFFF_FFEF_FFFF_FFFF, 0xFFFF_FFF0_0000_0000, .max] as [UInt64])
    func lastNodeID(next: UInt64) async throws {
        var (_, record) = try await add("home")
        record.nextNodeID = next
        try state.directory.write("fabrics/home/fabric.json", record.encoded())
        let used: Set<UInt64> = [1, 2, 0xFFFF_FFEF_FFFF_FFFF]
        let id = try await store.takeNodeID(in: "home", requested: nil) { used.contains($0.rawValue) }.id
        #expect(id == NodeID(3))
    }

    @Test("two takers never get the same id")
    func concurrentIDs() async throws {
        _ = try await add("home")
        let directory = state.directory
        let ids = try await withThrowingTaskGroup(of: NodeID.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    // Each with its own view of the directory, as processes have.
                    try await FabricStore(StateDirectory(path: directory.path)).takeNodeID(in: "home", requested: nil) {
                        _ in false
                    }.id
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids).count == 40 && ids.map(\.rawValue).max() == 40)
    }

    @Test("taking an id does not bring a removed fabric back")
    func removalBesides() async throws {
        for _ in 0..<10 {
            _ = try await add("home")
            let store = store
            async let taken = try? store.takeNodeID(in: "home", requested: nil) { _ in false }
            async let removed: Void = store.remove("home")
            _ = try await (taken, removed)
            #expect(try store.names() == [])
        }
    }
}
