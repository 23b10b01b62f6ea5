public import MatterBase

/// A node's report about one kind of event (Matter core specification, chapter 8).
public struct EventReport: Hashable, Sendable {
    /// An event, or why it could not be read.
    public enum Outcome: Hashable, Sendable {
        /// The event.
        case event(Event)
        /// Why the path could not be reported.
        case failure(StatusIB)
    }

    /// One event, with its time made absolute where the message allows.
    public struct Event: Hashable, Sendable {
        /// The number of the event on its node.
        public var number: UInt64
        /// How much it matters.
        public var priority: EventPriority
        /// When it happened.
        public var timestamp: EventTimestamp
        /// Its reports; `nil` if nothing.
        public var data: TLVValue?
    }

    /// Where it happened.
    public var path: ConcreteEventPath
    /// The event, or why it could not be read.
    public var outcome: Outcome

    /// The event, unless this is a failure.
    public var event: Event? {
        if case .event(let event) = outcome { event } else { nil }
    }
}

/// Turns the delta times of one message into absolute ones.
struct EventClock {
    private var epoch: UInt64?
    private var system: UInt64?

    /// - Returns: `nil` if the sum does not fit 64 bits. A delta without an event before it stays a delta.
    mutating func absolute(_ timestamp: EventTimestamp) -> EventTimestamp? {
        switch timestamp {
        case .epoch(let time):
            (epoch, system) = (time, nil)
            return timestamp
        case .system(let time):
            (epoch, system) = (nil, time)
            return timestamp
        case .deltaEpoch(let delta):
            guard let before = epoch else { return timestamp }
            let (time, overflow) = before.addingReportingOverflow(delta)
            guard !overflow else { return nil }
            epoch = time
            return .epoch(time)
        case .deltaSystem(let delta):
            guard let before = system else { return timestamp }
            let (time, overflow) = before.addingReportingOverflow(delta)
            guard !overflow else { return nil }
            system = time
            return .system(time)
        }
    }
}
