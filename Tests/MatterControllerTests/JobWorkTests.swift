import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// Joining a device whose list says who may read it, and that notes who asked for what.
@Suite("Work of jobs", .virtualTime)
struct JobWorkTests {
    private static let other = NodeID(0x1000)
    private static let theirs = AccessControlEntry(.administer, subjects: [other])

    /// A device, the other controller's fabric, and our own controller beside it.
    private struct Scene {
        let bench: Bench
        let list: ListedDevice
        let asked = Asked()
        let guest: Controller
        let job: Job
        let fabric: NeighbourFabric

        /// Paths that were read, each with who asked.
        final class Asked: Sendable {
            let paths = Mutex<[(who: NodeID, path: AttributePath)]>([])
        }

        init(
            _ entries: [AccessControlEntry] = [theirs], limits: [UInt64] = [4, 3, 4],
            _ change: (inout NodeRecord) -> Void = { _ in }
        ) async throws {
            let (list, asked) = (ListedDevice(entries), asked)
            list.state.withLock { $0.limits = limits }
            var model = list.model
            let answer = model.read
            model.read = { path, context in
                let who = NodeID(context.established.peerNodeID)
                asked.paths.withLock { $0.append((who, path)) }
                let isAdministrator = (try? list.entries.contains { $0.subjects.contains(who) }) ?? false
                guard isAdministrator else {
                    return [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAccess)))]
                }
                return await answer(path, context)
            }
            bench = try await Bench { $0.model = model }
            self.list = list
            let local = bench.fabric.local
            var material = NeighbourMaterial(place: "the other program")
            material.root = local.authority.root.tlv
            material.noc = local.credentials.noc.tlv
            material.keys = [try #require(local.authority.rootKey).copyBytes()]
            material.epochKey = local.credentials.ipkEpochKey.copyBytes()
            var node = NodeRecord(nodeID: Bench.node)
            change(&node)
            material.nodes = [node]
            let context = bench.controller.context
            fabric = try NeighbourFabric(
                checking: material, ipk: nil, at: context.validationTime, validity: context.validity)
            let joined = try await bench.controller.neighbours.join(fabric, name: "guest")
            job = try #require(joined.job)
            var options = bench.controller.options
            options.fabric = "guest"
            guest = Controller(options)
        }

        func resume() async throws -> Job { try await guest.jobs.resume(job.id, within: .seconds(30)) }

        func end() async {
            await guest.close()
            await bench.end()
        }
    }

    @Test("the other's identity is put away by the next import where a process ended before it did so itself")
    func putAway() async throws {
        let scene = try await Scene()
        let store = try scene.guest.jobs.store()
        try await store.note([.done(Bench.node)], of: scene.job.id, at: 1)
        #expect(try store.identityKey(of: scene.job.id) != nil)
        #expect(try await scene.bench.controller.neighbours.join(scene.fabric, name: "guest").job == nil)
        #expect(try store.identityKey(of: scene.job.id) == nil)
        #expect(try scene.guest.jobs.job(scene.job.id).isOpen == false)
        await scene.end()
    }

    @Test("under the other's id the list and its room are read and the list is written, and nothing is kept")
    func borrowed() async throws {
        let scene = try await Scene()
        let own = try scene.guest.context.credentials().nodeID
        let job = try await scene.resume()
        #expect(job.isDone && !job.isOpen)
        #expect(try scene.list.entries.means([Self.theirs, AccessControlEntry(.administer, subjects: [own])]))
        #expect(scene.list.writes == 1)
        let asked = scene.asked.paths.withLock { $0 }
        let borrowed = asked.filter { $0.who == Self.other }.map(\.path)
        #expect(!borrowed.isEmpty && borrowed.allSatisfy { $0.endpoint == 0 && $0.cluster == AccessControl.id })
        let room: Set = [
            AccessControl.Attribute.acl, AccessControl.Attribute.accessControlEntriesPerFabric,
            AccessControl.Attribute.subjectsPerAccessControlEntry, AccessControl.Attribute.targetsPerAccessControlEntry,
        ]
        #expect(Set(borrowed.compactMap(\.attribute)).isSubset(of: room))
        // Our own id asks first and last.
        #expect(asked.first?.who == own && asked.last?.who == own)
        let sessions = await scene.bench.device.sessions.values
        #expect(sessions.allSatisfy { NodeID($0.peerNodeID) != Self.other }, "its session is closed")
        // A node that lets us in is done without the other's id.
        let store = try scene.guest.jobs.store()
        let again = try await store.add { id in
            Job(id: id, kind: .join, owner: job.owner, nodes: [Bench.node], at: 1)
        }
        #expect(try await scene.guest.jobs.resume(again.id, within: .seconds(30)).isDone)
        #expect(scene.list.writes == 1)
        #expect(scene.asked.paths.withLock { $0.count { $0.who == Self.other } } == borrowed.count)
        await scene.end()
    }

    @Test("a node without room, and one that sleeps, are refused, and the other's identity is put away")
    func refused() async throws {
        for (limits, sleeps, code) in [([1, 3, 1], false, "job.list-full"), ([4, 3, 4], true, "job.sleeper")] {
            let scene = try await Scene(limits: limits.map { UInt64($0) }) { $0.isLongIdleTime = sleeps }
            let job = try await scene.resume()
            #expect(job.refusedCount == 1 && !job.isDone && !job.isOpen && job.firstReason?.id == code, "\(job)")
            #expect(try scene.list.writes == 0 && scene.guest.jobs.store().identityKey(of: job.id) == nil)
            if sleeps { #expect(await scene.bench.handshakes == 0) }
            let error = await #expect(throws: JobError.self) { try await scene.resume() }
            #expect(error?.code == .ended)
            await scene.end()
        }
    }

    @Test("in a full list our id is a further subject, and leaving takes it out again")
    func subject() async throws {
        let scene = try await Scene(limits: [2, 3, 1])
        let own = try scene.guest.context.credentials().nodeID
        #expect(try await scene.resume().isDone)
        #expect(try scene.list.entries == [Self.theirs.with(subjects: [Self.other, own])])
        let store = try scene.guest.jobs.store()
        let leaving = try await store.add { id in
            Job(id: id, kind: .leave, owner: scene.job.owner, nodes: [Bench.node], at: 1)
        }
        #expect(try await scene.guest.jobs.resume(leaving.id, within: .seconds(30)).leavesFabric)
        #expect(try scene.list.entries == [Self.theirs])
        #expect(try !scene.guest.fabrics.isHere("guest"))
        await scene.end()
    }

    @Test("a change of access is done once on each node, survives its record, and says what a node has no room for")
    func access() async throws {
        let scene = try await Scene(limits: [4, 3, 3])
        #expect(try await scene.resume().isDone)
        let jobs = scene.guest.jobs
        let subject = AccessSubject(id: NodeID(0x77))
        let grant = AccessControlEntry(.operate, subjects: [subject.id], targets: [.init(endpoint: 1)])
        let begun = try await jobs.begin(.grant([grant]), on: [Bench.node])
        #expect(try Job(decoding: begun.encoded(), id: begun.id, "job") == begun)
        #expect(try await jobs.resume(begun.id, within: .seconds(30)).isDone)
        #expect(try scene.list.entries.contains { $0.unplaced == grant.unplaced })
        let writes = scene.list.writes
        #expect(try await jobs.resume(jobs.begin(.grant([grant]), on: [Bench.node]).id, within: .seconds(30)).isDone)
        #expect(scene.list.writes == writes, "it was given already")
        let more = AccessControlEntry(.view, subjects: [NodeID(0x78)], targets: [.init(endpoint: 2)])
        let full = try await jobs.resume(jobs.begin(.grant([more]), on: [Bench.node]).id, within: .seconds(30))
        #expect(full.refusedCount == 1 && full.firstReason?.id == "job.list-full", "\(full)")
        let revoke = try await jobs.begin(.revoke([subject]), on: [Bench.node])
        #expect(try Job(decoding: revoke.encoded(), id: revoke.id, "job") == revoke)
        #expect(try await jobs.resume(revoke.id, within: .seconds(30)).isDone)
        #expect(try scene.list.entries.allSatisfy { !$0.subjects.contains(subject.id) })
        #expect(try await jobs.resume(jobs.begin(.revoke([subject]), on: [Bench.node]).id, within: .seconds(30)).isDone)
        let own = AccessSubject(id: try scene.guest.context.credentials().nodeID)
        let lockout = try await jobs.resume(jobs.begin(.revoke([own]), on: [Bench.node]).id, within: .seconds(30))
        #expect(lockout.refusedCount == 1, "\(lockout)")
        await #expect(throws: JobError.self) { try await jobs.begin(.remove([1]), on: [Bench.node]) }
        await scene.end()
    }

    @Test("a change of access goes on with the same one that is open, and does not begin beside its opposite")
    func opposite() async throws {
        let scene = try await Scene(limits: [4, 3, 3])
        let jobs = scene.guest.jobs
        let subject = AccessSubject(id: NodeID(0x77))
        let grant = AccessControlEntry(.operate, subjects: [subject.id])
        let begun = try await jobs.begin(.grant([grant]), on: [Bench.node])
        let again = try await jobs.begin(.grant([grant]), on: [Bench.node, NodeID(9)])
        #expect(again.id == begun.id && again.entries.count == 2, "\(again)")
        // Going on with the first one would give back what this one takes.
        let error = await #expect(throws: JobError.self) {
            try await jobs.begin(.revoke([subject]), on: [Bench.node])
        }
        #expect(error?.code == .opposite)
        let other = try await jobs.begin(.revoke([AccessSubject(id: NodeID(0x78))]), on: [Bench.node])
        #expect(other.id != begun.id)
        try await jobs.cancel(begun.id)
        #expect(try await jobs.begin(.revoke([subject]), on: [Bench.node]).pending == [Bench.node])
        await scene.end()
    }

    @Test("at its check-in a node is left, but not joined: that acts under an id that is not ours")
    func checkIn() async throws {
        let scene = try await Scene()
        try await scene.guest.jobs.workAtCheckIn(of: Bench.node)
        #expect(await scene.bench.handshakes == 0)
        #expect(try await scene.resume().isDone)
        let store = try scene.guest.jobs.store()
        let leaving = try await store.add { id in
            Job(id: id, kind: .leave, owner: scene.job.owner, nodes: [Bench.node], at: 1)
        }
        try await scene.guest.jobs.workAtCheckIn(of: NodeID(77))
        #expect(try scene.guest.jobs.job(leaving.id).pending == [Bench.node])
        try await scene.guest.jobs.workAtCheckIn(of: Bench.node)
        let left = try scene.guest.jobs.job(leaving.id)
        #expect(left.isDone && left.isOpen, "the fabric is forgotten when the job is resumed")
        #expect(try scene.list.entries == [Self.theirs])
        #expect(try await scene.guest.jobs.resume(leaving.id).leavesFabric)
        #expect(try !scene.guest.fabrics.isHere("guest"))
        await scene.end()
    }

    @Test("a job without its key does what it can, and says that the key is gone; a cancelled one does nothing")
    func lost() async throws {
        let scene = try await Scene()
        try scene.guest.options.state.delete("fabrics/guest/keys/job-\(scene.job.id)")
        let job = try await scene.resume()
        #expect(job.pending == [Bench.node] && job.firstReason?.id == "job.identity-gone", "\(job)")
        #expect(scene.list.writes == 0)
        let cancelled = try await scene.guest.jobs.cancel(job.id)
        #expect(!cancelled.isOpen && cancelled.pending.isEmpty)
        let error = await #expect(throws: JobError.self) { try await scene.resume() }
        #expect(error?.code == .ended)
        await scene.end()
    }
}
