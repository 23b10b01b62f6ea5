import MatterTransport
import Synchronization

/// The connection of one central with a device of our own.
final class BlueZServerConnection: GATTServerConnection {
    private struct State {
        var handler: (@Sendable (GATTServerEvent) -> Void)?
        /// What happened before there was a handler.
        var backlog: [GATTServerEvent] = []
        var hasEnded = false
        var unconfirmed: OneShot<Bool>?
    }

    /// Some versions of BlueZ do not tell that an indication was confirmed; the daemon still sends them one by one.
    private static let confirmationLimit = Duration.seconds(2)

    private let service: BlueZService
    let central: DBusPath
    let name: String
    let attMTU: UInt16?
    private let state = Mutex(State())

    init(_ service: BlueZService, _ central: DBusPath, _ mtu: UInt16?) {
        self.service = service
        self.central = central
        attMTU = mtu
        // `dev_AA_BB_CC_DD_EE_FF`.
        name = central.name.split(separator: "_").dropFirst().joined(separator: ":")
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func indicate(_ value: [UInt8]) async throws(TransportError) {
        let shot = OneShot<Bool>()
        let isOpen = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.unconfirmed = shot
            return true
        }
        guard isOpen else { throw TransportError(.closed, "the Bluetooth connection with \(name) has ended") }
        await service.connection.emit(PeripheralObjects.indication(value))
        let isWell = await shot.value(within: Self.confirmationLimit, service.time, late: true, cancelled: false)
        guard isWell else { throw TransportError(.closed, "the Bluetooth connection with \(name) has ended") }
    }

    func confirmed() {
        state.withLock { state in
            defer { state.unconfirmed = nil }
            return state.unconfirmed
        }?.finish(true)
    }

    func receive(_ handler: @escaping @Sendable (GATTServerEvent) -> Void) {
        // Under the lock, so that what happens meanwhile comes after.
        state.withLock { state in
            for event in state.backlog { handler(event) }
            state.backlog = []
            state.handler = handler
        }
    }

    /// Tells of an event. Called on the thread of the bus only.
    func tell(_ event: GATTServerEvent) {
        let handler = state.withLock { state in
            if state.handler == nil { state.backlog.append(event) }
            return state.handler
        }
        handler?(event)
    }

    /// The end, for whatever reason; later ones are not told.
    func finish(_ reason: String) {
        let (isFirst, waiting) = state.withLock { state in
            defer { (state.hasEnded, state.unconfirmed) = (true, nil) }
            return (!state.hasEnded, state.unconfirmed)
        }
        waiting?.finish(false)
        if isFirst { tell(.disconnected(reason)) }
    }

    func disconnect() async {
        finish("the connection was ended here")
        await service.attempt(central, BlueZ.device, "Disconnect")
    }
}
