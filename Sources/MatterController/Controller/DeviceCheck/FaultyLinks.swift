import MatterNetwork
import Synchronization

/// Links on which faults of the radio are played when they are wanted.
final class FaultyLinks: LinkProvider {
    private struct State {
        var script: LossScript?
        var until: Instant?
        var sent = 0
        var heard = 0
        var faults = 0
    }

    private let links: any LinkProvider
    private let time: any TimeSource
    private let state = Mutex(State())

    init(_ links: any LinkProvider, _ time: any TimeSource) {
        self.links = links
        self.time = time
    }

    var properties: LinkProperties { links.properties }

    func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        let link = try await links.open(port: port, on: eventLoop) { [self] message, address in
            if isHeard() { receive(message, address) }
        }
        return FaultyLink(link: link, faults: self)
    }

    /// Plays a fault from now on; none with `nil`.
    func play(_ script: LossScript?) {
        state.withLock { state in
            state = State(script: script)
            if case .silence(let span) = script { state.until = time.now + span }
        }
    }

    /// Of the play under way: the datagrams, and those that it has hit.
    var counts: (datagrams: Int, faults: Int) { state.withLock { ($0.sent + $0.heard, $0.faults) } }

    /// How often a datagram of ours goes out.
    fileprivate func copies() -> Int {
        state.withLock { state in
            state.sent += 1
            let copies =
                switch state.script {
                case .losesOurs(let every): state.sent % every == 0 ? 0 : 1
                case .duplicates: 2
                case .silence: isSilent(state) ? 0 : 1
                case .losesTheirs, nil: 1
                }
            if copies != 1 { state.faults += 1 }
            return copies
        }
    }

    private func isHeard() -> Bool {
        state.withLock { state in
            state.heard += 1
            let isHeard =
                switch state.script {
                case .losesTheirs(let every): state.heard % every != 0
                case .silence: !isSilent(state)
                case .losesOurs, .duplicates, nil: true
                }
            if !isHeard { state.faults += 1 }
            return isHeard
        }
    }

    private func isSilent(_ state: State) -> Bool { state.until.map { time.now < $0 } ?? false }
}

private struct FaultyLink: DatagramLink {
    let link: any DatagramLink
    let faults: FaultyLinks

    var port: UInt16 { link.port }
    var isOpen: Bool { link.isOpen }

    func send(_ message: [UInt8], to address: PeerAddress) -> Int32? {
        var failure: Int32?
        for _ in 0..<faults.copies() { failure = failure ?? link.send(message, to: address) }
        return failure
    }

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        link.multicast(message, to: group)
    }

    func join(_ groups: Set<PeerAddress>) async throws(TransportError) { try await link.join(groups) }

    func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) { link.onLoss(handler) }

    func close() async { await link.close() }
}
