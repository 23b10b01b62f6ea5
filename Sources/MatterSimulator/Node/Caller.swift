import MatterNetwork

/// On whose behalf something is asked of the node: the subject descriptor of access control
/// (Matter core specification 6.6.5.1).
struct Caller: Sendable {
    enum Kind: Sendable, Equatable {
        /// The commissioner with the passcode.
        case pase
        /// A node of one of our fabrics.
        case `case`(NodeID, tags: [CASEAuthenticatedTag])
        /// The members of a group.
        case group(UInt16)
        /// The device itself.
        case device
    }

    var kind: Kind
    /// 0 where there is none: before AddNOC.
    var fabricIndex: UInt8
    var session: SessionReference?
    /// Signed into attestation answers.
    var attestationChallenge: SecretBytes?

    init(
        _ kind: Kind, fabricIndex: UInt8 = 0, session: SessionReference? = nil,
        attestationChallenge: SecretBytes? = nil
    ) {
        self.kind = kind
        self.fabricIndex = fabricIndex
        self.session = session
        self.attestationChallenge = attestationChallenge
    }

    static let device = Caller(.device)

    var isPASE: Bool { kind == .pase }

    /// The peer's node id on a CASE session.
    var nodeID: NodeID? {
        if case .case(let node, _) = kind { node } else { nil }
    }
}
