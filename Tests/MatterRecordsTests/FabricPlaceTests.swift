import Foundation
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

/// A state directory that is used in another place than before.
@Suite("Places of fabrics") struct FabricPlaceTests {
    private static let counter = FabricStore.groupCounter
    private static let sleeper = NodeID(6)
    private let place: NodeIDTests.Place

    init() throws { place = try NodeIDTests.Place() }

    /// A fabric that has sent to groups, and a node that has checked in, with a key whose answer was lost.
    private func fabric(nodeIDs: FabricRecord.NodeIDs = .sequential) async throws {
        let store = place.store()
        let fabric = try LocalFabric.create(validity: TestFabric.validity)
        _ = try await store.add(fabric, name: "home", vendorID: VendorID(0xFFF1), nodeIDs: nodeIDs)
        _ = try await CounterBlock.reserve(Self.counter, count: 8, in: store.state)
        var registration = ICDRegistration(
            nodeID: Self.sleeper, clientID: NodeID(1),
            sleep: ICDRegistration.Sleep(idle: 3600, active: 300, threshold: 300))
        registration.confirm(try Self.key(3), start: 1000)
        #expect(try registration.take(Self.payload(1010, Self.key(3)))?.verdict == .accepted)
        registration.offer(try Self.key(4))
        try await ICDStore(store.state, fabric: "home").save(registration)
    }

    private static func key(_ octet: UInt8) throws -> CheckInKey {
        try CheckInKey(SecretBytes([UInt8](repeating: octet, count: 16)))
    }

    private static func payload(_ counter: UInt32, _ key: CheckInKey) throws -> [UInt8] {
        try CheckInMessage(counter: counter, activeThreshold: 300).sealed(with: key)
    }

    private func settle(_ store: FabricStore, at now: Int64 = 70) async throws -> FabricRecord? {
        try await store.settle(try #require(try store.fabric(named: "home")), at: now)
    }

    private func next(_ store: FabricStore) throws -> UInt32? {
        try CounterBlock.upcoming(Self.counter, in: store.state)
    }

    private func registration(_ store: FabricStore) throws -> ICDRegistration {
        try #require(try ICDStore(store.state, fabric: "home").registration(of: Self.sleeper))
    }

    @Test(
        "a copy is noticed once, its counters leap, and the original goes on",
        arguments: [FabricRecord.NodeIDs.sequential, .random])
    func copied(nodeIDs: FabricRecord.NodeIDs) async throws {
        try await fabric(nodeIDs: nodeIDs)
        let original = place.store()
        #expect(try await settle(original) == nil)
        try place.copy("state", "copy")
        let copy = place.store("copy")
        let before = try #require(try next(copy))
        let noticed = try #require(try await settle(copy)?.provenance)
        #expect(noticed.way == .copy && noticed.isSameMachine == true && noticed.at == 70)
        #expect(noticed.host == BackupFolder.host)
        let leap = try #require(try next(copy)) &- before
        #expect(leap >= 1 << 24 && leap < 1 << 31)
        // The original may have heard some meanwhile: those do not count, and a new one asks for another key.
        var registration = try registration(copy)
        #expect(try registration.take(Self.payload(1010, Self.key(3)))?.verdict == .replayed)
        #expect(try registration.take(Self.payload(1011, Self.key(3)))?.verdict == .needsNewKey)

        #expect(try await settle(copy) == nil)
        #expect(try next(copy) == before &+ leap)
        #expect(try copy.fabric(named: "home")?.provenance == noticed)
        #expect(try await settle(original) == nil)
        #expect(try original.fabric(named: "home")?.provenance == nil)
        #expect(try next(original) == before)
    }

    @Test("the same files on another machine are noticed, with the name of the first; back there again, too")
    func otherMachine() async throws {
        try await fabric()
        try place.copy("state", "copy")
        try Data((String(repeating: "0b", count: 16) + "\n").utf8).write(to: URL(fileURLWithPath: place.machine))
        let there = try #require(try await settle(place.store("copy"))?.provenance)
        #expect(there.isSameMachine == false && there.host == BackupFolder.host)
        try place.remove("state")
        try place.copy("copy", "state")
        try Data((String(repeating: "0a", count: 16) + "\n").utf8).write(to: URL(fileURLWithPath: place.machine))
        #expect(try await settle(place.store(), at: 80)?.provenance?.at == 80)
    }

    @Test("one folder that two machines use in turn is noticed once")
    func shared() async throws {
        try await fabric()
        for (machine, isNoticed) in [("0b", true), ("0a", false), ("0b", false), ("0c", true), ("0a", false)] {
            try Data((String(repeating: machine, count: 16) + "\n").utf8).write(to: URL(fileURLWithPath: place.machine))
            #expect(try await (settle(place.store()) != nil) == isNoticed, "\(machine)")
        }
    }

    @Test("a folder that was moved is the same, and a record of an earlier release is where it is")
    func moved() async throws {
        try await fabric(nodeIDs: .random)
        try place.move("state", "elsewhere")
        let store = place.store("elsewhere")
        #expect(try await settle(store) == nil)
        var record = try #require(try store.fabric(named: "home"))
        record.place = nil
        try store.state.write("fabrics/home/fabric.json", record.encoded())
        let before = try next(store)
        #expect(try await settle(store) == nil)
        #expect(try next(store) == before)
        // From then on it says where it is used.
        try place.copy("elsewhere", "copy")
        #expect(try await settle(place.store("copy")) != nil)
    }

    @Test("a fabric of a backup says where it comes from, and is at home where it was brought back")
    func restored() async throws {
        try await fabric()
        let (document, _) = try await place.store().export(nil, madeAt: 1_795_000_000, host: "den")
        let exported = try #require(try ExportDocument(decoding: document.encoded()).fabrics.first)
        let there = place.store("there")
        let record = try await there.restore(exported, of: document, as: "home").record
        #expect(record.provenance?.way == .export && record.provenance?.host == "den")
        #expect(record.provenance?.at == 1_795_000_000)
        #expect(try await settle(there) == nil)
    }

    @Test("a key that the first machine may have used takes no check-in on the second one until it is replaced")
    func unconfirmed() async throws {
        try await fabric()
        // The first machine accepts this one, which a thief records.
        let recorded = try Self.payload(2000, Self.key(4))
        var first = try registration(place.store())
        #expect(first.take(recorded)?.verdict == .accepted)
        try place.copy("state", "copy")
        let copy = place.store("copy")
        _ = try await settle(copy)
        var second = try registration(copy)
        #expect(second.take(recorded)?.verdict == .needsNewKey)
        #expect(second == (try registration(copy)), "it is not taken for the confirmation of the key")
        let fresh = second.offer(try Self.key(5))
        second.confirm(fresh, start: 2001)
        #expect(try second.take(Self.payload(2002, fresh))?.verdict == .accepted)
        #expect(second.take(recorded) == nil)
    }
}
