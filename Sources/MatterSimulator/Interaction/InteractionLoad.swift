import MatterModel

/// The work of a node since it started, as DeviceLoadStatus tells of it (Matter core specification 11.12.6.11).
struct InteractionLoad: Sendable {
    var subscriptionsEstablished: UInt32 = 0
    var messagesSent: UInt32 = 0
    var messagesReceived: UInt32 = 0

    mutating func add(_ counted: some CountedMessages) {
        messagesSent &+= counted.sent
        messagesReceived &+= counted.received
    }
}

/// Something that has sent and received messages.
protocol CountedMessages {
    var sent: UInt32 { get }
    var received: UInt32 { get }
}

/// An interaction whose messages are counted.
struct CountedTransaction<Base: InteractionTransaction>: InteractionTransaction, CountedMessages {
    private var base: Base
    private(set) var sent: UInt32 = 0
    private(set) var received: UInt32 = 0

    init(_ base: Base) { self.base = base }

    mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        counted(try base.start(maxPayload: maxPayload))
    }

    mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        received &+= 1
        return counted(try base.handle(opcode: opcode, payload: payload))
    }

    var output: Base.Output? { base.output }

    private mutating func counted(_ action: InteractionAction) -> InteractionAction {
        if case .send = action { sent &+= 1 }
        return action
    }
}
