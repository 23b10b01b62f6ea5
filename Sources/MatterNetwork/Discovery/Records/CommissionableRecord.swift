/// The TXT record of a commissionable device (Matter core specification 4.3.1).
public struct CommissionableRecord: Hashable, Sendable {
    /// TXT key CM: whether, and how, the device can be commissioned now.
    public enum CommissioningMode: UInt8, Hashable, Sendable, CaseIterable {
        /// Not now: it only stays discoverable.
        case closed = 0
        /// With the passcode it was made with.
        case basic = 1
        /// With a passcode made for this window.
        case enhanced = 2
        /// Into a joint fabric.
        case jointFabric = 3
    }

    /// D: 12 bits; mandatory, yet `nil` where it is absent or not valid.
    public var longDiscriminator: UInt16?
    /// CM; closed where it is absent.
    public var commissioningMode: CommissioningMode
    /// The id of the vendor: VP.
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?
    /// The number of the device type: DT.
    public var deviceType: UInt32?
    /// DN: up to 32 bytes of text, as the device wrote it (escape it before printing).
    public var deviceName: String?
    /// RI, its bytes.
    var rotatingID: [UInt8]?
    /// PH: how to make the device open a window; bits of section 5.4.2.5.6.
    public var pairingHint: UInt32?
    /// PI: up to 128 bytes of text that complete the hint (escape it before printing).
    public var pairingInstruction: String?
    /// JF.
    var jointFabric: UInt16?
    package var parameters: AdvertisedParameters

    /// The upper four bits of the discriminator, which is all that a manual pairing code has.
    package var shortDiscriminator: UInt8? { longDiscriminator.map { UInt8(truncatingIfNeeded: $0 >> 8) } }

    private enum Limit {
        static let deviceName = 32
        static let rotatingIDDigits = 100
        static let pairingInstruction = 128
        static let discriminator: UInt16 = 0xFFF
    }

    package init(
        longDiscriminator: UInt16?, commissioningMode: CommissioningMode, vendorID: UInt16? = nil,
        productID: UInt16? = nil, deviceType: UInt32? = nil, deviceName: String? = nil,
        parameters: AdvertisedParameters = AdvertisedParameters()
    ) {
        self.longDiscriminator = longDiscriminator
        self.commissioningMode = commissioningMode
        self.vendorID = vendorID
        self.productID = productID
        self.deviceType = deviceType
        self.deviceName = deviceName
        self.parameters = parameters
    }

    /// Reads the keys; a value that is not valid counts as absent.
    package init(_ txt: TXTRecord) {
        self.init(
            longDiscriminator: txt.number("D", in: 0...Limit.discriminator),
            commissioningMode: txt.number("CM").flatMap(CommissioningMode.init(rawValue:)) ?? .closed,
            deviceType: txt.number("DT"),
            deviceName: txt.text("DN", limit: Limit.deviceName),
            parameters: AdvertisedParameters(txt))
        if let ids = txt["VP"]?.split(separator: UInt8(ascii: "+"), maxSplits: 1, omittingEmptySubsequences: false) {
            vendorID = ids.first.flatMap { TXTRecord.decimal($0) }
            productID = vendorID == nil ? nil : ids.dropFirst().first.flatMap { TXTRecord.decimal($0) }
        }
        rotatingID = txt.text("RI", limit: Limit.rotatingIDDigits).flatMap(Self.octets)
        pairingHint = txt.number("PH")
        pairingInstruction = txt.text("PI", limit: Limit.pairingInstruction)
        jointFabric = txt.number("JF")
    }

    /// The bytes of an even number of hexadecimal digits.
    private static func octets(_ digits: String) -> [UInt8]? {
        let nibbles = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard !nibbles.isEmpty, nibbles.count.isMultiple(of: 2), nibbles.count == digits.utf8.count else { return nil }
        return stride(from: 0, to: nibbles.count - 1, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }

    /// The record for a device of our own.
    ///
    /// - Throws: `malformedRecord` for a text that is too long.
    func txt() throws(DiscoveryError) -> TXTRecord {
        guard deviceName?.utf8.count ?? 0 <= Limit.deviceName,
            pairingInstruction?.utf8.count ?? 0 <= Limit.pairingInstruction,
            rotatingID?.count ?? 0 <= Limit.rotatingIDDigits / 2
        else {
            throw DiscoveryError(
                .malformedRecord, "the device name, pairing instruction or rotating id is too long to be advertised")
        }
        let all: [(key: String, value: String?)] = [
            ("D", longDiscriminator.map { String($0) }), ("CM", String(commissioningMode.rawValue)),
            ("VP", vendorID.map { vendor in productID.map { "\(vendor)+\($0)" } ?? String(vendor) }),
            ("DT", deviceType.map { String($0) }), ("DN", deviceName),
            ("RI", rotatingID.map { $0.map(MatterService.hexadecimal).joined() }),
            ("PH", pairingHint.map { String($0) }), ("PI", pairingInstruction), ("JF", jointFabric.map { String($0) }),
        ]
        return try TXTRecord(all.compactMap { pair in pair.value.map { (pair.key, $0) } } + parameters.pairs)
    }

    /// The subtypes under which such a device is found.
    var subtypes: [String] {
        [
            longDiscriminator.map { "_L\($0)" }, shortDiscriminator.map { "_S\($0)" }, vendorID.map { "_V\($0)" },
            deviceType.map { "_T\($0)" }, commissioningMode == .closed ? nil : "_CM",
        ].compactMap { $0 }
    }
}
