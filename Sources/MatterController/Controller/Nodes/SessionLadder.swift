import MatterNetwork

/// The sessions with one node: the one in use, the way to the next one, and what becomes of those that are left. A state
/// machine without I/O or clock (docs/decisions/0017 and 0027).
///
/// The rungs, from the top: a session that an earlier process has left, a resumed one, a full handshake. The way down is
/// raced: while a session that was left does not answer, the next one is set up beside it, and whichever the node answers in
/// first is used. A command that may run once stays on its session; the ladder knows which sessions have such commands.
struct SessionLadder: Sendable {
    typealias Session = SessionReference

    enum State: Sendable {
        /// There is no session, and no task sets one up.
        case down
        /// The same; the last attempt failed while no task waited for it, which is said to the next one who asks.
        case fallen(any Error)
        /// A task waits for a slot, and looks for what an earlier process has left.
        case entering
        /// A handshake is under way, and there is nothing to use meanwhile.
        ///
        /// - Parameter instead: the session beside which it began, and which is lost by now; `nil` if there was none.
        case shaking(instead: Session?)
        /// A session that an earlier process has left, or that was not used for long, is in use; the node has not answered in it
        /// since.
        case trial(Trial)
        /// A session is in use.
        case standing(Session)
        /// The session is being ended in peace, or left to the next process.
        case closing
    }

    struct Trial: Sendable {
        let session: Session
        let began: Instant
        var beside: Beside
    }

    /// The way to another session, beside one on trial.
    enum Beside: Sendable {
        /// The node has its head start.
        case watching
        case shaking
        case failed(any Error)
        /// The node has acknowledged something, or the session is gone: another one is set up when it is wanted.
        case needless
    }

    /// The effect of a replaced session on its commands.
    enum Succession: Sendable {
        /// A proof is looked for that they did not run.
        case searching
        case unproven
        /// They did not run, and never will.
        case disproved
    }

    /// The facts about a session from its messages.
    struct Facts: Sendable {
        var isThere: Bool
        /// When the node last acknowledged something in it.
        var acknowledged: Instant?
        /// Whether something is not acknowledged yet.
        var isWaiting: Bool
    }

    enum Event: Sendable {
        /// A task needs a session.
        case wanted
        /// A session that an earlier process has left.
        case found(Session)
        case nothingKept
        case established(Session)
        /// No slot, or no session.
        case failed(any Error)
        /// The node has been silent in a session in use, and it is used again.
        case aged(Session)
        /// The head start of a session on trial is over.
        case doubted(Session, Facts)
        /// A handshake beside a session on trial has come to an end.
        case establishedBeside(Session, Session, Facts)
        case failedBeside(Session, any Error)
        /// The node has answered in a session.
        case answered(Session)
        /// Something went without an answer: the session is left to no other process.
        case silent(Session)
        /// The node has acknowledged something and does not answer it.
        case unanswered(Session)
        /// Messages on it are lost, or may be late.
        case lost(Session)
        /// The node has ended it.
        case gone(Session)
        /// The node has forgotten us.
        case abandoned
        /// A command that may run once goes out on a session.
        case risked(Session)
        /// Its outcome is known, or will not be.
        case settled(Session)
        /// Whether there is proof that the commands of a session that was replaced did not run.
        case searched(Session, isProven: Bool)
        /// - Parameter canKeep: whether the session may be left to another process.
        case close(canKeep: Bool)
        case closed
    }

    enum Action: Sendable {
        /// Take a slot, look for what is left, and shake hands if there is nothing.
        case enter
        /// Give the node its head start, and say what the messages say then.
        case watch(Session)
        case shakeBeside(Session)
        /// Stop watching, and the handshake with it.
        case stopBeside
        /// Take note of a new session that may be kept.
        case begin(Session)
        /// Say how long it took until the node answered.
        case tell(Session, Duration)
        /// Forget that it was kept.
        case forget(Session)
        /// Send what is under way on the first to where the second is, too.
        case reach(Session, like: Session)
        /// Look for the proof that commands that went out on the first since then did not run, on the second.
        case seekProof(Session, on: Session, since: Instant)
        /// End it, insistently: there is another one.
        case leave(Session)
        /// End it, insistently and with pauses: something may be late.
        case drop(Session)
        /// End it. Nothing was sent in it.
        case end(Session)
        /// Forget it without a word.
        case remove(Session)
        /// Leave it to the next process; end it if that cannot be done.
        case keep(Session)
        case freeSlot
        case fail(any Error)
    }

    private(set) var state = State.down
    /// Whether the node has room for a session on trial, its successor, and one of another process.
    private let isRoomy: Bool
    /// When a session was last wanted.
    private var wanted: Instant
    /// The session in which the node answered last.
    private(set) var answered: Session?
    /// Sessions that an earlier process has left.
    private var kept: Set<Session> = []
    /// Commands under way that may run once only, by session, with the time of the first.
    private var risks: [Session: (count: Int, since: Instant)] = [:]
    /// Sessions in whose place there are others.
    private var successions: [Session: Succession] = [:]

    /// A node with so many sessions for a fabric is roomy.
    private static let roomySessions: UInt16 = 3

    init(sessionsPerFabric: UInt16?, now: Instant) {
        isRoomy = (sessionsPerFabric ?? Self.roomySessions) >= Self.roomySessions
        wanted = now
    }

    /// The session in use.
    var session: Session? {
        switch state {
        case .trial(let trial): trial.session
        case .standing(let session): session
        case .down, .fallen, .entering, .shaking, .closing: nil
        }
    }

    /// True if the node has answered nothing yet in a session that an earlier process has left.
    func isUnanswered(_ session: Session) -> Bool { kept.contains(session) && answered != session }

    /// The fate of a session that was replaced; `nil` for one that was not.
    func succession(of session: Session) -> Succession? { successions[session] }

    mutating func handle(_ event: Event, now: Instant) -> [Action] {
        switch event {
        case .wanted: return want(now)
        case .found(let session):
            kept.insert(session)
            state = .trial(Trial(session: session, began: now, beside: .watching))
            return [.watch(session)]
        case .nothingKept:
            state = .shaking(instead: nil)
            return []
        case .established(let session):
            state = .standing(session)
            return [.begin(session)]
        case .failed(let error):
            state = .down
            return [.freeSlot, .fail(error)]
        case .aged(let session):
            guard case .standing(session) = state else { return [] }
            state = .trial(Trial(session: session, began: now, beside: .watching))
            return [.watch(session)]
        case .doubted(let session, let facts): return doubt(session, facts)
        case .establishedBeside(let old, let new, let facts): return establish(new, beside: old, facts)
        case .failedBeside(let session, let error):
            failBeside(session, error)
            return []
        case .answered(let session): return answer(session, now)
        case .silent(let session):
            if answered == session { answered = nil }
            return []
        case .unanswered(let session):
            guard self.session == session, isUnanswered(session) else { return [] }
            state = .down
            return [.stopBeside, .forget(session), .drop(session)]
        case .lost(let session): return withdraw(session) + [.forget(session), .drop(session)]
        case .gone(let session): return withdraw(session)
        case .abandoned:
            guard let session else { return [.freeSlot] }
            state = .down
            return [.stopBeside, .forget(session), .remove(session), .freeSlot]
        case .risked(let session):
            let known = risks[session]
            risks[session] = ((known?.count ?? 0) + 1, known?.since ?? now)
            return []
        case .settled(let session):
            if let risk = risks[session] { risks[session] = risk.count > 1 ? (risk.count - 1, risk.since) : nil }
            return []
        case .searched(let session, let isProven):
            successions[session] = isProven ? .disproved : .unproven
            return isProven ? [.remove(session)] : []
        case .close(let canKeep): return close(canKeep: canKeep)
        case .closed:
            state = .down
            return [.freeSlot]
        }
    }

    private mutating func want(_ now: Instant) -> [Action] {
        switch state {
        case .down:
            wanted = now
            state = .entering
            return [.enter]
        case .fallen(let error):
            state = .down
            return [.freeSlot, .fail(error)]
        case .entering, .shaking, .trial, .standing, .closing:
            return []
        }
    }

    // MARK: On trial

    /// The trial of a session, if it is on trial.
    private func trial(of session: Session) -> Trial? {
        if case .trial(let trial) = state, trial.session == session { trial } else { nil }
    }

    private mutating func doubt(_ session: Session, _ facts: Facts) -> [Action] {
        guard var trial = trial(of: session), case .watching = trial.beside else { return [] }
        if !facts.isThere || trial.isProven(by: facts) {
            trial.beside = .needless
            state = .trial(trial)
            return []
        }
        // Nothing waits for an acknowledgement; or another session could cost a node that grants few of them the one on
        // which the command is.
        guard facts.isWaiting, isRoomy || risks[session] == nil else { return [.watch(session)] }
        trial.beside = .shaking
        state = .trial(trial)
        return [.shakeBeside(session)]
    }

    private mutating func establish(_ new: Session, beside old: Session, _ facts: Facts) -> [Action] {
        if case .shaking(old?) = state {
            state = .standing(new)
            return [.begin(new)]
        }
        guard var trial = trial(of: old) else { return [.end(new)] }
        guard !trial.isProven(by: facts) else {
            trial.beside = .needless
            state = .trial(trial)
            return [.end(new)]
        }
        state = .standing(new)
        guard let risk = risks[old] else {
            return [.forget(old), .begin(new), .reach(old, like: new), .leave(old)]
        }
        successions[old] = .searching
        return [
            .seekProof(old, on: new, since: risk.since), .forget(old), .begin(new), .reach(old, like: new),
        ]
    }

    private mutating func failBeside(_ session: Session, _ error: any Error) {
        if case .shaking(session?) = state {
            state = .fallen(error)
        } else if var trial = trial(of: session) {
            trial.beside = .failed(error)
            state = .trial(trial)
        }
    }

    private mutating func answer(_ session: Session, _ now: Instant) -> [Action] {
        var actions: [Action] = []
        if answered != session {
            answered = session
            actions.append(.tell(session, now - wanted))
        }
        if trial(of: session) != nil {
            state = .standing(session)
            actions.append(.stopBeside)
        }
        // The answer came on a session that has a successor: it is not needed any more.
        if successions[session] != nil { actions.append(.leave(session)) }
        return actions
    }

    // MARK: Ends

    /// The session is not used any more; what is under way beside it goes on.
    private mutating func withdraw(_ session: Session) -> [Action] {
        guard self.session == session else { return [] }
        guard let trial = trial(of: session) else {
            state = .down
            return []
        }
        switch trial.beside {
        case .watching:
            state = .down
            return [.stopBeside]
        case .shaking: state = .shaking(instead: session)
        case .failed(let error): state = .fallen(error)
        case .needless: state = .down
        }
        return []
    }

    private mutating func close(canKeep: Bool) -> [Action] {
        switch state {
        case .down, .fallen:
            state = .down
            return [.freeSlot]
        case .entering, .shaking(nil), .closing:
            // Another task is at it.
            return []
        case .shaking:
            state = .down
            return [.stopBeside, .freeSlot]
        case .trial(let trial):
            // The node has not answered in it: it may be lost.
            state = .closing
            return [.stopBeside, .forget(trial.session), .end(trial.session)]
        case .standing(let session):
            state = .closing
            return canKeep && answered == session ? [.keep(session)] : [.forget(session), .end(session)]
        }
    }
}

extension SessionLadder.Trial {
    /// True if the node has acknowledged something since this process has the session.
    fileprivate func isProven(by facts: SessionLadder.Facts) -> Bool {
        facts.acknowledged.map { $0 > began } ?? false
    }
}
