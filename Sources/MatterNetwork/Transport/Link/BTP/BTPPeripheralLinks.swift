import Glibc
import Synchronization

/// The links of a device of our own that offers BTP beside its network: peers that come over Bluetooth have an address of
/// that kind, and all others go over the link below.
package struct BTPPeripheralLinks: LinkProvider {
    private let base: any LinkProvider
    private let peripheral: any BluetoothPeripheral
    private let time: any TimeSource

    package init(_ base: any LinkProvider, peripheral: any BluetoothPeripheral, time: any TimeSource) {
        self.base = base
        self.peripheral = peripheral
        self.time = time
    }

    /// Those of the network; what Bluetooth promises is known of each address.
    package var properties: LinkProperties { base.properties }

    package func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        let below = try await base.open(port: port, on: eventLoop, receive: receive)
        let link = BTPPeripheralLink(base: below, peripheral: peripheral)
        let time = time
        do {
            try await peripheral.offer { [weak link] connection in
                link?.accept(connection, time: time, on: eventLoop, receive: receive)
            }
        } catch {
            await below.close()
            throw error as? TransportError ?? TransportError(.socket, "Bluetooth cannot be offered: \(error)")
        }
        return link
    }
}

/// The open link: the network's, and a BTP session for each central.
private final class BTPPeripheralLink: DatagramLink {
    private let base: any DatagramLink
    private let peripheral: any BluetoothPeripheral
    private let sessions = Mutex<[PeerAddress: BTPRunner]>([:])
    private let losses = LossReport()

    init(base: any DatagramLink, peripheral: any BluetoothPeripheral) {
        self.base = base
        self.peripheral = peripheral
    }

    var port: UInt16 { base.port }
    var isOpen: Bool { base.isOpen }

    func accept(
        _ connection: any GATTServerConnection, time: any TimeSource, on eventLoop: any EventLoop,
        receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) {
        let peer = PeerAddress.bluetooth(connection.name)
        let runner = BTPRunner(BTPSession(.peripheral, attMTU: connection.attMTU), time: time, on: eventLoop)
        let previous = sessions.withLock { $0.updateValue(runner, forKey: peer) }
        // A central that comes again has lost the connection that it had.
        previous?.post(.disconnected("the same central has connected again"))
        runner.start(
            BTPRunner.Edge(
                transmit: { value throws(TransportError) in try await connection.indicate(value) },
                disconnect: { await connection.disconnect() }),
            BTPRunner.Owner(
                deliver: { receive($0, peer) },
                ended: { [weak self, weak runner] error in self?.ended(runner, peer, error) }))
        connection.receive { event in
            switch event {
            case .written(let value): runner.post(.received(value))
            case .subscribed: runner.post(.subscribed)
            case .disconnected(let reason): runner.post(.disconnected(reason))
            }
        }
    }

    private func ended(_ runner: BTPRunner?, _ peer: PeerAddress, _ error: TransportError?) {
        sessions.withLock { sessions in
            if sessions[peer] === runner { sessions[peer] = nil }
        }
        losses.report(peer, error ?? TransportError(.closed, "the Bluetooth connection was closed"))
    }

    func send(_ message: [UInt8], to address: PeerAddress) -> Int32? {
        guard case .bluetooth = address else { return base.send(message, to: address) }
        guard let runner = sessions.withLock({ $0[address] }) else { return ENOTCONN }
        return runner.send(message)
    }

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        base.multicast(message, to: group)
    }

    func join(_ groups: Set<PeerAddress>) async throws(TransportError) { try await base.join(groups) }

    func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) { losses.hand(to: handler) }

    func close() async {
        for runner in sessions.withLock({ Array($0.values) }) { await runner.close() }
        await peripheral.stop()
        await base.close()
    }
}
