package import MatterCrypto

/// The counter of the messages that this node sends (Matter core specification 4.6.1).
package struct MessageCounter: Equatable, Sendable {
    private var next: UInt64
    private let rollsOver: Bool

    /// - Parameters:
    ///   - initial: the first value handed out, usually from ``randomInitial(_:)``.
    ///   - rollsOver: true for the unsecured counter; a session's counter ends at its maximum.
    package init(initial: UInt32, rollsOver: Bool) {
        next = UInt64(initial)
        self.rollsOver = rollsOver
    }

    /// A random first value in 1…2^28.
    package static func randomInitial(_ random: any RandomSource) throws(CryptoError) -> UInt32 {
        let bytes = try random.bytes(4)
        let word = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (word & 0x0FFF_FFFF) + 1
    }

    package mutating func take() throws(TransportError) -> UInt32 {
        if next > UInt64(UInt32.max) {
            guard rollsOver else {
                throw TransportError(.counterExhausted, "the session has used all of its message counters")
            }
            next = 0
        }
        defer { next += 1 }
        return UInt32(truncatingIfNeeded: next)
    }
}
