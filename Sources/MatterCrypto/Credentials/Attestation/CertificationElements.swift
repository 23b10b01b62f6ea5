import MatterBase

/// The contents of a certification declaration (Matter core specification, 6.3.1).
package struct CertificationElements: Sendable, Hashable {
    static let maximumProductCount = 100
    static let maximumAuthorityCount = 10
    static let certificateIDCount = 19
    /// The only version there is.
    static let knownFormatVersion: UInt16 = 1

    private static let limits = TLVLimits(depth: 4, elements: 256)

    /// The vendor and product that the attestation certificates name, where they were made for another product.
    package struct Origin: Sendable, Hashable {
        package var vendorID: VendorID
        package var productID: UInt16
    }

    var formatVersion: UInt16 = knownFormatVersion
    package var vendorID: VendorID
    /// 1 to 100.
    package var productIDs: [UInt16]
    package var deviceTypeID: UInt32
    /// 19 bytes that the Alliance allotted.
    package var certificateID: String
    var securityLevel: UInt8 = 0
    var securityInformation: UInt16 = 0
    var versionNumber: UInt16 = 1
    /// The number of a ``CertificationType``.
    package var certificationType: UInt8
    package var origin: Origin?
    /// The subject key identifiers of the only authorities (PAA) that may vouch for such a device; `nil` for any.
    var authorizedAuthorities: [[UInt8]]?

    package init(
        vendorID: VendorID, productIDs: [UInt16], deviceTypeID: UInt32, certificateID: String,
        certificationType: CertificationType, origin: Origin? = nil, authorizedAuthorities: [[UInt8]]? = nil
    ) {
        self.vendorID = vendorID
        self.productIDs = productIDs
        self.deviceTypeID = deviceTypeID
        self.certificateID = certificateID
        self.certificationType = certificationType.rawValue
        self.origin = origin
        self.authorizedAuthorities = authorizedAuthorities
    }

    /// Decodes the content of a declaration; its rules are for ``AttestationVerifier`` to apply.
    package init(decoding bytes: [UInt8]) throws(AttestationError) {
        self = try AttestationError.rethrowing(.malformedDeclarationContent) { () throws(CredentialsError) in
            try CertificationElements(members: bytes)
        }
    }

    private init(members bytes: [UInt8]) throws(CredentialsError) {
        var fields = try OrderedTLVFields(
            decoding: bytes, "the certification declaration", code: .malformed, limits: Self.limits)
        formatVersion = try Self.number(try fields.next(0, "the format version"), "the format version")
        vendorID = VendorID(try Self.number(try fields.next(1, "the vendor id"), "the vendor id"))
        productIDs = try Self.products(try fields.next(2, "the product ids"))
        deviceTypeID = try Self.number(try fields.next(3, "the device type"), "the device type")
        guard case .string(let certificateID) = try fields.next(4, "the certificate id"),
            certificateID.utf8.count == Self.certificateIDCount
        else { throw Self.wrong("the certificate id is not a string of 19 characters") }
        self.certificateID = certificateID
        securityLevel = try Self.number(try fields.next(5, "the security level"), "the security level")
        securityInformation = try Self.number(
            try fields.next(6, "the security information"), "the security information")
        versionNumber = try Self.number(try fields.next(7, "the version number"), "the version number")
        certificationType = try Self.number(try fields.next(8, "the certification type"), "the certification type")
        if let vendor = fields.optional(9) {
            origin = Origin(
                vendorID: VendorID(try Self.number(vendor, "the vendor id of origin")),
                productID: try Self.number(
                    try fields.next(10, "the product id of origin"), "the product id of origin"))
        }
        authorizedAuthorities = try fields.optional(11).map(Self.authorities)
        _ = try fields.trailing(after: 11)
    }

    private static func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: TLVValue, _ name: String
    ) throws(CredentialsError) -> Number {
        guard case .uint(let number) = value else { throw wrong("\(name) is not an unsigned integer") }
        guard let fitting = Number(exactly: number) else { throw wrong("\(name) exceeds \(Number.bitWidth) bits") }
        return fitting
    }

    private static func products(_ value: TLVValue) throws(CredentialsError) -> [UInt16] {
        guard case .array(let members) = value, (1...maximumProductCount).contains(members.count) else {
            throw wrong("the product ids are not an array of 1 to \(maximumProductCount)")
        }
        var products: [UInt16] = []
        for member in members { products.append(try number(member.value, "a product id")) }
        return products
    }

    private static func authorities(_ value: TLVValue) throws(CredentialsError) -> [[UInt8]] {
        guard case .array(let members) = value, (1...maximumAuthorityCount).contains(members.count) else {
            throw wrong("the authorized authorities are not an array of 1 to \(maximumAuthorityCount)")
        }
        var authorities: [[UInt8]] = []
        for member in members {
            guard case .octets(let identifier) = member.value,
                identifier.count == CertificateExtension.keyIdentifierCount
            else { throw wrong("an authorized authority is not a key identifier of 20 bytes") }
            authorities.append(identifier)
        }
        return authorities
    }

    private static func wrong(_ reason: String) -> CredentialsError { CredentialsError(.malformed, reason) }

    /// The TLV form.
    package func encoded() -> [UInt8] {
        func number(_ tag: UInt8, _ value: some UnsignedInteger) -> TLVElement { TLVElement(tag, .uint(UInt64(value))) }
        var members = [
            number(0, formatVersion), number(1, vendorID.rawValue),
            TLVElement(2, .array(productIDs.map { TLVElement(.anonymous, .uint(UInt64($0))) })),
            number(3, deviceTypeID), TLVElement(4, .string(certificateID)), number(5, securityLevel),
            number(6, securityInformation), number(7, versionNumber), number(8, certificationType),
        ]
        if let origin { members += [number(9, origin.vendorID.rawValue), number(10, origin.productID)] }
        if let authorizedAuthorities {
            members.append(TLVElement(11, .array(authorizedAuthorities.map { TLVElement(.anonymous, .octets($0)) })))
        }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

/// How far the certification of a product has come (Matter core specification, 6.3.1).
package enum CertificationType: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    case developmentAndTest = 0
    case provisional = 1
    case official = 2

    package var description: String {
        switch self {
        case .developmentAndTest: "for development and test"
        case .provisional: "provisional"
        case .official: "official"
        }
    }
}
