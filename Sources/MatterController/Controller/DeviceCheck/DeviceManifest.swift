import MatterState

/// Devices that were made together, as a text: a table with a header (RFC 4180, a row on a line), or a JSON object on each line.
///
/// The columns, and the members of the objects, are those of ``Column``.
public struct DeviceManifest: Sendable {
    /// The columns, by their names; capitals, blanks, dashes and underscores in a name do not count.
    enum Column: String, CaseIterable {
        case qrCode, manualCode, name, serialNumber, discriminator, softwareVersion, address, via, attestation
        case vendorID = "vendorId"
        case productID = "productId"
    }

    /// A device of the manifest.
    public struct Device: Sendable {
        /// Counts from 1; where the device stands in the text.
        public let line: Int
        /// The printed codes; one of them may be missing.
        package var qrCode: SetupPayload?
        package var manualCode: SetupPayload?
        /// The name; `nil` if it has none.
        public var name: String?
        /// The number of the vendor that the device is to have; `nil` if the manifest does not say.
        public var vendorID: UInt16?
        /// The number of the product that the device is to have; `nil` if the manifest does not say.
        public var productID: UInt16?
        /// The serial number; `nil` if the manifest does not say.
        public var serialNumber: String?
        package var discriminator: UInt16?
        package var softwareVersion: UInt32?
        /// Where the device is, if it is not to be looked for.
        public var address: String?
        /// The only way to look for it; `nil` for what its code says.
        public var via: CommissioningWay?
        /// The path of the device's certificates, as the manifest has it; `nil` if it has none.
        public var attestation: String?
        /// The lines of an earlier device with this code, or this serial number of the same product.
        package var lineOfSameCode: Int?
        package var lineOfSameSerial: Int?

        init(line: Int) { self.line = line }

        /// The better one of its codes: that of the QR code, if there is one.
        public var code: SetupPayload? { qrCode ?? manualCode }

        /// The QR code as text; `nil` if the manifest has the manual code alone, which does not say enough.
        public var qrText: String? { try? qrCode?.qrCode() }

        /// The manual pairing code as labels print it.
        public var manualText: String? {
            let isLong = manualCode.map { $0.commissioningFlow != .standard }
            return try? (manualCode ?? qrCode)?.formattedManualCode(withIDs: isLong)
        }
    }

    /// The size of a manifest in bytes.
    public static let largest = 8 << 20
    static let mostDevices = 10_000

    /// By line.
    public let devices: [Device]

    /// - Throws: ``DeviceManifestError`` with all that is wrong, by line.
    public init(_ text: [UInt8]) throws(DeviceManifestError) {
        var reader = ManifestReader()
        let devices = reader.devices(text)
        guard reader.faults.isEmpty, !devices.isEmpty else { throw DeviceManifestError(reader.faults) }
        self.devices = Self.marked(devices)
    }

    private struct CodeKey: Hashable {
        var passcode: SetupPasscode
        var discriminator: SetupDiscriminator
    }

    private struct SerialKey: Hashable {
        var vendorID: UInt16?
        var productID: UInt16?
        var serialNumber: String
    }

    /// Devices with the lines of earlier ones that have the same code or serial number.
    private static func marked(_ devices: [Device]) -> [Device] {
        var codes: [CodeKey: Int] = [:]
        var serials: [SerialKey: Int] = [:]
        return devices.map { device in
            var device = device
            if let code = device.code {
                let key = CodeKey(passcode: code.passcode, discriminator: code.discriminator)
                device.lineOfSameCode = codes[key]
                codes[key] = codes[key] ?? device.line
            }
            if let serial = device.serialNumber {
                let key = SerialKey(
                    vendorID: device.vendorID ?? device.code?.vendorID,
                    productID: device.productID ?? device.code?.productID, serialNumber: serial)
                device.lineOfSameSerial = serials[key]
                serials[key] = serials[key] ?? device.line
            }
            return device
        }
    }
}

/// Faults in a manifest of devices. Nothing was sent.
public struct DeviceManifestError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The manifest cannot be used.
        case invalid = "check.manifest"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// A fault of the text.
    public struct Fault: Sendable, Equatable {
        /// The line, from 1 on.
        public let line: Int
        /// The name of the column or, if it has none, its number; `nil` for a fault of the whole line.
        public let column: String?
        /// The failure, as a name that programs can compare.
        public let id: String
        /// A sentence for a person. It may quote the text: escape it.
        public let reason: String

        init(_ line: Int, _ column: String?, _ reason: String, id: String = Code.invalid.rawValue) {
            self.line = line
            self.column = column
            self.id = id
            self.reason = reason
        }
    }

    /// The failure, as a name that programs can compare.
    public let code = Code.invalid
    /// The event, in words for people.
    public let reason: String
    /// By line; empty for a manifest without devices.
    public let faults: [Fault]

    init(_ faults: [Fault]) {
        self.faults = faults
        reason =
            faults.isEmpty
            ? "the manifest has no device"
            : "the manifest has \(Spelled.count(faults.count, "fault")); nothing was sent"
    }
}
