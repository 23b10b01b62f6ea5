import Synchronization

/// A network of links in memory: what one link sends arrives at the link with that address, on the receiver's event loop.
///
/// Each link is a host of its own with one port. A message to an address that no link has is lost, as on a real network.
package final class MemoryNetwork: Sendable {
    private struct Host {
        let eventLoop: any EventLoop
        let receive: @Sendable ([UInt8], PeerAddress) -> Void
        var groups: Set<PeerAddress> = []
    }

    private let hosts = Mutex<[PeerAddress: Host]>([:])
    private let judge: @Sendable (_ message: [UInt8], _ from: PeerAddress, _ to: PeerAddress) -> [Duration]
    private let refusal: @Sendable (PeerAddress) -> Int32?
    /// The promises of the links.
    package let properties: LinkProperties

    /// - Parameters:
    ///   - judge: when copies of a message arrive; none for one that is lost.
    ///   - refusal: the number of the error for an address that nothing can be sent to.
    package init(
        _ properties: LinkProperties = .udp,
        judge: @escaping @Sendable (_ message: [UInt8], _ from: PeerAddress, _ to: PeerAddress) -> [Duration] = {
            _, _, _ in [.zero]
        }, refusal: @escaping @Sendable (PeerAddress) -> Int32? = { _ in nil }
    ) {
        self.properties = properties
        self.refusal = refusal
        self.judge = judge
    }

    /// The links of one host.
    package func links(of address: PeerAddress) -> any LinkProvider { Links(network: self, address: address) }

    private struct Links: LinkProvider {
        let network: MemoryNetwork
        let address: PeerAddress

        var properties: LinkProperties { network.properties }

        func open(
            port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
        ) async throws(TransportError) -> any DatagramLink {
            try network.open(address, on: eventLoop, receive: receive)
        }
    }

    /// The link of one host.
    ///
    /// - Throws: ``TransportError`` with code `portInUse`.
    package func open(
        _ address: PeerAddress, on eventLoop: any EventLoop,
        receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) throws(TransportError) -> any DatagramLink {
        let isFree = hosts.withLock { hosts in
            guard hosts[address] == nil else { return false }
            hosts[address] = Host(eventLoop: eventLoop, receive: receive)
            return true
        }
        guard isFree else { throw TransportError(.portInUse, "\(address) is in use") }
        return MemoryLink(network: self, address: address)
    }

    fileprivate func isOpen(_ address: PeerAddress) -> Bool { hosts.withLock { $0[address] != nil } }

    fileprivate func join(_ groups: Set<PeerAddress>, at address: PeerAddress) {
        hosts.withLock { $0[address]?.groups = groups }
    }

    fileprivate func multicast(_ message: [UInt8], from: PeerAddress, to group: PeerAddress) {
        let members = hosts.withLock { $0.filter { $0.value.groups.contains(group) }.keys }
        for member in members { _ = carry(message, from: from, to: member) }
    }

    fileprivate func close(_ address: PeerAddress) { hosts.withLock { $0[address] = nil } }

    fileprivate func carry(_ message: [UInt8], from: PeerAddress, to: PeerAddress) -> Int32? {
        if let refusal = refusal(to) { return refusal }
        guard let host = hosts.withLock({ $0[to] }) else {
            _ = judge(message, from, to)
            return nil
        }
        for delay in judge(message, from, to) {
            _ = host.eventLoop.schedule(in: delay) {
                guard self.isOpen(to) else { return }
                host.receive(message, from)
            }
        }
        return nil
    }
}

private struct MemoryLink: DatagramLink {
    let network: MemoryNetwork
    let address: PeerAddress

    var port: UInt16 { address.udp?.port ?? 0 }
    var isOpen: Bool { network.isOpen(address) }

    func send(_ message: [UInt8], to peer: PeerAddress) -> Int32? {
        network.carry(message, from: address, to: peer)
    }

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        network.multicast(message, from: address, to: group)
        return [MulticastAttempt(interface: "memory", refusal: nil)]
    }

    func join(_ groups: Set<PeerAddress>) async { network.join(groups, at: address) }

    func close() async { network.close(address) }
}
