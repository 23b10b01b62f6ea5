import Synchronization

/// Commissionable devices over BlueZ, the host's `bluetoothd`.
///
/// Making one costs nothing: the D-Bus library is opened, the thread started and the daemon asked at the first scan.
public final class BlueZCentral: BluetoothCentral {
    private let choice: AdapterChoice
    private let library: String
    private let radioRoot: String
    private let time: any TimeSource
    private let opening = Mutex<Task<BlueZService, any Error>?>(nil)

    /// - Parameter choice: the adapters for scans.
    public convenience init(_ choice: AdapterChoice = .standard, _ time: any TimeSource = SystemTime()) {
        self.init(choice, library: DBusLibrary.systemName, radioRoot: "/sys/class", time)
    }

    /// - Parameters:
    ///   - library: another file name than the usual one.
    ///   - radioRoot: another place than `/sys/class`.
    init(_ choice: AdapterChoice, library: String, radioRoot: String, _ time: any TimeSource) {
        self.choice = choice
        self.library = library
        self.radioRoot = radioRoot
        self.time = time
    }

    /// The devices in reach that can be commissioned, as they are heard. It ends with its last listener.
    public func scan() -> AsyncThrowingStream<BluetoothDevice, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    let service = try await self.service()
                    try await service.scan(self.choice) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Connects to a device.
    ///
    /// - Throws: ``TransportError`` if it does not answer before the deadline.
    public func connect(to device: BluetoothDevice, deadline: Instant) async throws -> any GATTConnection {
        try await service().connect(device, deadline: deadline)
    }

    /// Checks that there is a daemon and an adapter, and that no switch keeps it off, which is what every scan needs first.
    /// Nothing is switched on.
    ///
    /// - Returns: the adapters in words, such as `hci0 (00:1A:7D:DA:71:13)`.
    /// - Throws: ``BluetoothError``, or `CancellationError`.
    public func check() async throws -> String {
        let service = try await service()
        let adapters = try choice.adapters(of: await service.tree.adapters)
        if adapters.contains(where: { !$0.isPowered }), let blocked = service.radio.blocked { throw blocked }
        return adapters.map { adapter in
            "\(adapter.name) (\(adapter.address))\(adapter.isPowered ? "" : ", which is off and is switched on when needed")"
        }.joined(separator: ", ")
    }

    /// The same within a time.
    ///
    /// - Throws: ``BluetoothError`` with what is missing, also if the daemon has not answered by then, or `CancellationError`.
    public func check(until deadline: Instant) async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await self.check() }
            group.addTask { [time] in
                try await time.sleep(until: deadline)
                throw BluetoothError(
                    .daemonUnavailable, "Bluetooth needs bluetoothd, which has not answered in the time for it",
                    cause: .late)
            }
            defer { group.cancelAll() }
            guard let adapters = try await group.next() else { throw CancellationError() }
            return adapters
        }
    }

    /// The daemon; asked again if it has stopped meanwhile.
    private func service() async throws -> BlueZService {
        while true {
            let task = opening.withLock { opening in
                if let opening { return opening }
                let task = Task { [library, radioRoot, time] in
                    try await BlueZService.open(library: library, radioRoot: radioRoot, time)
                }
                opening = task
                return task
            }
            do {
                let service = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                if await service.end == nil { return service }
                forget(task)
            } catch {
                forget(task)
                throw error
            }
        }
    }

    private func forget(_ task: Task<BlueZService, any Error>) {
        opening.withLock { if $0 == task { $0 = nil } }
    }
}
