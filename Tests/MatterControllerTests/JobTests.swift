import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterState

/// A job as a value, and as a record.
@Suite("Jobs") struct JobTests {
    private static let owner = Job.Owner(host: "den", user: "1000", process: 7, boot: "0A")
    private static let silent = Job.Reason(id: "session.silent", message: "it says nothing", kind: .noAnswer)
    private static let full = Job.Reason(id: "job.list-full", message: "it is full", kind: .refused)

    private static func job(_ nodes: [UInt64] = [1, 2, 3]) -> Job {
        Job(
            id: 4, kind: .join, owner: owner, nodes: nodes.map { NodeID($0) },
            borrowed: Job.Borrowed(nodeID: NodeID(112_233), noc: [1, 2], intermediate: nil), at: 100)
    }

    @Test("a node that is done stays done, one that failed is pending since it was first, one refused has its reason")
    func steps() {
        var job = Self.job()
        #expect(job.pending.map(\.rawValue) == [1, 2, 3] && job.isOpen && !job.isDone)
        job.handle(.done(NodeID(1)), at: 110)
        job.handle(.failed(NodeID(1), Self.silent), at: 120)
        job.handle(.failed(NodeID(2), Self.silent), at: 130)
        job.handle(.failed(NodeID(2), Self.silent), at: 140)
        job.handle(.refused(NodeID(3), Self.full), at: 150)
        job.handle(.done(NodeID(9)), at: 160)
        #expect(
            job.entries.map(\.state) == [
                .done(at: 110), .pending(since: 100, Self.silent), .refused(at: 150, Self.full),
            ])
        #expect(job.doneCount == 1 && job.refusedCount == 1 && job.pending == [NodeID(2)])
        #expect(job.firstReason == Self.silent)
        job.handle(.done(NodeID(2)), at: 170)
        #expect(job.pending.isEmpty && !job.isDone && job.isOpen, "the identity is still there")
        job.handle(.borrowed(nil), at: 180)
        #expect(!job.isOpen && job.firstReason == Self.full)
    }

    @Test("nodes that are added are pending; one that was refused is tried again, one that is done is not")
    func additions() {
        var job = Self.job([1, 2])
        job.handle(.done(NodeID(1)), at: 110)
        job.handle(.refused(NodeID(2), Self.full), at: 120)
        job.handle(.added([NodeID(1), NodeID(2), NodeID(3), NodeID(3)]), at: 130)
        #expect(job.pending.map(\.rawValue) == [2, 3] && job.doneCount == 1 && job.entries.count == 3)
    }

    @Test("a job that was cancelled has nothing pending, and still notes what a node turned out to have")
    func cancellation() {
        var job = Self.job()
        job.handle(.cancelled, at: 110)
        job.handle(.cancelled, at: 120)
        #expect(job.cancelledAt == 110 && job.pending.isEmpty && job.isOpen)
        job.handle(.done(NodeID(1)), at: 130)
        #expect(job.doneCount == 1)
    }

    @Test("a record has all of a job, and a damaged or newer one is told")
    func records() throws {
        var job = Self.job()
        job.handle(.done(NodeID(1)), at: 110)
        job.handle(.failed(NodeID(2), Self.silent), at: 120)
        job.handle(.refused(NodeID(3), Self.full), at: 130)
        #expect(try Job(decoding: job.encoded(), id: 4, "x") == job)
        job.handle(.borrowed(nil), at: 140)
        job.handle(.cancelled, at: 150)
        #expect(try Job(decoding: job.encoded(), id: 4, "x") == job)
        let text = String(decoding: job.encoded(), as: UTF8.self)
        for (old, new) in [("join", "fly"), ("\"refused\"", "\"lost\""), ("owner", "user")] {
            let changed = text.replacing(old, with: new)
            #expect(throws: RecordError.self) { try Job(decoding: Array(changed.utf8), id: 4, "x") }
        }
    }

    @Test("one process at a time does the work; each has another number, and the key is there before the record")
    func store() async throws {
        let state = try TemporaryState()
        let fabric = try TestFabric()
        _ = try await FabricStore(state.directory).add(fabric.local, name: "home", vendorID: VendorID(0xFFF1))
        let store = JobStore(state.directory, fabric: "home")
        let key = SecretBytes([1, 2, 3])
        let first = try await store.add(key: key) { id in
            Job(
                id: id, kind: .join, owner: Self.owner, nodes: [NodeID(1)],
                borrowed: Job.Borrowed(nodeID: NodeID(5), noc: [1]), at: 1)
        }
        let second = try await store.add { Job(id: $0, kind: .leave, owner: Self.owner, nodes: [], at: 2) }
        #expect(first.id == 1 && second.id == 2)
        #expect(try store.identityKey(of: 1) == key)
        try await store.alone(on: 1) {
            let second = try await store.alone(on: 1) { true }
            let (own, other) = (try store.isIdle(1), try store.isIdle(2))
            #expect(second == nil && !own && other)
        }
        #expect(try store.isIdle(1))
        // A key without a record is what a process leaves that ends in between; one that is needed stays.
        try state.directory.writeSecret("fabrics/home/keys/job-9", [4])
        try await store.removeStrayKeys()
        #expect(try store.identityKey(of: 9) == nil && store.identityKey(of: 1) == key)
        let after = try await store.putAwayIdentity(of: 1, at: 3)
        #expect(try after.borrowed == nil && store.identityKey(of: 1) == nil)
        let error = await #expect(throws: JobError.self) { try await store.note([.cancelled], of: 7, at: 4) }
        #expect(error?.code == .unknown)
        let (jobs, faults) = try store.sound()
        #expect(jobs.map(\.id) == [1, 2] && faults.isEmpty)
    }
}

/// The list that lets us in beside another controller.
@Suite("Entries beside another controller") struct JoinEditTests {
    private static let own = identity(0x8000_0000_0000_0001)
    private static let other = identity(112_233)
    private static let theirs = AccessControlEntry(.administer, subjects: [other.nodeID])
    private static let ours = AccessControlEntry(.administer, subjects: [own.nodeID])
    private static let switches = AccessControlEntry(.operate, subjects: [NodeID(42)])

    private static func identity(_ id: UInt64, tags: [CASEAuthenticatedTag] = []) -> NodeIdentity {
        do {
            return try LocalFabric.create(
                nodeID: NodeID(id), cats: tags, validity: .unlimited(from: 0)
            ).credentials.identity
        } catch { preconditionFailure("\(error)") }
    }

    private let edit = JoinEdit(own: own, title: "node 1", label: "1")

    private func limits(_ entries: Int, _ subjects: Int) -> AccessListEdit.Limits {
        var limits = AccessListEdit.Limits()
        (limits.entries, limits.subjects) = (entries, subjects)
        return limits
    }

    private func admitted(
        _ list: [AccessControlEntry], _ entries: Int = 4, _ subjects: Int = 4, beside other: NodeIdentity = other
    ) throws -> [AccessControlEntry] {
        try edit.admitting(list, beside: other, within: limits(entries, subjects))
    }

    @Test("an entry of our own is added, the other controller's comes first, and one that is there is not written")
    func room() throws {
        #expect(try admitted([Self.switches, Self.theirs]) == [Self.theirs, Self.switches, Self.ours])
        let list = [Self.ours, Self.theirs]
        #expect(try admitted(list, 1, 1) == list)
    }

    @Test("in a full list our id joins the subjects of the administrators' entry")
    func fullList() throws {
        let both = Self.theirs.with(subjects: [Self.other.nodeID, Self.own.nodeID])
        #expect(try admitted([Self.switches, Self.theirs], 2) == [both, Self.switches])
        // Not those of one that is for a part of the node.
        let part = Self.theirs.with(targets: [AccessControl.AccessControlTarget(cluster: AccessControl.id)])
        let error = #expect(throws: JobError.self) { try admitted([part], 1) }
        #expect(error?.code == .listFull)
        // One that is for everyone lets us in as it is.
        let everyone = [Self.theirs.with(subjects: [])]
        #expect(try admitted(everyone, 1) == everyone)
    }

    @Test("by its tag the other controller is known too")
    func tags() throws {
        let tag = CASEAuthenticatedTag(rawValue: 0xABCD_0001)
        let tagged = Self.theirs.with(subjects: [NodeID.tagged(tag)])
        let other = Self.identity(5, tags: [tag])
        #expect(try admitted([tagged], beside: other) == [tagged, Self.ours])
        #expect(throws: JobError.self) { try admitted([tagged]) }
    }

    @Test("a node without any room, or that does not know the other controller, is refused with the reason")
    func refusals() throws {
        let crowded = Self.theirs.with(subjects: [Self.other.nodeID, NodeID(7)])
        let full = #expect(throws: JobError.self) { try admitted([crowded], 1, 2) }
        #expect(full?.code == .listFull)
        let error = #expect(throws: JobError.self) { try admitted([Self.switches]) }
        #expect(error?.code == .notAdministrator)
    }

    @Test("leaving takes our id and nothing else, and never the last administrator")
    func leaving() throws {
        let both = Self.theirs.with(subjects: [Self.other.nodeID, Self.own.nodeID])
        #expect(try edit.leaving([both, Self.switches]) == [Self.theirs, Self.switches])
        #expect(try edit.leaving([Self.theirs, Self.ours]) == [Self.theirs])
        #expect(try edit.leaving([Self.theirs]) == [Self.theirs])
        let error = #expect(throws: JobError.self) { try edit.leaving([Self.ours, Self.switches]) }
        #expect(error?.code == .lastAdministrator)
    }

    @Test("our id is of the upper half, and not one that is known")
    func ownID() throws {
        var seen: Set<NodeID> = []
        for _ in 0..<200 {
            let id = try NeighbourService.ownID(apartFrom: seen, SystemRandom())
            #expect(id.isOperational && id.rawValue >= 0x7FFF_FFF8_0000_0000 && seen.insert(id).inserted)
        }
        // The first two draws are outside, the third is taken.
        struct Draws: RandomSource {
            let numbers: Countdown
            func bytes(_ count: Int) -> [UInt8] { Array(repeating: numbers.next(), count: count) }
        }
        final class Countdown: Sendable {
            private let left = Mutex<[UInt8]>([0x01, 0xFF, 0x90, 0xA0])
            func next() -> UInt8 { left.withLock { $0.isEmpty ? 0xB0 : $0.removeFirst() } }
        }
        let id = try NeighbourService.ownID(
            apartFrom: [NodeID(0x9090_9090_9090_9090)], Draws(numbers: Countdown()))
        #expect(id.rawValue == 0xA0A0_A0A0_A0A0_A0A0)
    }
}
