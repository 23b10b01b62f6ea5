import Foundation
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

@Suite("Registrations with devices that sleep") struct ICDStoreTests {
    private let state: TemporaryState
    private let store: ICDStore
    private let node = NodeID(7)

    init() throws {
        state = try TemporaryState()
        store = ICDStore(state.directory, fabric: "home")
    }

    private static let sleep = ICDRegistration.Sleep(
        idle: 3600, active: 1000, threshold: 5000, mostBackOff: 7200, triggers: 0x1004, triggerInstruction: "wave")

    private func message(_ counter: UInt32, _ key: CheckInKey) throws -> [UInt8] {
        try CheckInMessage(counter: counter, activeThreshold: 6000).sealed(with: key)
    }

    /// A registration that the device has confirmed.
    private func registered(start: UInt32 = 100) throws -> (ICDRegistration, CheckInKey) {
        let key = try CheckInKey.random(SystemRandom())
        var registration = ICDRegistration(nodeID: node, clientID: NodeID(9), sleep: Self.sleep)
        registration.offer(key)
        registration.confirm(key, start: start)
        return (registration, key)
    }

    @Test("a registration is kept whole, in a file that only its owner can read")
    func record() async throws {
        var (registration, _) = try registered()
        for _ in 0..<2 { registration.offer(try CheckInKey.random(SystemRandom())) }
        registration.note(CheckInMessage(counter: 101, activeThreshold: 6000), at: 1_800_000_000)
        registration.noteHeard(at: 1_800_000_000, reportWithin: 3600)
        try await store.save(registration)
        #expect(try store.registration(of: node) == registration && registration.reportDue == 1_800_003_600)
        #expect(registration.awakeUntil == 1_800_000_006 && registration.sleep.threshold == 6000)
        let file = "\(state.directory.path)/fabrics/home/icd/0000000000000007"
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(!FileManager.default.fileExists(atPath: file + ".bak"))
        let bare = ICDRegistration(
            nodeID: NodeID(8), clientID: NodeID(9), sleep: .init(idle: 1, active: 1, threshold: 1))
        try await store.save(bare)
        #expect(try store.sound().registrations == [registration, bare])
        #expect(try await store.remove(node))
        #expect(try store.registration(of: node) == nil)
        #expect(try await store.update(node) { _ in true } == nil)
    }

    @Test("a check-in that was accepted is refused after a restart, and so is any older one")
    func replay() async throws {
        let (registration, key) = try registered()
        try await store.save(registration)
        func take(_ counter: UInt32) async throws -> CheckInCounter.Verdict? {
            let payload = try message(counter, key)
            // Each time from the disk, as another process would.
            let store = ICDStore(state.directory, fabric: "home")
            return try await store.update(node) { $0.take(payload)?.verdict } ?? nil
        }
        #expect(try await take(105) == .accepted)
        #expect(try await take(105) == .replayed)
        #expect(try await take(104) == .replayed)
        #expect(try await take(106) == .accepted)
        let other = try CheckInKey.random(SystemRandom())
        let forged = try message(200, other)
        #expect(try await store.update(node) { $0.take(forged) == nil } == true)
        #expect(try store.registration(of: node)?.current?.counter.newest == 106)
    }

    @Test("until a new key is confirmed both keys count; a check-in under the new one confirms it")
    func newKey() throws {
        var (registration, old) = try registered()
        let new = try CheckInKey.random(SystemRandom())
        registration.offer(new)
        #expect(try registration.take(message(101, old))?.verdict == .accepted)
        #expect(registration.unconfirmed == [new])
        #expect(try registration.take(message(500, new))?.verdict == .accepted)
        #expect(registration.current?.key == new && registration.unconfirmed.isEmpty)
        #expect(try registration.take(message(500, new))?.verdict == .replayed)
        #expect(try registration.take(message(501, new))?.verdict == .accepted)
        #expect(try registration.take(message(102, old)) == nil)
    }

    @Test("a key without an answer outlives the refusal of the next one; a check-in tells which one the device has")
    func unanswered() throws {
        var (registration, old) = try registered()
        let keys = try (0..<3).map { _ in try CheckInKey.random(SystemRandom()) }
        for key in keys { registration.offer(key) }
        registration.withdraw(keys[2])
        #expect(registration.unconfirmed == [keys[0], keys[1]] && registration.current?.key == old)
        #expect(try registration.take(message(101, old))?.verdict == .accepted)
        // The device has the first: it may yet be given the second.
        #expect(try registration.take(message(102, keys[0]))?.verdict == .accepted)
        #expect(registration.current?.key == keys[0] && registration.unconfirmed == [keys[1]])
        registration.confirm(keys[1], start: 200)
        #expect(registration.current?.key == keys[1] && registration.unconfirmed.isEmpty)
    }

    @Test("no attempt pushes out a key that the device may have: without room the newest is sent once more")
    func noRoom() throws {
        var (registration, _) = try registered()
        let keys = try (0..<6).map { _ in try CheckInKey.random(SystemRandom()) }
        let sent = keys.map { registration.offer($0) }
        #expect(sent == Array(keys[..<4]) + [keys[3], keys[3]])
        #expect(registration.unconfirmed == Array(keys[..<4]))
        #expect(try registration.take(message(101, keys[0]))?.verdict == .accepted)
        #expect(registration.offer(keys[4]) == keys[4])
    }

    @Test("a recording from before a key was recognised by its check-in is refused, and asks for no other key")
    func recordingUnderNewKey() throws {
        var (registration, _) = try registered()
        let new = try CheckInKey.random(SystemRandom())
        registration.offer(new)
        let recording = try message(499, new)
        #expect(try registration.take(message(500, new))?.verdict == .accepted)
        #expect(registration.take(recording)?.verdict == .replayed)
    }

    @Test("a record that does not decode is a fault of its own, and keeps no other from being read")
    func damage() async throws {
        let (registration, _) = try registered()
        try await store.save(registration)
        try state.directory.writeSecret("fabrics/home/icd/0000000000000001", [0x15, 0x18])
        let (sound, faults) = try store.sound()
        #expect(sound == [registration] && faults.count == 1)
        #expect(throws: RecordError.self) { try store.registration(of: NodeID(1)) }
        for count in 0..<registration.encoded().count {
            let part = Array(registration.encoded().prefix(count))
            #expect(throws: RecordError.self) { try ICDRegistration(decoding: part, of: node, "x") }
        }
    }
}
