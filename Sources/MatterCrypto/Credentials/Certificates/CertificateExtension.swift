/// An extension of a Matter certificate (Matter core specification, 6.5.11).
package enum CertificateExtension: Hashable, Sendable {
    case basicConstraints(BasicConstraints)
    case keyUsage(KeyUsage)
    case extendedKeyUsage([KeyPurpose])
    /// 20 bytes.
    case subjectKeyIdentifier([UInt8])
    /// 20 bytes.
    case authorityKeyIdentifier([UInt8])
    /// Any other one, kept verbatim.
    case future(FutureExtension)

    /// The bytes of a key identifier: a SHA-1 digest.
    static let keyIdentifierCount = 20

    /// The TLV tag.
    var tag: UInt8 {
        switch self {
        case .basicConstraints: 1
        case .keyUsage: 2
        case .extendedKeyUsage: 3
        case .subjectKeyIdentifier: 4
        case .authorityKeyIdentifier: 5
        case .future: 6
        }
    }

    /// The contents bytes of the X.509 object identifier.
    var objectIdentifier: [UInt8] {
        switch self {
        case .basicConstraints: ObjectIdentifier.basicConstraints
        case .keyUsage: ObjectIdentifier.keyUsage
        case .extendedKeyUsage: ObjectIdentifier.extendedKeyUsage
        case .subjectKeyIdentifier: ObjectIdentifier.subjectKeyIdentifier
        case .authorityKeyIdentifier: ObjectIdentifier.authorityKeyIdentifier
        case .future(let future): future.objectIdentifier
        }
    }

    /// True if X.509 marks it critical.
    var isCritical: Bool {
        switch self {
        case .basicConstraints, .keyUsage, .extendedKeyUsage: true
        case .subjectKeyIdentifier, .authorityKeyIdentifier: false
        case .future(let future): future.isCritical
        }
    }

    /// Refuses extensions that repeat or hide one another, and contents that X.509 cannot have.
    static func check(_ extensions: [CertificateExtension]) throws(CredentialsError) {
        guard !extensions.isEmpty else { throw CredentialsError(.invalidExtension, "there are no extensions") }
        var seen: Set<[UInt8]> = []
        for one in extensions {
            guard seen.insert(one.objectIdentifier).inserted else {
                throw CredentialsError(.invalidExtension, "an extension is there twice")
            }
            switch one {
            case .basicConstraints(let constraints):
                guard constraints.isCA || constraints.pathLength == nil else {
                    throw CredentialsError(
                        .invalidExtension, "the basic constraints of no certificate authority limit the path length")
                }
            case .keyUsage(let usage):
                guard !usage.isEmpty, usage.isSubset(of: .all) else {
                    throw CredentialsError(.invalidExtension, "the key usage is empty or has unknown bits")
                }
            case .extendedKeyUsage(let purposes):
                guard !purposes.isEmpty else {
                    throw CredentialsError(.invalidExtension, "the extended key usage names no purpose")
                }
            case .subjectKeyIdentifier(let identifier), .authorityKeyIdentifier(let identifier):
                guard identifier.count == keyIdentifierCount else {
                    throw CredentialsError(
                        .invalidExtension, "a key identifier of \(identifier.count) bytes instead of 20")
                }
            case .future(let future):
                guard !known.contains(future.objectIdentifier) else {
                    throw CredentialsError(.invalidExtension, "a standard extension is disguised as an unknown one")
                }
            }
        }
    }

    private static let known: Set<[UInt8]> = [
        ObjectIdentifier.basicConstraints, ObjectIdentifier.keyUsage, ObjectIdentifier.extendedKeyUsage,
        ObjectIdentifier.subjectKeyIdentifier, ObjectIdentifier.authorityKeyIdentifier,
    ]
}

/// True if a certificate is a certificate authority's, and how many more may stand between it and the leaf.
package struct BasicConstraints: Hashable, Sendable {
    package let isCA: Bool
    /// How many further certificate authorities may follow; `nil` for any number.
    let pathLength: UInt8?

    // memberwise: package, pathLength = nil
}

/// The uses of a key. Bit n is the named bit n of X.509.
package struct KeyUsage: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = KeyUsage(rawValue: 0x0001)
    static let nonRepudiation = KeyUsage(rawValue: 0x0002)
    static let keyEncipherment = KeyUsage(rawValue: 0x0004)
    static let dataEncipherment = KeyUsage(rawValue: 0x0008)
    static let keyAgreement = KeyUsage(rawValue: 0x0010)
    package static let keyCertSign = KeyUsage(rawValue: 0x0020)
    package static let crlSign = KeyUsage(rawValue: 0x0040)
    static let encipherOnly = KeyUsage(rawValue: 0x0080)
    static let decipherOnly = KeyUsage(rawValue: 0x0100)
    static let all = KeyUsage(rawValue: 0x01FF)
}

/// A purpose of an extended key usage. The raw value is the TLV number.
package enum KeyPurpose: UInt8, Sendable, CaseIterable {
    case serverAuth = 1
    case clientAuth, codeSigning, emailProtection, timeStamping, ocspSigning

    /// The contents bytes of the object identifier.
    var objectIdentifier: [UInt8] {
        switch self {
        case .timeStamping: ObjectIdentifier.keyPurpose(8)
        case .ocspSigning: ObjectIdentifier.keyPurpose(9)
        default: ObjectIdentifier.keyPurpose(UInt(rawValue))
        }
    }
}
