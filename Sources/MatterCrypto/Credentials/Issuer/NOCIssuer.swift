package import MatterBase

/// Who gives devices their node operational certificates: the local certificate authority, a cloud, or an external
/// program (Matter core specification, 6.4).
///
/// The order of calls for one device is ``prepare()``, ``issue(_:context:)``, then ``confirm(_:node:)`` once the device
/// is on the fabric or ``abandon(_:)`` once it is known not to be. A receipt is kept in the commissioning journal, so the
/// last two may come from a later process.
public protocol NOCIssuer: Sendable {
    /// Makes the issuer ready for a commissioning, before anything is sent to the device.
    ///
    /// - Returns: what AddTrustedRootCertificate and AddNOC take besides the chain; `nil` if the issuer has no say in that
    ///   and the fabric's record stands.
    /// - Throws: any error of the issuer; what was begun ends with it.
    func prepare() async throws -> FabricParameters?

    /// Issues the certificate for a device.
    ///
    /// - Throws: any error of the issuer; what was begun ends with it.
    func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC

    /// Tells the issuer that the device is on the fabric. May be repeated after a failure.
    ///
    /// - Throws: any error of the issuer; what was begun ends with it.
    func confirm(_ receipt: NOCReceipt, node: NodeID) async throws

    /// Tells the issuer that the certificate will not be used.
    func abandon(_ receipt: NOCReceipt) async
}

extension NOCIssuer {
    /// Most issuers have nothing to prepare.
    ///
    /// - Throws: any error of the issuer; what was begun ends with it.
    public func prepare() async throws -> FabricParameters? { nil }
    /// Most issuers need no word of it.
    ///
    /// - Throws: any error of the issuer; what was begun ends with it.
    public func confirm(_ receipt: NOCReceipt, node: NodeID) async throws {}
    /// Most issuers have nothing to take back.
    public func abandon(_ receipt: NOCReceipt) async {}
}

/// The parameters of a fabric for a device, besides its own certificate (Matter core specification, 6.4).
public struct FabricParameters: Sendable, Equatable {
    package var rootCertificate: MatterCertificate
    /// The identity protection key's epoch key, 16 bytes.
    package var ipk: SecretBytes
    /// Who may administer the device at first: a node id, or a CASE authenticated tag as ``CASEAuthenticatedTag/subject``.
    package var caseAdminSubject: NodeID
    package var adminVendorID: VendorID

    /// - Throws: ``CredentialsError`` for a key of another size, a subject that is no node id and no tag, or a vendor id
    ///   that is none: devices refuse all three.
    package init(
        rootCertificate: MatterCertificate, ipk: SecretBytes, caseAdminSubject: NodeID, adminVendorID: VendorID
    ) throws(CredentialsError) {
        guard ipk.count == FabricIdentity.groupKeyCount else {
            throw CredentialsError(
                .invalidMaterial, "an identity protection key has 16 bytes, not \(ipk.count)")
        }
        guard caseAdminSubject.isOperational || CASEAuthenticatedTag(subject: caseAdminSubject) != nil else {
            throw CredentialsError(
                .invalidMaterial, "\(caseAdminSubject) cannot be an administrator: it is neither a node id nor a tag")
        }
        guard adminVendorID.isValid else {
            throw CredentialsError(.invalidMaterial, "\(adminVendorID) is not a vendor id")
        }
        self.rootCertificate = rootCertificate
        self.ipk = ipk
        self.caseAdminSubject = caseAdminSubject
        self.adminVendorID = adminVendorID
    }
}

/// The context of a request for an issuer (Matter core specification, 6.4).
public struct NOCIssueContext: Sendable {
    /// Reads attributes on the session under way. `nil` for an endpoint, cluster or attribute means all.
    package typealias AttributeReader =
        @Sendable (_ endpoint: UInt16?, _ cluster: UInt32?, _ attribute: UInt32?) async throws -> [AttributeReading]

    /// The value of one attribute.
    package struct AttributeReading: Sendable, Hashable {
        package var endpoint: UInt16
        package var cluster: UInt32
        package var attribute: UInt32
        package var value: TLVValue

        // memberwise: package
    }

    /// The node id the user asks for; issuers that choose it themselves refuse another one.
    package var requestedNodeID: NodeID?
    /// The device's attestation, where it was read.
    package var attestation: DeviceAttestationInfo?
    /// The signed answer that the request came in.
    package var csrAttestation: CSRAttestation?
    /// Reads on the session under way, if there is one.
    package var readAttributes: AttributeReader?

    // memberwise: package, requestedNodeID = nil, attestation = nil, csrAttestation = nil, readAttributes = nil
}

/// The certificates by which a device attested itself, and what it says to be.
package struct DeviceAttestationInfo: Sendable, Hashable {
    /// The device attestation certificate, DER.
    package var dac: [UInt8]
    /// The product attestation intermediate certificate, DER.
    package var pai: [UInt8]
    package var vendorID: VendorID
    package var productID: UInt16

    // memberwise: package
}

/// A device's answer to CSRRequest, for issuers that check the attestation of the key themselves.
package struct CSRAttestation: Sendable, Hashable {
    package var elements: NOCSRElements
    /// 64 bytes.
    package var attestationSignature: [UInt8]
    /// 16 bytes, of the session in which the answer came.
    package var attestationChallenge: [UInt8]

    // memberwise: package
}

/// An issuer's own name for something it issued: what a later process needs to confirm or abandon it.
public struct NOCReceipt: Sendable, Hashable, Codable, RawRepresentable {
    /// The value as it is kept.
    public let rawValue: String

    /// The value with a number.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The certificates of an issuer for one device (Matter core specification, 6.4).
public struct IssuedNOC: Sendable, Hashable {
    package let noc: MatterCertificate
    package let icac: MatterCertificate?
    package let nodeID: NodeID
    package let receipt: NOCReceipt

    // memberwise: package

    /// Checks what an issuer gave before the device sees it: key, chain, fabric and node id.
    ///
    /// - Parameters:
    ///   - csr: the device's request.
    ///   - root: the fabric's root certificate.
    ///   - fabricID: the fabric.
    ///   - requestedNodeID: the node id that was asked for, if any.
    ///   - time: what is known of the time.
    package func validate(
        csr: CertificateSigningRequest, root: MatterCertificate, fabricID: FabricID, requestedNodeID: NodeID? = nil,
        at time: ValidationTime
    ) throws(CredentialsError) -> NodeIdentity {
        let identity = try OperationalChain(noc: noc, icac: icac, root: root).validate(at: time)
        guard identity.publicKey == csr.publicKey else {
            throw CredentialsError(.keyMismatch, "it is for another key than the device's", certificate: .node)
        }
        guard identity.fabricID == fabricID else {
            throw CredentialsError(
                .fabricMismatch, "it is for the fabric \(identity.fabricID), not \(fabricID)", certificate: .node)
        }
        guard identity.nodeID == nodeID, requestedNodeID.map({ $0 == nodeID }) ?? true else {
            throw CredentialsError(
                .nodeMismatch, "it is for the node \(identity.nodeID), not \(requestedNodeID ?? nodeID)",
                certificate: .node)
        }
        return identity
    }
}
