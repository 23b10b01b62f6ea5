import Foundation
package import MatterTransport
import Synchronization

/// A UDP relay between one client and one device, which loses or delays what a test wants lost or late.
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
    }

    /// What becomes of a datagram of a secure session; handshakes always pass, but for ``cutOff()``.
    package typealias Rule = @Sendable (Passing) -> Fate

    /// Whether it is to be lost.
    package typealias Loss = @Sendable (Direction) -> Bool

    /// What becomes of a datagram of a handshake: what goes where in its place.
    package typealias Meddling = @Sendable (Direction, [UInt8]) -> [(Direction, [UInt8])]

    private struct Held {
        var datagram: [UInt8]
        var direction: Direction
        var at: ContinuousClock.Instant
    }

    private struct State {
        var meddling: Meddling = { [($0, $1)] }
        var rule: Rule = { _ in .pass }
        var sessions: [Direction: [UInt16]] = [:]
        var held: [Held] = []
        var isCutOff = false
        var client: sockaddr_in6?
        var isStopped = false
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
    private let front: Int32
    private let back: Int32
    private let state = Mutex(State())

    package init(to device: PeerAddress) throws {
        front = try Self.socket()
        back = try Self.socket()
        address = try PeerAddress(parsing: "[::1]:\(Self.port(front))")
        let target = Self.loopback(device.udp?.port ?? 0)
        Thread.detachNewThread { [self] in run(target) }
    }

    package func stop() { state.withLock { $0.isStopped = true } }

    /// From now on does what `rule` says.
    package func treat(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// From now on loses what `loss` says.
    package func lose(_ loss: @escaping Loss) { treat { loss($0.direction) ? .lose : .pass } }

    /// From now on does to handshakes what somebody on the way might.
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

    private func run(_ device: sockaddr_in6) {
        var buffer = [UInt8](repeating: 0, count: 2048)
        while !state.withLock({ $0.isStopped }) {
            var polled = [front, back].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&polled, 2, 20)
            deliverHeld(device)
            guard count > 0 else { continue }
            if polled[0].revents != 0 { forward(&buffer, from: front, .toDevice, device) }
            if polled[1].revents != 0 { forward(&buffer, from: back, .toClient, device) }
        }
        close(front)
        close(back)
    }

    private func forward(_ buffer: inout [UInt8], from source: Int32, _ direction: Direction, _ device: sockaddr_in6) {
        var sender = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let count = withUnsafeMutableBytes(of: &sender) { sender in
            recvfrom(
                source, &buffer, buffer.count, 0, sender.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard count >= 3 else { return }
        let session = UInt16(buffer[1]) | UInt16(buffer[2]) << 8
        let datagram = Array(buffer[..<count])
        let passes = state.withLock { state -> Bool in
            if direction == .toDevice { state.client = sender }
            switch state.fate(session, direction) {
            case .pass:
                if session != 0 { state.passed[direction, default: 0] += 1 }
                return true
            case .lose:
                state.lost[direction, default: 0] += 1
            case .hold(let time):
                state.held.append(Held(datagram: datagram, direction: direction, at: .now + time))
            }
            return false
        }
        guard passes else { return }
        guard session == 0 else { return deliver(datagram, direction, device) }
        let meddling = state.withLock { $0.meddling }
        for (direction, datagram) in meddling(direction, datagram) { deliver(datagram, direction, device) }
    }

    /// Delivers what was held for long enough.
    private func deliverHeld(_ device: sockaddr_in6) {
        let due = state.withLock { state in
            let due = state.held.filter { $0.at <= .now }
            state.held.removeAll { $0.at <= .now }
            for held in due { state.passed[held.direction, default: 0] += 1 }
            return due
        }
        for held in due { deliver(held.datagram, held.direction, device) }
    }

    private func deliver(_ datagram: [UInt8], _ direction: Direction, _ device: sockaddr_in6) {
        guard var target = direction == .toDevice ? device : state.withLock({ $0.client }) else { return }
        let exit = direction == .toDevice ? back : front
        withUnsafeMutableBytes(of: &target) { target in
            _ = sendto(
                exit, datagram, datagram.count, 0, target.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(target.count))
        }
    }

    // MARK: Sockets

    private static func loopback(_ port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return address
    }

    static func socket() throws -> Int32 {
        let descriptor = Glibc.socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        var address = loopback(0)
        let bound = withUnsafeMutableBytes(of: &address) { address in
            bind(
                descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
        }
        guard descriptor >= 0, bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return descriptor
    }

    static func port(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutableBytes(of: &address) { address in
            getsockname(descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin6_port)
    }
}

/// An address where datagrams arrive and nobody reads them.
package final class Blackhole: Sendable {
    package let address: PeerAddress
    private let descriptor: Int32

    package init() throws {
        descriptor = try Relay.socket()
        address = try PeerAddress(parsing: "[::1]:\(Relay.port(descriptor))")
    }

    deinit { close(descriptor) }

    /// How many datagrams have come.
    package var received: Int {
        var count = 0
        var octet: UInt8 = 0
        while recv(descriptor, &octet, 1, Int32(MSG_DONTWAIT)) >= 0 { count += 1 }
        return count
    }
}
