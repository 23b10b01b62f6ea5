package import MatterTransport
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
        var isSubscribed = false
        var current: BlueZServerConnection?
    }

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
                over: { [weak self] in self?.end($0.reason) }))
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
        let (service, adapter, current) = state.withLock { state in
            defer { (state.service, state.adapter, state.accept) = (nil, nil, nil) }
            return (state.service, state.adapter, state.current)
        }
        await current?.disconnect()
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
            state.withLock { state in
                state.isSubscribed = true
                return state.current
            }?.tell(.subscribed)
        case .unsubscribed:
            state.withLock { $0.isSubscribed = false }
            end("the central has ended its subscription")
        case .confirmed: state.withLock { $0.current }?.confirmed()
        case .released: state.withLock { $0.isAdvertised = false }
        case nil: break
        }
        return answer
    }

    private func written(_ value: [UInt8], _ central: DBusPath, _ mtu: UInt16?) {
        let (current, isNew, isSubscribed, accept, old) = state.withLock {
            state -> (BlueZServerConnection?, Bool, Bool, Accept?, BlueZServerConnection?) in
            if let current = state.current, current.central == central, !current.hasEnded {
                return (current, false, false, nil, nil)
            }
            guard let service = state.service else { return (nil, false, false, nil, nil) }
            let old = state.current
            let new = BlueZServerConnection(service, central, mtu)
            state.current = new
            return (new, true, state.isSubscribed, state.accept, old)
        }
        // One central at a time: indications go to all.
        old?.finish("another central has connected")
        guard let current else { return }
        if isNew { accept?(current) }
        current.tell(.written(value))
        if isNew, isSubscribed { current.tell(.subscribed) }
    }

    /// - Parameter device: `nil` for one that is gone.
    private func deviceChanged(_ path: DBusPath, _ device: BlueZTree.Device?) {
        guard device?.isConnected != true else { return }
        let current = state.withLock { $0.current }
        guard current?.central == path else { return }
        end("the Bluetooth link to \(current?.name ?? "the central") is lost")
    }

    private func end(_ reason: String) {
        state.withLock { state in
            defer {
                state.current = nil
                state.isSubscribed = false
            }
            return state.current
        }?.finish(reason)
    }
}
