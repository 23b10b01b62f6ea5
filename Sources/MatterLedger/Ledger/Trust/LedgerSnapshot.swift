/// The ledger's answer about trust at one time; nothing of it is checked.
struct LedgerSnapshot: Sendable {
    var net: LedgerNet
    var origin: String
    var roots: [LedgerCertificateID] = []
    var revokedRoots: [LedgerCertificateID] = []
    /// The certificates of the Alliance's root for declarations.
    var signers: [LedgerCertificateID] = []
    /// The certificates of roots and signers that were asked for.
    var certificates: [LedgerCertificateID: [LedgerCertificate]] = [:]
    var points: [RevocationPoint] = []
    /// The faults of points that cannot be read.
    var pointFaults: [String] = []

    init(net: LedgerNet, origin: String) {
        self.net = net
        self.origin = origin
    }
}
