/// The place of a certificate in an attestation chain.
package enum AttestationCertificateKind: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The root: product attestation authority.
    case paa = "PAA"
    /// Product attestation intermediate.
    case pai = "PAI"
    /// The device's own.
    case dac = "DAC"

    package var description: String { rawValue }
}

extension AttestationCertificate {
    /// Checks the extensions against the rules for a place in the chain (Matter core specification, 6.2.2.3 to 6.2.2.5).
    ///
    /// Vendor and product id are not among them: the order of their errors is another one.
    package func checkProfile(as kind: AttestationCertificateKind) throws(CredentialsError) {
        try checkCriticality()
        try checkBasicConstraints(kind)
        try checkKeyUsage(kind)
        guard let subjectKeyIdentifier else {
            throw CredentialsError(.wrongKeyIdentifier, "it lacks the subject key identifier")
        }
        guard subjectKeyIdentifier.count == CertificateExtension.keyIdentifierCount else {
            throw CredentialsError(
                .wrongKeyIdentifier, "the subject key identifier has \(subjectKeyIdentifier.count) bytes instead of 20"
            )
        }
        let hasAuthority = extensions.contains { $0.objectIdentifier == ObjectIdentifier.authorityKeyIdentifier }
        guard let authorityKeyIdentifier else {
            guard kind == .paa, !hasAuthority else {
                throw CredentialsError(.wrongKeyIdentifier, "it lacks the authority key identifier")
            }
            return
        }
        guard authorityKeyIdentifier.count == CertificateExtension.keyIdentifierCount else {
            throw CredentialsError(
                .wrongKeyIdentifier,
                "the authority key identifier has \(authorityKeyIdentifier.count) bytes instead of 20")
        }
        guard kind != .paa || authorityKeyIdentifier == subjectKeyIdentifier else {
            throw CredentialsError(.wrongKeyIdentifier, "the key identifiers of a root differ")
        }
    }

    private func checkCriticality() throws(CredentialsError) {
        for one in extensions {
            switch one.objectIdentifier {
            case ObjectIdentifier.basicConstraints, ObjectIdentifier.keyUsage:
                guard one.isCritical else {
                    throw CredentialsError(.invalidExtension, "basic constraints or key usage are not marked critical")
                }
            case ObjectIdentifier.subjectKeyIdentifier, ObjectIdentifier.authorityKeyIdentifier:
                guard !one.isCritical else {
                    throw CredentialsError(.invalidExtension, "a key identifier is marked critical")
                }
            default: break
            }
        }
    }

    private func checkBasicConstraints(_ kind: AttestationCertificateKind) throws(CredentialsError) {
        guard let constraints = basicConstraints else {
            throw CredentialsError(.wrongBasicConstraints, "it lacks the basic constraints")
        }
        let allowed: [BasicConstraints] =
            switch kind {
            case .dac: [BasicConstraints(isCA: false)]
            case .pai: [BasicConstraints(isCA: true, pathLength: 0)]
            case .paa: [BasicConstraints(isCA: true), BasicConstraints(isCA: true, pathLength: 1)]
            }
        guard allowed.contains(constraints) else {
            throw CredentialsError(
                .wrongBasicConstraints,
                "the basic constraints (authority: \(constraints.isCA), path length: "
                    + "\(constraints.pathLength.map { String($0) } ?? "none")) are not those of a \(kind)")
        }
    }

    private func checkKeyUsage(_ kind: AttestationCertificateKind) throws(CredentialsError) {
        guard let usage = keyUsage else { throw CredentialsError(.wrongKeyUsage, "it lacks the key usage") }
        let isAllowed =
            switch kind {
            case .dac: usage == .digitalSignature
            case .pai, .paa: usage.union(.digitalSignature) == [.digitalSignature, .keyCertSign, .crlSign]
            }
        guard isAllowed else {
            throw CredentialsError(.wrongKeyUsage, "the key usage is not that of a \(kind)")
        }
    }

    /// Rejects an unknown critical extension.
    package func checkCriticalExtensions() throws(CredentialsError) {
        let understood: Set<[UInt8]> = [ObjectIdentifier.basicConstraints, ObjectIdentifier.keyUsage]
        guard
            !extensions.contains(where: { $0.isCritical && !$0.isHarmless && !understood.contains($0.objectIdentifier) }
            )
        else { throw CredentialsError(.criticalExtension, "it has an unknown critical extension") }
    }
}
