import MatterNetwork
import Synchronization

/// The links of a device whose radio is off while it sleeps, and of one that is not on its network.
final class SleepingLinks: LinkProvider {
    private let base: any LinkProvider
    private let asleep = Atomic(false)
    private let away = Atomic(false)

    init(_ base: any LinkProvider) { self.base = base }

    var properties: LinkProperties { base.properties }

    /// Whether messages are lost.
    var isAsleep: Bool {
        get { asleep.load(ordering: .relaxed) }
        set { asleep.store(newValue, ordering: .relaxed) }
    }

    /// Whether messages are lost because the device is not on the network.
    var isAway: Bool {
        get { away.load(ordering: .relaxed) }
        set { away.store(newValue, ordering: .relaxed) }
    }

    /// Whether messages are lost, for one reason or the other.
    var isSilent: Bool { isAsleep || isAway }

    func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        let link = try await base.open(port: port, on: eventLoop) { [weak self] message, address in
            if self?.isSilent != true { receive(message, address) }
        }
        return SleepingLink(base: link, radio: self)
    }
}

private struct SleepingLink: DatagramLink {
    let base: any DatagramLink
    let radio: SleepingLinks

    var port: UInt16 { base.port }
    var isOpen: Bool { base.isOpen }

    func send(_ message: [UInt8], to address: PeerAddress) -> Int32? {
        radio.isSilent ? nil : base.send(message, to: address)
    }

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        radio.isSilent ? [] : base.multicast(message, to: group)
    }

    func join(_ groups: Set<PeerAddress>) async throws(TransportError) { try await base.join(groups) }

    func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) { base.onLoss(handler) }

    func close() async { await base.close() }
}
