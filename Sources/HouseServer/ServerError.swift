public import MatterController

/// Why the server does not start, or its tokens cannot be used.
public struct ServerError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode, CaseIterable {
        /// An address or a path that cannot be listened on.
        case address = "serve.address"
        /// The folder of the socket can be used by others.
        case folder = "serve.folder"
        /// The server that carried out a command is gone.
        case lost = "serve.lost"
        /// An address beyond this machine, without a proxy that encrypts.
        case notLoopback = "serve.not-loopback"
        /// No server of this house runs that could be asked.
        case notRunning = "serve.not-running"
        /// The other host of a share was asked, and what it did is not known.
        case peerLost = "serve.peer-lost"
        /// The other host of a share does not give it up.
        case peerRefused = "serve.peer-refused"
        /// It is not known where the other host of a share is.
        case peerUnnamed = "serve.peer-unnamed"
        /// The other host of a share was not reached.
        case peerUnreachable = "serve.peer-unreachable"
        /// Another server listens there.
        case running = "serve.running"
        /// The share is on its way between hosts, or with another one.
        case shareBusy = "serve.share-busy"
        /// There is no such share.
        case shareUnknown = "serve.share-unknown"
        /// The record of the shares cannot be understood.
        case sharesInvalid = "serve.shares-invalid"
        /// There is a token of that name already.
        case tokenExists = "serve.token-exists"
        /// The record of the tokens cannot be understood.
        case tokensInvalid = "serve.tokens-invalid"
        /// There is no such token.
        case tokenUnknown = "serve.token-unknown"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .address, .folder, .notRunning, .running, .shareBusy, .sharesInvalid, .tokenExists, .tokensInvalid:
                .localState
            case .notLoopback, .peerUnnamed: .invalidInput
            case .peerLost: .outcomeUnknown
            case .peerRefused: .issuerFailed
            case .lost, .peerUnreachable: .noAnswer
            case .shareUnknown, .tokenUnknown: .notFound
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    /// - Parameter hint: the next step, if it is known.
    public init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// The value as text, as messages and logs show it.
    public var description: String { reason }
}
