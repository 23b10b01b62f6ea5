/// A scan that has a reader.
struct Scan: Sendable {
    let adapters: [DBusPath]
    let deliver: @Sendable (BluetoothDevice) -> Void
    /// Ends the scan, with the error that ends it.
    let parked = OneShot<BluetoothError?>()
    /// The reports of each device.
    var reported: [DBusPath: BLEAdvertisement] = [:]
}

extension BlueZService {
    private static let powerLimit = Duration.seconds(5)
    /// The pause after a scan that was half begun.
    private static let settling = Duration.seconds(1)

    /// Scans until the task is cancelled.
    ///
    /// - Throws: ``BluetoothError`` if no scan can begin, or go on.
    func scan(_ choice: AdapterChoice, deliver: @escaping @Sendable (BluetoothDevice) -> Void) async throws {
        if let end { throw end }
        let adapters = try choice.adapters(of: tree.adapters)
        let id = nextID()
        let scan = Scan(adapters: adapters.map(\.path), deliver: deliver)
        scans[id] = scan
        do {
            try await begin(adapters, needsAll: choice != .all)
            let error = await scan.parked.value(within: nil, time, late: nil, cancelled: nil)
            if let error { throw error }
            await finish(scan: id, adapters)
        } catch {
            await finish(scan: id, adapters)
            throw error
        }
    }

    private func begin(_ adapters: [BlueZTree.Adapter], needsAll: Bool) async throws {
        var failure: (any Error)?
        var hasBegun = false
        for adapter in adapters {
            do {
                try await startScanning(adapter)
                hasBegun = true
            } catch  where !needsAll && error is BluetoothError {
                failure = failure ?? error
            }
        }
        if !hasBegun, let failure { throw failure }
    }

    private func finish(scan id: Int, _ adapters: [BlueZTree.Adapter]) async {
        scans[id] = nil
        for adapter in adapters where !isWanted(adapter.path) { await stopScanning(adapter.path) }
    }

    private func isWanted(_ adapter: DBusPath) -> Bool { scans.values.contains { $0.adapters.contains(adapter) } }

    // MARK: Adapters

    /// Makes an adapter scan for devices of Bluetooth Low Energy, unless it does, or a connection is being made on it.
    ///
    /// There is no filter for the service: kernel and daemon look for it where Matter devices do not name it.
    private func startScanning(_ adapter: BlueZTree.Adapter) async throws {
        try await switchOn(adapter)
        guard !scanning.contains(adapter.path), connecting[adapter.path] == nil else { return }
        scanning.insert(adapter.path)
        do throws(DBusError) {
            let filter = DBusValue.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
            try await call(adapter.path, BlueZ.adapter, "SetDiscoveryFilter", [filter])
            do throws(DBusError) {
                try await call(adapter.path, BlueZ.adapter, "StartDiscovery")
            } catch  where error.shortName == "InProgress" {
                await attempt(adapter.path, BlueZ.adapter, "StopDiscovery")
                try? await time.sleep(for: Self.settling)
                try await call(adapter.path, BlueZ.adapter, "StartDiscovery")
            }
        } catch {
            scanning.remove(adapter.path)
            try throwing(error, adapter, doing: "scan")
        }
    }

    /// Switches an adapter on.
    func switchOn(_ adapter: BlueZTree.Adapter) async throws {
        guard !adapter.isPowered else { return }
        let path = adapter.path
        do throws(DBusError) {
            try await call(
                path, BlueZ.properties, "Set", [.string(BlueZ.adapter), .string("Powered"), .variant(.bool(true))])
        } catch {
            try throwing(error, adapter, doing: "switch on")
        }
        guard
            await wait(
                within: Self.powerLimit, until: { $0.adapters.first { $0.path == path }?.isPowered == true })
        else {
            try Task.checkCancellation()
            throw radio.blocked
                ?? BluetoothError(.adapterOff, "the Bluetooth adapter \(adapter.name) is off, and stays off")
        }
    }

    private func throwing(_ error: DBusError, _ adapter: BlueZTree.Adapter, doing: String) throws {
        if error.kind == .cancelled { throw CancellationError() }
        throw end ?? BlueZFailure.ofAdapter(error, adapter, doing: doing, radio)
    }

    private func stopScanning(_ adapter: DBusPath) async {
        if scanning.remove(adapter) != nil {
            stopping[adapter] = Task { await attempt(adapter, BlueZ.adapter, "StopDiscovery") }
        }
        // A task that wants to connect waits for it, too, if another one has stopped the scan.
        await stopping[adapter]?.value
    }

    /// Keeps an adapter from scanning: a connection that begins during a scan is often ended by the host itself.
    func suspendScanning(_ adapter: DBusPath) async {
        connecting[adapter, default: 0] += 1
        await stopScanning(adapter)
    }

    /// Scans again on an adapter, if the scan still has a reader.
    func resumeScanning(_ adapter: DBusPath) async {
        let left = (connecting[adapter] ?? 1) - 1
        connecting[adapter] = left > 0 ? left : nil
        guard left <= 0, isWanted(adapter), end == nil,
            let adapter = tree.adapters.first(where: { $0.path == adapter })
        else { return }
        try? await startScanning(adapter)
    }

    // MARK: Devices

    /// A device was heard: reported once, and again when it says something else.
    func seen(_ path: DBusPath) {
        guard let device = tree.device(path), let advertisement = device.advertisement,
            let adapter = tree.adapter(of: path)
        else { return }
        for (id, scan) in scans where scan.adapters.contains(adapter.path) && scan.reported[path] != advertisement {
            scans[id]?.reported[path] = advertisement
            scan.deliver(
                BluetoothDevice(
                    address: device.address, adapter: adapter.name, rssi: device.rssi, advertisement: advertisement))
        }
    }
}
