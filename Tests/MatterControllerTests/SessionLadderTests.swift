import MatterNetwork
import Testing

@testable import MatterController

/// The ladder's actions, event by event; in time as a value.
@Suite("Session ladder")
struct SessionLadderTests {
    private typealias Facts = SessionLadder.Facts

    private let kept = SessionReference.secure(1)
    private let new = SessionReference.secure(2)
    private let newer = SessionReference.secure(3)
    private let start = Instant.now
    private struct Silence: Error {}

    /// A ladder on which the events have happened, a second apart.
    private func ladder(sessions: UInt16? = nil, _ events: [SessionLadder.Event]) -> SessionLadder {
        var ladder = SessionLadder(sessionsPerFabric: sessions, now: start)
        for (second, event) in events.enumerated() { _ = ladder.handle(event, now: start + .seconds(second)) }
        return ladder
    }

    /// Its actions after one more event, a minute later.
    private func said(_ ladder: inout SessionLadder, _ event: SessionLadder.Event) -> [String] {
        ladder.handle(event, now: start + .seconds(60)).map {
            "\($0)".split(separator: "(").first.map(String.init) ?? ""
        }
    }

    private func silent(since: Instant? = nil) -> SessionLadder.Facts {
        Facts(isThere: true, acknowledged: since, isWaiting: true)
    }

    @Test("the first who wants a session climbs, the others wait, and all share what comes of it")
    func climbing() {
        var ladder = ladder([])
        #expect(said(&ladder, .wanted) == ["enter"])
        #expect(said(&ladder, .wanted) == [])
        #expect(said(&ladder, .nothingKept) == [] && ladder.session == nil)
        #expect(said(&ladder, .wanted) == [])
        #expect(said(&ladder, .established(new)) == ["begin"] && ladder.session == new)
        #expect(said(&ladder, .wanted) == [])
    }

    @Test("a climb that fails gives its slot back, and the next one climbs again")
    func failing() {
        var ladder = ladder([.wanted, .nothingKept])
        #expect(said(&ladder, .failed(Silence())) == ["freeSlot", "fail"])
        #expect(said(&ladder, .wanted) == ["enter"])
    }

    @Test("a session on trial is used at once, and an answer in it ends the way to another one")
    func trial() {
        var ladder = ladder([.wanted])
        #expect(said(&ladder, .found(kept)) == ["watch"] && ladder.session == kept)
        #expect(ladder.isUnanswered(kept))
        #expect(said(&ladder, .answered(kept)) == ["tell", "stopBeside"])
        #expect(!ladder.isUnanswered(kept) && ladder.session == kept)
        #expect(said(&ladder, .answered(kept)) == [])
        #expect(said(&ladder, .establishedBeside(kept, new, silent())) == ["end"] && ladder.session == kept)
    }

    @Test("a session in use that was silent is on trial again when it is used, and an answer ends the trial")
    func ageing() {
        var ladder = ladder([.wanted, .nothingKept, .established(kept), .answered(kept)])
        #expect(said(&ladder, .aged(new)) == [])
        #expect(said(&ladder, .aged(kept)) == ["watch"] && ladder.session == kept && !ladder.isUnanswered(kept))
        #expect(said(&ladder, .aged(kept)) == [], "it is watched already")
        var other = ladder
        #expect(said(&ladder, .answered(kept)) == ["stopBeside"] && ladder.session == kept)
        #expect(said(&other, .doubted(kept, silent(since: start))) == ["shakeBeside"])
        #expect(
            said(&other, .establishedBeside(kept, new, silent(since: start))) == ["forget", "begin", "reach", "leave"])
        #expect(other.session == new)
    }

    @Test("a silent session on trial is replaced; what it acknowledges keeps it")
    func replacing() {
        var ladder = ladder([.wanted, .found(kept)])
        #expect(said(&ladder, .doubted(kept, Facts(isThere: true, isWaiting: false))) == ["watch"], "nothing was sent")
        #expect(said(&ladder, .doubted(kept, silent())) == ["shakeBeside"])
        var other = ladder
        #expect(said(&ladder, .establishedBeside(kept, new, silent())) == ["forget", "begin", "reach", "leave"])
        #expect(ladder.session == new)
        #expect(said(&other, .establishedBeside(kept, new, silent(since: start + .seconds(5)))) == ["end"])
        #expect(other.session == kept)
        #expect(said(&other, .lost(kept)) == ["forget", "drop"] && other.session == nil)
        #expect(said(&other, .wanted) == ["enter"])
    }

    @Test("with a command that may run once the old session stays, until there is proof or an answer")
    func risk() {
        let events: [SessionLadder.Event] = [.wanted, .found(kept), .risked(kept), .doubted(kept, silent())]
        var ladder = ladder(events)
        #expect(
            said(&ladder, .establishedBeside(kept, new, silent())) == ["seekProof", "forget", "begin", "reach"])
        guard case .searching? = ladder.succession(of: kept) else {
            Issue.record("no proof is looked for")
            return
        }
        var (proven, answered) = (ladder, ladder)
        #expect(said(&ladder, .searched(kept, isProven: false)) == [])
        #expect(said(&proven, .searched(kept, isProven: true)) == ["remove"])
        guard case .unproven? = ladder.succession(of: kept), case .disproved? = proven.succession(of: kept) else {
            Issue.record("the result is not kept")
            return
        }
        #expect(said(&answered, .answered(kept)) == ["tell", "leave"] && answered.session == new)
        var settled = self.ladder(events + [.settled(kept)])
        #expect(said(&settled, .establishedBeside(kept, new, silent())).last == "leave")
    }

    @Test("a node with little room gets no second session while such a command is under way")
    func room() {
        let events: [SessionLadder.Event] = [.wanted, .found(kept), .risked(kept)]
        var (small, large) = (ladder(sessions: 2, events), ladder(sessions: 3, events))
        #expect(said(&small, .doubted(kept, silent())) == ["watch"])
        #expect(said(&large, .doubted(kept, silent())) == ["shakeBeside"])
        #expect(said(&small, .settled(kept)) == [])
        #expect(said(&small, .doubted(kept, silent())) == ["shakeBeside"])
    }

    @Test("a session that is lost while another one is set up beside it is waited for no more")
    func claiming() {
        let events: [SessionLadder.Event] = [.wanted, .found(kept), .doubted(kept, silent())]
        var ladder = ladder(events)
        #expect(said(&ladder, .lost(kept)) == ["forget", "drop"] && ladder.session == nil)
        #expect(said(&ladder, .wanted) == [], "the handshake goes on")
        var failed = ladder
        #expect(said(&ladder, .establishedBeside(kept, new, silent())) == ["begin"] && ladder.session == new)
        #expect(said(&failed, .failedBeside(kept, Silence())) == [])
        #expect(said(&failed, .wanted) == ["freeSlot", "fail"])
        #expect(said(&failed, .wanted) == ["enter"])
        var late = self.ladder(events + [.failedBeside(kept, Silence())])
        #expect(late.session == kept)
        #expect(said(&late, .lost(kept)) == ["forget", "drop"])
        #expect(said(&late, .wanted) == ["freeSlot", "fail"])
        var early = self.ladder([.wanted, .found(kept)])
        #expect(said(&early, .lost(kept)) == ["stopBeside", "forget", "drop"])
        #expect(said(&early, .doubted(kept, silent())) == [])
    }

    @Test("a session on trial in which the node only acknowledges is left; any other one is not")
    func unanswered() {
        var ladder = ladder([.wanted, .found(kept)])
        #expect(said(&ladder, .unanswered(kept)) == ["stopBeside", "forget", "drop"])
        var answered = self.ladder([.wanted, .found(kept), .answered(kept)])
        #expect(said(&answered, .unanswered(kept)) == [] && answered.session == kept)
        var fresh = self.ladder([.wanted, .nothingKept, .established(new)])
        #expect(said(&fresh, .unanswered(new)) == [] && fresh.session == new)
    }

    @Test("only a session in which the node answered last is left to the next process")
    func closing() {
        let events: [SessionLadder.Event] = [.wanted, .nothingKept, .established(new)]
        var silent = ladder(events)
        #expect(said(&silent, .close(canKeep: true)) == ["forget", "end"])
        var answered = ladder(events + [.answered(new)])
        #expect(said(&answered, .close(canKeep: true)) == ["keep"] && answered.session == nil)
        #expect(said(&answered, .wanted) == [], "who wants one waits until it is over")
        #expect(said(&answered, .closed) == ["freeSlot"])
        #expect(said(&answered, .wanted) == ["enter"])
        var forbidden = ladder(events + [.answered(new)])
        #expect(said(&forbidden, .close(canKeep: false)) == ["forget", "end"])
        var doubtful = ladder(events + [.answered(new), .silent(new)])
        #expect(said(&doubtful, .close(canKeep: true)) == ["forget", "end"])
        var trial = ladder([.wanted, .found(kept)])
        #expect(said(&trial, .close(canKeep: true)) == ["stopBeside", "forget", "end"])
        var claimed = ladder([.wanted, .found(kept), .doubted(kept, self.silent()), .lost(kept)])
        #expect(said(&claimed, .close(canKeep: true)) == ["stopBeside", "freeSlot"])
        #expect(said(&claimed, .establishedBeside(kept, new, self.silent())) == ["end"])
        var climbing = ladder([.wanted])
        #expect(said(&climbing, .close(canKeep: true)) == [])
    }

    @Test("a session that is not the current one is dropped and changes nothing else")
    func others() {
        var ladder = ladder([.wanted, .nothingKept, .established(newer)])
        #expect(said(&ladder, .lost(new)) == ["forget", "drop"] && ladder.session == newer)
        #expect(said(&ladder, .gone(new)) == [] && ladder.session == newer)
        #expect(said(&ladder, .gone(newer)) == [] && ladder.session == nil)
        #expect(said(&ladder, .abandoned) == ["freeSlot"])
        var abandoned = self.ladder([.wanted, .found(kept)])
        #expect(said(&abandoned, .abandoned) == ["stopBeside", "forget", "remove", "freeSlot"])
    }
}
