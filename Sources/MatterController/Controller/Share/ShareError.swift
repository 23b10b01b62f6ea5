public import MatterBase

/// Why a device was not handed over to another controller.
public struct ShareError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode, CaseIterable {
        /// The device has no room for another fabric; no window was opened.
        case tableFull = "share.table-full"
        /// The time was over before the device had its turn; no window was opened.
        case notInTime = "share.not-in-time"
        /// The server could not commission the device.
        case serverRefused = "share.server-refused"
        /// The server did not answer in time.
        case serverSilent = "share.server-silent"
        /// The connection with the server has ended.
        case serverLost = "share.server-lost"
        /// The server is too old or too new for this program.
        case serverVersion = "share.server-version"
        /// The server's answers are not those of a Matter server.
        case serverMalformed = "share.server-malformed"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .tableFull: .refused
            case .notInTime: .noAnswer
            case .serverRefused, .serverSilent, .serverLost, .serverVersion, .serverMalformed: .issuerFailed
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people. It may quote the server.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?
    /// The server's error code; `nil` if it gave none.
    package var serverError: Int64?
    /// The server's own words; `nil` if it gave none.
    package var details: String?

    init(
        _ code: Code, _ reason: String, hint: Hint? = nil, serverError: Int64? = nil, details: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.serverError = serverError
        self.details = details
    }

    /// Facts for programs, by name.
    public var facts: [Fact] {
        [Fact("serverError", serverError), Fact("serverDetails", details)].compactMap { $0 }
    }
}
