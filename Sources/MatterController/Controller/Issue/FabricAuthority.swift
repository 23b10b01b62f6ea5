import MatterState

/// The certificate authority of a fabric, whose key is here, for an issuer of a program that adds rules of its own.
public struct FabricAuthority: NodeIssuer {
    private let fabric: LocalFabric
    private let vendorID: VendorID
    private let validity: @Sendable () -> CertificateValidity

    fileprivate init(
        _ fabric: LocalFabric, vendorID: VendorID, validity: @escaping @Sendable () -> CertificateValidity
    ) {
        self.fabric = fabric
        self.vendorID = vendorID
        self.validity = validity
    }

    /// Issues the certificate for a device, with the node id that was asked for, or a random one.
    ///
    /// - Throws: ``MatterError`` for a request that its own key did not sign.
    public func issue(_ request: NodeIssueRequest) async throws -> String {
        do {
            let csr = try CertificateSigningRequest(pem: request.csr)
            let issued = try fabric.issuer(adminVendorID: vendorID, validity: validity)
                .issue(csr, nodeID: request.nodeID.map { NodeID($0) })
            return try issued.noc.pem() + (issued.icac?.pem() ?? "")
        } catch {
            throw MatterError(error)
        }
    }
}

extension Controller {
    /// The certificate authority of the fabric.
    ///
    /// - Throws: ``MatterError`` `notFound` if there is no fabric, or `localState` if its key is not here.
    public func authority() throws -> FabricAuthority {
        do {
            let record = try context.fabric()
            let local = LocalFabric(
                authority: try fabrics.authority(of: record), credentials: try context.credentials())
            return FabricAuthority(local, vendorID: record.vendorID) { [context] in context.validity }
        } catch {
            throw MatterError(error)
        }
    }
}
