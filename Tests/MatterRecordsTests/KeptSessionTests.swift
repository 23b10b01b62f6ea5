import Foundation
import MatterCredentials
import MatterCrypto
import MatterRecords
import MatterSecureChannel
import MatterStore
import MatterTestKit
import MatterTransport
import Synchronization
import Testing

@Suite("Kept sessions")
struct KeptSessionTests {
    private let node = NodeID(7)
    private let now = Instant.now

    /// A state directory, a folder in memory, and a clock of the machine.
    private final class Scene: Sendable {
        let state: TemporaryState
        let runtime: RuntimeFolder
        let clock: Mutex<MachineMoment>
        let certificate = Mutex<[UInt8]>([1, 2, 3])

        init() throws {
            state = try TemporaryState()
            try state.directory.write("begun", [1])
            runtime = try RuntimeFolder()
            clock = Mutex(MachineMoment(bootID: [UInt8](repeating: 3, count: 16), sinceBoot: 1 << 50, unix: 1 << 60))
        }

        var store: KeptSessionStore {
            get throws {
                guard
                    let store = KeptSessionStore(
                        runtime.directory, state: state.directory, fabric: CompressedFabricID(5),
                        certificate: certificate.withLock { $0 }, moment: { [self] in clock.withLock { $0 } })
                else { throw CancellationError() }
                return store
            }
        }

        func pass(_ seconds: Int64, real: Int64? = nil) {
            clock.withLock { clock in
                clock.sinceBoot += seconds * 1_000_000_000
                clock.unix += (real ?? seconds) * 1_000_000_000
            }
        }
    }

    private func session(_ scene: Scene, counter: UInt64 = 1000) throws -> KeptSession {
        let keys = SessionKeys(
            i2r: SecretBytes([UInt8](0x10..<0x20)), r2i: SecretBytes([UInt8](0x20..<0x30)),
            attestationChallenge: SecretBytes([UInt8](0x30..<0x40)))
        let address = try PeerAddress(parsing: "[fd77::1]:5540")
        let moment = scene.clock.withLock { $0 }
        return KeptSession(
            snapshot: SessionSnapshot(
                parameters: SecureSessionParameters(
                    localSessionID: 17, peerSessionID: 18, role: .initiator, keys: keys, localNodeID: 1,
                    peerNodeID: node.rawValue,
                    reliability: ReliabilityParameters(idleInterval: .seconds(5), activeInterval: .milliseconds(200)),
                    address: address),
                nextCounter: counter, seen: .init(maximum: 77, bitmap: 0b101), nextExchangeID: 40,
                roundTrip: RoundTrip(.milliseconds(3)), lastHeard: now - .seconds(2)),
            peerParameters: SessionParameters(specificationVersion: 0x0104_0000, maxPathsPerInvoke: 9),
            setUp: moment.sinceBoot - 5_000_000_000, rebootCount: 12, certificate: 0, port: 4711, moment: moment)
    }

    @Test("the next process finds all of it, and a block of counters is reserved before it")
    func roundTrip() throws {
        let scene = try Scene()
        let store = try scene.store
        #expect(store.take(node, now: now) == nil)
        store.save(try session(scene), of: node, lease: nil, now: now)
        scene.pass(3)
        let lease = try #require(store.take(node, now: now + .seconds(3)))
        let found = lease.session
        let snapshot = found.snapshot
        let original = try session(scene).snapshot
        #expect(snapshot.parameters.keys.i2r == original.parameters.keys.i2r)
        #expect(snapshot.parameters.keys.r2i == original.parameters.keys.r2i)
        #expect(snapshot.parameters.keys.attestationChallenge == original.parameters.keys.attestationChallenge)
        #expect(snapshot.parameters.address == original.parameters.address)
        #expect(snapshot.parameters.reliability == original.parameters.reliability)
        #expect(snapshot.parameters.localSessionID == 17 && snapshot.parameters.peerSessionID == 18)
        #expect(snapshot.nextCounter == 1000 && snapshot.seen == original.seen && snapshot.nextExchangeID == 40)
        #expect(snapshot.roundTrip == original.roundTrip && snapshot.lastHeard == now - .seconds(2))
        #expect(found.rebootCount == 12 && found.port == 4711 && found.peerParameters.maxPathsPerInvoke == 9)
        #expect(found.established.peerParameters.specificationVersion == 0x0104_0000)
        #expect(!lease.isOld)
    }

    @Test("no counter and no exchange id is found twice, however a process ends")
    func killed() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene), of: node, lease: nil, now: now)
        var counters: [UInt64] = []
        for round in 0..<4 {
            // The lease goes without a word, as with a process that is killed.
            let lease = try #require(store.take(node, now: now))
            counters.append(lease.session.snapshot.nextCounter)
            #expect(lease.session.snapshot.nextExchangeID == 40 + UInt16(round) * 256)
        }
        #expect(counters == [1000, 1256, 1512, 1768])
        let lease = try #require(store.take(node, now: now))
        #expect(lease.session.snapshot.nextCounter == 2024)
        #expect(lease.reserve(now: now) == 2024 + 512)
    }

    @Test("one process has it, and another finds none")
    func twice() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene), of: node, lease: nil, now: now)
        let lease = try #require(store.take(node, now: now))
        #expect(store.take(node, now: now) == nil)
        store.save(try session(scene, counter: 1003), of: node, lease: lease, now: now)
        #expect(store.list(now: now).map(\.node) == [node])
        _ = consume lease
        #expect(store.take(node, now: now)?.session.snapshot.nextCounter == 1003)
    }

    @Test("a session whose counters are used up is not used")
    func exhausted() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene, counter: (1 << 32) - 255), of: node, lease: nil, now: now)
        #expect(store.take(node, now: now) == nil)
        #expect(scene.runtime.directory.names(prefix: "").isEmpty)
    }

    @Test("what was written before another start, or before a snapshot was restored, is gone")
    func otherTimes() throws {
        for change in [{ $0.bootID[15] ^= 1 }, { $0.unix += 2_000_000_001 }, { $0.sinceBoot -= 1 }]
            as [@Sendable (inout MachineMoment) -> Void]
        {
            let scene = try Scene()
            let store = try scene.store
            store.save(try session(scene), of: node, lease: nil, now: now)
            scene.clock.withLock { change(&$0) }
            #expect(store.list(now: now).isEmpty && store.take(node, now: now) == nil)
            #expect(scene.runtime.directory.names(prefix: "").isEmpty)
        }
    }

    @Test("after an hour it is only good for being closed")
    func old() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene), of: node, lease: nil, now: now)
        scene.pass(3596)
        #expect(store.list(now: now).isEmpty)
        #expect(store.take(node, now: now)?.isOld == true)
    }

    @Test("with another certificate of ours it is only good for being closed")
    func otherCertificate() throws {
        let scene = try Scene()
        try scene.store.save(try session(scene), of: node, lease: nil, now: now)
        scene.certificate.withLock { $0 = [1, 2, 4] }
        #expect(try scene.store.list(now: now).isEmpty)
        #expect(try scene.store.take(node, now: now)?.isOld == true)
    }

    @Test("a copy of the record, and one of the state directory, is not used")
    func copies() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene), of: node, lease: nil, now: now)
        let name = try #require(scene.runtime.directory.names(prefix: "").first)
        let path = scene.runtime.directory.path + "/" + name
        let contents = try #require(FileManager.default.contents(atPath: path))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        try contents.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        #expect(store.take(node, now: now) == nil)
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        let other = try TemporaryState()
        try other.directory.write("begun", [1])
        let stranger = try #require(
            KeptSessionStore(
                scene.runtime.directory, state: other.directory, fabric: CompressedFabricID(5), certificate: [1, 2, 3]))
        #expect(stranger.take(node, now: now) == nil && stranger.list(now: now).isEmpty)
        #expect(store.take(node, now: now) != nil)
    }

    @Test("no damaged record is used")
    func damage() throws {
        let scene = try Scene()
        let store = try scene.store
        let kept = try session(scene)
        store.save(kept, of: node, lease: nil, now: now)
        let name = try #require(scene.runtime.directory.names(prefix: "").first)
        let path = scene.runtime.directory.path + "/" + name
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let contents = try #require(try file.readToEnd())
        func put(_ data: Data) throws {
            try file.truncate(atOffset: 0)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: data)
        }
        for position in contents.indices {
            var damaged = contents
            damaged[position] ^= 0x20
            try put(damaged)
            #expect(store.list(now: now).isEmpty, "byte \(position)")
        }
        for length in [0, 1, 100, contents.count - 1] {
            try put(contents.prefix(length))
            #expect(store.list(now: now).isEmpty, "\(length) bytes")
        }
        try put(contents + [0])
        #expect(store.list(now: now).isEmpty)
        try put(contents)
        #expect(store.list(now: now).count == 1)
    }
}
