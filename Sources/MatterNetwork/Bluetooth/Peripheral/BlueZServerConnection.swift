import Synchronization

/// The connection of one central with a device of our own.
final class BlueZServerConnection: GATTServerConnection {
    private struct State {
        var handler: (@Sendable (GATTServerEvent) -> Void)?
        /// Events from before there was a handler.
        var backlog: [GATTServerEvent] = []
        var hasEnded = false
        /// True if the link is down with the connection.
        var isDown = false
        var unconfirmed: OneShot<Bool>?
    }

    /// Some versions of BlueZ do not tell that an indication was confirmed; the daemon still sends them one by one.
    private static let confirmationLimit = Duration.seconds(2)

    private let service: BlueZService
    private let central: DBusPath
    let name: String
    let attMTU: UInt16?
    /// Tells that the connection is let go of; true if the link is to be ended too.
    private let release: @Sendable () -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - mtu: the ATT MTU, if it is told.
    ///   - release: tells that the connection is let go of; true if the link is to be ended too.
    init(
        _ service: BlueZService, _ central: DBusPath, _ mtu: UInt16?, release: @escaping @Sendable () -> Bool
    ) {
        self.service = service
        self.central = central
        self.release = release
        attMTU = mtu
        // `dev_AA_BB_CC_DD_EE_FF`.
        name = central.name.split(separator: "_").dropFirst().joined(separator: ":")
    }

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
    ///
    /// - Parameter isDown: true if the link has ended, and not only what was done on it.
    func finish(_ reason: String, isDown: Bool = false) {
        let (isFirst, waiting) = state.withLock { state in
            defer { (state.hasEnded, state.unconfirmed) = (true, nil) }
            state.isDown = state.isDown || isDown
            return (!state.hasEnded, state.unconfirmed)
        }
        waiting?.finish(false)
        if isFirst { tell(.disconnected(reason)) }
    }

    func disconnect() async {
        finish("the connection was ended here")
        // A link to the same central may be another connection's by now.
        if release(), !state.withLock({ $0.isDown }) { await service.attempt(central, BlueZ.device, "Disconnect") }
    }
}
