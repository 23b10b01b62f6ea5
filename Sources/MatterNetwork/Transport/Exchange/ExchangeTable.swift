/// The exchanges of a message engine, by key, by session and by the time at which they have something to send.
struct ExchangeTable: Sendable {
    private var states: [ExchangeKey: ExchangeState] = [:]
    private var bySession: [SessionReference: [ExchangeKey]] = [:]
    private var deadlines = DeadlineQueue<ExchangeKey>()

    /// Setting `nil` forgets the exchange.
    subscript(key: ExchangeKey) -> ExchangeState? {
        get { states[key] }
        set {
            guard let newValue else {
                guard states.removeValue(forKey: key) != nil else { return }
                bySession[key.session]?.removeAll { $0 == key }
                if bySession[key.session]?.isEmpty ?? false { bySession[key.session] = nil }
                return deadlines.set(key, to: nil)
            }
            deadlines.set(key, to: newValue.nextDeadline)
            if states.updateValue(newValue, forKey: key) == nil { bySession[key.session, default: []].append(key) }
        }
    }

    var count: Int { states.count }

    /// The exchanges of a session, in the order in which they began: the order of a hash would make each run another one.
    func keys(of session: SessionReference) -> [ExchangeKey] { bySession[session] ?? [] }

    func isEmpty(_ session: SessionReference) -> Bool { bySession[session] == nil }

    /// When the first of them has something to send.
    var nextDeadline: Instant? { deadlines.earliest }

    /// True if nothing is left to acknowledge, and nothing in flight: each of those has its deadline.
    var isDrained: Bool { deadlines.isEmpty }

    /// The exchanges that have something to send now. They have no deadline until they are set again.
    mutating func takeDue(now: Instant) -> [ExchangeKey] { deadlines.takeDue(now: now) }

    /// The first exchange for which a condition holds; looks at all of them.
    func first(where condition: (ExchangeState) -> Bool) -> (key: ExchangeKey, state: ExchangeState)? {
        states.first { condition($0.value) }.map { ($0.key, $0.value) }
    }
}

extension ExchangeState {
    /// When an acknowledgement or a retransmission is due.
    var nextDeadline: Instant? {
        switch (inFlight?.nextAt, pendingAck?.dueAt) {
        case (let left?, let right?): min(left, right)
        case (let one, let other): one ?? other
        }
    }
}
