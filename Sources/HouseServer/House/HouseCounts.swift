/// The counts of the server since it started.
struct HouseCounts: Sendable {
    var reports: UInt64 = 0
    var losses: UInt64 = 0
    var clients = 0
    /// Commands by name and outcome.
    var commands: [[String]: UInt64] = [:]
    var roundTrips = RoundTripHistogram()
}

/// How long commands took, in classes.
struct RoundTripHistogram: Sendable {
    /// The upper ends of the classes, in seconds.
    static let ends: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// How many fell into each class; the last one has no end.
    private(set) var counts = [UInt64](repeating: 0, count: ends.count + 1)
    private(set) var sum = 0.0

    mutating func note(_ time: Duration) {
        let seconds = time / .seconds(1)
        let place = Self.ends.firstIndex { seconds <= $0 } ?? Self.ends.count
        counts[place] += 1
        sum += seconds
    }
}
