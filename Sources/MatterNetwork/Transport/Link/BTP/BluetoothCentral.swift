/// A commissionable device's statement of itself in its Bluetooth service data (Matter core specification 5.4.2.5.6).
public struct BLEAdvertisement: Hashable, Sendable {
    /// The service that Matter devices offer and advertise.
    static let serviceUUID = "0000fff6-0000-1000-8000-00805f9b34fb"
    /// The bytes of the service data, without the service's UUID.
    package static let length = 8
    private static let commissionable: UInt8 = 0
    private static let discriminatorBits: UInt16 = 0xFFF
    private static let additionalData: UInt8 = 1
    private static let extended: UInt8 = 2

    /// The 12 bits of the discriminator.
    public var longDiscriminator: UInt16
    /// The id of the vendor; `nil` if the device does not tell.
    public var vendorID: UInt16?
    /// The id that the vendor gave the product; `nil` if the device does not tell.
    public var productID: UInt16?
    /// True if C3 has additional data for commissioning.
    var hasAdditionalData: Bool
    /// True in an extended announcement: for longer than 15 minutes, without vendor and product.
    var isExtended: Bool

    /// The upper four bits of the discriminator, which is all that a manual pairing code has.
    package var shortDiscriminator: UInt8 { UInt8(truncatingIfNeeded: longDiscriminator >> 8) }

    package init(
        longDiscriminator: UInt16, vendorID: UInt16? = nil, productID: UInt16? = nil, hasAdditionalData: Bool = false,
        isExtended: Bool = false
    ) {
        self.longDiscriminator = longDiscriminator & Self.discriminatorBits
        self.vendorID = vendorID
        self.productID = productID
        self.hasAdditionalData = hasAdditionalData
        self.isExtended = isExtended
    }

    /// Reads the service data of 0xFFF6.
    ///
    /// - Returns: `nil` for data that is too short, and for what is not about a commissionable device.
    package init?(serviceData: [UInt8]) {
        guard serviceData.count >= Self.length, serviceData[0] == Self.commissionable else { return nil }
        func number(_ offset: Int) -> UInt16 { UInt16(serviceData[offset]) | UInt16(serviceData[offset + 1]) << 8 }
        let (vendor, product, flags) = (number(3), number(5), serviceData[7])
        self.init(
            longDiscriminator: number(1), vendorID: vendor == 0 ? nil : vendor, productID: product == 0 ? nil : product,
            hasAdditionalData: flags & Self.additionalData != 0, isExtended: flags & Self.extended != 0)
    }

    /// The service data that a device of our own advertises.
    var serviceData: [UInt8] {
        func bytes(_ number: UInt16?) -> [UInt8] {
            [UInt8(truncatingIfNeeded: number ?? 0), UInt8(truncatingIfNeeded: (number ?? 0) >> 8)]
        }
        let flags = (hasAdditionalData ? Self.additionalData : 0) | (isExtended ? Self.extended : 0)
        return [Self.commissionable] + bytes(longDiscriminator) + bytes(vendorID) + bytes(productID) + [flags]
    }
}

/// A device that advertises itself for commissioning over Bluetooth (Matter core specification, 4.20).
public struct BluetoothDevice: Hashable, Sendable {
    /// Its Bluetooth address, `AA:BB:CC:DD:EE:FF`; devices change theirs from time to time.
    public let address: String
    /// The adapter that saw it, as the system calls it: `hci0`.
    public let adapter: String
    /// The strength of its signal in dBm; `nil` if it is not known.
    public var rssi: Int?
    /// The sent bytes.
    public var advertisement: BLEAdvertisement
}

/// Finds commissionable devices over Bluetooth, and connects to them (Matter core specification, 4.20).
public protocol BluetoothCentral: Sendable {
    /// Looks for commissionable devices, on all adapters that were chosen, until the stream's reader is cancelled or leaves.
    ///
    /// A device is reported when it is seen, and again when its advertisement changes. A stream that cannot go on throws,
    /// with the cure in the error's hint. The scan begins with the call and ends with the stream.
    func scan() -> AsyncThrowingStream<BluetoothDevice, any Error>

    /// Connects to a device that a scan has found, ready for ``GATTConnection/subscribe(_:)`` and writes. A scan may still be
    /// going on: it is suspended where the adapter asks for that.
    ///
    /// - Throws: an error that says after how many attempts, and why, or `CancellationError`; nothing of the connection is
    ///   left then.
    func connect(to device: BluetoothDevice, deadline: Instant) async throws -> any GATTConnection

    /// Checks that there is an adapter that a scan can use. Nothing is switched on.
    ///
    /// - Returns: the adapters in words, such as `hci0 (00:1A:7D:DA:71:13)`.
    /// - Throws: what keeps a scan from starting, or `CancellationError`.
    func check() async throws -> String
}
