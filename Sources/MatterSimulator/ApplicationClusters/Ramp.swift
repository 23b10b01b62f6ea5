package import MatterNetwork

/// A number that moves evenly from one value to another in a given time.
package struct Ramp: Sendable, Equatable {
    package let from: Int
    package let to: Int
    package let start: Instant
    package let duration: Duration

    package var end: Instant { start + duration }

    package func value(at now: Instant) -> Int {
        guard duration > .zero, now < end else { return to }
        guard now > start else { return from }
        let fraction = (now - start) / duration
        return from + Int((Double(to - from) * fraction).rounded())
    }

    /// What is left, in tenths of a second, at most what an attribute holds.
    package func remaining(at now: Instant) -> UInt16 {
        guard now < end else { return 0 }
        return UInt16(clamping: Int(((end - now) / .milliseconds(100)).rounded(.up)))
    }

    /// When progress is to be told next: after each second, and at the end.
    package func nextStep(after now: Instant) -> Instant { min(end, now + .seconds(1)) }
}
