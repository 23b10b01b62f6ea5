public import MatterBase

/// Why a certificate, a request or an issuer was refused, and which certificate of a chain it was.
public struct CredentialsError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    public enum Code: String, ErrorCode, CaseIterable {
        /// Octets that are not the encoding they should be, or lack an element.
        case malformed = "certificate.malformed"
        /// An encoding longer than the specification allows.
        case tooLarge = "certificate.too-large"
        /// A signature, public key or curve other than ECDSA with SHA-256 on P-256.
        case unsupportedAlgorithm = "certificate.unsupported-algorithm"
        /// A point that is not on the curve.
        case invalidPublicKey = "certificate.invalid-public-key"
        /// A distinguished name that is empty, too long, or has an attribute Matter does not know.
        case invalidName = "certificate.invalid-name"
        /// A node id outside the operational range.
        case invalidNodeID = "certificate.invalid-node-id"
        /// Fabric id 0, none where one is needed, or more than one.
        case invalidFabricID = "certificate.invalid-fabric-id"
        /// A CASE authenticated tag of version 0, too many of them, or two with one identifier.
        case invalidCAT = "certificate.invalid-cat"
        /// A validity period that ends before it begins.
        case invalidValidity = "certificate.invalid-validity"
        /// An extension with wrong contents or criticality, or one that is there twice.
        case invalidExtension = "certificate.invalid-extension"
        /// A valid X.509 certificate that the Matter form cannot express.
        case notConvertible = "certificate.not-convertible"
        /// A subject of another type of certificate than the place in the chain demands.
        case wrongType = "certificate.wrong-type"
        /// Basic constraints against the profile.
        case wrongBasicConstraints = "certificate.wrong-basic-constraints"
        /// More certificates below a certificate authority than its path length allows.
        case pathTooLong = "certificate.path-too-long"
        /// Key usage against the profile.
        case wrongKeyUsage = "certificate.wrong-key-usage"
        /// Extended key usage against the profile, or without the purpose that is needed.
        case wrongKeyPurpose = "certificate.wrong-key-purpose"
        /// A key identifier that is missing or does not match the issuer's.
        case wrongKeyIdentifier = "certificate.wrong-key-identifier"
        /// An unknown extension that is marked critical.
        case criticalExtension = "certificate.critical-extension"
        /// An issuer name that is not the subject name of the certificate above.
        case issuerMismatch = "certificate.issuer-mismatch"
        /// A signature that the issuer's key did not make.
        case invalidSignature = "certificate.invalid-signature"
        /// The validity period has not begun.
        case notYetValid = "certificate.not-yet-valid"
        /// The validity period has ended.
        case expired = "certificate.expired"
        /// A fabric id other than the expected one.
        case fabricMismatch = "certificate.fabric-mismatch"
        /// A node id other than the expected one.
        case nodeMismatch = "certificate.node-mismatch"
        /// A public key other than the expected one, or a private key of another certificate.
        case keyMismatch = "certificate.key-mismatch"
        /// A root other than the expected one.
        case rootMismatch = "certificate.root-mismatch"
        /// A certificate signing request that is not one.
        case malformedRequest = "csr.malformed"
        /// A certificate signing request that its own key did not sign.
        case invalidRequestSignature = "csr.invalid-signature"
        /// NOCSR elements that do not follow their schema.
        case malformedElements = "nocsr.malformed"
        /// A CSR response to another request.
        case nonceMismatch = "nocsr.nonce-mismatch"
        /// A CSR response that the device attestation key did not sign in this session.
        case invalidAttestationSignature = "nocsr.invalid-signature"
        /// A key file in no known form.
        case malformedKey = "key.malformed"
        /// The certificate authority's private key is not at hand.
        case noSigningKey = "issuer.no-signing-key"
        /// A node id that cannot be issued.
        case unusableNodeID = "issuer.unusable-node-id"
        /// Certificates, keys or an identity protection key that do not belong together or have the wrong size.
        case invalidMaterial = "issuer.invalid-material"
        /// The cryptographic library failed.
        case cryptography = "credentials.cryptography"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .localState }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The certificate at fault, where several were looked at.
    package var certificate: CertificateRole?
    /// The byte offset of the fault in the encoding, where it is known.
    package var offset: Int?

    package init(_ code: Code, _ reason: String, certificate: CertificateRole? = nil, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.certificate = certificate
        self.offset = offset
    }

    /// The event, in words for people.
    public var message: String {
        let place = offset.map { " (at byte \($0))" } ?? ""
        return certificate.map { "\($0): \(reason)\(place)" } ?? reason + place
    }

    /// The error with the name of the certificate added, if it is missing.
    func blaming(_ role: CertificateRole) -> CredentialsError {
        var error = self
        error.certificate = certificate ?? role
        return error
    }
}

/// The place of a certificate in an operational chain.
package enum CertificateRole: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The root certificate authority certificate (RCAC).
    case root
    /// The intermediate certificate authority certificate (ICAC).
    case intermediate
    /// The node operational certificate (NOC).
    case node

    package var description: String {
        switch self {
        case .root: "root certificate"
        case .intermediate: "intermediate certificate"
        case .node: "node certificate"
        }
    }
}
