import MatterBase

/// The QR payload (Matter core specification, 5.1.3).
enum QRPayload {
    static let prefix = "MT:"

    /// Between segments of a QR code, of which only the Matter one counts.
    private static let segmentSeparator: Unicode.Scalar = "%"
    /// Between the payloads of several devices.
    fileprivate static let payloadSeparator: Unicode.Scalar = "*"
    /// Octets of the fixed part.
    private static let fixedLength = 11
    /// The capacity of the largest QR code (version 40-L, alphanumeric).
    static let longestText = 4296
    /// Characters that the specification allows for one code.
    fileprivate static let longestCode = 255

    /// The text after `MT:` in the segment that begins with it; `nil` without one.
    static func payload(in text: String) -> String? {
        segment(of: Array(text.unicodeScalars)).map { segment in
            var view = String.UnicodeScalarView()
            view.append(contentsOf: segment.text)
            return String(view)
        }
    }

    static func hasPayload(_ text: String) -> Bool {
        segment(of: Array(text.unicodeScalars)) != nil
    }

    /// Reads the payloads of one text, in order.
    static func decode(_ text: String) throws(SetupPayloadError) -> [SetupPayload] {
        guard let segment = segment(of: Array(text.unicodeScalars)) else {
            throw SetupPayloadError(.unrecognized, "a QR payload begins with \(prefix)")
        }
        var payloads: [SetupPayload] = []
        var position = segment.position
        for part in segment.text.split(separator: payloadSeparator, omittingEmptySubsequences: false) {
            let octets = try Base38.decode(Array(part), position: position)
            payloads.append(try decode(octets, position: position))
            position += part.count + 1
        }
        return payloads
    }

    /// The Matter segment without its prefix and without blanks around the whole text, and where it begins (from 1).
    private static func segment(of text: [Unicode.Scalar]) -> (text: ArraySlice<Unicode.Scalar>, position: Int)? {
        let blank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard let first = text.firstIndex(where: { !blank($0) }), let last = text.lastIndex(where: { !blank($0) })
        else {
            return nil
        }
        for segment in text[first...last].split(separator: segmentSeparator)
        where segment.starts(with: prefix.unicodeScalars) {
            let contents = segment.dropFirst(prefix.unicodeScalars.count)
            return (contents, contents.startIndex + 1)
        }
        return nil
    }
}

// MARK: - The packed binary form

extension QRPayload {
    /// Reads one payload from its bytes, the fields from the lowest bit up.
    private static func decode(_ octets: [UInt8], position: Int) throws(SetupPayloadError) -> SetupPayload {
        guard octets.count >= fixedLength else {
            throw SetupPayloadError(
                .length, octets.isEmpty ? "the QR payload is empty" : "the QR payload is too short",
                hint: "a QR payload has at least 19 characters after \(prefix)", position: position)
        }
        var bits = BitReader(octets: octets)
        let version = UInt8(truncatingIfNeeded: bits.next(3))
        let vendorID = UInt16(truncatingIfNeeded: bits.next(16))
        let productID = UInt16(truncatingIfNeeded: bits.next(16))
        let flow = UInt8(truncatingIfNeeded: bits.next(2))
        let capabilities = UInt8(truncatingIfNeeded: bits.next(8))
        let discriminator = UInt16(truncatingIfNeeded: bits.next(12))
        let passcode = bits.next(27)
        let padding = bits.next(4)

        guard version == SetupPayload.version else {
            throw SetupPayloadError(.version, "unknown QR payload version \(version); only version 0 exists")
        }
        guard let commissioningFlow = SetupPayload.CommissioningFlow(rawValue: flow) else {
            throw SetupPayloadError(.commissioningFlow, "commissioning flow \(flow) is reserved")
        }
        guard padding == 0 else { throw SetupPayloadError(.padding, "the padding bits of the QR payload are not zero") }
        let payload = SetupPayload(
            vendorID: vendorID == 0 ? nil : vendorID, productID: productID == 0 ? nil : productID,
            commissioningFlow: commissioningFlow, discoveryCapabilities: .init(rawValue: capabilities),
            discriminator: try SetupDiscriminator(long: discriminator), passcode: try SetupPasscode(passcode),
            extensionData: try SetupExtensionData(decoding: Array(octets[fixedLength...])))
        try payload.checkIDs()
        return payload
    }

    fileprivate static func octets(_ payload: SetupPayload) throws(SetupPayloadError) -> [UInt8] {
        try payload.checkIDs()
        guard let discriminator = payload.discriminator.long else {
            throw SetupPayloadError(.discriminator, "a QR payload needs the whole discriminator, 0 to 4095")
        }
        guard let capabilities = payload.discoveryCapabilities, !capabilities.isEmpty else {
            throw SetupPayloadError(.discoveryCapabilities, "a QR payload says where the device can be found")
        }
        let known = SetupPayload.DiscoveryCapabilities.named.reduce(into: UInt8(0)) { $0 |= $1.capability.rawValue }
        guard capabilities.rawValue & ~known == 0 else {
            throw SetupPayloadError(.discoveryCapabilities, "reserved discovery capabilities")
        }
        var bits = BitWriter()
        bits.append(UInt32(SetupPayload.version), 3)
        bits.append(UInt32(payload.vendorID ?? 0), 16)
        bits.append(UInt32(payload.productID ?? 0), 16)
        bits.append(UInt32(payload.commissioningFlow.rawValue), 2)
        bits.append(UInt32(capabilities.rawValue), 8)
        bits.append(UInt32(discriminator), 12)
        bits.append(payload.passcode.value, 27)
        bits.append(0, 4)
        return bits.octets + (try payload.extensionData.encoded())
    }
}

// MARK: - Making

extension SetupPayload {
    /// The QR payload.
    ///
    /// - Throws: ``SetupPayloadError`` if something that a QR payload needs is unknown, or a value breaks a rule.
    public func qrCode() throws(SetupPayloadError) -> String {
        try Self.qrCode([self])
    }

    /// One QR payload for several devices.
    package static func qrCode(_ payloads: [SetupPayload]) throws(SetupPayloadError) -> String {
        guard !payloads.isEmpty else { throw SetupPayloadError(.length, "there is no payload to encode") }
        var codes: [String] = []
        for payload in payloads { codes.append(Base38.encode(try QRPayload.octets(payload))) }
        for code in codes where QRPayload.prefix.count + code.count > QRPayload.longestCode {
            throw SetupPayloadError(.length, "the QR payload has more than \(QRPayload.longestCode) characters")
        }
        let text = QRPayload.prefix + codes.joined(separator: String(QRPayload.payloadSeparator))
        guard text.count <= QRPayload.longestText else {
            throw SetupPayloadError(.length, "too many payloads for one QR code")
        }
        return text
    }
}

// MARK: - Bits

/// Takes little-endian fields from the lowest bit up.
private struct BitReader {
    let octets: [UInt8]
    private var position = 0

    init(octets: [UInt8]) {
        self.octets = octets
    }

    /// The caller has made sure that there are enough bytes.
    mutating func next(_ count: Int) -> UInt32 {
        var field: UInt32 = 0
        for index in 0..<count {
            let bit = octets[position / 8] >> UInt8(position % 8) & 1
            field |= UInt32(bit) << UInt32(index)
            position += 1
        }
        return field
    }
}

private struct BitWriter {
    private(set) var octets: [UInt8] = []
    private var position = 0

    mutating func append(_ field: UInt32, _ count: Int) {
        for index in 0..<count {
            if position % 8 == 0 { octets.append(0) }
            octets[position / 8] |= UInt8(truncatingIfNeeded: field >> UInt32(index) & 1) << UInt8(position % 8)
            position += 1
        }
    }
}
