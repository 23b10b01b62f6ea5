package import MatterCrypto

/// The data fetched from a ledger: authorities, signers of declarations, what it withdrew, and where lists of revoked
/// certificates are.
public struct TrustSet: Equatable, Sendable {
    /// A certificate that has been checked.
    public struct Certificate: Hashable, Sendable {
        package var keyIdentifier: [UInt8]
        package var der: [UInt8]
        /// The vendor that the ledger associates with it.
        package var vendorID: UInt16?
        /// When it was first brought, in seconds since 1970.
        package var firstSeen: Int64

        // memberwise: package, vendorID = nil

        /// `nil` if the record was made by another program.
        package var certificate: AttestationCertificate? { try? AttestationCertificate(der: der) }

        package var identifier: LedgerCertificateID? {
            certificate.map { LedgerCertificateID(subject: $0.subject.der, keyIdentifier: keyIdentifier) }
        }
    }

    /// An authority that the ledger has taken back.
    public struct Withdrawal: Hashable, Sendable {
        /// Which certificate.
        public var identifier: LedgerCertificateID
        /// Whether it is in the list of the revoked; otherwise it is in no list.
        public var isRevoked: Bool
        /// When that was first seen, in seconds since 1970.
        package var date: Int64

        package init(_ identifier: LedgerCertificateID, isRevoked: Bool, date: Int64) {
            self.identifier = identifier
            self.isRevoked = isRevoked
            self.date = date
        }
    }

    /// The ledger that it is of.
    public var net: LedgerNet
    /// The URL that it came from.
    public var origin: String
    /// When, in seconds since 1970.
    public var date: Int64
    /// The product attestation authorities.
    public var authorities: [Certificate] = []
    /// The certificates that sign certification declarations.
    public var signers: [Certificate] = []
    package var withdrawn: [Withdrawal] = []
    /// Where revocation lists are.
    public var points: [RevocationPoint] = []

    package init(net: LedgerNet, origin: String, date: Int64) {
        self.net = net
        self.origin = origin
        self.date = date
    }
}
