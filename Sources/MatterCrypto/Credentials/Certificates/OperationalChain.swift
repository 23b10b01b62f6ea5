/// The known time when a chain is checked (Matter core specification, 6.5.9).
public enum ValidationTime: Hashable, Sendable {
    /// The clock is right: Matter seconds.
    case now(UInt32)
    /// There is no clock; it is at least this late, in Matter seconds. Nothing is refused for its dates.
    case lastKnownGood(UInt32)
    /// Dates do not matter here.
    case none

    /// The time of a clock, in seconds since 1970; ``none`` if that is before Matter's epoch or after its end.
    package init(unix seconds: Int64) {
        self = MatterEpoch.seconds(unix: seconds).map { .now($0) } ?? .none
    }

    /// The rest of this for a node whose own certificates begin at a time, in Matter seconds: that is its last known
    /// good time, and a clock that shows an earlier one is not right.
    package func noEarlier(than known: UInt32) -> ValidationTime {
        switch self {
        case .now(let seconds) where seconds < known: .lastKnownGood(known)
        default: self
        }
    }
}

/// The side of a session that a certificate is for.
package enum PeerRole: Sendable, Hashable {
    /// The responder of a session.
    case server
    /// The initiator of a session.
    case client

    var purpose: KeyPurpose { self == .server ? .serverAuth : .clientAuth }
}

/// The identity of a node, proved by a valid chain (Matter core specification, 6.4).
public struct NodeIdentity: Hashable, Sendable {
    /// The id of the node on its fabric.
    public let nodeID: NodeID
    package let fabricID: FabricID
    package let cats: [CASEAuthenticatedTag]
    package let publicKey: P256PublicKey

    /// True if an access control entry for `subject` means this node: its node id, or one of its tags.
    public func matches(subject: NodeID) -> Bool {
        if subject == nodeID { return true }
        guard let tag = CASEAuthenticatedTag(subject: subject) else { return false }
        return cats.contains { $0.satisfies(tag) }
    }
}

/// A node operational certificate with what stands between it and a trusted root (Matter core specification, 6.5.8).
public struct OperationalChain: Sendable, Hashable {
    package let noc: MatterCertificate
    package let icac: MatterCertificate?
    /// The trust anchor.
    package let root: MatterCertificate

    // memberwise: public

    /// Decodes what a peer sent; an empty intermediate certificate is none.
    /// - Throws: ``CredentialsError`` that names the certificate.
    package init(noc: [UInt8], icac: [UInt8]?, root: MatterCertificate) throws(CredentialsError) {
        do { self.noc = try MatterCertificate(tlv: noc) } catch { throw error.blaming(.node) }
        do { self.icac = try icac.flatMap { $0.isEmpty ? nil : $0 }.map(MatterCertificate.init(tlv:)) } catch {
            throw (error as CredentialsError).blaming(.intermediate)
        }
        self.root = root
    }

    /// Checks types, profiles, names, key identifiers, fabric, dates and signatures.
    ///
    /// The root is taken as trusted: its own signature is checked when it is installed, by ``validate(root:at:)``.
    ///
    /// - Parameters:
    ///   - time: what is known of the time.
    ///   - role: the side of a session that the leaf is for, if any.
    /// - Throws: ``CredentialsError`` that names the certificate and the rule.
    package func validate(
        at time: ValidationTime, requiring role: PeerRole? = nil
    ) throws(CredentialsError) -> NodeIdentity {
        if let purpose = role?.purpose, noc.extendedKeyUsage?.contains(purpose) != true {
            throw CredentialsError(.wrongKeyPurpose, "it lacks the key purpose \(purpose)", certificate: .node)
        }
        try CertificateProfile.check(noc, as: .node)
        if let icac { try CertificateProfile.check(icac, as: .intermediate) }
        try CertificateProfile.check(root, as: .root, authoritiesBelow: icac == nil ? 0 : 1)
        for (certificate, role) in members { try certificate.checkDates(at: time, as: role) }
        let identity = try identity
        // The costly part comes last.
        if let icac {
            try icac.checkIssuer(root, as: .intermediate)
            try noc.checkIssuer(icac, as: .node)
        } else {
            try noc.checkIssuer(root, as: .node)
        }
        return identity
    }

    /// Verifies certificates that are given one by one.
    package static func validate(
        noc: MatterCertificate, icac: MatterCertificate?, root: MatterCertificate, at time: ValidationTime,
        requiring role: PeerRole? = nil
    ) throws(CredentialsError) -> NodeIdentity {
        try OperationalChain(noc: noc, icac: icac, root: root).validate(at: time, requiring: role)
    }

    /// Checks a root certificate that is to become a trust anchor, as AddTrustedRootCertificate demands.
    /// - Throws: ``CredentialsError`` that names the rule.
    package static func validate(root: MatterCertificate, at time: ValidationTime = .none) throws(CredentialsError) {
        try CertificateProfile.check(root, as: .root)
        try root.checkDates(at: time, as: .root)
        try root.checkIssuer(root, as: .root)
    }

    /// The node's identity in the chain, without any check of signatures or profiles.
    /// - Throws: ``CredentialsError`` if ids are missing or the certificates are of different fabrics.
    package var identity: NodeIdentity {
        get throws(CredentialsError) {
            guard let nodeID = noc.nodeID, let fabricID = noc.fabricID else {
                throw CredentialsError(.wrongType, "it names no node or no fabric", certificate: .node)
            }
            for (authority, role) in members {
                if let other = authority.fabricID, other != fabricID {
                    throw CredentialsError(
                        .fabricMismatch, "it is for the fabric \(other), the node certificate for \(fabricID)",
                        certificate: role)
                }
            }
            return NodeIdentity(nodeID: nodeID, fabricID: fabricID, cats: noc.cats, publicKey: noc.publicKey)
        }
    }

    /// The latest beginning of a validity period: a node without a clock moves its last known good time here when it
    /// installs the chain.
    package var latestNotBefore: UInt32 { members.map(\.0.notBefore).max() ?? noc.notBefore }

    /// The certificates whose validity has ended at a time, for a log where ``ValidationTime/lastKnownGood(_:)`` let
    /// them pass.
    package func expired(at seconds: UInt32) -> [CertificateRole] {
        members.filter { $0.0.notAfter != MatterEpoch.none && $0.0.notAfter < seconds }.map(\.1)
    }

    private var members: [(MatterCertificate, CertificateRole)] {
        [(noc, .node)] + (icac.map { [($0, .intermediate)] } ?? []) + [(root, .root)]
    }
}

extension MatterCertificate {
    fileprivate func checkDates(at time: ValidationTime, as role: CertificateRole) throws(CredentialsError) {
        guard case .now(let now) = time else { return }
        guard notBefore <= now else {
            throw CredentialsError(
                .notYetValid,
                "it is valid from \(MatterEpoch.text(notBefore)), and it is \(MatterEpoch.text(now)): is a clock wrong?",
                certificate: role)
        }
        guard notAfter == MatterEpoch.none || now <= notAfter else {
            throw CredentialsError(
                .expired, "it was valid until \(MatterEpoch.text(notAfter)), and it is \(MatterEpoch.text(now))",
                certificate: role)
        }
    }

    fileprivate func checkIssuer(_ authority: MatterCertificate, as role: CertificateRole) throws(CredentialsError) {
        guard issuer == authority.subject else {
            throw CredentialsError(
                .issuerMismatch, "its issuer is \(issuer), not \(authority.subject)", certificate: role)
        }
        guard authorityKeyIdentifier == authority.subjectKeyIdentifier else {
            throw CredentialsError(
                .wrongKeyIdentifier, "its authority key identifier is not its issuer's", certificate: role)
        }
        let signed = tbsDER()
        // A certificate that fails conversion is not accepted just because it is not converted here.
        guard signed.count <= Self.maximumDERCount else {
            throw CredentialsError(.tooLarge, "its X.509 form is longer than 600 bytes", certificate: role)
        }
        guard authority.publicKey.isValidSignature(signature, for: signed) else {
            throw CredentialsError(.invalidSignature, "its issuer's key did not sign it", certificate: role)
        }
    }
}
