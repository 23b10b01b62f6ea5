import Foundation
import JSON
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

/// One node id belongs to one device, whatever happens to the state directory.
@Suite("Node ids")
struct NodeIDTests {
    /// Folders that disappear with the test.
    final class Place {
        let path: String

        init() throws {
            let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
            path = base + "/matterctl-ids-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data((String(repeating: "0a", count: 16) + "\n").utf8).write(to: URL(fileURLWithPath: machine))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var machine: String { path + "/machine-id" }

        func store(_ name: String = "state", witness: String? = "witness") -> FabricStore {
            var state = StateDirectory(
                path: path + "/" + name, witness: witness.map { $0.isEmpty ? "" : path + "/" + $0 })
            state.machineIDFile = machine
            return FabricStore(state)
        }

        func move(_ old: String, _ new: String) throws {
            try FileManager.default.moveItem(atPath: path + "/" + old, toPath: path + "/" + new)
        }

        func copy(_ old: String, _ new: String) throws {
            try FileManager.default.copyItem(atPath: path + "/" + old, toPath: path + "/" + new)
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }
    }

    private let place: Place

    init() throws { place = try Place() }

    private func add(_ store: FabricStore, nodeIDs: FabricRecord.NodeIDs = .sequential) async throws {
        let fabric = try LocalFabric.create(validity: TestFabric.validity)
        _ = try await store.add(fabric, name: "home", vendorID: VendorID(0xFFF1), nodeIDs: nodeIDs)
    }

    /// - Returns: the id, and how ids are chosen from then on.
    @discardableResult
    private func take(_ store: FabricStore, _ requested: UInt64? = nil) async throws -> TakenNodeID {
        try await store.takeNodeID(in: "home", requested: requested.map { NodeID($0) }) { _ in false }
    }

    private func expectRandom(
        _ store: FabricStore, because: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let first = try await take(store)
        #expect(first.nodeIDs == .random && first.id.rawValue > 1000, sourceLocation: sourceLocation)
        #expect(first.id.rawValue < 1 << 48, sourceLocation: sourceLocation)
        if let because {
            #expect(first.doubt?.contains(because) == true, "\(first)", sourceLocation: sourceLocation)
        }
        // It is said once, and stays so.
        let second = try await take(store)
        #expect(second.nodeIDs == .random && second.doubt == nil, sourceLocation: sourceLocation)
        #expect(second.id != first.id, sourceLocation: sourceLocation)
    }

    @Test("in the directory that it was made in, ids of a fabric are in order", arguments: ["witness", nil])
    func original(witness: String?) async throws {
        let store = place.store(witness: witness)
        try await add(store)
        #expect(try await take(store).id == NodeID(1))
        #expect(try await take(place.store(witness: witness), 100).id == NodeID(100))
        #expect(try await take(store).id == NodeID(2))
        #expect(try store.fabric(named: "home")?.nodeIDs == .sequential)
    }

    @Test("the id that was taken last can be given back; an earlier one stays a gap, and the record stays the latest")
    func givenBack() async throws {
        let store = place.store()
        try await add(store)
        let (first, second) = (try await take(store), try await take(store))
        try await store.giveBack([first.id], to: "home")
        #expect(try await take(store).id == NodeID(3))
        try await store.giveBack([second.id], to: "home")
        let last = try await take(store)
        try await store.giveBack([last.id], to: "home")
        #expect(try last.id == NodeID(4) && store.fabric(named: "home")?.nextNodeID == 4)
        // It is no backup: the witness has seen it.
        try place.move("state", "moved")
        #expect(try store.fabric(named: "home") == nil)
        let again = try await take(place.store("moved"))
        #expect(again.nodeIDs == .sequential && again.doubt == nil)
    }

    @Test("a directory that was moved is the same")
    func moved() async throws {
        try await add(place.store())
        try await take(place.store())
        try place.move("state", "elsewhere")
        #expect(try await take(place.store("elsewhere")).id == NodeID(2))
    }

    @Test("a copy gives out random ids, and the original goes on")
    func copied() async throws {
        try await add(place.store())
        try await take(place.store())
        try place.copy("state", "copy")
        try await expectRandom(place.store("copy"), because: "copy")
        #expect(try await take(place.store()).id == NodeID(2))
        // Put back where the original was, it is still a copy.
        try place.remove("state")
        try place.move("copy", "state")
        try await expectRandom(place.store())
    }

    @Test("the same files on another machine are a copy")
    func otherMachine() async throws {
        try await add(place.store())
        try Data((String(repeating: "0b", count: 16) + "\n").utf8).write(to: URL(fileURLWithPath: place.machine))
        try await expectRandom(place.store(), because: "copy")
    }

    @Test("a file system may change its device number or its id from one start of the machine to the next, not both")
    func fileSystem() {
        let place = StatePlace(machine: "0a", device: 1, fileSystem: 2, inode: 3)
        let origin = FabricOrigin(place, generation: 4)
        for (device, fileSystem, inode, isSame) in [
            (1, 2, 3, true), (9, 2, 3, true), (1, 9, 3, true), (9, 9, 3, false), (1, 2, 9, false), (9, 0, 3, false),
        ] as [(UInt64, UInt64, UInt64, Bool)] {
            let other = StatePlace(machine: "0a", device: device, fileSystem: fileSystem, inode: inode)
            #expect(FabricOrigin(other, generation: 5).isSamePlace(as: origin) == isSame)
        }
        // An id of 0 is none.
        let nameless = FabricOrigin(StatePlace(machine: "0a", device: 1, fileSystem: 0, inode: 3), generation: 4)
        let moved = FabricOrigin(StatePlace(machine: "0a", device: 9, fileSystem: 0, inode: 3), generation: 4)
        #expect(!moved.isSamePlace(as: nameless))
    }

    @Test("machines without an id are told apart by their folders alone")
    func noMachine() async throws {
        for text in ["", "uninitialized\n"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: place.machine))
            try await add(place.store())
            #expect(try await take(place.store()).id == NodeID(1))
            try place.copy("state", "copy")
            try await expectRandom(place.store("copy"))
            try place.remove("state")
            try place.remove("copy")
        }
    }

    @Test("an older backup that is put back into the same folder shows", arguments: [nil, 100] as [UInt64?])
    func restored(requested: UInt64?) async throws {
        let store = place.store()
        try await add(store)
        try await take(store)
        let file = store.state.path + "/fabrics/home/fabric.json"
        let backup = try Data(contentsOf: URL(fileURLWithPath: file))
        // As it is, it may be put back.
        try backup.write(to: URL(fileURLWithPath: file))
        #expect(try await take(store, requested).id == NodeID(requested ?? 2))
        try backup.write(to: URL(fileURLWithPath: file))
        try await expectRandom(place.store(), because: "backup")
    }

    @Test("without anything outside of the directory that vouches for it, ids are random", arguments: [true, false])
    func witness(isLost: Bool) async throws {
        try await add(place.store())
        #expect(try await take(place.store()).id == NodeID(1))
        if isLost { try place.remove("witness") }
        let store = isLost ? place.store() : place.store(witness: "")
        try await expectRandom(store)
        try place.remove("state")
        try await add(place.store(witness: ""))
        try await expectRandom(place.store(witness: ""))
    }

    @Test("if it cannot be vouched for any more, the id just taken is still good, and the next ones are random")
    func witnessLostMeanwhile() async throws {
        try await add(place.store())
        let folder = place.path + "/witness/generations"
        try #require(chmod(folder, 0o500) == 0)
        defer { chmod(folder, 0o700) }
        // For root, permissions are no obstacle.
        guard geteuid() != 0 else { return }
        let taken = try await take(place.store())
        #expect(taken.id == NodeID(1) && taken.nodeIDs == .random)
        try await expectRandom(place.store())
    }

    @Test("a crash between record and witness is no backup")
    func crash() async throws {
        let store = place.store()
        try await add(store)
        try await take(store)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path + "/witness/generations")
        let witness = URL(fileURLWithPath: place.path + "/witness/generations/" + (try #require(files.first)))
        let before = try Data(contentsOf: witness)
        try await take(store)
        // The record is ahead of its witness.
        try before.write(to: witness)
        #expect(try await take(store).id == NodeID(3))
    }

    @Test("an imported fabric may have nodes already")
    func imported() async throws {
        let store = place.store()
        try await add(store, nodeIDs: .random)
        #expect(try store.fabric(named: "home")?.nodeIDs == .random)
        try await expectRandom(store)
        // One that the user wants is the user's choice.
        #expect(try await take(store, 7).id == NodeID(7))
    }

    @Test("a record of release 0.1.0 is taken as it is, and from then on a copy of it shows")
    func oldRecord() async throws {
        let store = place.store()
        try await add(store)
        var record = try #require(try store.fabric(named: "home"))
        store.forgetWitness(of: record)
        record.origin = nil
        record.nextNodeID = 5
        try store.state.write("fabrics/home/fabric.json", record.encoded())
        #expect(String(decoding: record.encoded(), as: UTF8.self).contains("origin") == false)
        #expect(try await take(store).id == NodeID(5))
        #expect(try store.fabric(named: "home")?.origin != nil)
        try place.copy("state", "copy")
        try await expectRandom(place.store("copy"))
        // A backup from before is put back into the same folder.
        try store.state.write("fabrics/home/fabric.json", record.encoded())
        try await expectRandom(store)
    }

    @Test("a record with an origin or a kind of ids that is none is refused")
    func badRecord() async throws {
        let store = place.store()
        try await add(store)
        let record = try #require(try store.fabric(named: "home"))
        let whole = try #require(
            try JSONValue(parsing: record.encoded()).objectValue)
        for (member, bad) in [("nodeIds", "odd"), ("origin", "x"), ("origin", .object(["device": 1]))]
            as [(String, JSONValue)]
        {
            var object = whole
            object[member] = bad
            try store.state.write("fabrics/home/fabric.json", JSONValue.object(object).utf8())
            let error = try #require(throws: RecordError.self) { _ = try store.fabric(named: "home") }
            #expect(error.code == .invalid && error.reason.contains(member), "\(error)")
        }
    }

    // MARK: Reservations

    @Test("an id that is being given to a device is given to no other until it is let go")
    func reserved() async throws {
        let store = place.store()
        try await add(store)
        var first: TakenNodeID? = try await take(store, 2)
        #expect(first?.id == NodeID(2))
        let error = await #expect(throws: RecordError.self) { try await take(place.store(), 2) }
        #expect(error?.code == .nodeExists)
        // Neither does it come in order.
        #expect(try await take(store).id == NodeID(1))
        #expect(try await take(store).id == NodeID(3))
        withExtendedLifetime(first) {}
        first = nil
        #expect(try await take(store, 2).id == NodeID(2))
    }

    @Test("the reservation of a process that died is taken over")
    func abandoned() async throws {
        let store = place.store()
        try await add(store)
        try store.state.write("fabrics/home/reserved/0000000000000007", Array("{}".utf8))
        #expect(try await take(store, 7).id == NodeID(7))
        #expect(try store.state.records(in: "fabrics/home/reserved").isEmpty)
    }

    @Test("of many that want one id at once, one gets it")
    func race() async throws {
        try await add(place.store())
        let path = place.path
        let taken = await withTaskGroup(of: TakenNodeID?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let store = FabricStore(StateDirectory(path: path + "/state"))
                    return try? await store.takeNodeID(in: "home", requested: NodeID(7)) { _ in false }
                }
            }
            // All are kept until the last one has asked.
            return await group.reduce(into: [TakenNodeID]()) { if let id = $1 { $0.append(id) } }
        }
        #expect(taken.count == 1)
    }

    @Test("no id is given out for a fabric that was removed, or made again under the same name")
    func removedFabric() async throws {
        let store = place.store()
        try await add(store)
        let identity = try #require(try store.fabric(named: "home")).compressedFabricID
        try await store.remove("home")
        try await add(store)
        let error = await #expect(throws: RecordError.self) {
            _ = try await store.takeNodeID(in: "home", identity: identity, requested: nil) { _ in false }
        }
        #expect(error?.code == .fabricGone)
    }
}
