import MatterCrypto

/// The counter of the messages that this node sends (Matter core specification 4.6.1).
struct MessageCounter: Equatable, Sendable {
    private var next: UInt64
    /// The first value that may not be handed out.
    private var end: UInt64 = 1 << 32
    private let rollsOver: Bool

    /// - Parameters:
    ///   - initial: the first value handed out, usually from ``randomInitial(_:)``.
    ///   - rollsOver: true for the unsecured counter; a session's counter ends at its maximum.
    init(initial: UInt32, rollsOver: Bool) {
        next = UInt64(initial)
        self.rollsOver = rollsOver
    }

    /// The counter of a session that goes on.
    init(next: UInt64) {
        self.next = next
        rollsOver = false
    }

    /// A random first value in 1…2^28.
    static func randomInitial(_ random: any RandomSource) throws(CryptoError) -> UInt32 {
        initial(try random.bytes(initialLength)[...])
    }

    /// How many random bytes a first value takes.
    static let initialLength = 4

    static func initial(_ random: ArraySlice<UInt8>) -> UInt32 {
        let word = random.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (word & 0x0FFF_FFFF) + 1
    }

    mutating func take() throws(TransportError) -> UInt32 {
        if next >= end {
            guard rollsOver else {
                throw TransportError(.counterExhausted, "the session has used all of its message counters")
            }
            next = 0
        }
        defer { next += 1 }
        return UInt32(truncatingIfNeeded: next)
    }

    /// Values before ``end``, of which this process may use all: the rest belongs to others.
    ///
    /// - Parameter end: the first value that is not ours; 2^32 if all are.
    mutating func stop(before end: UInt64) { self.end = min(end, 1 << 32) }

    /// How many values are left.
    var remaining: UInt64 { end > next ? end - next : 0 }

    /// The value that comes next; 2^32 if there is none.
    var upcoming: UInt64 { next }
}
