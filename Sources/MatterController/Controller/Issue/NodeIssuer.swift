import MatterCrypto

/// An issuer of node operational certificates outside of this library, for ``IssuerChoice/issuer(_:)`` (Matter
/// core specification, 6.4).
///
/// Commissioning calls ``issue(_:)`` once, checks what it gives (key, chain, fabric, node id), and later calls
/// ``confirm(_:node:)`` or ``abandon(_:)``: the receipt is the certificate's serial number in hexadecimal digits.
public protocol NodeIssuer: Sendable {
    /// Issues the certificate for a device.
    ///
    /// - Returns: the chain as PEM, the node's certificate first; the node id is the one in the certificate.
    /// - Throws: any error of the issuer; what was begun ends with it.
    func issue(_ request: NodeIssueRequest) async throws -> String

    /// The device is on the fabric. May be called again after a failure.
    ///
    /// - Parameter node: its id.
    /// - Throws: any error of the issuer; what was begun ends with it.
    func confirm(_ receipt: String, node: UInt64) async throws

    /// The certificate will not be used.
    func abandon(_ receipt: String) async
}

extension NodeIssuer {
    /// Does nothing: for issuers that need not know.
    ///
    /// - Parameter node: the id of the node.
    /// - Throws: any error of the issuer; what was begun ends with it.
    public func confirm(_ receipt: String, node: UInt64) async throws {}
    /// Does nothing: for issuers that need not know.
    public func abandon(_ receipt: String) async {}
}

/// A device's request for a certificate, with what the device proved of itself (Matter core specification, 6.4).
public struct NodeIssueRequest: Sendable {
    /// The certificate signing request (PKCS #10), PEM.
    public let csr: String
    /// The fabric's root certificate, PEM.
    public let rootCertificate: String
    /// The id of the fabric.
    public let fabricID: UInt64
    /// The node id that the caller wants; the issuer chooses if there is none.
    public let nodeID: UInt64?
    /// The id of the device's vendor, if its attestation was read.
    public let vendorID: UInt16?
    /// The id that the vendor gave the product, if its attestation was read.
    public let productID: UInt16?
    /// The device attestation certificate, PEM, if it was read.
    public let attestationCertificate: String?
    /// The intermediate certificate above it, PEM, if it was read.
    public let attestationIntermediate: String?

    init(
        _ csr: CertificateSigningRequest, _ context: NOCIssueContext, fabric: OperationalCredentials
    ) throws(CredentialsError) {
        self.csr = csr.pem
        rootCertificate = try fabric.root.pem()
        fabricID = fabric.fabric.fabricID.rawValue
        nodeID = context.requestedNodeID?.rawValue
        vendorID = context.attestation?.vendorID.rawValue
        productID = context.attestation?.productID
        attestationCertificate = context.attestation.map { PEM.encode($0.dac, label: PEM.certificate) }
        attestationIntermediate = context.attestation.map { PEM.encode($0.pai, label: PEM.certificate) }
    }
}

/// Lets a program's own issuer issue.
struct OutsideIssuer: NOCIssuer {
    let issuer: any NodeIssuer
    /// Our own membership of the fabric.
    let credentials: OperationalCredentials
    let adminVendorID: VendorID
    let time: ValidationTime

    func prepare() async throws -> FabricParameters? {
        try FabricParameters(
            rootCertificate: credentials.root, ipk: credentials.ipkEpochKey, caseAdminSubject: credentials.nodeID,
            adminVendorID: adminVendorID)
    }

    func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        let chain = try await issuer.issue(try NodeIssueRequest(csr, context, fabric: credentials))
        return try ExecIssuer.issued(chain, csr, credentials, time: time)
    }

    func confirm(_ receipt: NOCReceipt, node: NodeID) async throws {
        try await issuer.confirm(receipt.rawValue, node: node.rawValue)
    }

    func abandon(_ receipt: NOCReceipt) async { await issuer.abandon(receipt.rawValue) }
}
