import MatterController

/// Something that a look-out has found, on the network or over Bluetooth.
enum Finding: Sendable {
    case network(CommissionableEvent)
    case bluetooth(BluetoothDevice)

    init(_ event: CommissionableEvent) { self = .network(event) }
    init(_ device: BluetoothDevice) { self = .bluetooth(device) }
}

extension Discover {
    /// A device may advertise itself every 1.3 s only, and a scan misses some of it.
    private static let listening = Duration.seconds(10)

    /// Whether a device is also one of the vendor's: the network is asked for one thing at a time.
    func isWanted(_ device: CommissionableDevice) -> Bool {
        guard let vendor, discriminator != nil else { return true }
        return device.record.vendorID == vendor.value
    }

    func isWanted(_ device: BluetoothDevice) -> Bool {
        let advertisement = device.advertisement
        return discriminator.map { $0 == advertisement.longDiscriminator } ?? true
            && vendor.map { $0.value == advertisement.vendorID } ?? true
    }

    /// Looks on the network and over Bluetooth at the same time.
    ///
    /// Bluetooth was asked for, so its absence is an error; that of Avahi is a warning.
    func runWithBluetooth(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>, _ context: CommandContext
    ) async throws {
        let central = BlueZCentral(AdapterChoice(bleAdapter))
        if watch {
            let end: ContinuousClock.Instant? = span.map { .now + $0.duration }
            // --timeout bounds the set-up.
            let daemon = Task { [limit = min(context.deadline, end ?? context.deadline)] in
                _ = try await central.check(until: limit)
            }
            defer { daemon.cancel() }
            let findings = Self.merged(events, central.scan(), after: daemon) { warn($0, context) }
            try await follow(findings, until: end, context)
            // A look-out that ends before the daemon has answered has seen nothing of Bluetooth.
            return try await daemon.value
        }
        let end = min(context.deadline, .now + Self.listening)
        async let network = onNetwork(events, context)
        // Without it, a daemon that is slow would look like a place without devices.
        _ = try await central.check(until: end)
        let bluetooth = try await overBluetooth(central, until: end)
        let (devices, isComplete) = try await network
        try Task.checkCancellation()
        show(devices, bluetooth, isComplete: isComplete, context)
    }

    private func onNetwork(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>, _ context: CommandContext
    ) async throws -> (devices: [CommissionableDevice], isComplete: Bool) {
        do {
            return try await collect(events, until: context.deadline)
        } catch let error as DiscoveryError {
            warn(error, context)
            return ([], true)
        }
    }

    private func warn(_ error: DiscoveryError, _ context: CommandContext) {
        context.console.warning("the network was left out: \(error.message)", error.hint ?? .step(error.id))
    }

    private func overBluetooth(
        _ central: BlueZCentral, until deadline: ContinuousClock.Instant
    ) async throws -> [BluetoothDevice] {
        var found: [String: BluetoothDevice] = [:]
        for try await device in Timed(central.scan(), until: deadline).stream where isWanted(device) {
            found["\(device.adapter) \(device.address)"] = device
        }
        return found.values.sorted { ($0.rssi ?? .min, $0.address) > ($1.rssi ?? .min, $1.address) }
    }

    /// The findings about the network.
    static func findings(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>
    ) -> AsyncThrowingStream<Finding, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task { await feed(events, to: continuation) { Finding($0) } }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Both sources in one stream, which goes on without the network.
    private static func merged(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>,
        _ devices: AsyncThrowingStream<BluetoothDevice, any Error>, after daemon: Task<Void, any Error>,
        warn: @escaping @Sendable (DiscoveryError) -> Void
    ) -> AsyncThrowingStream<Finding, any Error> {
        AsyncThrowingStream { continuation in
            let network = Task {
                do {
                    for try await event in events { continuation.yield(Finding(event)) }
                } catch let error as DiscoveryError {
                    warn(error)
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let bluetooth = Task {
                do {
                    try await daemon.value
                    await feed(devices, to: continuation) { Finding($0) }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in
                network.cancel()
                bluetooth.cancel()
            }
        }
    }

    private static func feed<Element: Sendable>(
        _ source: AsyncThrowingStream<Element, any Error>,
        to continuation: AsyncThrowingStream<Finding, any Error>.Continuation, _ finding: (Element) -> Finding
    ) async {
        do {
            for try await element in source { continuation.yield(finding(element)) }
            continuation.finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }
}
