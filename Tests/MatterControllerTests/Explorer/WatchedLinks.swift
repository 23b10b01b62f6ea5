import MatterTestKit

@testable import MatterNetwork

/// Links of which the stage hears when they are opened and closed.
struct WatchedLinks: LinkProvider {
    private let links: any LinkProvider
    private let opened: @Sendable (PeerAddress) -> Void
    private let closed: @Sendable (PeerAddress) -> Void

    init(
        of links: any LinkProvider, opened: @escaping @Sendable (PeerAddress) -> Void,
        closed: @escaping @Sendable (PeerAddress) -> Void
    ) {
        self.links = links
        self.opened = opened
        self.closed = closed
    }

    var properties: LinkProperties { links.properties }

    func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        let link = try await links.open(port: port, on: eventLoop, receive: receive)
        guard let address = try? PeerAddress(parsing: "[::1]:\(link.port)") else { return link }
        opened(address)
        return Link(link: link) { [closed] in closed(address) }
    }

    private struct Link: DatagramLink {
        let link: any DatagramLink
        let closed: @Sendable () -> Void

        var port: UInt16 { link.port }
        var isOpen: Bool { link.isOpen }

        func send(_ message: [UInt8], to address: PeerAddress) -> Int32? { link.send(message, to: address) }

        func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
            link.multicast(message, to: group)
        }

        func join(_ groups: Set<PeerAddress>) async throws(TransportError) { try await link.join(groups) }

        func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) { link.onLoss(handler) }

        func close() async {
            await link.close()
            closed()
        }
    }
}
