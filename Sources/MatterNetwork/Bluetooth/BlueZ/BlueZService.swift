/// `bluetoothd` on the system bus: what it knows, and the calls to it.
///
/// Signals, answers and timers meet on the thread of the bus. When the daemon or the bus goes away, the service is over:
/// every path of the daemon is void then.
actor BlueZService {
    /// How long the bus and the daemon may be silent at first.
    static let patience = Duration.seconds(8)
    /// The limit of a call that has no other.
    static let callLimit = Duration.seconds(10)
    private static let listingLimit = Duration.seconds(20)

    /// A task that waits for the tree to get into a state.
    private struct Waiter {
        let isDone: @Sendable (BlueZTree) -> Bool
        let shot: OneShot<Bool>
    }

    /// The events for a device of our own, on the thread of the bus.
    struct Exports: Sendable {
        /// A call of one of its objects.
        let call: @Sendable (DBusCall) -> DBusAnswer
        /// A device or its link has changed; `nil` if it is gone.
        let deviceChanged: @Sendable (DBusPath, BlueZTree.Device?) -> Void
        let over: @Sendable (BluetoothError) -> Void
    }

    nonisolated let connection: DBusConnection
    private nonisolated let radioRoot: String
    private(set) var tree = BlueZTree()
    /// The connection that has the daemon's name; `nil` until that is known.
    private var owner: String?
    /// Why the service is over.
    private(set) var end: BluetoothError?
    /// The devices that were there before us: they are not forgotten.
    private var elders: Set<DBusPath> = []
    private var waiters: [Int: Waiter] = [:]
    private var exports: Exports?
    private var lastID = 0
    var scans: [Int: Scan] = [:]
    /// The adapters that scan for us at present.
    var scanning: Set<DBusPath> = []
    /// Scans that are being ended.
    var stopping: [DBusPath: Task<Void, Never>] = [:]
    /// The adapters on which a connection is being made; they scan later.
    var connecting: [DBusPath: Int] = [:]
    var links: [DBusPath: BlueZLink] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }
    nonisolated var time: any TimeSource { connection.time }
    nonisolated var radio: RadioState { RadioState(root: radioRoot) }

    private init(_ connection: DBusConnection, radioRoot: String) {
        self.connection = connection
        self.radioRoot = radioRoot
    }

    /// Connects to the bus and asks the daemon for everything that it knows.
    ///
    /// - Parameter radioRoot: where the kernel tells of radios: `/sys/class`.
    /// - Throws: ``BluetoothError`` with what is missing, or `CancellationError`.
    static func open(library: String, radioRoot: String, _ time: any TimeSource) async throws -> BlueZService {
        let connection = try await DBusConnection.open(library: library, within: patience, time)
        let service = BlueZService(connection, radioRoot: radioRoot)
        await connection.setHandlers(
            DBusConnection.Handlers(
                signal: { [weak service] signal in service?.assumeIsolated { $0.handle(signal) } },
                call: { [weak service] call in
                    service?.assumeIsolated { $0.exports }?.call(call) ?? .unknownMethod
                },
                lost: { [weak service] in
                    service?.assumeIsolated {
                        $0.over(BluetoothError(.disconnected, "the D-Bus system bus has ended the connection"))
                    }
                }))
        do {
            try await service.begin()
        } catch let error where error.kind == .cancelled {
            throw CancellationError()
        } catch {
            throw BlueZFailure.atStart(error, service.radio)
        }
        if let end = await service.end { throw end }
        return service
    }

    /// Answers calls of objects of our own from now on.
    func export(_ exports: Exports) { self.exports = exports }

    private func begin() async throws(DBusError) {
        for rule in [
            "type='signal',sender='\(BlueZ.service)'",
            "type='signal',sender='\(BlueZ.bus)',member='NameOwnerChanged',arg0='\(BlueZ.service)'",
        ] {
            try await connection.call(.bus("AddMatch", [.string(rule)]), within: Self.patience)
        }
        do throws(DBusError) {
            try await connection.call(
                .bus("GetNameOwner", [.string(BlueZ.service)]), within: Self.patience
            ) { [weak self] values in
                self?.assumeIsolated { $0.owner = values.first?.string }
            }
        } catch {
            // Without an adapter the system would try to start the daemon, and wait for it in vain.
            if error.kind == .timedOut || radio.adapters.isEmpty { throw error }
        }
        try await readTree()
        elders = Set(tree.devices.map(\.path))
    }

    /// Reads all objects again.
    func readTree() async throws(DBusError) {
        let call = DBusCall(
            destination: BlueZ.service, path: DBusPath("/"), interface: BlueZ.objectManager,
            member: "GetManagedObjects")
        try await connection.call(call, within: Self.listingLimit) { [weak self] values in
            self?.assumeIsolated { $0.tree.reset(values.first) }
        }
    }

    // MARK: Calls

    /// Calls a method of one of the daemon's objects.
    @discardableResult
    nonisolated func call(
        _ path: DBusPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        within limit: Duration = callLimit
    ) async throws(DBusError) -> [DBusValue] {
        let call = DBusCall(
            destination: BlueZ.service, path: path, interface: interface, member: member, arguments: arguments)
        return try await connection.call(call, within: limit)
    }

    /// Calls a method whose failure makes no difference, also in a task that was cancelled.
    nonisolated func attempt(
        _ path: DBusPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        within limit: Duration = callLimit
    ) async {
        await Task { _ = try? await self.call(path, interface, member, arguments, within: limit) }.value
    }

    /// True if a device is known since we came: then it is ours to forget.
    func isOurs(_ device: DBusPath) -> Bool { !elders.contains(device) && tree.device(device)?.isPaired == false }

    // MARK: Signals

    /// Any user may send us signals: the rules of ``begin()`` filter only those that go to all.
    private func handle(_ signal: DBusSignal) {
        if signal.sender == BlueZ.bus {
            if signal.interface == BlueZ.bus, signal.member == "NameOwnerChanged" { ownerChanged(signal) }
            return
        }
        guard signal.sender == owner else { return }
        for change in tree.handle(signal) {
            switch change {
            case .seen(let path): seen(path)
            case .device(let path):
                linkChanged(path)
                exports?.deviceChanged(path, tree.device(path))
            case .value(let path, let value): indicated(path, value)
            case .other: break
            }
        }
        for (id, waiter) in waiters where waiter.isDone(tree) {
            waiters[id] = nil
            waiter.shot.finish(true)
        }
    }

    private func ownerChanged(_ signal: DBusSignal) {
        let names = signal.arguments.compactMap(\.string)
        guard names.first == BlueZ.service, names.count == 3 else { return }
        // The daemon that a call of ours has started.
        guard !names[1].isEmpty else { return owner = names[2] }
        over(BluetoothError(.disconnected, "bluetoothd has stopped"))
    }

    private func over(_ error: BluetoothError) {
        guard end == nil else { return }
        end = error
        tree.clear()
        for waiter in waiters.values { waiter.shot.finish(false) }
        waiters = [:]
        for scan in scans.values { scan.parked.finish(error) }
        for path in links.keys { endLink(path, error.reason) }
        exports?.over(error)
    }

    // MARK: Waiting

    func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Waits for a state of the tree.
    ///
    /// - Returns: false after the limit, and when the service is over or the task is cancelled.
    func wait(within limit: Duration, until isDone: @escaping @Sendable (BlueZTree) -> Bool) async -> Bool {
        guard end == nil else { return false }
        if isDone(tree) { return true }
        let id = nextID()
        let shot = OneShot<Bool>()
        waiters[id] = Waiter(isDone: isDone, shot: shot)
        defer { waiters[id] = nil }
        return await shot.value(within: limit, time, late: false, cancelled: false)
    }
}
