import MatterNetwork

/// How a device is reached before it is on a fabric (Matter core specification 5.4.2).
public enum DiscoveryWay: String, Sendable, Hashable, CaseIterable {
    /// Over the network of this machine.
    case network
    /// Over Bluetooth; for devices that are on no network yet.
    case bluetooth
}

/// A device that can be commissioned (Matter core specification 4.3.1).
public struct DiscoveredDevice: Sendable, Hashable, Identifiable {
    /// Names the device as long as its window is open.
    public let id: String
    /// How it was found.
    public let way: DiscoveryWay
    /// The discriminator, 0 to 4095, which is also in its setup code; `nil` if it does not say.
    public let discriminator: UInt16?
    /// The vendor's number; `nil` if it does not say.
    public let vendorID: UInt16?
    /// The product's number; `nil` if it does not say.
    public let productID: UInt16?
    /// Its kind; `nil` if it does not say.
    public let deviceType: DeviceTypeID?
    /// The name that it has on its network, as it wrote it: escape it before it reaches a terminal.
    public let name: String?
    /// Whether it can be commissioned now.
    public let isOpen: Bool
    /// Where it is, the best address first, such as `[fe80::1%eth0]:5540`; empty over Bluetooth.
    public let addresses: [String]
    /// The strength of its Bluetooth signal in dBm.
    public let signalStrength: Int?

    init(_ device: CommissionableDevice) {
        id = device.instance
        way = .network
        discriminator = device.record.longDiscriminator
        vendorID = device.record.vendorID
        productID = device.record.productID
        deviceType = device.record.deviceType.map { DeviceTypeID($0) }
        name = device.record.deviceName
        isOpen = device.record.commissioningMode != .closed
        addresses = device.addresses.map { "\($0)" }
        signalStrength = nil
    }

    init(_ device: BluetoothDevice) {
        id = device.address
        way = .bluetooth
        discriminator = device.advertisement.longDiscriminator
        vendorID = device.advertisement.vendorID
        productID = device.advertisement.productID
        (deviceType, name) = (nil, nil)
        isOpen = true
        addresses = []
        signalStrength = device.rssi
    }
}

/// The findings of a search for devices.
public enum DiscoveryUpdate: Sendable, Hashable {
    /// A device is there, or something about it has changed.
    case found(DiscoveredDevice)
    /// The device with this id is gone, or has closed its window.
    case lost(DiscoveredDevice.ID)
    /// Everything that answers at once has answered. More may follow.
    case settled
}

extension Controller {
    /// Looks for devices that can be commissioned, until the loop ends.
    ///
    /// - Parameters:
    ///   - ways: where to look.
    ///   - closed: whether devices are told too that are not open for commissioning now.
    /// - Returns: what is found, as soon as it is. It throws ``MatterError`` `serviceMissing` if Avahi or BlueZ does not
    ///   answer.
    public nonisolated func discover(
        _ ways: Set<DiscoveryWay> = [.network], includingClosed closed: Bool = false
    ) -> some AsyncSequence<DiscoveryUpdate, any Error> & Sendable {
        AsyncThrowingStream { continuation in
            let task = options.time.start { [self] in
                do {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        if ways.contains(.network), let discovery = context.discovery() {
                            group.addTask {
                                for try await event in discovery.browseCommissionable(
                                    .any, includingClosed: closed)
                                {
                                    switch event {
                                    case .found(let device): continuation.yield(.found(DiscoveredDevice(device)))
                                    case .lost(let instance): continuation.yield(.lost(instance))
                                    case .allForNow: continuation.yield(.settled)
                                    }
                                }
                            }
                        }
                        if ways.contains(.bluetooth), let bluetooth = options.bluetooth?() {
                            group.addTask {
                                for try await device in bluetooth.scan() {
                                    continuation.yield(.found(DiscoveredDevice(device)))
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    continuation.finish()
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: MatterError(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
