import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// Rotations as values.
@Suite("Rotations") struct RotationTests {
    private static let owner = Job.Owner(host: "den", user: "1000", process: 7, boot: nil)
    private static let silent = Job.Reason(id: "session.silent", message: "it says nothing", kind: .noAnswer)

    private static func job(_ kind: Job.Kind = .identityKey, _ phase: Job.Rotation.Phase = .add) -> Job {
        var job = Job(id: 4, kind: kind, owner: owner, nodes: [NodeID(1), NodeID(2)], at: 100)
        job.rotation = Job.Rotation(phase: phase, base: 1000, origin: 7)
        return job
    }

    @Test("a phase begins when every node is done with the one before, and not earlier")
    func phases() {
        var job = Self.job()
        var phases: [Job.Rotation.Phase] = []
        while let phase = job.rotation?.phase, phase != .finished {
            phases.append(phase)
            #expect(job.pending.map(\.rawValue) == [1, 2] && job.isOpen && !job.isDone)
            job.handle(.done(NodeID(1)), at: 110)
            job.handle(.failed(NodeID(2), Self.silent), at: 110)
            job.handle(.rotated(.advanced), at: 120)
            #expect(job.rotation?.phase == phase, "one is pending")
            job.handle(.refused(NodeID(2), Self.silent), at: 120)
            job.handle(.rotated(.advanced), at: 120)
            #expect(job.rotation?.phase == phase, "one is refused")
            job.handle(.added([NodeID(2)]), at: 130)
            job.handle(.done(NodeID(2)), at: 130)
            #expect(!job.isDone && job.isOpen, "the phase is done, and the job is not")
            job.handle(.rotated(.advanced), at: 140)
        }
        #expect(phases == [.add, .prefer, .remove])
        #expect(job.isDone && !job.isOpen && job.doneCount == 2)
    }

    @Test("the way back is open until the old key is taken away, and goes through all phases that a node may be in")
    func back() {
        for (phase, way) in [
            (Job.Rotation.Phase.add, [Job.Rotation.Phase.withdraw]), (.prefer, [.restore, .withdraw]), (.remove, []),
        ] {
            var job = Self.job(.identityKey, phase)
            job.handle(.done(NodeID(1)), at: 110)
            job.handle(.rotated(.turnedBack), at: 120)
            guard !way.isEmpty else {
                #expect(job.rotation?.phase == phase && job.rotation?.isBack == false)
                continue
            }
            var taken: [Job.Rotation.Phase] = []
            while let phase = job.rotation?.phase, phase != .finished {
                taken.append(phase)
                #expect(job.pending.count == 2, "each node is looked at")
                for node in job.pending { job.handle(.done(node), at: 130) }
                job.handle(.rotated(.advanced), at: 140)
            }
            #expect(taken == way && job.rotation?.isBack == true && job.rotation?.usesNew == false)
        }
    }

    /// The nodes of two phases that follow each other, or are the same.
    @Test("any two nodes have a key that one uses and the other takes, and so have we, in and between all phases")
    func reach() throws {
        let ways: [[Job.Rotation.Phase]] = [[.add, .prefer, .remove], [.restore, .withdraw], [.prefer, .restore]]
        for way in ways {
            for (before, after) in zip(way, way) + zip(way, way.dropFirst()) {
                let (first, second) = (Job.Rotation(phase: before, base: 1), Job.Rotation(phase: after, base: 1))
                for (from, to) in [(first, second), (second, first)] {
                    let used = try #require(from.slots.first)
                    #expect(to.slots.contains { $0.isNew == used.isNew }, "\(before) and \(after)")
                    // Ours is exchanged before the first node of a phase.
                    #expect(to.slots.contains { $0.isNew == second.usesNew }, "we in \(after), a node in \(to.phase)")
                }
            }
        }
        // Before it begins, a node has the old key alone.
        #expect(Job.Rotation(phase: .add, base: 1).slots.first?.isNew == false)
        #expect(Job.Rotation(phase: .withdraw, base: 1).slots.map(\.isNew) == [false])
    }

    @Test("start times rise within a set, differ from phase to phase, and the second key is far in the future")
    func times() {
        var seen: Set<UInt64> = []
        for phase in Job.Rotation.Phase.allCases {
            let rotation = Job.Rotation(phase: phase, base: 5, origin: 3)
            let starts = rotation.slots.map(\.start)
            #expect(starts == starts.sorted() && Set(starts).count == starts.count && !starts.contains(0))
            for start in starts { #expect(seen.insert(start).inserted, "\(phase)") }
            for start in starts.dropFirst() { #expect(start > 100 * 365 * 86_400 * 1_000_000) }
            if let first = starts.first { #expect(rotation.wrote(first) && rotation.wrote(3) && !rotation.wrote(4)) }
        }
    }

    @Test("a device that is commissioned gets a key that the fabric finds it by, whatever the phase")
    func commissioned() {
        for phase in Job.Rotation.Phase.allCases where phase != .certify && phase != .finished {
            let rotation = Job.Rotation(phase: phase, base: 1)
            #expect(rotation.isUsable(new: rotation.usesNew), "the key that we use, in \(phase)")
            for isNew in [true, false] where rotation.isUsable(new: isNew) {
                #expect(rotation.slots.contains { $0.isNew == isNew }, "\(phase)")
            }
        }
        #expect(!Job.Rotation(phase: .remove, base: 1).isUsable(new: false))
    }

    @Test("a record has all of a rotation, and a damaged or newer one is told")
    func records() throws {
        var job = Self.job()
        job.handle(.rotated(.known([NodeID(9), NodeID(0xFFFF_FFFD_4321_0002)])), at: 110)
        job.handle(.rotated(.marked(NodeID(1), [1, 2])), at: 110)
        job.handle(.rotated(.marked(NodeID(1), [3])), at: 120)
        job.handle(.rotated(.turnedBack), at: 130)
        #expect(job.rotation?.marks == [NodeID(1): [1, 2]], "the first one counts")
        #expect(try Job(decoding: job.encoded(), id: 4, "x") == job)
        let text = String(decoding: job.encoded(), as: UTF8.self)
        let largest = ("\"base\":1000", "\"base\":\"18446744073709551615\"")
        for (old, new) in [("withdraw", "fly"), largest, ("keySet", "keySat")] {
            let changed = text.replacing(old, with: new)
            #expect(changed != text)
            #expect(throws: RecordError.self) { try Job(decoding: Array(changed.utf8), id: 4, "x") }
        }
    }

    @Test("our own certificate comes last: it is not worked on while another is pending")
    func ownLast() {
        var job = Self.job(.certificates, .certify)
        #expect(job.workable(own: NodeID(2)) == [NodeID(1)])
        job.handle(.done(NodeID(1)), at: 110)
        #expect(job.workable(own: NodeID(2)).isEmpty && job.pending == [NodeID(2)])
        job.handle(.rotated(.turnedBack), at: 110)
        #expect(job.rotation?.isBack == false, "there is no way back")
    }

    @Test("a job that was cancelled goes neither on nor back")
    func cancelled() {
        var job = Self.job()
        for node in job.pending { job.handle(.done(node), at: 110) }
        job.handle(.cancelled, at: 120)
        job.handle(.rotated(.advanced), at: 130)
        job.handle(.rotated(.turnedBack), at: 130)
        #expect(job.rotation?.phase == .add && !job.isRotating && !job.isOpen)
    }
}

private func + <A, B>(_ left: Zip2Sequence<[A], [B]>, _ right: Zip2Sequence<[A], ArraySlice<B>>) -> [(A, B)] {
    Array(left) + Array(right)
}
