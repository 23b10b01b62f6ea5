import TestSupport

@testable import MatterNetwork

extension [BTPSession.Action] {
    var transmitted: [[UInt8]] { compactMap { if case .transmit(let value) = $0 { value } else { nil } } }
    var delivered: [[UInt8]] { compactMap { if case .deliver(let message) = $0 { message } else { nil } } }
    var isOpened: Bool { contains(.opened) }
    /// True if the session ended, for whatever reason.
    var isEnd: Bool { contains { if case .closed = $0 { true } else { false } } }
    /// Why the session ended; `nil` too if it was closed on purpose.
    var end: TransportError? {
        for case .closed(let error) in self { return error }
        return nil
    }
}

extension BTPSession {
    /// A peripheral's session after its handshake, which the central has not acknowledged yet.
    static func peripheral(
        mtu: UInt16 = 247, window: UInt8 = 6, now: Instant, largestMessage: Int = BTP.largestMessage
    ) -> BTPSession {
        var session = BTPSession(.peripheral, attMTU: nil, window: 255, largestMessage: largestMessage)
        _ = session.handle(.began, now: now)
        _ = session.handle(.received(BTPHandshakeRequest(attMTU: mtu, window: window).encoded()), now: now)
        _ = session.handle(.subscribed, now: now)
        _ = session.handle(.confirmed, now: now)
        return session
    }

    /// A central's session after its handshake, which it has not acknowledged yet.
    static func central(
        segmentSize: UInt16 = 244, window: UInt8 = 6, now: Instant, idleLimit: Duration? = BTP.idleLimit
    ) -> BTPSession {
        var session = BTPSession(.central, attMTU: 247, window: window, idleLimit: idleLimit)
        _ = session.handle(.began, now: now)
        _ = session.handle(.confirmed, now: now)
        _ = session.handle(.confirmed, now: now)
        _ = session.handle(
            .received(BTPHandshakeResponse(segmentSize: segmentSize, window: window).encoded()), now: now)
        return session
    }

    /// Events at the deadline that the session asks for.
    mutating func wait() -> [Action] { deadline.map { handle(.timer, now: $0) } ?? [] }
}

/// A central and a peripheral back to back, with a clock of their own: values arrive in order, each a while after it was
/// sent, and are confirmed another while later.
struct BTPPair {
    enum Side: Int, CaseIterable {
        case central, peripheral
        var other: Side { self == .central ? .peripheral : .central }
    }

    private struct Coming {
        var at: Instant
        var side: Side
        var event: BTPSession.Event
    }

    var sessions: [Side: BTPSession]
    private(set) var now = Instant.now
    private(set) var delivered: [Side: [[UInt8]]] = [:]
    private(set) var ends: [Side: TransportError?] = [:]
    /// Every value that was sent, with its sender.
    private(set) var values: [(side: Side, value: [UInt8])] = []
    private var coming: [Coming] = []
    private var generator: SeededGenerator
    /// The longest that a value is on its way, in milliseconds.
    private let latency: Int

    init(central: BTPSession, peripheral: BTPSession, seed: UInt64, latency: Int = 40) {
        sessions = [.central: central, .peripheral: peripheral]
        generator = SeededGenerator(seed: seed)
        self.latency = latency
        for side in [Side.peripheral, .central] { give(.began, to: side) }
    }

    mutating func give(_ event: BTPSession.Event, to side: Side) {
        for action in sessions[side]?.handle(event, now: now) ?? [] {
            switch action {
            case .transmit(let value):
                values.append((side, value))
                let arrival = plan(.received(value), for: side.other, after: now)
                plan(.confirmed, for: side, after: arrival)
            case .subscribe:
                plan(.confirmed, for: side, after: plan(.subscribed, for: side.other, after: now))
            case .opened: break
            case .deliver(let message): delivered[side, default: []].append(message)
            case .closed(let error):
                ends[side] = .some(error)
                plan(.disconnected("the peer has left"), for: side.other, after: now)
            }
        }
    }

    /// Later than everything that was planned for that side before.
    @discardableResult
    private mutating func plan(_ event: BTPSession.Event, for side: Side, after start: Instant) -> Instant {
        let delay = Duration.milliseconds(Int.random(in: 0...latency, using: &generator))
        let last = coming.last { $0.side == side }?.at
        let at = max(start + delay, last ?? start)
        let place = coming.firstIndex { $0.at > at } ?? coming.endIndex
        coming.insert(Coming(at: at, side: side, event: event), at: place)
        return at
    }

    /// Lets the next thing happen, by the clock.
    ///
    /// - Returns: whether there was anything before `limit`.
    mutating func step(until limit: Instant) -> Bool {
        let timers = Side.allCases.compactMap { side in
            sessions[side]?.deadline.map { (at: max($0, now), side: side) }
        }.min { $0.at < $1.at }
        let arrival = coming.first
        guard let next = [timers?.at, arrival?.at].compactMap({ $0 }).min(), next <= limit else { return false }
        now = next
        if let arrival, arrival.at <= next {
            coming.removeFirst()
            give(arrival.event, to: arrival.side)
        } else if let timers {
            give(.timer, to: timers.side)
        }
        return true
    }

    /// Runs for a while, or until something holds.
    mutating func run(for duration: Duration, until isDone: (BTPPair) -> Bool = { _ in false }) {
        let limit = now + duration
        while !isDone(self), step(until: limit) {}
    }
}
