/// What the ledger said about trust at one time; nothing of it is checked.
package struct LedgerSnapshot: Sendable {
    package var net: LedgerNet
    package var origin: String
    package var roots: [LedgerCertificateID] = []
    package var revokedRoots: [LedgerCertificateID] = []
    /// The certificates of the Alliance's root for declarations.
    package var signers: [LedgerCertificateID] = []
    /// The certificates of roots and signers that were asked for.
    package var certificates: [LedgerCertificateID: [LedgerCertificate]] = [:]
    package var points: [RevocationPoint] = []
    /// The faults of points that cannot be read.
    package var pointFaults: [String] = []

    package init(net: LedgerNet, origin: String) {
        self.net = net
        self.origin = origin
    }
}
