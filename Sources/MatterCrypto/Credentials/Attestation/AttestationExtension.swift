import SwiftASN1

/// One extension of an attestation certificate, as X.509 writes it.
package struct AttestationExtension: Hashable, Sendable {
    /// The contents bytes of the object identifier.
    let objectIdentifier: [UInt8]
    package let isCritical: Bool
    /// The DER encoding inside the OCTET STRING.
    package let value: [UInt8]

    /// The members of an `Extensions`, none of them twice.
    static func list(_ members: DERFields) throws(CredentialsError) -> [AttestationExtension] {
        var list = members
        var extensions: [AttestationExtension] = []
        var seen: Set<[UInt8]> = []
        while !list.isAtEnd {
            let one = try AttestationExtension(try list.next("an extension"))
            guard seen.insert(one.objectIdentifier).inserted else {
                throw CredentialsError(.invalidExtension, "an extension is there twice")
            }
            extensions.append(one)
        }
        return extensions
    }

    func encode(into coder: inout DER.Serializer) {
        coder.sequence {
            $0.primitive(.objectIdentifier, objectIdentifier)
            if isCritical { $0.primitive(.boolean, [0xFF]) }
            $0.primitive(.octetString, value)
        }
    }

    /// Critical extensions that need not be understood, because it does not bear on the chains of this module.
    var isHarmless: Bool { Self.harmless.contains(objectIdentifier) }

    /// Subject alternative name, CRL distribution points, certificate policies, extended key usage.
    private static let harmless: Set<[UInt8]> = [
        ObjectIdentifier.contents(2, 5, 29, 17), ObjectIdentifier.contents(2, 5, 29, 31),
        ObjectIdentifier.contents(2, 5, 29, 32), ObjectIdentifier.extendedKeyUsage,
    ]

    // Factories of devices in use have written FALSE where DER wants nothing, and named bits with trailing zeros. Their
    // meaning is beyond doubt, so both are accepted.

    private static func boolean(_ node: ASN1Node, _ name: String) throws(CredentialsError) -> Bool {
        switch node.primitive {
        case [0xFF]: return true
        case [0x00]: return false
        default: throw CredentialsError(.invalidExtension, "\(name) is not a DER BOOLEAN")
        }
    }

    static func basicConstraints(in value: [UInt8]) throws(CredentialsError) -> BasicConstraints {
        var fields = try DERFields(decoding: value, "the basic constraints", code: .invalidExtension)
        var isCA = false
        if let flag = fields.optional(.boolean) { isCA = try boolean(flag, "the flag for authorities") }
        guard !fields.isAtEnd else { return BasicConstraints(isCA: isCA) }
        let digits = try fields.integer("the path length")
        try fields.end()
        let magnitude = digits.first == 0 ? digits.dropFirst() : digits[...]
        guard digits.first.map({ $0 < 0x80 }) == true, magnitude.count <= 1 else {
            throw fields.wrong("the path length is negative or exceeds 255")
        }
        return BasicConstraints(isCA: isCA, pathLength: magnitude.first ?? 0)
    }

    static func keyUsage(in value: [UInt8]) throws(CredentialsError) -> KeyUsage {
        let contents = try primitive(value, .bitString, "the key usage")
        guard let unused = contents.first, unused < 8, contents.count <= 3, contents.count > 1 || unused == 0,
            contents.count == 1 || (contents.last ?? 0) & (1 << unused - 1) == 0
        else { throw CredentialsError(.invalidExtension, "the key usage is not a BIT STRING of named bits") }
        var usage: UInt16 = 0
        for (index, octet) in contents.dropFirst().enumerated() {
            for bit in 0..<8 where octet & (0x80 >> UInt8(bit)) != 0 { usage |= 1 << UInt16(index * 8 + bit) }
        }
        return KeyUsage(rawValue: usage)
    }

    static func subjectKeyIdentifier(in value: [UInt8]) throws(CredentialsError) -> [UInt8] {
        try primitive(value, .octetString, "the subject key identifier")
    }

    /// - Returns: the key identifier; `nil` if the extension names the issuer's key in another way only.
    static func authorityKeyIdentifier(in value: [UInt8]) throws(CredentialsError) -> [UInt8]? {
        var fields = try DERFields(decoding: value, "the authority key identifier", code: .invalidExtension)
        let identifier = fields.optional(.context(0))
        _ = fields.optional(.context(1))
        _ = fields.optional(.context(2))
        try fields.end()
        guard let identifier else { return nil }
        guard let octets = identifier.primitive else {
            throw fields.wrong("the key identifier is not an octet string")
        }
        return octets
    }

    static func primitive(
        _ value: [UInt8], _ identifier: ASN1Identifier, _ name: String
    ) throws(CredentialsError) -> [UInt8] {
        guard let node = try? DER.parse(value), node.identifier == identifier, let contents = node.primitive else {
            throw CredentialsError(.invalidExtension, "\(name) has another ASN.1 type than expected")
        }
        return contents
    }
}

extension AttestationExtension {
    init(_ node: ASN1Node) throws(CredentialsError) {
        var fields = try DERFields(node, name: "an extension", code: .invalidExtension)
        objectIdentifier = try fields.contents(.objectIdentifier, "an extension's identifier")
        if let flag = fields.optional(.boolean) {
            isCritical = try Self.boolean(flag, "an extension's criticality")
        } else {
            isCritical = false
        }
        value = try fields.contents(.octetString, "an extension's value")
        try fields.end()
    }
}

extension AttestationExtension {
    package static func basicConstraints(_ constraints: BasicConstraints, isCritical: Bool = true)
        -> AttestationExtension
    {
        make(ObjectIdentifier.basicConstraints, isCritical) {
            $0.sequence {
                if constraints.isCA { $0.primitive(.boolean, [0xFF]) }
                if let length = constraints.pathLength {
                    $0.primitive(.integer, length < 0x80 ? [length] : [0, length])
                }
            }
        }
    }

    package static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> AttestationExtension {
        var octets: [UInt8] = [0, 0]
        for bit in 0..<16 where usage.rawValue & (1 << UInt16(bit)) != 0 { octets[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        while octets.last == 0 { octets.removeLast() }
        let unused = UInt8(octets.last?.trailingZeroBitCount ?? 0)
        return make(ObjectIdentifier.keyUsage, isCritical) { $0.primitive(.bitString, [unused] + octets) }
    }

    package static func subjectKeyIdentifier(_ identifier: [UInt8]) -> AttestationExtension {
        make(ObjectIdentifier.subjectKeyIdentifier, false) { $0.primitive(.octetString, identifier) }
    }

    package static func authorityKeyIdentifier(_ identifier: [UInt8]) -> AttestationExtension {
        make(ObjectIdentifier.authorityKeyIdentifier, false) {
            $0.sequence { $0.primitive(.context(0), identifier) }
        }
    }

    private static func make(
        _ objectIdentifier: [UInt8], _ isCritical: Bool, _ value: (inout DER.Serializer) -> Void
    ) -> AttestationExtension {
        var coder = DER.Serializer()
        value(&coder)
        return AttestationExtension(
            objectIdentifier: objectIdentifier, isCritical: isCritical, value: coder.serializedBytes)
    }
}
