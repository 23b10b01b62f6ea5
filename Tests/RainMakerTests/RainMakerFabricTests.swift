import MatterCrypto
import MatterState
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import RainMaker
@testable import RainMakerEmulator

/// Joining and refreshing where the cloud is odd without being wrong.
@Suite(.timed) struct RainMakerFabricTests {
    @Test("two phones of one user have two node ids, and neither certificate is issued again for that")
    func twoPhones() async throws {
        try await withCloud({ $0.userIDPerKey = true }) { cloud in
            let first = try await cloud.loggedIn("alice")
            let second = try cloud.client("phone")
            try await second.login(userName: "alice@example.com", password: SecretText(Cloud.password))
            let group = try await first.createFabric(name: "home")
            let here = try await cloud.fabrics("alice", first).join(group: group.id, name: "home")
            let there = try await cloud.fabrics("phone", second).join(group: group.id, name: "home")
            #expect(here.record.nodeID != there.record.nodeID)
            // The list shows an id that is neither's.
            #expect(here.fabric.userID != nil && here.fabric.userID == there.fabric.userID)
            #expect(here.fabric.userID != here.record.nodeID && here.fabric.userID != there.record.nodeID)
            for _ in 0..<2 {
                #expect(try await cloud.fabrics("alice", first).refresh(here.record).wasIssued == false)
                #expect(try await cloud.fabrics("phone", second).refresh(there.record).wasIssued == false)
            }
            let renewed = try await cloud.fabrics("alice", first).refresh(here.record, force: true)
            #expect(renewed.record.nodeID == here.record.nodeID)
        }
    }

    @Test(
        "a user id in the list that cannot be read is skipped",
        arguments: ["wrong-type=matter_user_id,on=getNodeGroups", "missing=matter_user_id", "blank=matter_user_id"])
    func oddUserID(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text)))
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            #expect(try await cloud.fabrics("alice", client).refresh(joined.record).wasIssued == false)
        }
    }

    @Test("where the cloud gives no key, zero bytes are used as in the apps; one that works is not replaced by them")
    func absentKey() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let fabrics = cloud.fabrics("alice", client)
            let store = FabricStore(cloud.state("alice"))
            func key() throws -> [UInt8] {
                try store.credentials(of: try #require(try store.fabric(named: "home"))).ipkEpochKey.copyBytes()
            }
            for text in ["blank=ipk", "missing=ipk"] {
                await cloud.emulator.inject(try #require(EmulatorFault(parsing: text)))
                let joined = try await fabrics.join(group: group.id, name: "home")
                #expect(joined.fabric.lacksIPK)
                #expect(try key() == [UInt8](repeating: 0, count: 16))
                #expect(try await fabrics.refresh(joined.record).wasIssued == false)
                await cloud.emulator.clearFaults()
                // Now it does, and that counts.
                #expect(try await fabrics.refresh(joined.record).wasIssued)
                let real = try key()
                #expect(Set(real) != [0])
                await cloud.emulator.inject(try #require(EmulatorFault(parsing: text)))
                #expect(try await fabrics.refresh(joined.record).wasIssued == false)
                #expect(try await fabrics.refresh(joined.record, force: true).wasIssued)
                #expect(try key() == real)
                await cloud.emulator.clearFaults()
                try await store.remove("home")
            }
        }
    }

    @Test("a tag in a newer version than the list says is as good")
    func newerTag() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            await cloud.emulator.inject(EmulatorFault(.newerCAT))
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            #expect(try await cloud.fabrics("alice", client).refresh(joined.record).wasIssued == false)
        }
    }
}
