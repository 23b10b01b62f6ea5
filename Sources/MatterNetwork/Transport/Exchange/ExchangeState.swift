/// Names an exchange: two nodes may use the same number at once, one as initiator, one as responder.
package struct ExchangeKey: Hashable, Sendable {
    package let session: SessionReference
    package let exchangeID: UInt16
    /// Our role in the exchange.
    package let role: Role
}

/// A message as the layers above see it.
package struct ReceivedMessage: Equatable, Sendable {
    package let protocolID: ProtocolID
    package let opcode: UInt8
    package let payload: [UInt8]
    package let from: PeerAddress
    /// The sender's message counter, and whether it wants it acknowledged.
    package var counter: UInt32 = 0
    var needsAck = false
    /// The message of ours that this one acknowledges.
    package var acknowledged: UInt32?
    /// True if it answers an earlier message of ours than the last one; known only where messages are judged.
    package var isLate = false
}

/// The engine's state of an exchange.
struct ExchangeState: Sendable {
    /// A reliable message that has not been acknowledged.
    struct InFlight: Sendable {
        var datagram: [UInt8]
        var counter: UInt32
        var transmissions: Int
        let sentAt: Instant
        var nextAt: Instant
        /// Where it has arrived, as far as an acknowledgement that is not authenticated can tell.
        var acknowledgedBy: Set<PeerAddress> = []
    }

    /// The contents of a peer's message, without the parts that a repetition may change.
    struct Statement: Equatable, Sendable {
        var opcode: UInt8
        var payload: [UInt8]
    }

    /// An acknowledgement that waits for a message to ride on.
    struct PendingAck: Sendable {
        var counter: UInt32
        var dueAt: Instant
    }

    var inFlight: InFlight?
    var pendingAck: PendingAck?
    /// The counter to acknowledge again with every further message of the exchange.
    var lastAcknowledged: UInt32?
    /// The last reliable message, kept when it was given up so that it can be sent again unchanged.
    var abandoned: InFlight?
    /// The counters of everything that was sent, and what was accepted; kept only where messages are judged.
    var sent: [UInt32] = []
    var accepted: [Statement] = []
    /// The owner has finished; the exchange stays only until acknowledgements are through.
    var isClosing = false
    var report = ExchangeReport()
    var lastHeard: Instant?

    var isDrained: Bool { inFlight == nil && pendingAck == nil }
}
