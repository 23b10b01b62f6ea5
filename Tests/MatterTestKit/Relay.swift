package import MatterNetwork
import Synchronization

/// A relay between one client and one device of the test's network, which loses or delays what a test wants lost or late.
package final class Relay: Sendable {
    package enum Direction: Sendable { case toDevice, toClient }

    /// A datagram of a secure session.
    package struct Passing: Sendable {
        package let direction: Direction
        /// Which session it belongs to, from 0, in the order in which they were first seen in this direction.
        package let session: Int
    }

    package enum Fate: Sendable {
        case pass
        case lose
        /// Delivers it after that time.
        case hold(Duration)
        /// Delivers it at once, and once more after that time.
        case double(Duration)
    }

    /// The fate of a datagram of a secure session; handshakes always pass, but for ``cutOff()``.
    package typealias Rule = @Sendable (Passing) -> Fate

    /// Whether it is to be lost.
    package typealias Loss = @Sendable (Direction) -> Bool

    /// The fate of a datagram of a handshake: what goes where in its place.
    package typealias Meddling = @Sendable (Direction, [UInt8]) -> [(Direction, [UInt8])]

    private struct State {
        var front: (any DatagramLink)?
        var back: (any DatagramLink)?
        var meddling: Meddling = { [($0, $1)] }
        var rule: Rule = { _ in .pass }
        var sessions: [Direction: [UInt16]] = [:]
        var isCutOff = false
        var client: PeerAddress?
        var passed: [Direction: Int] = [:]
        var lost: [Direction: Int] = [:]

        mutating func fate(_ session: UInt16, _ direction: Direction) -> Fate {
            guard !isCutOff else { return .lose }
            guard session != 0 else { return .pass }
            var seen = sessions[direction, default: []]
            let position = seen.firstIndex(of: session) ?? seen.endIndex
            if position == seen.endIndex { seen.append(session) }
            sessions[direction] = seen
            return rule(Passing(direction: direction, session: position))
        }
    }

    package let address: PeerAddress
    private let device: PeerAddress
    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    package init(to device: PeerAddress) throws {
        let network = TestNetwork.current
        self.device = device
        address = network.freeAddress()
        eventLoop = testTime.eventLoop
        let front = try network.memory.open(address, on: eventLoop) { [weak self] datagram, sender in
            self?.state.withLock { $0.client = sender }
            self?.forward(datagram, .toDevice)
        }
        let back = try network.memory.open(network.freeAddress(), on: eventLoop) { [weak self] datagram, _ in
            self?.forward(datagram, .toClient)
        }
        state.withLock { ($0.front, $0.back) = (front, back) }
    }

    package func stop() { cutOff() }

    /// From now on does what `rule` says.
    package func treat(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// From now on loses what `loss` says.
    package func lose(_ loss: @escaping Loss) { treat { loss($0.direction) ? .lose : .pass } }

    /// From now on does to handshakes what an attacker on the way might.
    package func meddle(_ meddling: @escaping Meddling) { state.withLock { $0.meddling = meddling } }

    /// From now on loses the first datagrams in one direction.
    package func loseFirst(_ count: Int, _ direction: Direction) {
        let left = Mutex(count)
        lose { seen in
            guard seen == direction else { return false }
            return left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
        }
    }

    /// Loses everything from now on.
    package func cutOff() { state.withLock { $0.isCutOff = true } }

    /// Datagrams of secure sessions that got through since the beginning.
    package func passed(_ direction: Direction) -> Int { state.withLock { $0.passed[direction, default: 0] } }
    package func lost(_ direction: Direction) -> Int { state.withLock { $0.lost[direction, default: 0] } }

    private func forward(_ datagram: [UInt8], _ direction: Direction) {
        guard datagram.count >= 3 else { return }
        let session = UInt16(datagram[1]) | UInt16(datagram[2]) << 8
        switch state.withLock({ $0.fate(session, direction) }) {
        case .pass where session == 0:
            let meddling = state.withLock { $0.meddling }
            for (direction, datagram) in meddling(direction, datagram) { deliver(datagram, direction) }
        case .pass:
            count(direction)
            deliver(datagram, direction)
        case .lose:
            state.withLock { $0.lost[direction, default: 0] += 1 }
        case .double(let time):
            count(direction)
            deliver(datagram, direction)
            _ = eventLoop.schedule(in: time) { [weak self] in self?.deliver(datagram, direction) }
        case .hold(let time):
            _ = eventLoop.schedule(in: time) { [weak self] in
                self?.count(direction)
                self?.deliver(datagram, direction)
            }
        }
    }

    private func count(_ direction: Direction) { state.withLock { $0.passed[direction, default: 0] += 1 } }

    private func deliver(_ datagram: [UInt8], _ direction: Direction) {
        let (front, back, client) = state.withLock { ($0.front, $0.back, $0.client) }
        switch direction {
        case .toDevice: _ = back?.send(datagram, to: device)
        case .toClient: if let client { _ = front?.send(datagram, to: client) }
        }
    }
}
