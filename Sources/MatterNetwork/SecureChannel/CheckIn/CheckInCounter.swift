/// The counters of a device's check-ins that were accepted (Matter core specification 4.22.3).
package struct CheckInCounter: Equatable, Sendable {
    /// The result of a counter.
    package enum Verdict: Equatable, Sendable {
        /// It is newer than all before.
        case accepted
        /// It was seen before, or is older than one that was, or than the key: a duplicate, or a recording that is played
        /// again.
        case replayed
        /// It is newer, and half of all counters are used: the key has to be replaced before the check-in counts.
        case needsNewKey
    }

    private static let mostOffset: UInt32 = 1 << 31
    /// A counter just beyond the half is the next one of a device that was not heard for as long; a recording would be as old.
    private static let justBeyond: UInt32 = 1 << 16

    /// The device's counter when the key was registered.
    package let start: UInt32
    /// How far beyond the start the newest accepted counter is.
    package private(set) var offset: UInt32

    package init(start: UInt32, offset: UInt32 = 0) {
        self.start = start
        self.offset = offset
    }

    /// Judges a counter, and takes it if it is accepted: keep the result before acting on it.
    package mutating func take(_ counter: UInt32) -> Verdict {
        let distance = counter &- start
        guard distance > offset else { return .replayed }
        guard distance <= Self.mostOffset else {
            // Beyond the half, or one from before the start: the nearer of the two, seen from the newest.
            let isNear = distance - offset <= Self.mostOffset || distance - Self.mostOffset <= Self.justBeyond
            return isNear ? .needsNewKey : .replayed
        }
        offset = distance
        return .accepted
    }

    /// The newest counter that was accepted; `nil` if there was none.
    package var newest: UInt32? { offset == 0 ? nil : start &+ offset }

    /// The counter with half of all counters used: what was accepted stays refused, and any newer one asks for a new key.
    package func leapt() -> CheckInCounter {
        CheckInCounter(start: start &+ offset &- Self.mostOffset, offset: Self.mostOffset)
    }
}
