public import MatterBase

/// Why a handshake failed (Matter core specification 4.14).
public struct SecureChannelError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// A message that does not decode, or comes out of turn.
        case malformed = "secure-channel.malformed"
        /// The device's proof does not fit the passcode.
        case wrongPasscode = "pase.wrong-passcode"
        /// The device has no commissioning window open.
        case windowClosed = "pase.window-closed"
        /// The device reports that it could not verify us: a wrong passcode, seen from its side.
        case rejected = "secure-channel.rejected"
        /// The device ended the handshake for another reason.
        case ended = "secure-channel.ended"
        /// Answers that cannot both be followed: not all of them come from the device.
        case contradicted = "secure-channel.contradicted"
        /// The device is in another handshake, or short of sessions.
        case busy = "secure-channel.busy"
        /// The device has no fabric with our root, our fabric id and its node id.
        case noSharedTrustRoots = "case.no-shared-trust-roots"
        /// A certificate chain or a signature that is not valid.
        case invalidCredentials = "case.invalid-credentials"
        /// The peer proved to be another node than the one asked for.
        case wrongPeer = "case.wrong-peer"
        /// A failure inside our own cryptography.
        case cryptography = "secure-channel.cryptography"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .defect }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The status report for the peer; `nil` if the peer sent one.
    package var reply: StatusReport?
    /// How long a busy peer wants to be left alone.
    package var wait: Duration?
    /// From when our own certificate is valid, in Matter seconds, if the device ended the handshake after it had seen it: a
    /// device whose clock is behind that refuses it, and does not say why.
    public var ownNotBefore: UInt32?

    package init(_ code: Code, _ reason: String, reply: StatusReport? = .invalidParameter, wait: Duration? = nil) {
        self.code = code
        self.reason = reason
        self.reply = reply
        self.wait = wait
    }

    /// A failure that the peer reported.
    package init(reported report: StatusReport) {
        if let wait = report.busyWait {
            self.init(.busy, "the device is busy and asks for \(wait)", reply: nil, wait: wait)
        } else if report.secureChannelCode == .noSharedTrustRoots {
            self.init(.noSharedTrustRoots, "the device does not know our fabric", reply: nil)
        } else {
            self.init(.rejected, "the device ended the handshake: \(report)", reply: nil)
        }
    }
}
