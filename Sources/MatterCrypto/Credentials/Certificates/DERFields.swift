import SwiftASN1

/// The members of a constructed DER value, taken one after the other by a decoder that knows what comes next.
struct DERFields {
    private var members: ASN1NodeCollection.Iterator
    private var pending: ASN1Node?
    private let name: String
    private let code: CredentialsError.Code

    /// - Parameters:
    ///   - node: the constructed value.
    ///   - identifier: the tag that it must have.
    ///   - name: what it is called in error messages.
    ///   - code: the error code of everything that is wrong in it.
    init(
        _ node: ASN1Node, as identifier: ASN1Identifier = .sequence, name: String, code: CredentialsError.Code
    ) throws(CredentialsError) {
        guard node.identifier == identifier, case .constructed(let members) = node.content else {
            throw CredentialsError(code, "\(name) has another ASN.1 type than expected")
        }
        self.members = members.makeIterator()
        self.name = name
        self.code = code
        pending = self.members.next()
    }

    /// Parses bytes that are exactly one constructed value.
    init(
        decoding bytes: [UInt8], _ name: String, code: CredentialsError.Code
    ) throws(CredentialsError) {
        let root: ASN1Node
        do { root = try DER.parse(bytes) } catch {
            throw CredentialsError(code, "\(name) is not a DER encoding")
        }
        try self.init(root, name: name, code: code)
    }

    /// The next member if it has a tag.
    mutating func optional(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = pending, node.identifier == identifier else { return nil }
        pending = members.next()
        return node
    }

    /// The next member, which must be there.
    mutating func next(_ field: String) throws(CredentialsError) -> ASN1Node {
        guard let node = pending else { throw wrong("\(name) lacks \(field)") }
        pending = members.next()
        return node
    }

    /// The members of the next member.
    mutating func fields(
        _ field: String, _ identifier: ASN1Identifier = .sequence
    ) throws(CredentialsError) -> DERFields {
        try DERFields(try next(field), as: identifier, name: field, code: code)
    }

    /// The contents bytes of the next member, which must be primitive.
    mutating func contents(_ identifier: ASN1Identifier, _ field: String) throws(CredentialsError) -> [UInt8] {
        let node = try next(field)
        guard node.identifier == identifier, let contents = node.primitive else {
            throw wrong("\(field) has another ASN.1 type than expected")
        }
        return contents
    }

    /// The contents bytes of the next member, an INTEGER in its shortest form.
    mutating func integer(_ field: String) throws(CredentialsError) -> [UInt8] {
        let contents = try contents(.integer, field)
        guard DERFields.isInteger(contents) else { throw wrong("\(field) is not a shortest INTEGER") }
        return contents
    }

    /// The bytes of the next member, a BIT STRING of whole bytes.
    mutating func wholeOctetBits(_ field: String) throws(CredentialsError) -> [UInt8] {
        let contents = try contents(.bitString, field)
        guard contents.first == 0 else { throw wrong("\(field) is not a BIT STRING of whole bytes") }
        return Array(contents.dropFirst())
    }

    /// Takes an algorithm identifier, which must be ECDSA with SHA-256 without parameters.
    mutating func ecdsaWithSHA256(_ field: String) throws(CredentialsError) {
        var algorithm = try fields(field)
        guard try algorithm.contents(.objectIdentifier, field) == ObjectIdentifier.ecdsaWithSHA256 else {
            throw CredentialsError(.unsupportedAlgorithm, "\(field) is not ECDSA with SHA-256")
        }
        try algorithm.end()
    }

    /// Takes a SubjectPublicKeyInfo, which must hold an uncompressed point of the named curve P-256.
    mutating func p256PublicKey(_ field: String) throws(CredentialsError) -> [UInt8] {
        var info = try fields(field)
        var algorithm = try info.fields("\(field) algorithm")
        guard try algorithm.contents(.objectIdentifier, field) == ObjectIdentifier.ecPublicKey else {
            throw CredentialsError(.unsupportedAlgorithm, "\(field) is not an elliptic curve key")
        }
        guard let curve = algorithm.optional(.objectIdentifier), curve.primitive == ObjectIdentifier.prime256v1 else {
            throw CredentialsError(.unsupportedAlgorithm, "\(field) is not on the named curve P-256")
        }
        try algorithm.end()
        let point = try info.wholeOctetBits(field)
        try info.end()
        return point
    }

    /// True if members are left.
    var isAtEnd: Bool { pending == nil }

    /// Rejects members that were not read.
    func end() throws(CredentialsError) {
        guard isAtEnd else { throw wrong("\(name) has more members than expected") }
    }

    func wrong(_ reason: String) -> CredentialsError { CredentialsError(code, reason) }

    /// True if bytes are the contents of an INTEGER in its shortest form (X.690, 8.3.2).
    static func isInteger(_ contents: [UInt8]) -> Bool {
        guard let first = contents.first else { return false }
        guard let second = contents.dropFirst().first else { return true }
        return !(first == 0x00 && second < 0x80) && !(first == 0xFF && second >= 0x80)
    }
}

extension ASN1Node {
    /// The contents bytes of a primitive value.
    var primitive: [UInt8]? {
        guard case .primitive(let contents) = content else { return nil }
        return Array(contents)
    }
}

extension ASN1Identifier {
    /// A context-specific tag.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension DER.Serializer {
    /// Appends a constructed value whose members `members` appends.
    mutating func sequence(_ identifier: ASN1Identifier = .sequence, _ members: (inout DER.Serializer) -> Void) {
        appendConstructedNode(identifier: identifier, members)
    }

    /// Appends a primitive value.
    mutating func primitive(_ identifier: ASN1Identifier, _ contents: some Sequence<UInt8>) {
        appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: contents) }
    }

    /// Appends a BIT STRING of whole bytes.
    mutating func wholeOctetBits(_ octets: some Sequence<UInt8>) {
        appendPrimitiveNode(identifier: .bitString) {
            $0.append(0)
            $0.append(contentsOf: octets)
        }
    }

    /// Appends an octet string around the encoding that `contents` appends.
    mutating func octetString(_ contents: (inout DER.Serializer) -> Void) {
        var inner = DER.Serializer()
        contents(&inner)
        primitive(.octetString, inner.serializedBytes)
    }

    /// Appends the algorithm identifier of ECDSA with SHA-256.
    mutating func ecdsaWithSHA256() {
        sequence { $0.primitive(.objectIdentifier, ObjectIdentifier.ecdsaWithSHA256) }
    }

    /// Appends a SubjectPublicKeyInfo of an uncompressed P-256 point.
    mutating func p256PublicKey(_ point: [UInt8]) {
        sequence { info in
            info.sequence {
                $0.primitive(.objectIdentifier, ObjectIdentifier.ecPublicKey)
                $0.primitive(.objectIdentifier, ObjectIdentifier.prime256v1)
            }
            info.wholeOctetBits(point)
        }
    }
}
