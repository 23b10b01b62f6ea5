import Synchronization

/// Bluetooth in memory: peripherals that advertise, a central that finds them, and connections that can be lost at any
/// moment.
final class MemoryBluetooth: Sendable {
    /// Who has sent a value.
    enum Sender: Sendable { case central, peripheral }

    /// The fate of a value.
    enum Fate: Sendable {
        /// It arrives after a while, and is confirmed.
        case carry(after: Duration)
        /// The connection is lost with it.
        case lose
    }

    /// Judges a value; the number counts those of its connection, of both sides, from 0.
    typealias Judge = @Sendable (_ sender: Sender, _ value: [UInt8], _ number: Int) -> Fate

    private struct State {
        var peripherals: [String: MemoryPeripheral] = [:]
        var scans: [Int: AsyncThrowingStream<BluetoothDevice, any Error>.Continuation] = [:]
        var lastScan = 0
        var connections: [MemoryConnection] = []
    }

    private let state = Mutex(State())
    fileprivate let time: any TimeSource
    fileprivate let attMTU: UInt16?
    fileprivate let judge: Judge

    init(
        time: any TimeSource, attMTU: UInt16? = 247,
        judge: @escaping Judge = { _, _, _ in .carry(after: .milliseconds(15)) }
    ) {
        self.time = time
        self.attMTU = attMTU
        self.judge = judge
    }

    /// The Bluetooth of a device.
    func peripheral(_ address: String, rssi: Int = -60) -> any BluetoothPeripheral {
        let peripheral = MemoryPeripheral(air: self, address: address, rssi: rssi)
        state.withLock { $0.peripherals[address] = peripheral }
        return peripheral
    }

    /// The Bluetooth of a commissioner.
    func central() -> any BluetoothCentral { MemoryCentral(air: self) }

    /// Connections that were made until now.
    var connectionCount: Int { state.withLock { $0.connections.count } }
    /// Connections that stand.
    var openConnections: Int { state.withLock { $0.connections.count { !$0.isOver } } }

    /// Loses all connections.
    func loseAll() {
        for connection in state.withLock({ $0.connections }) { connection.end("the connection was lost") }
    }

    /// Loses all connections in a while.
    func loseAll(after delay: Duration) {
        time.start {
            try? await self.time.sleep(for: delay)
            self.loseAll()
        }
    }

    // MARK: For both sides

    fileprivate func scan() -> AsyncThrowingStream<BluetoothDevice, any Error> {
        let (stream, send) = AsyncThrowingStream.makeStream(of: BluetoothDevice.self)
        let (number, known) = state.withLock { state in
            state.lastScan += 1
            state.scans[state.lastScan] = send
            return (state.lastScan, state.peripherals.values.compactMap(\.device))
        }
        send.onTermination = { [weak self] _ in self?.state.withLock { $0.scans[number] = nil } }
        for device in known { send.yield(device) }
        return stream
    }

    fileprivate func report(_ device: BluetoothDevice) {
        for scan in state.withLock({ Array($0.scans.values) }) { scan.yield(device) }
    }

    fileprivate func connect(_ address: String) throws(TransportError) -> any GATTConnection {
        guard let peripheral = state.withLock({ $0.peripherals[address] }), let accept = peripheral.accept else {
            throw TransportError(.linkLost, "the device at \(address) cannot be reached over Bluetooth")
        }
        let connection = state.withLock { state in
            let connection = MemoryConnection(air: self, device: address, central: state.connections.count)
            state.connections.append(connection)
            return connection
        }
        accept(MemoryServer(connection: connection))
        return connection
    }
}

private struct MemoryCentral: BluetoothCentral {
    let air: MemoryBluetooth

    func scan() -> AsyncThrowingStream<BluetoothDevice, any Error> { air.scan() }

    func connect(to device: BluetoothDevice, deadline: Instant) async throws -> any GATTConnection {
        try await air.time.sleep(for: .milliseconds(200))
        return try air.connect(device.address)
    }

    func check() async throws -> String { "memory" }
}

private final class MemoryPeripheral: BluetoothPeripheral {
    typealias Accept = @Sendable (any GATTServerConnection) -> Void

    private let state = Mutex<(accept: Accept?, advertisement: BLEAdvertisement?)>((nil, nil))
    private let air: MemoryBluetooth
    private let address: String
    private let rssi: Int

    init(air: MemoryBluetooth, address: String, rssi: Int) {
        self.air = air
        self.address = address
        self.rssi = rssi
    }

    var accept: Accept? { state.withLock { $0.accept } }
    var device: BluetoothDevice? {
        state.withLock { $0.advertisement }.map {
            BluetoothDevice(address: address, adapter: "memory", rssi: rssi, advertisement: $0)
        }
    }

    func offer(_ accept: @escaping Accept) async { state.withLock { $0.accept = accept } }

    func advertise(_ advertisement: BLEAdvertisement?) async {
        state.withLock { $0.advertisement = advertisement }
        if let device { air.report(device) }
    }

    func stop() async { state.withLock { $0 = (nil, nil) } }
}

/// A connection, as its central sees it.
private final class MemoryConnection: GATTConnection {
    private struct State {
        var end: String?
        var count = 0
        var client: (@Sendable (GATTEvent) -> Void)?
        var server: (@Sendable (GATTServerEvent) -> Void)?
        /// Events from before the server asked.
        var early: [GATTServerEvent] = []
    }

    private let state = Mutex(State())
    private let air: MemoryBluetooth
    private let device: String
    /// The device's name for the central.
    let central: String

    init(air: MemoryBluetooth, device: String, central: Int) {
        self.air = air
        self.device = device
        self.central = "central-\(central)"
    }

    var name: String { "\(device) (memory)" }
    var attMTU: UInt16? { air.attMTU }
    var isOver: Bool { state.withLock { $0.end != nil } }

    func write(_ value: [UInt8]) async throws(TransportError) {
        try await carry(value, from: .central) { $0.tell(.written(value)) }
    }

    func indicate(_ value: [UInt8]) async throws(TransportError) {
        try await carry(value, from: .peripheral) { connection in
            connection.state.withLock { $0.client }?(.value(value))
        }
    }

    func subscribe(_ receive: @escaping @Sendable (GATTEvent) -> Void) async throws(TransportError) {
        try await carry([], from: .central) { connection in
            connection.state.withLock { $0.client = receive }
            connection.tell(.subscribed)
        }
    }

    func disconnect() async { end("the other side has disconnected") }

    func receive(_ handler: @escaping @Sendable (GATTServerEvent) -> Void) {
        let early = state.withLock { state in
            state.server = handler
            defer { state.early = [] }
            return state.early
        }
        for event in early { handler(event) }
    }

    func end(_ reason: String) {
        let client: (@Sendable (GATTEvent) -> Void)?? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = reason
            return .some(state.client)
        }
        guard let client else { return }
        client?(.disconnected(reason))
        tell(.disconnected(reason))
    }

    private func tell(_ event: GATTServerEvent) {
        let handler = state.withLock { state in
            if state.server == nil { state.early.append(event) }
            return state.server
        }
        handler?(event)
    }

    private func carry(
        _ value: [UInt8], from sender: MemoryBluetooth.Sender, _ arrive: (MemoryConnection) -> Void
    ) async throws(TransportError) {
        let number = state.withLock { state in
            defer { state.count += 1 }
            return state.count
        }
        if case .carry(let delay) = air.judge(sender, value, number) {
            try? await air.time.sleep(for: delay)
        } else {
            end("the connection was lost")
        }
        if let reason = state.withLock({ $0.end }) {
            throw TransportError(.linkLost, "the Bluetooth connection with \(device) ended: \(reason)")
        }
        arrive(self)
    }
}

/// A connection, as the device sees it.
private struct MemoryServer: GATTServerConnection {
    let connection: MemoryConnection

    var name: String { connection.central }
    var attMTU: UInt16? { connection.attMTU }
    func indicate(_ value: [UInt8]) async throws(TransportError) { try await connection.indicate(value) }
    func receive(_ handler: @escaping @Sendable (GATTServerEvent) -> Void) { connection.receive(handler) }
    func disconnect() async { await connection.disconnect() }
}
