import Glibc
import Synchronization

/// The link over one connection with a device: the central's side of a BTP session.
///
/// The link has one peer, and lives as long as the connection: once that is over, it cannot be opened again.
package final class BTPLinks: LinkProvider {
    private let connection: any GATTConnection
    private let time: any TimeSource
    private let idleLimit: Duration?
    /// The task that runs the session, once there is one.
    private let runner = Mutex<BTPRunner?>(nil)

    /// - Parameter idleLimit: how long a session without messages is borne; `nil` for ever.
    package init(_ connection: any GATTConnection, time: any TimeSource, idleLimit: Duration? = BTP.idleLimit) {
        self.connection = connection
        self.time = time
        self.idleLimit = idleLimit
    }

    package var properties: LinkProperties { .btp }

    /// The device's name on this link.
    package var peer: PeerAddress { .bluetooth(connection.name) }

    /// Plays the handshake of BTP.
    package func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        let (connection, peer) = (connection, peer)
        let runner = BTPRunner(
            BTPSession(.central, attMTU: connection.attMTU, idleLimit: idleLimit), time: time, on: eventLoop)
        let earlier = self.runner.withLock { known in
            if known == nil { known = runner }
            return known === runner ? nil : known
        }
        if let earlier {
            throw (earlier.end ?? nil) ?? TransportError(.closed, "the connection with \(peer) was closed")
        }
        let link = BTPLink(peer: peer, runner: runner)
        runner.start(
            BTPRunner.Edge(
                transmit: { value throws(TransportError) in try await connection.write(value) },
                subscribe: { () throws(TransportError) in
                    try await connection.subscribe { event in
                        switch event {
                        case .value(let value): runner.post(.received(value))
                        case .disconnected(let reason): runner.post(.disconnected(reason))
                        }
                    }
                }, disconnect: { await connection.disconnect() }),
            BTPRunner.Owner(deliver: { receive($0, peer) }, ended: { link.end($0) }))
        do throws(TransportError) {
            try await runner.opened()
        } catch {
            await runner.close()
            throw error
        }
        return link
    }

    /// Ends the connection, whether the link was opened or not.
    package func close() async {
        await runner.withLock { $0 }?.close()
        await connection.disconnect()
    }
}

/// The open link of one BTP session.
private final class BTPLink: DatagramLink {
    let peer: PeerAddress
    let runner: BTPRunner
    private let losses = LossReport()

    init(peer: PeerAddress, runner: BTPRunner) {
        self.peer = peer
        self.runner = runner
    }

    var port: UInt16 { 0 }
    var isOpen: Bool { runner.isOpen }

    func send(_ message: [UInt8], to address: PeerAddress) -> Int32? {
        guard address == peer else { return EDESTADDRREQ }
        return runner.send(message)
    }

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] { [] }

    func join(_ groups: Set<PeerAddress>) async throws(TransportError) {
        guard groups.isEmpty else { throw TransportError(.noInterface, "Bluetooth carries no messages to groups") }
    }

    func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) { losses.hand(to: handler) }

    func end(_ error: TransportError?) {
        if let error { losses.report(peer, error) }
    }

    func close() async { await runner.close() }
}
