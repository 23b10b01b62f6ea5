import Foundation
import JSON
import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterNetwork
@testable import MatterState

@Suite("Exports") struct ExportTests {
    private let state: TemporaryState
    private let store: FabricStore
    private static let made: Int64 = 1_795_000_000

    init() throws {
        state = try TemporaryState()
        store = FabricStore(state.directory)
    }

    private var validity: CertificateValidity { CertificateValidity.unlimited(from: 800_000_000) }

    /// A fabric with a named node, a group, a node that sleeps, and a resumption record that must stay behind.
    private func house() async throws -> FabricRecord {
        let record = try await store.add(
            try LocalFabric.create(validity: validity), name: "home", vendorID: VendorID(0xFFF1))
        let nodes = NodeStore(state.directory, fabric: "home")
        var node = NodeRecord(nodeID: NodeID(5))
        node.name = "kitchen"
        try await nodes.save(node)
        _ = try await GroupStore(state.directory, fabric: "home").create(
            "lights", id: nil, keyOf: nil, start: 7, random: SystemRandom())
        var sleeper = ICDRegistration(
            nodeID: NodeID(6), clientID: record.nodeID,
            sleep: ICDRegistration.Sleep(idle: 3600, active: 300, threshold: 300))
        sleeper.confirm(try CheckInKey(SecretBytes([UInt8](repeating: 3, count: 16))), start: 1000)
        var counter = try #require(sleeper.current).counter
        #expect(counter.take(1010) == .accepted)
        sleeper.current?.counter = counter
        try await ICDStore(state.directory, fabric: "home").save(sleeper)
        try state.directory.writeSecret("fabrics/home/sessions/0000000000000005", [1, 2, 3])
        try state.directory.writeSecret("fabrics/home/keys/job-1", [UInt8](repeating: 9, count: 32))
        _ = try await CounterBlock.reserve("counters/group.json", count: 8, in: state.directory)
        return record
    }

    private func export() async throws -> ExportDocument {
        let (document, faults) = try await store.export(nil, madeAt: Self.made, host: "pi")
        #expect(faults.isEmpty)
        return try ExportDocument(decoding: document.encoded())
    }

    @Test("a fabric comes back with its keys, nodes, groups and registrations, and without its sessions")
    func whole() async throws {
        let record = try await house()
        let document = try await export()
        #expect(document.made == Self.made && document.host == "pi")
        let fabric = try #require(document.fabrics.first)
        #expect(fabric.nodes.map(\.name) == ["kitchen"] && fabric.groups.map(\.name) == ["lights"])
        #expect(fabric.sleeperCount == 1 && fabric.hasAuthorityKey)

        let other = try TemporaryState()
        let there = FabricStore(other.directory)
        let restored = try await there.restore(fabric, of: document, as: "summer")
        #expect(restored.record.name == "summer" && restored.record.nodeIDs == .random && restored.twin == nil)
        #expect(restored.record.compressedFabricID == record.compressedFabricID)
        let (before, after) = (try store.credentials(of: record), try there.credentials(of: restored.record))
        #expect(before.key.scalar == after.key.scalar && before.ipkEpochKey == after.ipkEpochKey)
        #expect(try there.authority(of: restored.record).canIssue)
        #expect(try NodeStore(other.directory, fabric: "summer").sound().nodes == fabric.nodes)
        let group = try #require(fabric.groups.first)
        #expect(
            try GroupStore(other.directory, fabric: "summer").key(of: group)
                == GroupStore(state.directory, fabric: "home").key(of: group))
        #expect(try other.directory.records(in: "fabrics/summer/sessions").isEmpty)
        #expect(try other.directory.readSecret("fabrics/summer/keys/job-1") == nil)
        // The same once more, or beside it.
        await #expect(throws: ExportError.self) { try await there.restore(fabric, of: document, as: "summer") }
        #expect(try await there.restore(fabric, of: document, as: "winter").twin == "summer")
    }

    @Test("counters leap forward, and never back")
    func counters() async throws {
        _ = try await house()
        let document = try await export()
        let fabric = try #require(document.fabrics.first)
        let counter = try #require(document.groupCounter)
        let other = try TemporaryState()
        let there = FabricStore(other.directory)
        _ = try await there.restore(fabric, of: document, as: "home")
        let next = try await CounterBlock.reserve("counters/group.json", count: 1, in: other.directory).first
        #expect(next &- counter >= 1 << 24 && next &- counter < 1 << 31)
        // One that is beyond already stays.
        _ = try await CounterBlock.reserve("counters/group.json", count: 100, in: other.directory)
        let before = try CounterBlock.upcoming("counters/group.json", in: other.directory)
        _ = try await there.restore(fabric, of: document, as: "again")
        #expect(try CounterBlock.upcoming("counters/group.json", in: other.directory) == before)

        let sleeper = try #require(try ICDStore(other.directory, fabric: "home").registration(of: NodeID(6)))
        var checkIns = try #require(sleeper.current).counter
        // Those that were accepted before the export stay refused; a new one counts only with a new key.
        for old: UInt32 in [999, 1001, 1010] { #expect(checkIns.take(old) == .replayed) }
        for new: UInt32 in [1011, 1500] { #expect(checkIns.take(new) == .needsNewKey) }
    }

    @Test("a document that is cut off, or whose keys, ids or records do not fit, is refused as a whole")
    func damage() async throws {
        _ = try await house()
        let document = try await export().encoded()
        for end in stride(from: 0, to: document.count - 1, by: 97) {
            #expect(throws: ExportError.self) { try ExportDocument(decoding: Array(document[..<end])) }
        }
        let text = String(decoding: document, as: UTF8.self)
        let (_, faults) = try await store.export(nil, madeAt: Self.made, host: nil)
        #expect(faults.isEmpty)
        func refused(_ old: String, _ new: String) {
            #expect(text.contains(old), "\(old)")
            let changed = text.replacingOccurrences(of: old, with: new)
            #expect(throws: ExportError.self, "\(new)") { try ExportDocument(decoding: Array(changed.utf8)) }
        }
        refused(#""version":1"#, #""version":2"#)
        refused(#""format":"matterctl-export""#, #""format":"something""#)
        refused(#""file":"fabric.json""#, #""file":"other.json""#)
        refused(#""file":"keys/ipk""#, #""file":"keys/ipq""#)
        refused(#""file":"keys/group-"#, #""file":"keys/croup-"#)
        refused(#""file":"groups/0001.json""#, #""file":"../groups/0001.json""#)
        refused(#""name":"kitchen""#, #""name":7"#)
        refused(#""made":""#, #""made":"x"#)
        let key = try #require(text.range(of: #""file":"keys/operational","hex":""#)).upperBound
        var changed = text
        changed.replaceSubrange(key..<changed.index(after: key), with: text[key] == "1" ? "2" : "1")
        #expect(throws: ExportError.self) { try ExportDocument(decoding: Array(changed.utf8)) }
    }

    @Test("a record that is damaged is named, and the others are exported")
    func partly() async throws {
        _ = try await house()
        let file = state.directory.path + "/fabrics/home/nodes/0000000000000005.json"
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: file))
        let (document, faults) = try await store.export(nil, madeAt: Self.made, host: nil)
        #expect(faults.count == 1 && document.fabrics.first?.nodes.isEmpty == true)
        #expect(document.fabrics.first?.groups.count == 1)
    }

    @Test("a fabric whose writing was cut short is none, and is written again")
    func cutShort() async throws {
        _ = try await house()
        let document = try await export()
        let fabric = try #require(document.fabrics.first)
        let other = try TemporaryState()
        // A process that ended before the record of the fabric was written.
        try other.directory.writeSecret("fabrics/home/keys/ipk", [1])
        try other.directory.write("fabrics/home/nodes/0000000000000009.json", Array("{}".utf8))
        let there = FabricStore(other.directory)
        #expect(try there.sound().fabrics.isEmpty)
        _ = try await there.restore(fabric, of: document, as: "home")
        #expect(try NodeStore(other.directory, fabric: "home").sound().nodes == fabric.nodes)
    }
}

@Suite("Folders of backups") struct BackupFolderTests {
    private let folder: TemporaryState
    init() throws { folder = try TemporaryState() }

    private var backups: BackupFolder { BackupFolder(path: folder.directory.path + "/a/b") }

    @Test("a backup is private, is found as the newest, and older ones go")
    func keeping() throws {
        #expect(try backups.newest() == nil)
        for stamp in ["20261128T100000Z", "20261128T120000Z", "20261128T110000Z"] {
            _ = try backups.write(Array(stamp.utf8), stamp: stamp, isSealed: true)
        }
        let second = try backups.write([1], stamp: "20261128T120000Z", isSealed: true)
        #expect(second.hasSuffix("/matterctl-20261128T120000Z_2.age"))
        #expect(try backups.newest() == second)
        #expect(try FileManager.default.attributesOfItem(atPath: second)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.attributesOfItem(atPath: backups.path)[.posixPermissions] as? Int == 0o700)
        // Files of others are left alone.
        try Data().write(to: URL(fileURLWithPath: backups.path + "/matterctl-notes.age"))
        try Data().write(to: URL(fileURLWithPath: backups.path + "/photo.json"))
        #expect(try backups.keep(2) == 2)
        #expect(try backups.names() == ["matterctl-20261128T120000Z.age", "matterctl-20261128T120000Z_2.age"])
        #expect(FileManager.default.fileExists(atPath: backups.path + "/matterctl-notes.age"))
        #expect(try backups.keep(0) == 1 && BackupFolder.contents(at: second) == [1])
    }
}
