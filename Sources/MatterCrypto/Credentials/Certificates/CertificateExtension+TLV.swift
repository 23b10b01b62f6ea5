import MatterBase

extension CertificateExtension {
    /// Reads one member of the TLV list of extensions.
    init(tlv element: TLVElement) throws(CredentialsError) {
        guard case .context(let tag) = element.tag else {
            throw CredentialsError(.invalidExtension, "an extension has the tag \(element.tag)")
        }
        switch (tag, element.value) {
        case (1, .structure(let members)):
            self = .basicConstraints(try Self.basicConstraints(members))
        case (2, .uint(let bits)):
            guard let bits = UInt16(exactly: bits) else {
                throw CredentialsError(.invalidExtension, "the key usage has unknown bits")
            }
            self = .keyUsage(KeyUsage(rawValue: bits))
        case (3, .array(let members)):
            var purposes: [KeyPurpose] = []
            for member in members {
                guard case .uint(let number) = member.value, let raw = UInt8(exactly: number),
                    let purpose = KeyPurpose(rawValue: raw)
                else { throw CredentialsError(.invalidExtension, "the extended key usage has an unknown purpose") }
                purposes.append(purpose)
            }
            self = .extendedKeyUsage(purposes)
        case (4, .octets(let identifier)): self = .subjectKeyIdentifier(identifier)
        case (5, .octets(let identifier)): self = .authorityKeyIdentifier(identifier)
        case (6, .octets(let der)): self = .future(try FutureExtension(der: der))
        default:
            throw CredentialsError(
                .invalidExtension, "the extension \(tag) is unknown or has another type than expected")
        }
    }

    /// A member of the TLV list of extensions.
    var tlv: TLVElement {
        switch self {
        case .basicConstraints(let constraints):
            var members = [TLVElement(1, .bool(constraints.isCA))]
            if let length = constraints.pathLength { members.append(TLVElement(2, .uint(UInt64(length)))) }
            return TLVElement(tag, .structure(members))
        case .keyUsage(let usage):
            return TLVElement(tag, .uint(UInt64(usage.rawValue)))
        case .extendedKeyUsage(let purposes):
            return TLVElement(tag, .array(purposes.map { TLVElement(.anonymous, .uint(UInt64($0.rawValue))) }))
        case .subjectKeyIdentifier(let octets), .authorityKeyIdentifier(let octets):
            return TLVElement(tag, .octets(octets))
        case .future(let future):
            return TLVElement(tag, .octets(future.der))
        }
    }

    private static func basicConstraints(_ members: [TLVElement]) throws(CredentialsError) -> BasicConstraints {
        let wrong = CredentialsError(.invalidExtension, "the basic constraints do not follow their schema")
        guard let first = members.first, first.tag == .context(1), case .bool(let isCA) = first.value else {
            throw wrong
        }
        guard let second = members.dropFirst().first else { return BasicConstraints(isCA: isCA) }
        guard members.count == 2, second.tag == .context(2), case .uint(let number) = second.value,
            let length = UInt8(exactly: number)
        else { throw wrong }
        return BasicConstraints(isCA: isCA, pathLength: length)
    }
}
