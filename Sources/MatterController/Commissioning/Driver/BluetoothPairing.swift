import Logging
import MatterNetwork

/// The Bluetooth connection that a device was paired over.
struct BluetoothLink: Sendable {
    /// Sends what goes over it.
    let manager: ExchangeManager
    let links: BTPLinks

    /// Sends what is still waiting, and ends the connection.
    func close() async {
        await manager.shutDown()
        await links.close()
    }
}

/// Connects to a device over Bluetooth and sets up PASE on the connection. What goes over it has an ``ExchangeManager``
/// of its own, which lives as long as the connection.
struct BluetoothPairing: Sendable {
    let central: any BluetoothCentral
    let time: any TimeSource
    let random: any RandomSource
    let logger: Logger
    /// Sees all messages.
    var observer: (any TrafficObserver)?

    /// - Throws: ``SessionError``, ``TransportError``, what the central throws, `CancellationError`. Nothing of the
    ///   connection is left then.
    func pair(
        with device: BluetoothDevice, target: PeerTarget, deadline: Instant,
        makeHandshake: @escaping Connector.MakeHandshake
    ) async throws -> PairedDevice {
        let connection = try await central.connect(to: device, deadline: deadline)
        let links = BTPLinks(connection, time: time)
        let manager: ExchangeManager
        do {
            manager = try ExchangeManager(
                time: time, links: links, random: random, admission: { _, _, _ in false }, observer: observer)
        } catch {
            await links.close()
            throw error
        }
        let link = BluetoothLink(manager: manager, links: links)
        do {
            try await manager.open()
            var target = target
            target.hints = [links.peer]
            let session = try await Connector(manager: manager, logger: logger).connect(
                to: target, deadline: deadline, makeHandshake: makeHandshake)
            return PairedDevice(
                session: session,
                advertised: VendorAndProduct(
                    vendorID: device.advertisement.vendorID.map { VendorID($0) },
                    productID: device.advertisement.productID), link: link)
        } catch {
            await link.close()
            throw error
        }
    }
}
