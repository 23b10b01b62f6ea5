extension BlueZService {
    /// BlueZ answers Connect when the link is there, or after a time-out of its own of some 30 s.
    private static let connectLimit = Duration.seconds(40)
    private static let linkLimit = Duration.seconds(2)
    static let servicesLimit = Duration.seconds(15)
    private static let readLimit = Duration.seconds(5)
    private static let mtuLimit = Duration.seconds(1)
    /// The time for a device that was forgotten to be seen again.
    private static let searchLimit = Duration.seconds(20)
    /// The MTU before the exchange; it tells nothing (Bluetooth core specification, volume 3, part F, 3.2.8).
    private static let defaultMTU: UInt16 = 23

    private enum Outcome {
        case connected(MatterCharacteristics)
        case failed(ConnectAttempts.Failure)
    }

    /// Connects to a device, up to four times, and finds its characteristics.
    ///
    /// - Throws: ``BluetoothError``, or `CancellationError`; nothing of the connection is left then.
    func connect(_ device: BluetoothDevice, deadline: Instant) async throws -> BlueZConnection {
        if let end { throw end }
        guard let adapter = tree.adapters.first(where: { $0.name == device.adapter }) else {
            throw BluetoothError(.unknownAdapter, "the Bluetooth adapter \(device.adapter) is not there any more")
        }
        await suspendScanning(adapter.path)
        do {
            let connection = try await connect(device, adapter, deadline)
            await resumeScanning(adapter.path)
            return connection
        } catch {
            await resumeScanning(adapter.path)
            throw error
        }
    }

    private func connect(
        _ device: BluetoothDevice, _ adapter: BlueZTree.Adapter, _ deadline: Instant
    ) async throws -> BlueZConnection {
        let name = "\(device.address) on \(adapter.name)"
        var path = tree.devices.first { $0.address == device.address && adapter.path.isAbove($0.path) }?.path
        var attempts = ConnectAttempts(name: name, isPaired: path.flatMap { tree.device($0)?.isPaired } ?? false)
        while true {
            let outcome: Outcome
            if let path { outcome = await attempt(path, deadline) } else { outcome = .failed(.gone) }
            if Task.isCancelled {
                await release(path)
                throw CancellationError()
            }
            switch outcome {
            case .connected(let found):
                guard let path else { continue }
                return await linked(path, name, found, device)
            case .failed(let failure):
                let next = end.map { .giveUp($0) } ?? attempts.failed(failure)
                if case .giveUp(let error) = next {
                    await release(path)
                    throw error
                }
                guard time.now < deadline else {
                    await release(path)
                    throw attempts.outOfTime(failure)
                }
                path = try await prepare(next, path, device, adapter, deadline)
            }
        }
    }

    /// Does what the next attempt needs.
    ///
    /// - Returns: the device, as far as it is known.
    private func prepare(
        _ next: ConnectAttempts.Next, _ path: DBusPath?, _ device: BluetoothDevice, _ adapter: BlueZTree.Adapter,
        _ deadline: Instant
    ) async throws -> DBusPath? {
        // Without this, the next Connect may return at once and do nothing.
        if let path, tree.device(path) != nil { await attempt(path, BlueZ.device, "Disconnect") }
        switch next {
        case .retry(let pause):
            try await time.sleep(for: pause)
            return path
        case .forget, .giveUp:
            if let path, tree.device(path) != nil {
                await attempt(adapter.path, BlueZ.adapter, "RemoveDevice", [.path(path)])
            }
            return try await search(device, adapter, deadline)
        }
    }

    /// Looks for a device by what it says of itself: its address may be another one now.
    private func search(
        _ device: BluetoothDevice, _ adapter: BlueZTree.Adapter, _ deadline: Instant
    ) async throws -> DBusPath? {
        let limit = min(Self.searchLimit, max(.zero, deadline - time.now))
        let found = OneShot<BluetoothDevice?>()
        connecting[adapter.path] = nil
        let task = Task {
            try await self.scan(.named([adapter.name])) { seen in
                if seen.advertisement == device.advertisement { found.finish(seen) }
            }
        }
        let seen = await found.value(within: limit, time, late: nil, cancelled: nil)
        task.cancel()
        _ = await task.result
        await suspendScanning(adapter.path)
        try Task.checkCancellation()
        guard let seen else { return nil }
        return tree.devices.first { $0.address == seen.address && adapter.path.isAbove($0.path) }?.path
    }

    /// One attempt.
    private func attempt(_ path: DBusPath, _ deadline: Instant) async -> Outcome {
        guard tree.device(path) != nil else { return .failed(.gone) }
        do throws(DBusError) {
            let limit = min(Self.connectLimit, max(.seconds(1), deadline - time.now))
            try await call(path, BlueZ.device, "Connect", within: limit)
            // The answer may come before the property.
            _ = await wait(within: Self.linkLimit) { tree in
                tree.device(path).map { $0.isConnected || $0.areServicesResolved } ?? true
            }
            let patience = min(Self.servicesLimit, max(.seconds(1), deadline - time.now))
            let isResolved = await wait(within: patience) { tree in
                tree.device(path).map { !$0.isConnected || $0.areServicesResolved } ?? true
            }
            guard isResolved else { return .failed(.unresolved(patience)) }
            guard let device = tree.device(path), device.isConnected else { return .failed(.linkLost) }
            try await readTree()
        } catch {
            return .failed(.refused(error))
        }
        guard tree.hasMatterService(path) else { return .failed(.noService) }
        return tree.characteristics(of: path).map { .connected($0) } ?? .failed(.noCharacteristics)
    }

    /// A connection that is ready for BTP.
    private func linked(
        _ path: DBusPath, _ name: String, _ found: MatterCharacteristics, _ device: BluetoothDevice
    ) async -> BlueZConnection {
        links[path] = BlueZLink(name: name, characteristics: found)
        var additionalData: [UInt8]?
        if device.advertisement.hasAdditionalData, let c3 = found.c3 {
            let values = try? await call(
                c3, BlueZ.characteristic, "ReadValue", [.properties([:])], within: Self.readLimit)
            additionalData = values?.first?.bytes
        }
        // The daemon exchanges it on its own; the property follows. Where there is none, none will come.
        if tree.mtu(found.c1) != nil {
            _ = await wait(within: Self.mtuLimit) { tree in (tree.mtu(found.c1) ?? 0) > Self.defaultMTU }
        }
        let mtu = tree.mtu(found.c1).flatMap { $0 > Self.defaultMTU ? $0 : nil }
        return BlueZConnection(self, path, name: name, attMTU: mtu, additionalData: additionalData)
    }

    /// Ends what there is of a link, and forgets the device if we made the host know it.
    func release(_ path: DBusPath?) async {
        guard let path, end == nil, tree.device(path) != nil else { return }
        await attempt(path, BlueZ.device, "Disconnect")
        guard isOurs(path), let adapter = tree.adapter(of: path) else { return }
        await attempt(adapter.path, BlueZ.adapter, "RemoveDevice", [.path(path)])
    }
}

extension ConnectAttempts {
    /// The error when the time of the command is over before the attempts are.
    func outOfTime(_ failure: Failure) -> BluetoothError {
        var last = self
        while true {
            if case .giveUp(var error) = last.failed(failure) {
                error.reason += "; there is no time for more attempts"
                return error
            }
        }
    }
}
