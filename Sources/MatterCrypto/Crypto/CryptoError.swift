import COpenSSL
public import MatterBase

/// Why a cryptographic operation was refused or failed. It never carries key material.
public struct CryptoError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// A key, nonce, tag, salt or message of a length that the algorithm does not take.
        case invalidLength = "crypto.invalid-length"
        /// A parameter outside its permitted range, such as an iteration count.
        case invalidParameter = "crypto.invalid-parameter"
        /// Octets that are not an uncompressed point on P-256, or the point at infinity.
        case invalidPoint = "crypto.invalid-point"
        /// A scalar outside 1 ..< n, n being the order of P-256.
        case invalidScalar = "crypto.invalid-scalar"
        /// An ECDSA signature that is not strict DER, or not 64 bytes in raw form.
        case invalidSignature = "crypto.invalid-signature"
        /// A message whose integrity check fails: damaged, forged, or sealed under another key.
        case authenticationFailed = "crypto.authentication-failed"
        /// A SPAKE2+ confirmation that does not match: the other side used another passcode.
        case confirmationFailed = "crypto.confirmation-failed"
        /// A step of a protocol run out of order or twice.
        case invalidState = "crypto.invalid-state"
        /// The random source failed, or gave too few bytes or none that serve.
        case randomFailed = "crypto.random-failed"
        /// libcrypto reported a failure that no input explains.
        case `internal` = "crypto.internal"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .defect }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// A failure of libcrypto itself; takes its reason from this thread's error queue and empties that.
    static func library(_ operation: String) -> CryptoError {
        let code = ERR_peek_last_error()
        let reason = code == 0 ? nil : ERR_reason_error_string(code).map { String(cString: $0) }
        ERR_clear_error()
        return CryptoError(.internal, "libcrypto failed to \(operation)\(reason.map { ": \($0)" } ?? "")")
    }
}
