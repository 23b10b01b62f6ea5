public import MatterBase

/// Why a WebSocket (RFC 6455) could not be opened or used. Never holds a message.
public struct WebSocketError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    public enum Code: String, ErrorCode, CaseIterable {
        /// An address that is none, or of a kind that this program does not know.
        case invalidURL = "websocket.invalid-url"
        /// `ws:` to another machine: what is sent would travel in the clear.
        case insecureURL = "websocket.insecure-url"
        /// The host has no address, or no server accepts connections there.
        case unreachable = "websocket.unreachable"
        /// The TLS handshake failed: mostly an unknown certificate authority.
        case tlsFailed = "websocket.tls-failed"
        /// The server is there and opens no WebSocket.
        case refused = "websocket.refused"
        /// The server breaks the rules of the protocol.
        case malformed = "websocket.malformed"
        /// More bytes than a message may have, or more messages than are asked for.
        case tooLarge = "websocket.too-large"
        /// The server ended the connection.
        case closed = "websocket.closed"
        /// The time for opening it was used up.
        case timedOut = "websocket.timed-out"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .invalidURL, .insecureURL: .invalidInput
            case .unreachable, .tlsFailed, .refused, .malformed, .tooLarge, .closed, .timedOut: .issuerFailed
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person. It may quote the server.
    public var reason: String
    /// Advice, where that is known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
