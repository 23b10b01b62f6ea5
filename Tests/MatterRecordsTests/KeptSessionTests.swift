import Foundation
import MatterTestKit
import Synchronization
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

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
        /// The value of the machine's generator.
        let dice = Mutex<UInt8>(0)

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
                        certificate: certificate.withLock { $0 }, random: Dice(value: dice.withLock { $0 }),
                        moment: { [self] in clock.withLock { $0 } })
                else { throw CancellationError() }
                return store
            }
        }

        /// The file of the only record.
        var file: String {
            get throws { try runtime.directory.path + "/" + #require(runtime.directory.names(prefix: "").first) }
        }

        func pass(_ seconds: Int64, real: Int64? = nil) {
            clock.withLock { clock in
                clock.sinceBoot += seconds * 1_000_000_000
                clock.unix += (real ?? seconds) * 1_000_000_000
            }
        }
    }

    private struct Dice: RandomSource {
        let value: UInt8

        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }
    }

    private func session(
        _ scene: Scene, counter: UInt64 = 1000, address: PeerAddress? = nil
    ) throws -> KeptSession {
        let keys = SessionKeys(
            i2r: SecretBytes([UInt8](0x10..<0x20)), r2i: SecretBytes([UInt8](0x20..<0x30)),
            attestationChallenge: SecretBytes([UInt8](0x30..<0x40)))
        let address = try address ?? PeerAddress(parsing: "[fd77::1]:5540")
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
        #expect(snapshot.nextCounter >= 1000 && snapshot.seen == original.seen)
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
        var exchanges: Set<UInt16> = []
        for _ in 0..<4 {
            // The lease goes without a word, as with a process that is killed.
            let lease = try #require(store.take(node, now: now))
            counters.append(lease.session.snapshot.nextCounter)
            exchanges.insert(lease.session.snapshot.nextExchangeID)
        }
        #expect(exchanges.count == 4)
        #expect(zip(counters, counters.dropFirst()).allSatisfy { $1 >= $0 + 256 } && counters[0] >= 1000, "\(counters)")
        let lease = try #require(store.take(node, now: now))
        let first = lease.session.snapshot.nextCounter
        #expect(first >= counters[3] + 256)
        let end = try #require(lease.reserve(now: now))
        #expect(end >= first + 512)
        #expect(try #require(store.list(now: now).first).session.snapshot.nextCounter == end)
    }

    /// Puts the contents of the record back, as the memory of a machine is put back: the file is the same.
    private func takenBack(_ scene: Scene, between body: () throws -> Void) throws {
        let contents = try #require(FileManager.default.contents(atPath: scene.file))
        let clock = scene.clock.withLock { $0 }
        try body()
        let file = try #require(FileHandle(forWritingAtPath: scene.file))
        try file.write(contentsOf: contents)
        scene.clock.withLock { $0 = clock }
    }

    /// The counters that a process has.
    /// The exchange id that a process begins with.
    private func exchange(_ scene: Scene) throws -> UInt16 {
        try #require(scene.store.take(node, now: now)).session.snapshot.nextExchangeID
    }

    @Test("a record that is taken back gives no exchange id twice", arguments: [true, false])
    func exchangeTakenBack(hasGenerator: Bool) throws {
        let scene = try Scene()
        try scene.store.save(try session(scene), of: node, lease: nil, now: now)
        var first: UInt16 = 0
        try takenBack(scene) { first = try exchange(scene) }
        if hasGenerator { scene.dice.withLock { $0 = 1 } } else { scene.clock.withLock { $0.sinceBoot += 1 } }
        #expect(try exchange(scene) != first)
    }

    private func block(_ scene: Scene) throws -> Range<UInt64> {
        let next = try #require(scene.store.take(node, now: now)).session.snapshot.nextCounter
        return next..<next + UInt64(KeptSessionStore.block)
    }

    @Test("a record that is taken back with both clocks gives no counter twice", arguments: [true, false])
    func takenBack(hasGenerator: Bool) throws {
        let scene = try Scene()
        try scene.store.save(try session(scene), of: node, lease: nil, now: now)
        var first = 0..<UInt64(0)
        try takenBack(scene) { first = try block(scene) }
        // Either the machine's generator goes on, or it was taken back too; then there is the time.
        if hasGenerator { scene.dice.withLock { $0 = 1 } } else { scene.clock.withLock { $0.sinceBoot += 1000 } }
        let second = try block(scene)
        #expect(!first.overlaps(second) && first.lowerBound >= 1000 && second.lowerBound >= 1000)
        #expect(max(first.upperBound, second.upperBound) <= 1000 + UInt64(KeptSessionStore.leap) + 256)
    }

    @Test("a session that is near the end of its counters is only good for being closed")
    func nearTheEnd() throws {
        let scene = try Scene()
        let store = try scene.store
        let last = (1 << 32) - 2 * UInt64(KeptSessionStore.leap + KeptSessionStore.block)
        store.save(try session(scene, counter: last), of: node, lease: nil, now: now)
        #expect(store.list(now: now).count == 1)
        #expect(try #require(store.take(node, now: now)).isOld == false)
        #expect(store.list(now: now).isEmpty)
        #expect(try #require(store.take(node, now: now)).isOld)
    }

    @Test("what cannot be kept leaves no record, and no counter is reserved in one")
    func notKept() throws {
        let scene = try Scene()
        let store = try scene.store
        store.save(try session(scene, address: .bluetooth("hci0")), of: node, lease: nil, now: now)
        #expect(scene.runtime.directory.names(prefix: "").isEmpty)
        store.save(
            try session(scene, address: .memory(String(repeating: "x", count: 300))), of: node, lease: nil, now: now)
        #expect(scene.runtime.directory.names(prefix: "").isEmpty)
    }

    @Test("records that are too old go with the next command for any node, and are looked for every ten minutes")
    func sweep() throws {
        let scene = try Scene()
        let store = try scene.store
        func save(_ node: NodeID) throws { store.save(try session(scene), of: node, lease: nil, now: now) }
        try save(NodeID(8))
        try save(node)
        scene.pass(3000)
        try save(NodeID(10))
        // Listing the folder would set its access time, which the sweep goes by.
        let files = scene.runtime.directory.names(prefix: "").map { scene.runtime.directory.path + "/" + $0 }
        func names() -> Int { files.count { FileManager.default.fileExists(atPath: $0) } }
        #expect(store.take(NodeID(99), now: now) == nil)
        #expect(names() == 3)
        scene.pass(599)
        #expect(store.take(NodeID(99), now: now) == nil)
        #expect(names() == 3, "the last look is not yet ten minutes ago")
        scene.pass(1)
        let used = try #require(store.take(node, now: now))
        #expect(used.isOld)
        #expect(names() == 2, "all but the one in use and the young one")
        scene.clock.withLock { clock in
            clock.bootID[0] ^= 1
            clock.unix += 3_600_000_000_000
        }
        #expect(store.take(NodeID(99), now: now) == nil)
        #expect(names() == 1, "of another start of the machine, and not in use")
        withExtendedLifetime(used) {}
    }

    @Test("with a fabric its sessions go; with one that cannot be read, all of the state directory")
    func fabricGone() throws {
        let scene = try Scene()
        let store = try scene.store
        let (runtime, state) = (scene.runtime.directory, scene.state.directory)
        store.save(try session(scene), of: node, lease: nil, now: now)
        KeptSessionStore.removeAll(of: CompressedFabricID(6), runtime, state: state)
        #expect(runtime.names(prefix: "").count == 1)
        KeptSessionStore.removeAll(of: CompressedFabricID(5), runtime, state: state)
        #expect(runtime.names(prefix: "").isEmpty)
        store.save(try session(scene), of: node, lease: nil, now: now)
        let other = try TemporaryState()
        try other.directory.write("begun", [1])
        KeptSessionStore.removeAll(of: nil, runtime, state: other.directory)
        #expect(runtime.names(prefix: "").count == 1)
        KeptSessionStore.removeAll(of: nil, runtime, state: state)
        #expect(runtime.names(prefix: "").isEmpty)
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
        #expect(store.list(now: now).first?.session.snapshot.nextCounter == 1003)
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
        let moment = scene.clock.withLock { $0 }
        let stranger = KeptSessionStore(
            scene.runtime.directory, state: other.directory, fabric: CompressedFabricID(5), certificate: [1, 2, 3],
            moment: { moment })
        #expect(stranger?.take(node, now: now) == nil && stranger?.list(now: now).isEmpty == true)
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
