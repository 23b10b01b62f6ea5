import MatterNetwork

/// The order in which the devices of a list are commissioned: those that are there come first, a few at a time.
struct CommissioningQueue {
    /// More at a time would keep devices waiting that have accepted the passcode: each of them costs both sides milliseconds of
    /// computing.
    static let together = 16

    /// The next line.
    struct Next: Equatable {
        let index: Int
        /// Whether its device may be there, by what devices advertise, or by what is kept of an earlier commissioning.
        let isExpected: Bool
    }

    private let requests: [[CommissioningRequest]]
    /// Those whose devices were not seen.
    private var waiting: [Int]
    private var ready: [Next]
    private var running = 0
    /// The first of the ready ones that has not begun.
    private var position = 0

    /// - Parameter known: the lines that need not be seen first.
    init(_ requests: [[CommissioningRequest]], known: Set<Int>) {
        self.requests = requests
        waiting = requests.indices.filter { !known.contains($0) }
        ready = known.sorted().map { Next(index: $0, isExpected: true) }
    }

    /// True if nothing is left to begin or to wait for.
    var isDone: Bool { waiting.isEmpty && position == ready.count && running == 0 }

    /// A device advertises itself.
    mutating func see(_ device: CommissionableDevice) {
        waiting.removeAll { index in
            guard requests[index].contains(where: { $0.mayMean(device) }) else { return false }
            ready.append(Next(index: index, isExpected: true))
            return true
        }
    }

    /// Those whose devices were not seen have their turns after the others.
    mutating func stopWaiting() {
        ready += waiting.map { Next(index: $0, isExpected: false) }
        waiting = []
    }

    /// - Returns: what may begin now; `nil` if nothing may. It runs until ``end()``.
    mutating func next() -> Next? {
        guard running < Self.together, position < ready.count else { return nil }
        running += 1
        position += 1
        return ready[position - 1]
    }

    /// One of those that run has ended.
    mutating func end() { running -= 1 }
}
