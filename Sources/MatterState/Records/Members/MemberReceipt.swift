package import MatterCrypto
import MatterModel

/// A member's word that it has a certificate: the certificate itself, signed with its key. Nothing in it is secret.
package struct MemberReceipt: Sendable {
    static let format = "matterctl-member-receipt"
    static let version = 1

    /// Who has signed it.
    package let identity: NodeIdentity

    /// The receipt for the certificate that we have.
    package static func make(_ credentials: OperationalCredentials) throws -> [UInt8] {
        var object: JSONObject = [
            "format": .string(format), "version": .int(Int64(version)),
            "noc": .string(Hex.encode(credentials.noc.tlv)),
            "signature": .string(Hex.encode(try credentials.key.sign(signed(credentials.noc.tlv)))),
        ]
        object["icac"] = credentials.icac.map { .string(Hex.encode($0.tlv)) }
        return JSONValue.object(object).utf8() + [0x0A]
    }

    private static func signed(_ noc: [UInt8]) -> [UInt8] { Array("\(format) \(version)\n".utf8) + noc }

    /// A receipt in a file. The certificate has to be one of the fabric's, and its key has to have signed.
    ///
    /// - Parameter root: of the fabric.
    /// - Throws: ``MemberError`` `invalidReceipt` or `newerVersion`.
    package init(decoding octets: [UInt8], root: MatterCertificate, at time: ValidationTime) throws(MemberError) {
        let fields = try MemberDocument.fields(octets, format: Self.format, version: Self.version, .invalidReceipt)
        let noc: [UInt8]
        let signature: [UInt8]
        do {
            noc = try fields.octets("noc")
            signature = try fields.octets("signature")
            identity = try OperationalChain(noc: noc, icac: try fields.optionalOctets("icac"), root: root)
                .validate(at: time)
        } catch {
            throw MemberError(.invalidReceipt, "the receipt is not of a certificate of this fabric: \(error)")
        }
        guard identity.publicKey.isValidSignature(signature, for: Self.signed(noc)) else {
            throw MemberError(.invalidReceipt, "the key of the certificate has not signed the receipt")
        }
    }
}
