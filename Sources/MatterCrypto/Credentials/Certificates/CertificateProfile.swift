/// The profiles of the certificates of an operational chain (Matter core specification, 6.5.11 and 6.5.12).
enum CertificateProfile {
    /// Refuses a certificate that does not fit its place in a chain.
    ///
    /// - Parameter authoritiesBelow: how many certificate authorities stand between this one and the leaf.
    static func check(
        _ certificate: MatterCertificate, as role: CertificateRole, authoritiesBelow: Int = 0
    ) throws(CredentialsError) {
        do throws(CredentialsError) {
            guard try certificate.kind == role.kind else {
                throw CredentialsError(.wrongType, "by its subject it is a certificate of another type")
            }
            try checkExtensions(certificate, as: role)
            if role == .node {
                try checkNode(certificate)
            } else {
                try checkAuthority(certificate, as: role, authoritiesBelow: authoritiesBelow)
            }
        } catch {
            throw error.blaming(role)
        }
    }

    private static func checkExtensions(
        _ certificate: MatterCertificate, as role: CertificateRole
    ) throws(CredentialsError) {
        for case .future(let future) in certificate.extensions where future.isCritical {
            throw CredentialsError(.criticalExtension, "it has an unknown extension that is marked critical")
        }
        guard let identifier = certificate.subjectKeyIdentifier else {
            throw CredentialsError(.wrongKeyIdentifier, "it has no subject key identifier")
        }
        guard let authority = certificate.authorityKeyIdentifier else {
            throw CredentialsError(.wrongKeyIdentifier, "it has no authority key identifier")
        }
        guard role != .root || identifier == authority else {
            throw CredentialsError(.wrongKeyIdentifier, "its two key identifiers differ")
        }
    }

    private static func checkNode(_ certificate: MatterCertificate) throws(CredentialsError) {
        guard certificate.basicConstraints == BasicConstraints(isCA: false) else {
            throw CredentialsError(
                .wrongBasicConstraints, "its basic constraints do not exclude a certificate authority")
        }
        guard certificate.keyUsage == .digitalSignature else {
            throw CredentialsError(.wrongKeyUsage, "its key usage is not digital signature alone")
        }
        guard let purposes = certificate.extendedKeyUsage, Set(purposes) == [.serverAuth, .clientAuth] else {
            throw CredentialsError(.wrongKeyPurpose, "its key purposes are not server and client authentication")
        }
    }

    private static func checkAuthority(
        _ certificate: MatterCertificate, as role: CertificateRole, authoritiesBelow: Int
    ) throws(CredentialsError) {
        guard let constraints = certificate.basicConstraints, constraints.isCA else {
            throw CredentialsError(.wrongBasicConstraints, "it is not a certificate authority's")
        }
        if let length = constraints.pathLength.map(Int.init) {
            let longest = role == .root ? 1 : 0
            guard length <= longest else {
                throw CredentialsError(
                    .wrongBasicConstraints, "its path length is \(length), at most \(longest) allowed")
            }
            guard authoritiesBelow <= length else {
                throw CredentialsError(
                    .pathTooLong,
                    "it allows \(length) certificate authorities below it, and there are \(authoritiesBelow)")
            }
        }
        let required: KeyUsage = [.keyCertSign, .crlSign]
        guard let usage = certificate.keyUsage, usage.subtracting(.digitalSignature) == required else {
            throw CredentialsError(.wrongKeyUsage, "its key usage is not signing certificates and revocation lists")
        }
        guard certificate.extendedKeyUsage == nil else {
            throw CredentialsError(.wrongKeyPurpose, "a certificate authority's has an extended key usage")
        }
    }
}

extension CertificateRole {
    /// The kind that the subject must name.
    var kind: CertificateKind {
        switch self {
        case .root: .root
        case .intermediate: .intermediate
        case .node: .node
        }
    }
}
