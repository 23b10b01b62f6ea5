import MatterBase

/// The contents of a setup code for one device (Matter core specification, 5.1).
public struct SetupPayload: Hashable, Sendable {
    /// How the device gets into commissioning mode.
    public enum CommissioningFlow: UInt8, Sendable, CaseIterable {
        /// It is in commissioning mode when it is switched on.
        case standard = 0
        /// The user must do something at the device first.
        case userIntent = 1
        /// The vendor's instructions must be followed first.
        case custom = 2
    }

    /// Where the device can be found.
    public struct DiscoveryCapabilities: OptionSet, Hashable, Sendable {
        /// The number.
        public let rawValue: UInt8

        /// The capabilities with these bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        static let softAP = Self(rawValue: 1 << 0)
        /// Over Bluetooth Low Energy.
        public static let ble = Self(rawValue: 1 << 1)
        /// On the IP network that it is on.
        public static let onNetwork = Self(rawValue: 1 << 2)
        static let wifiPAF = Self(rawValue: 1 << 3)
        static let nfc = Self(rawValue: 1 << 4)
        package static let thread = Self(rawValue: 1 << 5)

        /// Every capability that has a meaning, with the name that commands use, lowest bit first.
        public static let named: [(capability: Self, name: String)] = [
            (softAP, "soft-ap"), (ble, "ble"), (onNetwork, "on-network"), (wifiPAF, "wifi-paf"), (nfc, "nfc"),
            (thread, "thread"),
        ]

        /// The names of the bits that are set; reserved ones are left out.
        public var names: [String] {
            Self.named.filter { contains($0.capability) }.map(\.name)
        }
    }

    /// The form of code from which a payload came.
    package enum Form: Sendable {
        case qrCode, manualCode
    }

    /// The only version that exists.
    package static let version: UInt8 = 0

    /// `nil` where the code does not say.
    public var vendorID: UInt16?
    /// `nil` where the code does not say.
    public var productID: UInt16?
    /// A manual code of 21 digits does not tell ``CommissioningFlow/userIntent`` from ``CommissioningFlow/custom`` and
    /// is read as the latter.
    public var commissioningFlow: CommissioningFlow
    /// `nil` for manual codes, which do not say. Reserved bits are kept.
    public var discoveryCapabilities: DiscoveryCapabilities?
    /// The mark that tells it from other devices while it can be commissioned.
    public var discriminator: SetupDiscriminator
    /// The passcode.
    public var passcode: SetupPasscode
    /// The extension data of a QR payload.
    public var extensionData: SetupExtensionData

    // memberwise: public, vendorID = nil, productID = nil, commissioningFlow = .standard, discoveryCapabilities = nil,
    //     extensionData = SetupExtensionData()

    /// The last of the test vendors; the ids behind it are reserved (Matter core specification, 2.5.2).
    package static let highestVendorID: UInt16 = 0xFFF4

    /// The rules for ids that hold for every form.
    func checkIDs() throws(SetupPayloadError) {
        if let vendorID, vendorID > Self.highestVendorID {
            throw SetupPayloadError(.vendorID, "vendor id \(vendorID) is reserved; the highest is 65524 (0xFFF4)")
        }
        if vendorID != nil, vendorID != 0, productID == nil || productID == 0 {
            throw SetupPayloadError(.productID, "a vendor id needs a product id")
        }
    }
}

// MARK: - Reading either form

extension SetupPayload {
    /// Reads a typed or scanned code: a QR payload (`MT:…`, several concatenated with `*`, foreign segments
    /// around `%`) or a manual pairing code (11 or 21 digits; blanks and dashes anywhere).
    ///
    /// - Returns: one payload, or several from a concatenated QR payload, in order.
    /// - Throws: ``SetupPayloadError`` that names the wrong digit or character.
    public static func parse(_ text: String) throws(SetupPayloadError) -> [SetupPayload] {
        guard text.utf8.count <= QRPayload.longestText else {
            throw SetupPayloadError(.length, "\(text.utf8.count) bytes of text are too long for a setup code")
        }
        switch try form(of: text) {
        case .qrCode: return try QRPayload.decode(text)
        case .manualCode: return [try ManualPairingCode.decode(text)]
        }
    }

    /// Which form a text is meant to have; its contents may still be wrong.
    package static func form(of text: String) throws(SetupPayloadError) -> Form {
        if QRPayload.hasPayload(text) { return .qrCode }
        let first = text.unicodeScalars.first { !ManualPairingCode.isSeparator($0) }
        if let first, first.digit != nil { return .manualCode }
        let hint: Hint =
            text.lowercased().contains(QRPayload.prefix.lowercased())
            ? "a QR payload has capital letters and begins with \(QRPayload.prefix)"
            : "a QR payload begins with \(QRPayload.prefix); a manual pairing code has 11 or 21 digits"
        throw SetupPayloadError(
            .unrecognized, first == nil ? "the setup code is empty" : "neither a QR payload nor a manual pairing code",
            hint: hint)
    }
}
