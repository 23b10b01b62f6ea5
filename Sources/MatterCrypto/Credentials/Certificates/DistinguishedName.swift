/// The name of a certificate's subject or issuer: attributes in their order, one per relative distinguished name
/// (Matter core specification, 6.5.6.3).
package struct DistinguishedName: Hashable, Sendable {
    /// The most attributes that a name may have.
    package static let maximumCount = 5

    package let attributes: [DistinguishedNameAttribute]

    /// - Throws: ``CredentialsError`` if there are none or too many, or one is invalid.
    package init(_ attributes: [DistinguishedNameAttribute]) throws(CredentialsError) {
        guard (1...Self.maximumCount).contains(attributes.count) else {
            throw CredentialsError(
                .invalidName, "a name of \(attributes.count) attributes; 1 to \(Self.maximumCount) are allowed")
        }
        for attribute in attributes { try attribute.check() }
        self.attributes = attributes
    }

    /// The values of all Matter attributes of a type.
    package func identifiers(_ type: DistinguishedNameAttributeType) -> [UInt64] {
        attributes.compactMap { attribute in
            guard attribute.type == type, case .identifier(let number) = attribute.value else { return nil }
            return number
        }
    }

    /// The value of the only Matter attribute of a type.
    func identifier(_ type: DistinguishedNameAttributeType) -> UInt64? {
        let all = identifiers(type)
        return all.count == 1 ? all.first : nil
    }
}

extension DistinguishedName: CustomStringConvertible {
    /// `matter-node-id=00000000DEDEDEDE, matter-fabric-id=…`; control characters of text are escaped.
    package var description: String {
        attributes.map(\.description).joined(separator: ", ")
    }
}

/// One attribute of a distinguished name.
package struct DistinguishedNameAttribute: Hashable, Sendable {
    /// An attribute's value with the X.509 string type it has. Text is kept as bytes, because names match byte by
    /// byte and not by Unicode equivalence.
    package enum Value: Hashable, Sendable {
        case utf8String([UInt8])
        case printableString([UInt8])
        case ia5String([UInt8])
        /// A Matter attribute: in X.509 a UTF8String of upper-case hexadecimal digits.
        case identifier(UInt64)
    }

    package let type: DistinguishedNameAttributeType
    package let value: Value

    package init(_ type: DistinguishedNameAttributeType, _ value: Value) {
        self.type = type
        self.value = value
    }

    package init(_ type: DistinguishedNameAttributeType, _ text: String) {
        self.init(type, type == .domainComponent ? .ia5String(Array(text.utf8)) : .utf8String(Array(text.utf8)))
    }

    package static func nodeID(_ id: NodeID) -> Self { Self(.nodeID, .identifier(id.rawValue)) }
    package static func fabricID(_ id: FabricID) -> Self { Self(.fabricID, .identifier(id.rawValue)) }
    package static func cat(_ tag: CASEAuthenticatedTag) -> Self { Self(.cat, .identifier(UInt64(tag.rawValue))) }

    /// Refuses a value of the wrong kind or outside its range.
    func check() throws(CredentialsError) {
        switch value {
        case .identifier(let number):
            try check(number)
        case .utf8String(let octets):
            guard !type.isIdentifier, type != .domainComponent, String(validating: octets, as: UTF8.self) != nil else {
                throw wrongKind
            }
        case .printableString(let octets):
            guard !type.isIdentifier, type != .domainComponent, octets.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw wrongKind
            }
        case .ia5String(let octets):
            guard type == .domainComponent, octets.allSatisfy({ $0 < 0x80 }) else { throw wrongKind }
        }
    }

    private func check(_ number: UInt64) throws(CredentialsError) {
        switch type {
        case .nodeID:
            guard NodeID(number).isOperational else {
                throw CredentialsError(.invalidNodeID, "the node id \(NodeID(number)) is not operational")
            }
        case .fabricID:
            guard FabricID(number).isValid else { throw CredentialsError(.invalidFabricID, "the fabric id is 0") }
        case .cat:
            guard let raw = UInt32(exactly: number), CASEAuthenticatedTag(raw).isValid else {
                throw CredentialsError(
                    .invalidCAT, "the CASE authenticated tag \(HexDigits.text(number)) is too large or has version 0")
            }
        default:
            guard type.isIdentifier else { throw wrongKind }
        }
    }

    private var wrongKind: CredentialsError {
        CredentialsError(.invalidName, "the attribute \(type) has a value of the wrong kind")
    }
}

extension DistinguishedNameAttribute: CustomStringConvertible {
    package var description: String {
        switch value {
        case .identifier(let number):
            "\(type)=" + (type == .cat ? String(HexDigits.text(number).suffix(8)) : HexDigits.text(number))
        case .utf8String(let octets), .printableString(let octets), .ia5String(let octets):
            "\(type)="
                + String(decoding: octets, as: UTF8.self).unicodeScalars.map {
                    switch $0.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: $0.escaped(asASCII: true)
                    default: String($0)
                    }
                }.joined()
        }
    }
}

/// The attribute types that a name in a Matter certificate may have. The raw value is the TLV tag.
package enum DistinguishedNameAttributeType: UInt8, Sendable, CaseIterable {
    case commonName = 1
    case surname, serialNumber, countryName, localityName, stateOrProvinceName, organizationName
    case organizationalUnitName, title, name, givenName, initials, generationQualifier, dnQualifier, pseudonym
    case domainComponent
    case nodeID
    case firmwareSigningID
    case icacID
    case rcacID
    case fabricID
    case cat
    /// The signer of a vendor id verification statement.
    case vendorVerificationSignerID

    /// True if the value is a Matter identifier and not text.
    var isIdentifier: Bool { rawValue >= Self.nodeID.rawValue }

    /// The contents bytes of the object identifier.
    var objectIdentifier: [UInt8] {
        switch self {
        case .commonName, .surname, .serialNumber, .countryName, .localityName, .stateOrProvinceName:
            ObjectIdentifier.x520(UInt(rawValue) + 2)
        case .organizationName, .organizationalUnitName, .title:
            ObjectIdentifier.x520(UInt(rawValue) + 3)
        case .name, .givenName, .initials, .generationQualifier:
            ObjectIdentifier.x520(UInt(rawValue) + 31)
        case .dnQualifier: ObjectIdentifier.x520(46)
        case .pseudonym: ObjectIdentifier.x520(65)
        case .domainComponent: ObjectIdentifier.contents(0, 9, 2342, 19_200_300, 100, 1, 25)
        case .nodeID, .firmwareSigningID, .icacID, .rcacID, .fabricID, .cat, .vendorVerificationSignerID:
            ObjectIdentifier.matter(UInt(rawValue - Self.nodeID.rawValue) + 1)
        }
    }

    /// The type with an object identifier.
    static func type(objectIdentifier: [UInt8]) -> DistinguishedNameAttributeType? {
        byObjectIdentifier[objectIdentifier]
    }

    private static let byObjectIdentifier = Dictionary(uniqueKeysWithValues: allCases.map { ($0.objectIdentifier, $0) })
}

extension DistinguishedNameAttributeType: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nodeID: "matter-node-id"
        case .firmwareSigningID: "matter-firmware-signing-id"
        case .icacID: "matter-icac-id"
        case .rcacID: "matter-rcac-id"
        case .fabricID: "matter-fabric-id"
        case .cat: "matter-noc-cat"
        case .vendorVerificationSignerID: "matter-vvs-id"
        case .commonName: "common-name"
        case .surname: "surname"
        case .serialNumber: "serial-number"
        case .countryName: "country-name"
        case .localityName: "locality-name"
        case .stateOrProvinceName: "state-or-province-name"
        case .organizationName: "organization-name"
        case .organizationalUnitName: "organizational-unit-name"
        case .title: "title"
        case .name: "name"
        case .givenName: "given-name"
        case .initials: "initials"
        case .generationQualifier: "generation-qualifier"
        case .dnQualifier: "dn-qualifier"
        case .pseudonym: "pseudonym"
        case .domainComponent: "domain-component"
        }
    }
}
