public import MatterBase

/// How a secure session comes about (Matter core specification, chapter 4).
public enum HandshakePhase: String, Sendable {
    /// By the passcode of a device that is not on the fabric yet.
    case pase
    /// By the certificates of both nodes.
    case `case`
}

/// Why there is no session with a peer: the phase, what was tried and what was heard.
public struct SessionError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// Discovery named no address, and none was known.
        case notDiscovered = "session.not-discovered"
        /// The kernel had no route to any address.
        case unreachable = "session.unreachable"
        /// Nothing at all came back from the addresses.
        case silent = "session.silent"
        /// The peer acknowledged and then said nothing more.
        case noReply = "session.no-reply"
        /// The peer is busy and stayed so.
        case busy = "session.busy"
        /// The handshake itself failed; see ``SessionError/refusal``.
        case refused = "session.refused"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .noAnswer }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The phase that failed.
    public var phase: HandshakePhase
    /// The event, in words for people.
    public var reason: String
    /// Every address that was tried.
    public var tried: [PeerAddress] = []
    /// Handshakes that were begun.
    package var attempts = 0
    /// Transmissions of the last unanswered message.
    package var transmissions = 0
    /// Time since the peer was last heard; `nil` if it never was.
    package var lastHeard: Duration?
    /// The error numbers of the system, for each address that could not be sent to.
    public var sendFailures: [PeerAddress: Int32] = [:]
    /// The objection of the peer or of our own checks.
    public var refusal: SecureChannelError?
    /// True if answers contradicted each other, as they do under interference.
    package var isContradicted = false
    /// Why discovery could not help, when it could not.
    public var discoveryFailure: (any Error)?

    /// True if the peer said that it is not, or no longer, on our fabric, and nothing else that came in says otherwise.
    package var isUnknownToPeer: Bool { refusal?.code == .noSharedTrustRoots && !isContradicted }

    /// True if nothing was heard that would tell what is wrong.
    package var isSilence: Bool {
        switch code {
        case .notDiscovered, .silent, .noReply, .busy: true
        case .unreachable, .refused: false
        }
    }

    package init(_ code: Code, phase: HandshakePhase, _ reason: String) {
        self.code = code
        self.phase = phase
        self.reason = reason
    }
}

extension SessionError {
    /// A device that refuses the passcode refuses to be commissioned.
    public var kind: FailureKind { code == .refused && phase == .pase ? .commissioningRefused : code.kind }
}
