import MatterNetwork

/// A number that moves evenly from one value to another in a given time.
struct Ramp: Sendable, Equatable {
    let from: Int
    let to: Int
    let start: Instant
    let duration: Duration

    var end: Instant { start + duration }

    func value(at now: Instant) -> Int {
        guard duration > .zero, now < end else { return to }
        guard now > start else { return from }
        let fraction = (now - start) / duration
        return from + Int((Double(to - from) * fraction).rounded())
    }

    /// The rest, in tenths of a second, at most what an attribute holds.
    func remaining(at now: Instant) -> UInt16 {
        guard now < end else { return 0 }
        return UInt16(clamping: Int(((end - now) / .milliseconds(100)).rounded(.up)))
    }

    /// When progress is to be told next: after each second, and at the end.
    func nextStep(after now: Instant) -> Instant { min(end, now + .seconds(1)) }
}
