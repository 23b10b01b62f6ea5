/// The vendor and product an attestation certificate names in its subject (Matter core specification, 6.2.2.2).
package struct VendorAndProduct: Hashable, Sendable {
    package var vendorID: VendorID?
    package var productID: UInt16?

    // memberwise: package, vendorID = nil, productID = nil

    private var isEmpty: Bool { vendorID == nil && productID == nil }

    /// Octets of a common name that are looked at.
    private static let commonNameCount = 64
    private static let digitCount = 4

    /// Reads the attributes for vendor and product id or, if there is neither, what the common name spells.
    ///
    /// - Throws: `certificate.invalid-name` for an id that is not four upper-case digits, for two of a kind, and for a
    ///   common name with `Mvid:` or `Mpid:` but nowhere four digits after it — also where it is not needed.
    package init(subject: AttestationName) throws(CredentialsError) {
        var attributes = VendorAndProduct()
        var fallback = VendorAndProduct()
        for attribute in subject.attributes {
            switch attribute.type {
            case AttestationName.vendorIDType:
                let number = try Self.number(attribute, "vendor id", isFirst: attributes.vendorID == nil)
                attributes.vendorID = VendorID(number)
            case AttestationName.productIDType:
                attributes.productID = try Self.number(attribute, "product id", isFirst: attributes.productID == nil)
            case AttestationName.commonNameType where fallback.isEmpty:
                guard !attribute.value.isEmpty else { throw Self.wrong("the common name is empty") }
                let name = attribute.value.prefix(Self.commonNameCount)
                fallback.vendorID = try Self.number(in: name, after: "Mvid:").map { VendorID($0) }
                fallback.productID = try Self.number(in: name, after: "Mpid:")
            default: break
            }
        }
        self = attributes.isEmpty ? fallback : attributes
    }

    private static func number(
        _ attribute: AttestationName.Attribute, _ name: String, isFirst: Bool
    ) throws(CredentialsError) -> UInt16 {
        guard isFirst else { throw wrong("it has two attributes for the \(name)") }
        guard attribute.isPlainString, let number: UInt16 = HexDigits.number(attribute.value) else {
            throw wrong("the \(name) is not four upper-case hexadecimal digits")
        }
        return number
    }

    /// The first four digits that stand behind a prefix; `nil` if the prefix is nowhere.
    private static func number(
        in text: ArraySlice<UInt8>, after prefix: String
    ) throws(CredentialsError) -> UInt16? {
        var rest = text
        var isPrefixed = false
        while !rest.isEmpty {
            if rest.starts(with: prefix.utf8) {
                isPrefixed = true
                let digits = rest.dropFirst(prefix.utf8.count).prefix(digitCount)
                if let number: UInt16 = HexDigits.number(digits) { return number }
            }
            rest.removeFirst()
        }
        guard !isPrefixed else { throw wrong("\(prefix) in the common name is not followed by four digits") }
        return nil
    }

    private static func wrong(_ fault: String) -> CredentialsError {
        CredentialsError(.invalidName, "the subject is malformed: \(fault)")
    }
}

extension VendorAndProduct: CustomStringConvertible {
    /// `VID FFF1, PID 8000`.
    package var description: String {
        let vendor = vendorID.map { "VID \($0)" } ?? "no VID"
        return vendor + (productID.map { ", PID \(HexDigits.text($0))" } ?? "")
    }
}
