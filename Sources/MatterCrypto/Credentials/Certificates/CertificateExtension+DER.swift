import SwiftASN1

extension CertificateExtension {
    /// Reads an X.509 extension.
    init(der node: ASN1Node) throws(CredentialsError) {
        let whole = try FutureExtension(der: Array(node.encodedBytes))
        var fields = try DERFields(node, name: "an extension", code: .invalidExtension)
        _ = try fields.next("an extension's identifier")
        _ = fields.optional(.boolean)
        let value = try fields.contents(.octetString, "an extension's value")
        switch whole.objectIdentifier {
        case ObjectIdentifier.basicConstraints: self = .basicConstraints(try Self.basicConstraints(value))
        case ObjectIdentifier.keyUsage: self = .keyUsage(try Self.keyUsage(value))
        case ObjectIdentifier.extendedKeyUsage: self = .extendedKeyUsage(try Self.extendedKeyUsage(value))
        case ObjectIdentifier.subjectKeyIdentifier: self = .subjectKeyIdentifier(try Self.keyIdentifier(value))
        case ObjectIdentifier.authorityKeyIdentifier:
            self = .authorityKeyIdentifier(try Self.authorityKeyIdentifier(value))
        default: self = .future(whole)
        }
        guard whole.isCritical == isCritical else {
            throw CredentialsError(.invalidExtension, "a standard extension has the wrong criticality")
        }
    }

    /// Appends the X.509 extension.
    func encode(into coder: inout DER.Serializer) {
        if case .future(let future) = self {
            coder.serializeRawBytes(future.der)
            return
        }
        coder.sequence { coder in
            coder.primitive(.objectIdentifier, objectIdentifier)
            if isCritical { coder.primitive(.boolean, [0xFF]) }
            coder.octetString { encodeValue(into: &$0) }
        }
    }

    private func encodeValue(into coder: inout DER.Serializer) {
        switch self {
        case .basicConstraints(let constraints):
            coder.sequence {
                guard constraints.isCA else { return }
                $0.primitive(.boolean, [0xFF])
                if let length = constraints.pathLength {
                    $0.primitive(.integer, length < 0x80 ? [length] : [0, length])
                }
            }
        case .keyUsage(let usage):
            coder.primitive(.bitString, Self.namedBits(usage))
        case .extendedKeyUsage(let purposes):
            coder.sequence {
                for purpose in purposes { $0.primitive(.objectIdentifier, purpose.objectIdentifier) }
            }
        case .subjectKeyIdentifier(let identifier):
            coder.primitive(.octetString, identifier)
        case .authorityKeyIdentifier(let identifier):
            coder.sequence { $0.primitive(.context(0), identifier) }
        case .future:
            break
        }
    }

    /// The contents of a named BIT STRING without trailing zero bits (X.690, 11.2.2).
    private static func namedBits(_ usage: KeyUsage) -> [UInt8] {
        var octets: [UInt8] = [0, 0]
        for bit in 0..<16 where usage.rawValue & (1 << UInt16(bit)) != 0 {
            octets[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        while octets.last == 0 { octets.removeLast() }
        return [UInt8(octets.last?.trailingZeroBitCount ?? 0)] + octets
    }

    private static func keyUsage(_ value: [UInt8]) throws(CredentialsError) -> KeyUsage {
        guard let contents = try primitive(value, .bitString, "the key usage"), (2...3).contains(contents.count) else {
            throw CredentialsError(.invalidExtension, "the key usage is no BIT STRING of named bits")
        }
        var usage: UInt16 = 0
        for bit in 0..<(contents.count - 1) * 8 where contents[1 + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
            usage |= 1 << UInt16(bit)
        }
        // Whatever is not the one DER form of these bits is refused by comparing.
        guard namedBits(KeyUsage(rawValue: usage)) == contents else {
            throw CredentialsError(.invalidExtension, "the key usage is not in its DER form")
        }
        return KeyUsage(rawValue: usage)
    }

    private static func basicConstraints(_ value: [UInt8]) throws(CredentialsError) -> BasicConstraints {
        var fields = try DERFields(decoding: value, "the basic constraints", code: .invalidExtension)
        var isCA = false
        if let flag = fields.optional(.boolean) {
            guard flag.primitive == [0xFF] else {
                throw fields.wrong("the basic constraints are not in their DER form")
            }
            isCA = true
        }
        guard !fields.isAtEnd else { return BasicConstraints(isCA: isCA) }
        var digits = try fields.integer("the path length")
        try fields.end()
        if digits.count == 2, digits.first == 0 {
            digits.removeFirst()
        } else if digits.first.map({ $0 >= 0x80 }) ?? true {
            throw fields.wrong("the path length is negative")
        }
        guard digits.count == 1, let length = digits.first else { throw fields.wrong("the path length exceeds 255") }
        return BasicConstraints(isCA: isCA, pathLength: length)
    }

    private static func extendedKeyUsage(_ value: [UInt8]) throws(CredentialsError) -> [KeyPurpose] {
        var fields = try DERFields(decoding: value, "the extended key usage", code: .invalidExtension)
        var purposes: [KeyPurpose] = []
        while !fields.isAtEnd {
            let identifier = try fields.contents(.objectIdentifier, "a key purpose")
            guard let purpose = KeyPurpose.allCases.first(where: { $0.objectIdentifier == identifier }) else {
                throw fields.wrong("the extended key usage has an unknown purpose")
            }
            purposes.append(purpose)
        }
        return purposes
    }

    private static func keyIdentifier(_ value: [UInt8]) throws(CredentialsError) -> [UInt8] {
        guard let identifier = try primitive(value, .octetString, "the subject key identifier") else {
            throw CredentialsError(.invalidExtension, "the subject key identifier is no OCTET STRING")
        }
        return identifier
    }

    private static func authorityKeyIdentifier(_ value: [UInt8]) throws(CredentialsError) -> [UInt8] {
        var fields = try DERFields(decoding: value, "the authority key identifier", code: .invalidExtension)
        let identifier = try fields.contents(.context(0), "the key identifier")
        try fields.end()
        return identifier
    }

    private static func primitive(
        _ value: [UInt8], _ identifier: ASN1Identifier, _ name: String
    ) throws(CredentialsError) -> [UInt8]? {
        guard let node = try? DER.parse(value) else {
            throw CredentialsError(.invalidExtension, "\(name) is not a DER encoding")
        }
        return node.identifier == identifier ? node.primitive : nil
    }
}
