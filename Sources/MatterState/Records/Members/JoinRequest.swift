public import MatterCrypto
import MatterModel

/// The request of another machine to become an administrator of a fabric, as it travels (docs/storage.md, "Members"). Nothing in it
/// is secret.
public struct JoinRequest: Sendable, Equatable {
    static let format = "matterctl-join-request"
    static let version = 1

    /// The request for a certificate (PKCS #10), which its key has signed.
    package let csr: CertificateSigningRequest
    /// The recipient for whom answers are encrypted.
    public let recipient: AgeRecipient
    /// When it was made, in seconds since 1970.
    public let made: Int64
    /// The machine that made it; `nil` if it has no name.
    public let host: String?
    /// Of the rest, by the key of the request: so that no other recipient can be put in.
    private let signature: [UInt8]

    package init(key: P256PrivateKey, recipient: AgeRecipient, made: Int64, host: String?) throws {
        csr = try CertificateSigningRequest(key: key)
        self.recipient = recipient
        self.made = made
        self.host = host
        signature = try key.sign(Self.signed(recipient, made, host))
    }

    private static func signed(_ recipient: AgeRecipient, _ made: Int64, _ host: String?) -> [UInt8] {
        Array("\(format) \(version)\n\(recipient)\n\(made)\n\(host ?? "")\n".utf8)
    }

    /// The request in a file. Its signatures are checked.
    ///
    /// - Throws: ``MemberError`` `invalidRequest` or `newerVersion`.
    public init(decoding octets: [UInt8]) throws(MemberError) {
        if String(decoding: octets.prefix(64), as: UTF8.self).contains("-----BEGIN") {
            throw MemberError(
                .invalidRequest,
                "this is a bare request for a certificate: it does not say for whom the answer is encrypted",
                hint: .step("member.request"))
        }
        let fields = try MemberDocument.fields(
            octets, format: Self.format, version: Self.version, .invalidRequest)
        do {
            csr = try CertificateSigningRequest(pem: try fields.string("csr"))
            recipient = try AgeRecipient(try fields.string("recipient"))
            made = try MemberDocument.time(fields, "made")
            host = try fields.optionalString("host")
            signature = try fields.octets("signature")
        } catch {
            throw MemberError(.invalidRequest, "the request is damaged: \(error)")
        }
        guard csr.publicKey.isValidSignature(signature, for: Self.signed(recipient, made, host)) else {
            throw MemberError(.invalidRequest, "the key of the request has not signed it: it was altered on its way")
        }
    }

    /// The request in a file.
    public func encoded() -> [UInt8] {
        var object: JSONObject = [
            "format": .string(Self.format), "version": .int(Int64(Self.version)),
            "made": .string(MemberDocument.text(made)), "csr": .string(csr.pem),
            "recipient": .string("\(recipient)"), "signature": .string(Hex.encode(signature)),
        ]
        object["host"] = host.map { .string($0) }
        return JSONValue.object(object).utf8() + [0x0A]
    }

    /// The digits that two people compare, so that no one has put another request in on the way: 80 bits of a digest of its keys.
    public var fingerprint: String {
        let digest = SHA256.hash(csr.publicKey.x963 + Array("\(recipient)".utf8)).prefix(10)
        let digits = Array(Hex.encode(Array(digest)).uppercased())
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<min($0 + 4, digits.count)]) }
            .joined(separator: "-")
    }
}
