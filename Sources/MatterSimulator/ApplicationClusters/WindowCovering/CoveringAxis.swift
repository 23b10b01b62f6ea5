import MatterNetwork

/// Lift or tilt: a motor that takes its time. Positions are hundredths of a percent, 0 open and 10,000 closed.
struct CoveringAxis: Sendable {
    static let closed: UInt16 = 10_000

    enum Direction: UInt8 {
        case stopped = 0
        case opening = 1
        case closing = 2
    }

    /// From one end to the other.
    let fullTravel: Duration
    private(set) var target: UInt16
    /// `nil` at rest.
    private(set) var ramp: Ramp?

    init(fullTravel: Duration, position: UInt16) {
        self.fullTravel = fullTravel
        target = min(position, Self.closed)
    }

    var isMoving: Bool { ramp != nil }

    var direction: Direction {
        guard let ramp else { return .stopped }
        return ramp.to < ramp.from ? .opening : .closing
    }

    func position(at now: Instant) -> UInt16 { ramp.map { UInt16(clamping: $0.value(at: now)) } ?? target }

    /// Sets off from wherever it is.
    mutating func move(to wish: UInt16, at now: Instant) {
        let from = Int(position(at: now))
        target = min(wish, Self.closed)
        let way = abs(Int(target) - from)
        ramp =
            way == 0
            ? nil : Ramp(from: from, to: Int(target), start: now, duration: fullTravel * way / Int(Self.closed))
    }

    mutating func stop(at now: Instant) { move(to: position(at: now), at: now) }

    /// Ends a movement that has arrived.
    mutating func settle(at now: Instant) {
        if let ramp, ramp.end <= now { self.ramp = nil }
    }
}
