import MatterBase

/// The manual pairing code: 11 digits, or 21 with vendor and product id (Matter core specification, 5.1.4).
enum ManualPairingCode {
    private static let shortLength = 11
    private static let longLength = 21

    /// The separators between the digits: blanks and the dashes that word processors make of hyphens.
    static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar.properties.isWhitespace || 0x2010...0x2015 ~= scalar.value || scalar.value == 0x2212
    }

    /// - Throws: ``SetupPayloadError`` that says which digit or character is wrong.
    static func decode(_ text: String) throws(SetupPayloadError) -> SetupPayload {
        let digits = try digits(of: text)
        guard digits.count == shortLength || digits.count == longLength else {
            throw SetupPayloadError(
                .length, "the code has \(digits.count) digits; a manual pairing code has 11 or 21",
                hint: "a digit is missing or superfluous: compare the code with the label")
        }
        guard let last = digits.last, Verhoeff.checkDigit(for: digits.dropLast()) == last else {
            throw SetupPayloadError(
                .checkDigit, "the last digit does not match the others: probably a typing error",
                hint: "compare the code with the label, digit by digit")
        }
        guard digits[0] <= 7 else {
            throw SetupPayloadError(.group, "a manual pairing code does not begin with \(digits[0])", position: 1)
        }
        let isLong = digits[0] & 4 != 0
        guard digits.count == (isLong ? longLength : shortLength) else {
            throw SetupPayloadError(
                .length,
                isLong
                    ? "a code that begins with \(digits[0]) has 21 digits, this one has 11"
                    : "a code that begins with \(digits[0]) has 11 digits, this one has 21")
        }
        let middle = try number(digits, 1..<6, maximum: 0xFFFF)
        let high = try number(digits, 6..<10, maximum: 0x1FFF)
        let short = UInt8(truncatingIfNeeded: UInt32(digits[0] & 3) << 2 | middle >> 14)
        var payload = SetupPayload(
            commissioningFlow: isLong ? .custom : .standard, discriminator: try SetupDiscriminator(short: short),
            passcode: try SetupPasscode(high << 14 | middle & 0x3FFF))
        if isLong {
            let vendorID = UInt16(truncatingIfNeeded: try number(digits, 10..<15, maximum: 0xFFFF))
            let productID = UInt16(truncatingIfNeeded: try number(digits, 15..<20, maximum: 0xFFFF))
            payload.vendorID = vendorID == 0 ? nil : vendorID
            payload.productID = productID == 0 ? nil : productID
        }
        try payload.checkIDs()
        return payload
    }

    private static func digits(of text: String) throws(SetupPayloadError) -> [UInt8] {
        var digits: [UInt8] = []
        for (index, scalar) in text.unicodeScalars.enumerated() where !isSeparator(scalar) {
            guard let digit = scalar.digit else {
                throw SetupPayloadError(
                    .character, "character \(index + 1), \(scalar.quoted), is not a digit",
                    hint: "a manual pairing code has 11 or 21 digits; blanks and dashes are allowed",
                    position: index + 1)
            }
            digits.append(digit)
        }
        return digits
    }

    /// The number that some of the digits spell.
    private static func number(
        _ digits: [UInt8], _ range: Range<Int>, maximum: UInt32
    ) throws(SetupPayloadError) -> UInt32 {
        let number = digits[range].reduce(0) { $0 * 10 + UInt32($1) }
        guard number <= maximum else {
            throw SetupPayloadError(
                .group,
                "digits \(range.lowerBound + 1) to \(range.upperBound) exceed the maximum \(maximum)",
                hint: "compare the code with the label, digit by digit")
        }
        return number
    }
}

// MARK: - Making

extension SetupPayload {
    /// The manual pairing code: 21 digits unless the flow is the standard one.
    ///
    /// - Parameter withIDs: forces the long or the short form.
    /// - Throws: ``SetupPayloadError`` if an id breaks a rule.
    public func manualCode(withIDs: Bool? = nil) throws(SetupPayloadError) -> String {
        try checkIDs()
        let isLong = withIDs ?? (commissioningFlow != .standard)
        let short = UInt32(discriminator.short)
        var text = String((isLong ? 4 : 0) | short >> 2)
        text += Self.padded((short & 3) << 14 | passcode.value & 0x3FFF, 5)
        text += Self.padded(passcode.value >> 14, 4)
        if isLong { text += Self.padded(UInt32(vendorID ?? 0), 5) + Self.padded(UInt32(productID ?? 0), 5) }
        let digits = text.unicodeScalars.compactMap(\.digit)
        return text + String(Verhoeff.checkDigit(for: digits))
    }

    /// The manual pairing code as labels print it: `3497-011-2332`, `7497-011-2336-55210-32769`.
    ///
    /// - Throws: ``SetupPayloadError``.
    public func formattedManualCode(withIDs: Bool? = nil) throws(SetupPayloadError) -> String {
        var rest = try manualCode(withIDs: withIDs)[...]
        var groups: [Substring] = []
        for length in [4, 3, 4, 5, 5] where !rest.isEmpty {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }

    private static func padded(_ number: UInt32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
