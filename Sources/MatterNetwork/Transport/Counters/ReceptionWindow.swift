/// Which message counters of a peer have been seen (Matter core specification 4.6.5).
package struct ReceptionWindow: Equatable, Sendable {
    /// How a window treats counters that it cannot place.
    package enum Policy: Sendable {
        /// Secure unicast: no roll-over, older than the window means duplicate.
        case secureUnicast
        /// Unsecured: counters roll over, and one before the window re-anchors it, since the peer may have restarted.
        case unsecured
        /// Group messages: counters roll over, older than the window means duplicate, and so does everything before the
        /// first counter, which is trusted.
        case group
    }

    /// Counters below the maximum that are remembered.
    package static let size: UInt32 = 32

    private let policy: Policy
    private var maximum: UInt32?
    /// Bit i is for maximum − 1 − i.
    private var bitmap: UInt32 = 0

    package init(_ policy: Policy) {
        self.policy = policy
        // A new secure session has seen counter 0, so that every real one is new.
        maximum = policy == .secureUnicast ? 0 : nil
    }

    /// The history of a secure session, for another process to go on with.
    package struct Seen: Equatable, Sendable {
        package var maximum: UInt32
        /// Bit i is for maximum − 1 − i.
        package var bitmap: UInt32

        // memberwise: package
    }

    /// The window of a secure session that has seen some messages.
    package init(_ seen: Seen) {
        policy = .secureUnicast
        maximum = seen.maximum
        bitmap = seen.bitmap
    }

    package var seen: Seen { Seen(maximum: maximum ?? 0, bitmap: bitmap) }

    func isDuplicate(_ counter: UInt32) -> Bool {
        guard let maximum else { return false }
        if counter == maximum { return true }
        if isAhead(counter, of: maximum) { return false }
        let distance = maximum &- counter
        if distance <= Self.size { return bitmap & (1 << (distance - 1)) != 0 }
        return policy != .unsecured
    }

    /// Takes note of a counter that is authentic and not a duplicate.
    package mutating func commit(_ counter: UInt32) {
        guard let maximum else {
            maximum = counter
            if policy == .group { bitmap = .max }
            return
        }
        if isAhead(counter, of: maximum) {
            let step = counter &- maximum
            let shifted = step >= Self.size ? 0 : bitmap << step
            bitmap = step > Self.size ? 0 : shifted | (1 << (step - 1))
            self.maximum = counter
        } else if counter != maximum {
            let distance = maximum &- counter
            if distance <= Self.size {
                bitmap |= 1 << (distance - 1)
            } else if policy == .unsecured {
                self.maximum = counter
                bitmap = 0
            }
        }
    }

    private func isAhead(_ counter: UInt32, of maximum: UInt32) -> Bool {
        switch policy {
        case .secureUnicast: counter > maximum
        case .unsecured, .group: (1...UInt32.max / 2).contains(counter &- maximum)
        }
    }
}
