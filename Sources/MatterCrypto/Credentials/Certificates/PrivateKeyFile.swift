import SwiftASN1

/// The forms in which other programs keep a P-256 private key (RFC 5915, RFC 5958, RFC 7468).
public enum PrivateKeyFile {
    /// The scalar behind the public point, as the reference implementation writes key pairs.
    private static let pointAndScalarCount = 97
    private static let scalarCount = 32

    /// Reads PEM or DER in SEC 1 (RFC 5915) or PKCS#8 form (RFC 5958), the bare 32 bytes, or point and scalar in
    /// 97 bytes.
    /// - Throws: `key.malformed` for everything else, also if a public key inside does not belong to the private one.
    public static func decode(_ bytes: [UInt8]) throws(CredentialsError) -> P256PrivateKey {
        switch bytes.count {
        case scalarCount: return try key(bytes)
        case pointAndScalarCount where bytes.first == 0x04:
            return try key(Array(bytes.suffix(scalarCount)), point: Array(bytes.dropLast(scalarCount)))
        default: break
        }
        if bytes.first == 0x30 { return try decode(der: bytes) }
        let blocks: [PEM.Block]
        do { blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self)) } catch {
            throw CredentialsError(.malformedKey, error.reason)
        }
        let keys = blocks.filter { $0.label == "EC PRIVATE KEY" || $0.label == "PRIVATE KEY" }
        guard let block = keys.first, keys.count == 1 else {
            throw CredentialsError(
                .malformedKey, "the file holds no unencrypted P-256 private key in a form that is known here")
        }
        return try decode(der: block.contents)
    }

    private static func decode(der: [UInt8]) throws(CredentialsError) -> P256PrivateKey {
        var fields = try DERFields(decoding: der, "the private key", code: .malformedKey)
        let version = try fields.integer("its version")
        guard let algorithm = fields.optional(.sequence) else {
            guard version == [1] else { throw fields.wrong("the private key has an unknown version") }
            return try sec1(fields, requiresCurve: true)
        }
        guard version == [0] || version == [1] else { throw fields.wrong("the private key has an unknown version") }
        var identifiers = try DERFields(algorithm, name: "the key algorithm", code: .malformedKey)
        guard try identifiers.contents(.objectIdentifier, "the key algorithm") == ObjectIdentifier.ecPublicKey,
            try identifiers.contents(.objectIdentifier, "the curve") == ObjectIdentifier.prime256v1
        else { throw CredentialsError(.unsupportedAlgorithm, "the private key is not on P-256") }
        let inner = try fields.contents(.octetString, "the key itself")
        var key = try DERFields(decoding: inner, "the key itself", code: .malformedKey)
        guard try key.integer("its version") == [1] else { throw key.wrong("the private key has an unknown version") }
        return try sec1(key, requiresCurve: false)
    }

    /// The rest of an ECPrivateKey after its version.
    private static func sec1(_ members: DERFields, requiresCurve: Bool) throws(CredentialsError) -> P256PrivateKey {
        var fields = members
        let scalar = try fields.contents(.octetString, "the scalar")
        if let parameters = fields.optional(.context(0)) {
            var curve = try DERFields(parameters, as: .context(0), name: "the curve", code: .malformedKey)
            guard try curve.contents(.objectIdentifier, "the curve") == ObjectIdentifier.prime256v1 else {
                throw CredentialsError(.unsupportedAlgorithm, "the private key is not on P-256")
            }
        } else if requiresCurve {
            throw fields.wrong("the private key does not name its curve")
        }
        guard let wrapper = fields.optional(.context(1)) else {
            try fields.end()
            return try key(scalar)
        }
        try fields.end()
        var publicKey = try DERFields(wrapper, as: .context(1), name: "the public key", code: .malformedKey)
        let point = try publicKey.wholeOctetBits("the public key")
        try publicKey.end()
        return try key(scalar, point: point)
    }

    private static func key(_ scalar: [UInt8], point: [UInt8]? = nil) throws(CredentialsError) -> P256PrivateKey {
        let key: P256PrivateKey
        do { key = try P256PrivateKey(scalar: SecretBytes(scalar)) } catch {
            throw CredentialsError(.malformedKey, error.reason)
        }
        guard point == nil || point == key.publicKey.x963 else {
            throw CredentialsError(.malformedKey, "the public key in the file does not belong to the private one")
        }
        return key
    }
}
