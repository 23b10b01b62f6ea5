/// A link to a device.
struct BlueZLink: Sendable {
    let name: String
    let characteristics: MatterCharacteristics
    /// The readers of its events.
    var receive: (@Sendable (GATTEvent) -> Void)?
    /// True while the link is said to be down.
    var isDoubtful = false
}

extension BlueZService {
    private static let writeLimit = Duration.seconds(15)
    private static let closingLimit = Duration.seconds(3)
    /// For how long a link may be said to be down: some say so for a moment when its parameters change.
    private static let doubt = Duration.seconds(2)

    // MARK: Values

    func write(_ value: [UInt8], _ path: DBusPath) async throws(TransportError) {
        guard let link = links[path] else { throw TransportError(.closed, "the Bluetooth connection has ended") }
        do throws(DBusError) {
            // With response: it is also the pace of what follows.
            try await call(
                link.characteristics.c1, BlueZ.characteristic, "WriteValue",
                [.bytes(value), .properties(["type": .string("request")])], within: Self.writeLimit)
        } catch {
            throw failure(error, link, "confirm what is written")
        }
    }

    func subscribe(
        _ path: DBusPath, _ receive: @escaping @Sendable (GATTEvent) -> Void
    ) async throws(TransportError) {
        guard let link = links[path] else { throw TransportError(.closed, "the Bluetooth connection has ended") }
        // The first indication may come before the answer.
        links[path]?.receive = receive
        do throws(DBusError) {
            try await call(link.characteristics.c2, BlueZ.characteristic, "StartNotify", within: Self.writeLimit)
        } catch {
            links[path]?.receive = nil
            throw failure(error, link, "accept the subscription")
        }
    }

    private func failure(_ error: DBusError, _ link: BlueZLink, _ what: String) -> TransportError {
        switch error.kind {
        case .timedOut:
            TransportError(
                .notAcknowledged,
                "\(link.name) does not \(what) within \(Self.writeLimit.components.seconds) s over Bluetooth")
        case .cancelled: TransportError(.closed, "the Bluetooth connection to \(link.name) is given up")
        case .disconnected: TransportError(.closed, "the D-Bus system bus has ended the connection")
        case .answered:
            switch error.shortName {
            case "NotConnected": TransportError(.closed, "the Bluetooth link to \(link.name) is lost: \(error.text)")
            case "InProgress":
                TransportError(.messageInFlight, "\(link.name) is in use by another program: \(error.text)")
            case "NotPermitted", "NotSupported", "NotAuthorized", "InvalidOffset":
                TransportError(
                    .closed,
                    "\(link.name) does not \(what): \(error.text); the host's memory of its services may be out of date"
                )
            default: TransportError(.closed, "\(link.name) does not \(what) over Bluetooth: \(error.text)")
            }
        }
    }

    /// An indication. Equal values that follow each other are separate indications.
    func indicated(_ path: DBusPath, _ value: [UInt8]) {
        for link in links.values where link.characteristics.c2 == path { link.receive?(.value(value)) }
    }

    // MARK: The end

    /// The device or its link has changed.
    func linkChanged(_ path: DBusPath) {
        guard let link = links[path] else { return }
        guard let device = tree.device(path) else {
            return endLink(path, "the Bluetooth link to \(link.name) is lost: bluetoothd has forgotten the device")
        }
        guard !device.isConnected else {
            links[path]?.isDoubtful = false
            return
        }
        guard !link.isDoubtful else { return }
        links[path]?.isDoubtful = true
        Task {
            try? await time.sleep(for: Self.doubt)
            if links[path]?.isDoubtful == true { endLink(path, "the Bluetooth link to \(link.name) is lost") }
        }
    }

    func endLink(_ path: DBusPath, _ reason: String) {
        guard let link = links.removeValue(forKey: path) else { return }
        link.receive?(.disconnected(reason))
    }

    /// Ends a link from our side, and forgets the device if we made the host know it.
    func close(_ path: DBusPath) async {
        if let link = links.removeValue(forKey: path) {
            if link.receive != nil {
                await attempt(
                    link.characteristics.c2, BlueZ.characteristic, "StopNotify", within: Self.closingLimit)
            }
            link.receive?(.disconnected("the connection was ended here"))
        }
        await release(path)
    }
}

/// A GATT connection through `bluetoothd`.
final class BlueZConnection: GATTConnection {
    private let service: BlueZService
    private let device: DBusPath
    let name: String
    let attMTU: UInt16?
    /// The content of C3, if the device offers it: its rotating device identifier.
    let additionalData: [UInt8]?

    init(_ service: BlueZService, _ device: DBusPath, name: String, attMTU: UInt16?, additionalData: [UInt8]?) {
        self.service = service
        self.device = device
        self.name = name
        self.attMTU = attMTU
        self.additionalData = additionalData
    }

    func write(_ value: [UInt8]) async throws(TransportError) { try await service.write(value, device) }

    func subscribe(_ receive: @escaping @Sendable (GATTEvent) -> Void) async throws(TransportError) {
        try await service.subscribe(device, receive)
    }

    func disconnect() async { await service.close(device) }
}
