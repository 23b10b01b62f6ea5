/// The next action of the exchange's owner.
package enum InteractionAction: Hashable, Sendable {
    /// Send a message reliably. With `expectsReply` the exchange stays open for the peer's next message; without, this
    /// message is the last one and the exchange closes once it is acknowledged.
    case send(opcode: InteractionModelOpcode, payload: [UInt8], expectsReply: Bool)
    /// Send nothing; the peer's next message is due.
    case wait
    /// Send nothing; all is said. The exchange closes.
    case finished
}

/// One interaction on one exchange, as a state machine without I/O or clock; both roles are made of these.
///
/// Call ``start(maxPayload:)`` once, then ``handle(opcode:payload:)`` for each message of the exchange until an action says that no
/// further one is due; then ``output`` is there. After an error the machine is dead: close the exchange, and first send
/// ``InteractionError/statusForPeer`` if there is one.
package protocol InteractionTransaction: Sendable {
    associatedtype Output: Sendable

    /// The first action.
    ///
    /// - Parameter maxPayload: the bytes that one message may hold on the link, at least
    ///   ``InteractionModel/smallestMaxPayload`` for a server's half.
    /// - Throws: ``InteractionError/Code/invalidRequest`` or ``InteractionError/Code/requestTooLarge``; nothing was sent.
    mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction

    /// The answer to a message of the peer.
    mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction

    /// The outcome, once the interaction is complete.
    var output: Output? { get }
}

/// An interaction that changes something at the peer, so that it matters whether it ran, and how often.
package protocol ChangeTransaction: InteractionTransaction {
    /// How many requests were handed over for sending. The announcement of a timed interaction is none: it changes nothing.
    var sentRequests: Int { get }

    /// The same as a timed interaction, from its start; `nil` if it is one already.
    func timed(timeout: UInt16) -> Self?
}

extension ChangeTransaction {
    /// True if the peer may have done some of it.
    ///
    /// - Parameter lastIsUnsent: whether the last request is known not to have left this host.
    package func mayHaveRun(lastIsUnsent: Bool = false) -> Bool { sentRequests > (lastIsUnsent ? 1 : 0) }
}

extension InteractionError {
    /// A second ``InteractionTransaction/start(maxPayload:)``, or a message before the first.
    static let misused = InteractionError(.invalidRequest, "an interaction was started twice")

    package static func notUnderWay(_ opcode: UInt8) -> InteractionError {
        .unexpected(opcode, "a message on an interaction that is not under way")
    }
}
