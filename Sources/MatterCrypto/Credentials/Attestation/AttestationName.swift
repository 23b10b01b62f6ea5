import SwiftASN1

/// The subject or issuer of an attestation certificate: any X.501 name, kept as it was encoded.
///
/// Two names are equal if RFC 5280 (7.1) calls them so: the type of a string, the case of its ASCII letters and its
/// blanks make no difference, nor does the order of attributes within a relative name.
public struct AttestationName: Sendable {
    /// One attribute, whatever relative name it stands in.
    struct Attribute: Hashable, Sendable {
        /// The contents bytes of the type's object identifier.
        let type: [UInt8]
        let value: [UInt8]
        /// True if the value is a UTF8String or PrintableString, as vendor and product ids must be.
        let isPlainString: Bool
        /// The form for comparison: the folded text of a string, the encoding of anything else.
        let comparable: [UInt8]

        init(type: [UInt8], value: [UInt8], identifier: ASN1Identifier) {
            self.type = type
            self.value = value
            isPlainString = identifier == .utf8String || identifier == .printableString
            comparable = Self.folded(value, identifier) ?? [UInt8(truncatingIfNeeded: identifier.tagNumber)] + value
        }

        /// A text in lower case, without outer blanks and with single inner ones; `nil` if it is no text of one byte a
        /// character.
        private static func folded(_ value: [UInt8], _ identifier: ASN1Identifier) -> [UInt8]? {
            let texts: [ASN1Identifier] = [.utf8String, .printableString, .ia5String, .teletexString]
            guard texts.contains(identifier) else { return nil }
            let blank = UInt8(ascii: " ")
            var text: [UInt8] = []
            for word in value.split(separator: blank) {
                if !text.isEmpty { text.append(blank) }
                text += word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
            }
            return text
        }
    }

    package let der: [UInt8]
    let attributes: [Attribute]
    /// The relative names in their order, each with its attributes in one fixed order.
    private let comparable: [[[UInt8]]]

    static let vendorIDType = ObjectIdentifier.contents(1, 3, 6, 1, 4, 1, 37244, 2, 1)
    static let productIDType = ObjectIdentifier.contents(1, 3, 6, 1, 4, 1, 37244, 2, 2)
    static let commonNameType = ObjectIdentifier.x520(3)
    static let organizationType = ObjectIdentifier.x520(10)

    /// Decodes a Name that stands alone.
    package init(der: [UInt8]) throws(CredentialsError) {
        let node: ASN1Node
        do { node = try DER.parse(der) } catch {
            throw CredentialsError(.invalidName, "the name is not a DER encoding")
        }
        try self.init(node, "the name")
    }

    /// Reads a Name.
    init(_ node: ASN1Node, _ name: String) throws(CredentialsError) {
        var sets = try DERFields(node, name: name, code: .invalidName)
        var relativeNames: [[Attribute]] = []
        while !sets.isAtEnd {
            var attributes: [Attribute] = []
            var set = try sets.fields("a relative name of \(name)", .set)
            repeat {
                var pair = try set.fields("an attribute of \(name)")
                let type = try pair.contents(.objectIdentifier, "an attribute type of \(name)")
                let value = try pair.next("an attribute value of \(name)")
                try pair.end()
                guard let octets = value.primitive else { throw pair.wrong("an attribute of \(name) is not a string") }
                attributes.append(Attribute(type: type, value: octets, identifier: value.identifier))
            } while !set.isAtEnd
            relativeNames.append(attributes)
        }
        self.init(der: Array(node.encodedBytes), relativeNames)
    }

    private init(der: [UInt8], _ relativeNames: [[Attribute]]) {
        self.der = der
        attributes = relativeNames.flatMap { $0 }
        comparable = relativeNames.map { attributes in
            attributes.map { [UInt8(truncatingIfNeeded: $0.type.count)] + $0.type + $0.comparable }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// Makes a name of UTF8Strings, in this order: organization, common name, vendor id, product id.
    package init(
        organization: String? = nil, commonName: String, vendorID: VendorID? = nil, productID: UInt16? = nil
    ) {
        func attribute(_ type: [UInt8], _ text: String?) -> [Attribute] {
            text.map { [Attribute(type: type, value: Array($0.utf8), identifier: .utf8String)] } ?? []
        }
        let attributes =
            attribute(Self.organizationType, organization) + attribute(Self.commonNameType, commonName)
            + attribute(Self.vendorIDType, vendorID.map { HexDigits.text($0.rawValue) })
            + attribute(Self.productIDType, productID.map { HexDigits.text($0) })
        var coder = DER.Serializer()
        coder.sequence { coder in
            for attribute in attributes {
                coder.sequence(.set) {
                    $0.sequence {
                        $0.primitive(.objectIdentifier, attribute.type)
                        $0.primitive(.utf8String, attribute.value)
                    }
                }
            }
        }
        self.init(der: coder.serializedBytes, attributes.map { [$0] })
    }
}

extension AttestationName: Hashable {
    /// Whether both mean the same.
    public static func == (left: AttestationName, right: AttestationName) -> Bool {
        left.comparable == right.comparable
    }

    /// Adds what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparable) }
}

extension AttestationName: CustomStringConvertible {
    /// `CN=Matter Test PAA, VID=FFF1`; whatever a terminal must not see is escaped.
    public var description: String {
        attributes.map { "\(Self.label($0.type))=\(Self.printable($0.value))" }.joined(separator: ", ")
    }

    private static let labels: [[UInt8]: String] = [
        vendorIDType: "VID", productIDType: "PID", commonNameType: "CN", organizationType: "O",
        ObjectIdentifier.x520(5): "serialNumber", ObjectIdentifier.x520(6): "C", ObjectIdentifier.x520(7): "L",
        ObjectIdentifier.x520(8): "ST", ObjectIdentifier.x520(11): "OU",
    ]

    private static func label(_ type: [UInt8]) -> String {
        labels[type] ?? "oid:" + type.map { HexDigits.text($0) }.joined()
    }

    /// Keeps letters, digits, marks, punctuation and symbols; comma, backslash and everything else become `\x2c`.
    private static func printable(_ value: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: value, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                text += "\\x" + String(scalar.value, radix: 16)
            default:
                if scalar == "," || scalar == "\\" {
                    text += "\\x" + String(scalar.value, radix: 16)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}
