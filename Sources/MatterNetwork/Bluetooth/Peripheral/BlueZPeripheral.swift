import Synchronization

/// A device of our own over the host's `bluetoothd`: the Matter service, its advertisement and one central at a time.
package final class BlueZPeripheral: BluetoothPeripheral {
    typealias Accept = @Sendable (any GATTServerConnection) -> Void

    private struct State {
        var objects = PeripheralObjects()
        var service: BlueZService?
        var adapter: DBusPath?
        var accept: Accept?
        var isAdvertised = false
        var centrals = PeripheralCentrals()
        /// The connection of the central that is served, and those before it while they end.
        var connections: [Int: BlueZServerConnection] = [:]

        func connection(_ number: Int?) -> BlueZServerConnection? { number.flatMap { connections[$0] } }
    }

    /// In this time a link that is ended here is down, and the daemon has told what that means for subscriptions.
    private static let settling = Duration.seconds(5)

    private let choice: AdapterChoice
    private let library: String
    private let radioRoot: String
    private let time: any TimeSource
    private let state = Mutex(State())

    /// - Parameter choice: the adapter to be found at; the first of several.
    package init(_ choice: AdapterChoice = .standard, _ time: any TimeSource = SystemTime()) {
        self.choice = choice
        self.time = time
        library = DBusLibrary.systemName
        radioRoot = "/sys/class"
    }

    /// Finds the adapter and switches it on, which ``offer(_:)`` does too; here the error is whole.
    ///
    /// - Throws: ``BluetoothError``, or `CancellationError`.
    package func prepare() async throws {
        let service = try await BlueZService.open(library: library, radioRoot: radioRoot, time)
        let adapters = try choice.peripheralAdapters(of: await service.tree.adapters)
        guard let adapter = adapters.first else { return }
        try await service.switchOn(adapter)
        state.withLock { state in
            state.service = service
            state.adapter = adapter.path
        }
    }

    package func offer(_ accept: @escaping @Sendable (any GATTServerConnection) -> Void) async throws {
        if state.withLock({ $0.service }) == nil { try await prepare() }
        let (service, path) = state.withLock { state in
            state.accept = accept
            return (state.service, state.adapter)
        }
        guard let service, let path, let adapter = await service.tree.adapters.first(where: { $0.path == path }) else {
            throw BluetoothError(.disconnected, "bluetoothd has stopped, or the adapter is gone")
        }
        await service.export(
            BlueZService.Exports(
                call: { [weak self] in self?.handle($0) ?? .unknownMethod },
                deviceChanged: { [weak self] in self?.deviceChanged($0, $1) },
                over: { [weak self] in self?.endAll($0.reason) }))
        try await register(service, adapter, BlueZ.gattManager, "RegisterApplication", PeripheralObjects.root)
    }

    private func register(
        _ service: BlueZService, _ adapter: BlueZTree.Adapter, _ interface: String, _ member: String, _ path: DBusPath
    ) async throws {
        do throws(DBusError) {
            try await service.call(adapter.path, interface, member, [.path(path), .properties([:])])
        } catch {
            if error.kind == .cancelled { throw CancellationError() }
            throw BlueZFailure.ofAdapter(error, adapter, doing: "offer a device", service.radio)
        }
    }

    package func advertise(_ advertisement: BLEAdvertisement?) async throws {
        let (service, path, isAdvertised) = state.withLock { state in
            defer { state.isAdvertised = false }
            return (state.service, state.adapter, state.isAdvertised)
        }
        guard let service, let path else { return }
        if isAdvertised {
            await service.attempt(
                path, BlueZ.advertisingManager, "UnregisterAdvertisement",
                [.path(PeripheralObjects.advertisementPath)])
        }
        state.withLock { $0.objects.advertisement = advertisement }
        guard advertisement != nil, let adapter = await service.tree.adapters.first(where: { $0.path == path }) else {
            return
        }
        try await register(
            service, adapter, BlueZ.advertisingManager, "RegisterAdvertisement", PeripheralObjects.advertisementPath)
        state.withLock { $0.isAdvertised = true }
    }

    package func stop() async {
        try? await advertise(nil)
        let (service, adapter, connections) = state.withLock { state in
            defer { (state.service, state.adapter, state.accept) = (nil, nil, nil) }
            return (state.service, state.adapter, Array(state.connections.values))
        }
        for connection in connections { await connection.disconnect() }
        guard let service, let adapter else { return }
        await service.attempt(
            adapter, BlueZ.gattManager, "UnregisterApplication", [.path(PeripheralObjects.root)])
    }

    // MARK: What the daemon tells, on the thread of the bus

    private func handle(_ call: DBusCall) -> DBusAnswer {
        let (answer, event) = state.withLock { $0.objects.handle(call) }
        switch event {
        case .written(let value, let central, let mtu): written(value, central, mtu)
        case .subscribed:
            state.withLock { $0.connection($0.centrals.subscribed()) }?.tell(.subscribed)
        case .unsubscribed:
            state.withLock { $0.connection($0.centrals.unsubscribed()) }?.finish(
                "the central has ended its subscription")
        case .confirmed: state.withLock { $0.connection($0.centrals.current?.number) }?.confirmed()
        case .released: state.withLock { $0.isAdvertised = false }
        case nil: break
        }
        return answer
    }

    private func written(_ value: [UInt8], _ central: DBusPath, _ mtu: UInt16?) {
        let (current, begun, isInDoubt, old) = state.withLock {
            state -> (BlueZServerConnection?, PeripheralCentrals.Connection?, Bool, BlueZServerConnection?) in
            let old = state.connection(state.centrals.current?.number)
            guard let service = state.service, case .new(let begun, let isInDoubt) = state.centrals.written(by: central)
            else { return (old, nil, false, nil) }
            let new = BlueZServerConnection(service, central, mtu) { [weak self] in
                self?.release(begun.number, central) ?? true
            }
            state.connections[begun.number] = new
            return (new, begun, isInDoubt, old)
        }
        // One central at a time: indications go to all.
        old?.finish("another central has connected")
        guard let current else { return }
        if begun != nil { state.withLock { $0.accept }?(current) }
        current.tell(.written(value))
        guard let begun else { return }
        if begun.isSubscribed { current.tell(.subscribed) }
        guard isInDoubt else { return }
        time.start { [weak self, time] in
            try? await time.sleep(for: Self.settling)
            self?.settle(begun.number)
        }
    }

    private func settle(_ number: Int) {
        state.withLock { $0.centrals.settled(number) ? $0.connection(number) : nil }?.tell(.subscribed)
    }

    /// A connection is let go of.
    ///
    /// - Returns: true if the link of its central is to be ended too.
    private func release(_ number: Int, _ central: DBusPath) -> Bool {
        state.withLock { state in
            guard state.connections.removeValue(forKey: number) != nil else { return false }
            return state.centrals.end(number, central)
        }
    }

    /// - Parameter device: `nil` for one that is gone.
    private func deviceChanged(_ path: DBusPath, _ device: BlueZTree.Device?) {
        guard device?.isConnected != true else { return }
        let lost = state.withLock { $0.connection($0.centrals.lost(path)) }
        lost?.finish("the Bluetooth link to \(lost?.name ?? "the central") is lost", isDown: true)
    }

    private func endAll(_ reason: String) {
        let connections = state.withLock { state in
            defer { state.centrals.endAll() }
            return Array(state.connections.values)
        }
        for connection in connections { connection.finish(reason) }
    }
}
