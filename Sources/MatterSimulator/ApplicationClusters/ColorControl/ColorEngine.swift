import MatterNetwork

/// The colours of a light on their way. Hue is kept in sixteen bits, and may be outside of the circle while it moves.
struct ColorEngine: Sendable {
    enum Channel: Hashable, Sendable, CaseIterable {
        case hue, saturation, x, y, mireds
    }

    /// The circle of a hue in sixteen bits, and that of one in eight bits, whose last value is 254.
    static let enhancedCircle = 1 << 16
    static let plainCircle = 255 << 8
    /// For how long a movement without an end is planned; then it begins again.
    private static let horizon = Duration.seconds(6500)
    /// The largest RemainingTime.
    private static let longest: UInt16 = 0xFFFE

    private(set) var values: [Channel: Int] = [:]
    private var ramps: [Channel: Ramp] = [:]
    private(set) var circle = enhancedCircle
    /// How fast a hue without an end goes, in sixteen-bit steps per second.
    private var endlessRate: Int?

    init() {}

    mutating func set(_ channel: Channel, _ value: Int) {
        ramps[channel] = nil
        if channel == .hue { endlessRate = nil }
        values[channel] = value
    }

    var isMoving: Bool { !ramps.isEmpty }

    func isMoving(_ channel: Channel) -> Bool { ramps[channel] != nil }

    func value(_ channel: Channel, at now: Instant) -> Int {
        let value = ramps[channel]?.value(at: now) ?? values[channel] ?? 0
        return channel == .hue ? (value % circle + circle) % circle : value
    }

    /// Tenths of a second until all is done.
    func remaining(at now: Instant) -> UInt16 {
        min(ramps.values.map { $0.remaining(at: now) }.max() ?? 0, Self.longest)
    }

    func nextStep(after now: Instant) -> Instant? { ramps.values.map { $0.nextStep(after: now) }.min() }

    // MARK: Movements

    /// Moves by an amount; hue goes around the circle.
    mutating func move(_ channel: Channel, by amount: Int, in duration: Duration, at now: Instant) {
        let from = value(channel, at: now)
        guard amount != 0, duration > .zero else { return set(channel, from + amount) }
        if channel == .hue { endlessRate = nil }
        values[channel] = from
        ramps[channel] = Ramp(from: from, to: from + amount, start: now, duration: duration)
    }

    mutating func move(_ channel: Channel, to target: Int, in duration: Duration, at now: Instant) {
        move(channel, by: target - value(channel, at: now), in: duration, at: now)
    }

    /// Moves to a limit at a speed in steps per second.
    mutating func move(_ channel: Channel, to limit: Int, rate: Int, at now: Instant) {
        let way = abs(limit - value(channel, at: now))
        guard rate > 0 else { return set(channel, value(channel, at: now)) }
        move(channel, to: limit, in: .milliseconds(way * 1000 / rate), at: now)
    }

    /// Moves hue until told otherwise; the rate is in sixteen-bit steps per second, negative for down.
    mutating func moveHueEndlessly(rate: Int, at now: Instant) {
        let seconds = Int(Self.horizon / .seconds(1))
        move(.hue, by: rate * seconds, in: Self.horizon, at: now)
        endlessRate = rate
    }

    mutating func setCircle(_ circle: Int, at now: Instant) {
        let hue = value(.hue, at: now)
        self.circle = circle
        if !isMoving(.hue) { values[.hue] = min(hue, circle - 1) }
    }

    /// Holds everything, or all but some, where it is.
    mutating func stop(at now: Instant, except kept: Set<Channel> = []) {
        for channel in ramps.keys where !kept.contains(channel) { set(channel, value(channel, at: now)) }
    }

    /// Ends what has arrived.
    mutating func settle(at now: Instant) {
        for (channel, ramp) in ramps where ramp.end <= now {
            let rate = channel == .hue ? endlessRate : nil
            set(channel, value(channel, at: now))
            if let rate { moveHueEndlessly(rate: rate, at: now) }
        }
    }
}
