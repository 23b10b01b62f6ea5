package import MatterBase

/// A node's report about one kind of event.
package struct EventReport: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case event(Event)
        /// Why the path could not be reported.
        case failure(StatusIB)
    }

    /// One event, with its time made absolute where the message allows.
    package struct Event: Hashable, Sendable {
        package var number: UInt64
        package var priority: EventPriority
        package var timestamp: EventTimestamp
        package var data: TLVValue?
    }

    package var path: ConcreteEventPath
    package var outcome: Outcome

    /// The event, unless this is a failure.
    package var event: Event? {
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
