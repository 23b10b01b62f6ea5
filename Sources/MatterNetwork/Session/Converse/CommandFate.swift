import MatterModel

/// The fate of a command or a write when no answer comes: a state machine without I/O or clock.
///
/// Silence does not prove that a request has not run, nor that it will not: a datagram may be late. A request that may
/// run at most once goes on being sent, byte for byte, on its own session, where a peer that has it acknowledges and does
/// it no second time; it is never sent in another session.
package struct CommandFate: Sendable {
    /// The options after silence.
    package enum Rule: Sendable {
        /// It sets an absolute state: it is sent again, if need be in another session.
        case absolute
        /// Once its datagram has left, it is never sent in another session.
        case atMostOnce
        /// It belongs to this one session, where its datagram is repeated until then; the caller sees to the failure.
        case thisSession(repeatUntil: Instant)
    }

    package enum Event: Sendable {
        case began
        /// A session stands, with an exchange for the request.
        ///
        /// - Parameters:
        ///   - delivery: how long delivery to the peer and back may take by the rules of the session.
        ///   - processing: how long the peer may work once it has acknowledged.
        case connected(delivery: Duration, processing: Duration)
        case notConnected(any Error)
        /// No answer came, or one that ends the exchange.
        ///
        /// - Parameter mayHaveRun: whether the peer may have done some of it.
        case failed(any Error, mayHaveRun: Bool)
        /// The peer has meanwhile made another session with us: silence on the one of the request means that it is lost.
        case superseded
        /// There is proof that the peer has not done it, and never will.
        case disproved(any Error)
    }

    package enum Action: Sendable {
        /// Get a session, and an exchange on it.
        case connect
        /// Play the transaction from its start.
        case send
        /// Send the identical datagram again, and wait for an answer until then.
        case resend(waitUntil: Instant)
        /// The peer has the request and works on it: wait for its answer until then.
        case wait(until: Instant)
        /// Drop the exchange with whatever is in flight.
        case abandon
        /// Close the session so that its peer hears it: something may still be on its way.
        case drop
        /// Nothing was done, or the caller knows what: the error stands.
        case fail(any Error)
        /// It may have run, and it is not known whether it has.
        case unknownOutcome(any Error)
    }

    private enum State {
        case idle
        case sent
        case repeating
        case awaiting(until: Instant)
    }

    /// The pace at which a datagram that was given up is sent again.
    package static let pace = Duration.milliseconds(600)
    /// How long the datagram is sent at least, from its first transmission, if time is left.
    static let persistence = Duration.seconds(15)

    private let rule: Rule
    private let deadline: Instant
    private var processing = Duration.zero
    private var repeatUntil: Instant
    private var state = State.idle
    /// True if an earlier transmission may have run.
    private var isInDoubt = false
    private var isSuperseded = false

    /// - Parameter deadline: the end of the caller's budget.
    package init(_ rule: Rule, deadline: Instant) {
        self.rule = rule
        self.deadline = deadline
        repeatUntil = deadline
    }

    package mutating func handle(_ event: Event, now: Instant) -> [Action] {
        switch event {
        case .began:
            return [.connect]
        case .connected(let delivery, let processing):
            self.processing = processing
            isSuperseded = false
            if case .thisSession(let end) = rule {
                repeatUntil = min(deadline, end)
            } else {
                repeatUntil = min(deadline, now + max(delivery, Self.persistence))
            }
            state = .sent
            return [.send]
        case .notConnected(let error):
            // The session went between its set-up and its use.
            if (error as? TransportError)?.code == .closed, now < deadline { return [.connect] }
            return [isInDoubt ? .unknownOutcome(error) : .fail(error)]
        case .superseded:
            isSuperseded = true
            return []
        case .disproved(let error):
            isInDoubt = false
            return startOver(after: error, now)
        case .failed(let error, let mayHaveRun):
            // The answer is no: what was refused has not run.
            if (error as? InteractionError)?.code == .refused { return [.fail(error)] }
            isInDoubt = isInDoubt || mayHaveRun
            switch rule {
            case .thisSession: return goOn(after: error, now) ?? [.abandon, .fail(error)]
            case .atMostOnce where isInDoubt: return goOn(after: error, now) ?? giveUp(after: error)
            case .absolute, .atMostOnce: return startOver(after: error, now)
            }
        }
    }

    /// The facts that can still be learnt on the session that the request left on; `nil` if nothing can.
    private mutating func goOn(after error: any Error, _ now: Instant) -> [Action]? {
        switch ((error as? TransportError)?.code, state) {
        case (.notAcknowledged, _) where now < repeatUntil && !isSuperseded:
            state = .repeating
            return [.resend(waitUntil: min(now + Self.pace, repeatUntil))]
        case (.noReply, .repeating):
            return wait(until: min(deadline, now + processing), now)
        case (.noReply, .awaiting(let end)):
            return wait(until: end, now)
        // The first wait had the time for the answer in it.
        default:
            return nil
        }
    }

    private mutating func wait(until end: Instant, _ now: Instant) -> [Action]? {
        guard now < end else { return nil }
        state = .awaiting(until: end)
        return [.wait(until: end)]
    }

    private func giveUp(after error: any Error) -> [Action] {
        // A peer whose answer cannot be read has done with the request.
        error is InteractionError
            ? [.abandon, .unknownOutcome(error)] : [.abandon, .drop, .unknownOutcome(error)]
    }

    /// Ends what came to nothing, so that it can be begun again while there is time.
    private mutating func startOver(after error: any Error, _ now: Instant) -> [Action] {
        state = .idle
        let loss = (error as? TransportError).flatMap { $0.isLoss ? $0 : nil }
        let isOver = loss == nil || now >= deadline
        // A peer that acknowledged has what was sent, and does it no second time.
        let drops = loss.map { $0.code != .noReply || isOver } ?? (error is CancellationError && isInDoubt)
        let end: Action = isOver ? (isInDoubt ? .unknownOutcome(error) : .fail(error)) : .connect
        return [.abandon] + (drops ? [.drop] : []) + [end]
    }
}
