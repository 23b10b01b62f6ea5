import MatterBase

extension TBSCertificate {
    private static let ecdsaWithSHA256: UInt64 = 1
    private static let ecPublicKey: UInt64 = 1
    private static let prime256v1: UInt64 = 1

    /// Takes the elements 1 to 10 of a TLV certificate.
    init(tlv fields: inout OrderedTLVFields) throws(CredentialsError) {
        let serialNumber = try fields.octets(1, "the serial number")
        guard try fields.unsigned(2, "the signature algorithm") == Self.ecdsaWithSHA256 else {
            throw CredentialsError(.unsupportedAlgorithm, "the signature algorithm is not ECDSA with SHA-256")
        }
        let issuer = try DistinguishedName(tlv: try fields.next(3, "the issuer"), "issuer")
        let notBefore = try fields.time(4, "not before")
        let notAfter = try fields.time(5, "not after")
        let subject = try DistinguishedName(tlv: try fields.next(6, "the subject"), "subject")
        guard try fields.unsigned(7, "the public key algorithm") == Self.ecPublicKey,
            try fields.unsigned(8, "the curve") == Self.prime256v1
        else { throw CredentialsError(.unsupportedAlgorithm, "the public key is not an elliptic curve key on P-256") }
        let publicKey = try P256PublicKey(certified: try fields.octets(9, "the public key"))
        guard case .list(let members) = try fields.next(10, "the extensions") else {
            throw CredentialsError(.malformed, "the extensions are not a TLV list")
        }
        var extensions: [CertificateExtension] = []
        for member in members { extensions.append(try CertificateExtension(tlv: member)) }
        try self.init(
            serialNumber: serialNumber, issuer: issuer, notBefore: notBefore, notAfter: notAfter, subject: subject,
            publicKey: publicKey, extensions: extensions)
    }

    /// The Matter TLV certificate with a signature.
    func tlv(signature: [UInt8]) -> [UInt8] {
        TLVElement(
            .anonymous,
            .structure([
                TLVElement(1, .octets(serialNumber)),
                TLVElement(2, .uint(Self.ecdsaWithSHA256)),
                TLVElement(3, issuer.tlv),
                TLVElement(4, .uint(UInt64(notBefore))),
                TLVElement(5, .uint(UInt64(notAfter))),
                TLVElement(6, subject.tlv),
                TLVElement(7, .uint(Self.ecPublicKey)),
                TLVElement(8, .uint(Self.prime256v1)),
                TLVElement(9, .octets(publicKey.x963)),
                TLVElement(10, .list(extensions.map(\.tlv))),
                TLVElement(11, .octets(signature)),
            ])
        ).encoded()
    }
}

/// The members of a TLV structure whose order is fixed and of which none may be left out.
struct OrderedTLVFields {
    private var members: ArraySlice<TLVElement>
    private let name: String
    private let code: CredentialsError.Code

    /// - Parameter limits: how much the encoding may hold.
    init(
        decoding bytes: [UInt8], _ name: String, code: CredentialsError.Code, limits: TLVLimits
    ) throws(CredentialsError) {
        let element: TLVElement
        do { element = try TLVElement(decoding: bytes, limits: limits) } catch {
            throw CredentialsError(code, "\(name) is not a TLV encoding: \(error.reason)", offset: error.offset)
        }
        guard element.tag == .anonymous, case .structure(let members) = element.value else {
            throw CredentialsError(code, "\(name) is not an anonymous TLV structure")
        }
        self.members = members[...]
        self.name = name
        self.code = code
    }

    mutating func next(_ tag: UInt8, _ field: String) throws(CredentialsError) -> TLVValue {
        guard let value = optional(tag) else { throw CredentialsError(code, "\(name) lacks \(field) in its place") }
        return value
    }

    /// The next member if it has a tag.
    mutating func optional(_ tag: UInt8) -> TLVValue? {
        guard let member = members.first, member.tag == .context(tag) else { return nil }
        members.removeFirst()
        return member.value
    }

    mutating func octets(_ tag: UInt8, _ field: String) throws(CredentialsError) -> [UInt8] {
        guard case .octets(let octets) = try next(tag, field) else {
            throw CredentialsError(code, "\(field) is not an octet string")
        }
        return octets
    }

    mutating func unsigned(_ tag: UInt8, _ field: String) throws(CredentialsError) -> UInt64 {
        guard case .uint(let number) = try next(tag, field) else {
            throw CredentialsError(code, "\(field) is not an unsigned integer")
        }
        return number
    }

    mutating func time(_ tag: UInt8, _ field: String) throws(CredentialsError) -> UInt32 {
        guard let seconds = UInt32(exactly: try unsigned(tag, field)) else {
            throw CredentialsError(code, "\(field) has more than 32 bits")
        }
        return seconds
    }

    /// The members that were not read.
    var rest: ArraySlice<TLVElement> { members }

    func end() throws(CredentialsError) {
        guard members.isEmpty else { throw CredentialsError(code, "\(name) has members that do not belong there") }
    }
}
