/// The purpose of a Matter certificate, by its subject (Matter core specification, 6.5.6.3).
package enum CertificateKind: Sendable, Hashable {
    /// RCAC.
    case root
    /// ICAC.
    case intermediate
    /// NOC.
    case node
    case firmwareSigning
    case vendorVerificationSigner
    /// The certificate of a Wi-Fi network or client: nothing but a common name.
    case networkIdentity
}

extension MatterCertificate {
    /// The purpose of the certificate.
    /// - Throws: ``CredentialsError`` if the subject names nothing or several things, or lacks what the kind needs.
    package var kind: CertificateKind {
        get throws(CredentialsError) {
            var kinds: [CertificateKind] = []
            for attribute in subject.attributes {
                switch attribute.type {
                case .nodeID: kinds.append(.node)
                case .icacID: kinds.append(.intermediate)
                case .rcacID: kinds.append(.root)
                case .firmwareSigningID: kinds.append(.firmwareSigning)
                case .vendorVerificationSignerID: kinds.append(.vendorVerificationSigner)
                default: break
                }
            }
            guard kinds.count <= 1 else {
                throw CredentialsError(.wrongType, "the subject has \(kinds.count) Matter identities")
            }
            let fabrics = subject.identifiers(.fabricID).count
            guard fabrics <= 1 else {
                throw CredentialsError(.invalidFabricID, "the subject has \(fabrics) fabric ids")
            }
            guard let kind = kinds.first ?? networkIdentity else {
                throw CredentialsError(.wrongType, "the subject has no Matter identity")
            }
            if kind == .node {
                try CASEAuthenticatedTag.check(cats)
                guard fabrics == 1 else { throw CredentialsError(.invalidFabricID, "the subject has no fabric id") }
            } else if !cats.isEmpty {
                throw CredentialsError(.invalidCAT, "only a node certificate may carry CASE authenticated tags")
            }
            if kind == .vendorVerificationSigner, fabrics != 0 {
                throw CredentialsError(.invalidFabricID, "the certificate of a verification signer has a fabric id")
            }
            return kind
        }
    }

    private var networkIdentity: CertificateKind? {
        subject.attributes.count == 1 && subject.attributes.first?.type == .commonName ? .networkIdentity : nil
    }

    /// The node id of the subject.
    package var nodeID: NodeID? { subject.identifier(.nodeID).map { NodeID($0) } }
    /// The fabric id of the subject.
    package var fabricID: FabricID? { subject.identifier(.fabricID).map { FabricID($0) } }
    package var rcacID: UInt64? { subject.identifier(.rcacID) }
    var icacID: UInt64? { subject.identifier(.icacID) }
    /// The CASE authenticated tags of the subject.
    package var cats: [CASEAuthenticatedTag] {
        subject.identifiers(.cat).map { CASEAuthenticatedTag(UInt32(truncatingIfNeeded: $0)) }
    }
}
