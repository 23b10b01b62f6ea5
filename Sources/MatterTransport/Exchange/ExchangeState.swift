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
}

/// What the engine remembers of an exchange.
struct ExchangeState: Sendable {
    /// A reliable message that has not been acknowledged.
    struct InFlight: Sendable {
        var datagram: [UInt8]
        var counter: UInt32
        var transmissions: Int
        var nextAt: Instant
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
    /// The owner has finished; the exchange stays only until acknowledgements are through.
    var isClosing = false
    var report = ExchangeReport()
    var lastHeard: Instant?

    var isDrained: Bool { inFlight == nil && pendingAck == nil }
}
