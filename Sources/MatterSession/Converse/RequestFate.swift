package import MatterTransport

/// The fate of a request that may run at most once when no answer comes: a state machine without I/O or clock.
///
/// Silence does not prove that the request has not run, nor that it will not: a datagram may be late. The identical
/// datagram goes on being sent on its own session, where a peer that has it acknowledges and does it no second time. The
/// request is never sent in another session.
package struct RequestFate: Sendable {
    package enum Step: Equatable, Sendable {
        /// Send the identical datagram again, and wait for an answer until then.
        case resend(waitUntil: Instant)
        /// The peer has the request and works on it: wait for its answer until then.
        case wait(until: Instant)
        /// Nothing more can be learnt on this session.
        case giveUp
    }

    private enum State {
        case sent
        case repeating
        case awaiting(until: Instant)
    }

    /// The pace at which a datagram that was given up is sent again.
    package static let pace = Duration.milliseconds(600)
    /// How long the datagram is sent at least, from its first transmission, if time is left.
    package static let persistence = Duration.seconds(15)

    private let deadline: Instant
    private let repeatUntil: Instant
    private let processing: Duration
    private var state = State.sent

    /// - Parameters:
    ///   - sentAt: when the request first left.
    ///   - delivery: how long delivery to the peer and back may take by the rules of the session.
    ///   - processing: how long the peer may work once it has acknowledged.
    ///   - deadline: the end of the caller's budget.
    package init(sentAt: Instant, delivery: Duration, processing: Duration, deadline: Instant) {
        self.init(
            repeatUntil: sentAt + max(delivery, Self.persistence), processing: processing, deadline: deadline)
    }

    /// - Parameter repeatUntil: how long the datagram is sent at most.
    package init(repeatUntil: Instant, processing: Duration, deadline: Instant) {
        self.deadline = deadline
        self.processing = processing
        self.repeatUntil = min(deadline, repeatUntil)
    }

    /// The action after a wait that ended with an error.
    package mutating func step(after error: any Error, now: Instant) -> Step {
        switch (error as? TransportError)?.code {
        case .notAcknowledged where now < repeatUntil:
            state = .repeating
            return .resend(waitUntil: min(now + Self.pace, repeatUntil))
        case .noReply where now < deadline:
            return acknowledged(now)
        default:
            return .giveUp
        }
    }

    private mutating func acknowledged(_ now: Instant) -> Step {
        let until: Instant
        switch state {
        // The first wait had the time for the answer in it.
        case .sent: return .giveUp
        case .repeating: until = min(deadline, now + processing)
        case .awaiting(let end): until = end
        }
        guard now < until else { return .giveUp }
        state = .awaiting(until: until)
        return .wait(until: until)
    }
}
