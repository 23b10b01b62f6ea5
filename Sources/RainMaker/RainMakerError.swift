package import MatterLedger

/// Why the cloud, or what it gave, could not be used. Never holds a token, a password or a key.
package struct RainMakerError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    package enum Code: String, ErrorCode, CaseIterable {
        /// There are no tokens for this profile.
        case notLoggedIn = "cloud.not-logged-in"
        /// The cloud no longer accepts the refresh token; the tokens have been dropped.
        case sessionEnded = "cloud.session-ended"
        /// The cloud refused the user name, the password or the refresh token.
        case loginRefused = "cloud.login-refused"
        /// HTTP 401 with a token that was renewed just before.
        case unauthorized = "cloud.unauthorized"
        /// HTTP 403, or the answer that the caller lacks rights.
        case forbidden = "cloud.forbidden"
        /// HTTP 404.
        case notFound = "cloud.not-found"
        /// HTTP 409.
        case conflict = "cloud.conflict"
        /// Any other failure that the cloud reports.
        case refused = "cloud.refused"
        /// HTTP 5xx, after repetitions where they are safe.
        case serverFailed = "cloud.server-failed"
        /// The exchange itself failed; the effect of the call is unknown.
        case connection = "cloud.connection"
        /// An answer that is not what the interface says.
        case malformedAnswer = "cloud.malformed-answer"
        /// A certificate from the cloud that does not fit: another key, fabric or node, expired, not signed by the root.
        case invalidCertificate = "cloud.invalid-certificate"
        /// No group of that id or name.
        case unknownGroup = "cloud.unknown-group"
        /// A group without a Matter fabric.
        case notAFabric = "cloud.not-a-fabric"
        /// Something that only primary users of the group can do.
        case notPrimary = "cloud.not-primary"
        /// No confirmation of that name is waiting.
        case nothingPending = "cloud.nothing-pending"
        /// The device did not give what the confirmation needs.
        case challengeFailed = "cloud.challenge-failed"
        /// A controller that did not do what it was told through the cloud, or that is not connected to it.
        case controllerNotReady = "cloud.controller-not-ready"
        /// Software that this machine needs to talk to a cloud is not installed.
        case libraryMissing = "cloud.library-missing"
        /// An argument, file or profile that cannot be used.
        case invalidInput = "cloud.invalid-input"

        package var kind: FailureKind {
            switch self {
            case .invalidInput: .invalidInput
            case .libraryMissing: .serviceMissing
            case .nothingPending: .notFound
            case .challengeFailed: .refused
            case .notLoggedIn, .sessionEnded, .loginRefused, .unauthorized, .forbidden, .notFound, .conflict, .refused,
                .serverFailed, .connection, .malformedAnswer, .invalidCertificate, .unknownGroup, .notAFabric,
                .notPrimary, .controllerNotReady:
                .issuerFailed
            }
        }
    }

    package var code: Code
    /// A sentence for a person. May quote the cloud: escape it before it reaches a terminal.
    package var reason: String
    package var hint: Hint?
    /// The HTTP status, if there was an answer.
    var httpStatus: Int?
    /// The cloud's own error code, if the answer has one.
    var cloudCode: String?
    /// The meaning of that code, if it is known.
    package var meaning: String?
    /// The node on the fabric that this is about, if it is one.
    package var nodeID: NodeID?
    /// The code of the exchange's error, if it was that.
    package var transport: HTTPError.Code?

    package init(
        _ code: Code, _ reason: String, hint: Hint? = nil, httpStatus: Int? = nil, cloudCode: String? = nil,
        meaning: String? = nil, transport: HTTPError.Code? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.httpStatus = httpStatus
        self.cloudCode = cloudCode
        self.meaning = meaning
        self.transport = transport
    }

    package var facts: [Fact] {
        [
            Fact("httpStatus", httpStatus), Fact("cloudCode", cloudCode), Fact("cloudMeaning", meaning),
            Fact("transport", transport?.rawValue),
        ].compactMap { $0 }
    }

    /// True if the cloud was reached and does not want to do this.
    var refusesRequest: Bool { code == .refused || code == .notFound || code == .conflict }

    init(_ error: HTTPError) {
        let code: Code =
            switch error.code {
            case .invalidURL, .insecureURL, .invalidSettings: .invalidInput
            case .libraryMissing: .libraryMissing
            default: .connection
            }
        self.init(code, error.reason, hint: error.hint, transport: error.code)
    }

    /// The failure of a call that may have had its effect.
    func leaving(_ doubt: CloudCall.Doubt) -> RainMakerError {
        guard isInconclusive else { return self }
        var error = self
        error.reason += "; \(doubt.effect)"
        error.hint = "see whether it was, before you repeat it: " + doubt.check
        return error
    }

    /// True if the cloud may have done what it was asked for.
    private var isInconclusive: Bool {
        switch code {
        case .serverFailed, .malformedAnswer: true
        case .connection: [.connectionLost, .timedOut, .malformed, .tooLarge].contains(transport)
        default: false
        }
    }

    static func malformed(_ fault: String, _ operation: String) -> RainMakerError {
        RainMakerError(
            .malformedAnswer, "the cloud's answer to '\(operation)' is malformed: \(fault)",
            hint: "nothing was lost; try again, and check that the URL is that of a RainMaker service")
    }
}
