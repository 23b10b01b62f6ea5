/// How long a peer takes to acknowledge, smoothed as TCP does it (RFC 6298, section 2).
package struct RoundTrip: Equatable, Sendable {
    package private(set) var smoothed: Duration
    package private(set) var variation: Duration

    package init(smoothed: Duration, variation: Duration) {
        self.smoothed = smoothed
        self.variation = variation
    }

    /// The first measurement.
    package init(_ first: Duration) {
        smoothed = first
        variation = first / 2
    }

    /// Takes in a measurement of a message that was sent once; an acknowledgement of one that was repeated tells nothing.
    package mutating func note(_ sample: Duration) {
        let difference = sample > smoothed ? sample - smoothed : smoothed - sample
        variation = (variation * 3 + difference) / 4
        smoothed = (smoothed * 7 + sample) / 8
    }

    /// After this time without an acknowledgement, something is unusual.
    package var timeout: Duration { smoothed + variation * 4 }
}
