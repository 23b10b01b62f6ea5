import MatterController

/// An error as the user sees it: what failed, in which phase, and what to do next.
public struct ErrorReport: Sendable {
    /// How much of the state after an unknown outcome a message tells; JSON has all of it.
    private static let mostStates = 6

    /// Stable; part of the contract.
    public var id: String
    var stage: String?
    /// The event, in words for people.
    public var message: String
    /// The details of the error: the comparison that failed, or each of several faults.
    private var reasons: [String] = []
    var hint: String?
    var status: ExitStatus
    /// Members for JSON beyond the usual ones.
    var details = JSONObject()
    /// The device's answer, if it is that.
    private(set) var deviceStatus: IMStatus?
    /// The element that it was about.
    private var place: ElementPath?

    /// - Parameter isAddressGiven: whether the user said where the device is.
    public init(_ given: any Error, target: NodeTarget? = nil, isAddressGiven: Bool = false) {
        let interrupted = given as? InterruptedCommissioning
        let cause = interrupted?.underlying ?? given
        status = ExitStatus(cause)
        let advised = cause as? AdvisedError
        switch advised?.error ?? cause {
        case is CancellationError:
            (id, message) = ("interrupted", "interrupted")
        case let error as SessionError:
            let account = SessionFailure(error, target: target, isAddressGiven: isAddressGiven)
            (id, stage, message, hint) = (account.id, error.phase.rawValue, account.message, account.hint)
        case let error as any CodedError:
            (id, stage, message) = (error.id, error.stageName, error.message)
            hint = Hints.text(for: error)
            note(error.facts)
            explain(error, target)
        case let error:
            (id, message) = ("internal", "unexpected internal error: \(error)")
            hint = Hints.text(forID: id)
        }
        if hint == nil, let deviceStatus { hint = StatusAdvice.remedy(for: deviceStatus, target, at: place) }
        if let advised { hint = [hint, advised.advice].compactMap { $0 }.joined(separator: "; ") }
        if let interrupted { explain(interrupted.aftermath) }
    }

    private init(id: String, message: String, status: ExitStatus) {
        self.id = id
        self.message = message
        self.status = status
    }

    /// Of a `CancellationError`, without asking what kind of error it is.
    static let interruption = ErrorReport(id: "interrupted", message: "interrupted", status: .interrupted)

    /// Adds what only some errors know.
    private mutating func explain(_ error: any CodedError, _ target: NodeTarget?) {
        switch error {
        case let error as CommissioningError: explain(error)
        case let error as ControllerError: explain(error)
        case let error as SetupCodeListError: explain(error)
        case let error as DeviceManifestError: explain(error)
        case let error as InteractionError:
            message = Self.account(of: error, target)
            if let status = error.status { note(status) }
        case let error as TransportError where error.isAboutPeer:
            message =
                "\(target?.text ?? "the device") stopped answering: \(error.reason)"
                + (error.report.map { " (\(ReportAccount($0)))" } ?? "")
            hint = Hints.text(forID: "device.lost")
        default: break
        }
    }

    /// Less time than this says nothing about a device that did not answer within it.
    private static let shortest = Duration.seconds(1)

    /// Blames the time and not the world, where a command had too little of it.
    mutating func noteShort(_ timeout: Duration) {
        let isAboutWaiting = id == "discover.nothing-found" || id == ControllerError.Code.sessionsInUse.rawValue
        guard timeout < Self.shortest, status == .noAnswer || isAboutWaiting else { return }
        message = "timed out after \(DurationText.format(timeout)): \(message)"
        hint = Hints.text(forID: "command.short-time")
    }

    private static func account(of error: InteractionError, _ target: NodeTarget?) -> String {
        let who = target?.text ?? "the device"
        switch error.code {
        case .refused: return "\(who) answered the request with \(error.status.map { "\($0)" } ?? "a status")"
        case .invalidRequest, .requestTooLarge: return error.reason
        case .malformed, .unexpectedMessage, .protocolViolation, .limitExceeded, .invalidSubscription:
            return "\(who) broke the protocol: \(error.reason)"
        }
    }

    private mutating func note(_ facts: [Fact]) {
        for fact in facts {
            switch fact.value {
            case .number(let number): details[fact.name] = .int(number)
            case .text(let text): details[fact.name] = .string(text)
            }
        }
    }

    private mutating func explain(_ error: CommissioningError) {
        if error.code == .issuerFailed, let cause = error.underlying as? any CodedError {
            note(cause.facts)
            // A device that has left again leaves nothing to be done.
            let isUndone = error.stage == .post && error.aftermath == .left
            if !isUndone { hint = Hints.text(for: cause) ?? hint }
        }
        if let status = error.status { note(status.status) }
        if let refusal = error.underlying as? AttestationRefusal {
            details["attestation"] = refusal.report.json
            reasons = [refusal.report.failedCheck?.comparison].compactMap { $0 }
        }
        explain(error.aftermath)
    }

    private mutating func explain(_ aftermath: CommissioningError.Aftermath) {
        switch aftermath {
        case .untouched:
            break
        case .rolledBack:
            message += "; the device has been told to forget this attempt"
            details["device"] = "rolled-back"
        case .left:
            details["device"] = "rolled-back"
        case .forgotten:
            message += "; nothing of this attempt is left on it"
            details["device"] = "rolled-back"
        case .rollsBack(let within):
            message += "; the device forgets this attempt within \(Spelled.seconds(within))"
            details["device"] = "rolls-back"
        case .pending(let node, let within):
            message +=
                "; node \(node) is pending: the device forgets it within \(Spelled.seconds(within)) unless the same command "
                + "is run again before"
            details["device"] = "pending"
            details["node"] = .id(node)
        case .unfinished(let node):
            message += "; the device is on the fabric as node \(node), and still pending here"
            hint = (hint.map { "\($0); then " } ?? "") + Hints.text(.step("command.again"))
            details["device"] = "pending"
            details["node"] = .id(node)
        case .commissioned(let node):
            details["device"] = "commissioned"
            details["node"] = .id(node)
        }
    }

    private mutating func explain(_ error: SetupCodeListError) {
        let faults = error.faults.map { (line: $0.line, report: ErrorReport($0.error)) }
        reasons = faults.map { "line \($0.line): \($0.report.message)" }
        guard !faults.isEmpty else { return }
        details["lines"] = .array(
            faults.map { fault in
                .object([
                    "line": .int(Int64(fault.line)), "id": .string(fault.report.id),
                    "message": .string(fault.report.message),
                ])
            })
    }

    private mutating func explain(_ error: DeviceManifestError) {
        let faults = error.faults.map { fault in
            (fault, text: (fault.column.map { "column \($0): " } ?? "") + fault.reason)
        }
        reasons = faults.map { "line \($0.line)\($0.column == nil ? ":" : ",") \($1)" }
        guard !faults.isEmpty else { return }
        details["lines"] = .array(
            faults.map { fault, text in
                .object(["line": .int(Int64(fault.line)), "id": .string(fault.id), "message": .string(text)])
            })
    }

    private mutating func explain(_ error: ControllerError) {
        if let status = error.status { note(status.status) }
        place = error.place
        if error.code == .sessionsInUse {
            details["processes"] = .array(error.holders.map { .int(Int64($0)) })
        }
        guard error.code == .outcomeUnknown || error.code == .listChanged else { return }
        if error.code == .outcomeUnknown { details["outcome"] = "unknown" }
        details["readings"] = .array(
            error.state.map { entry in
                .object([
                    "endpoint": .id(entry.path.endpoint), "clusterId": .id(entry.path.cluster),
                    "attributeId": .id(entry.path.attribute), "value": JSONValue(entry.value),
                ])
            })
        // A list that has changed is told in words.
        guard error.code == .outcomeUnknown else { return }
        for entry in error.state.prefix(Self.mostStates) {
            message += "; \(entry.path) now reads \(TerminalText.escaped(JSONValue(entry.value).serialized()))"
        }
    }

    private mutating func note(_ status: IMStatus) {
        deviceStatus = status
        details["status"] = .string(status.description)
        details["statusCode"] = .uint(UInt64(status.rawValue))
    }

    /// `{"error":{…}}` on one line.
    var json: String { JSONValue.object(["error": body]).serialized() }

    /// All that programs are told.
    var body: JSONValue {
        var body: JSONObject = ["id": .string(id)]
        body["stage"] = stage.map { .string($0) }
        body["message"] = .string(message)
        body["hint"] = hint.map { .string($0) }
        for member in details.members { body[member.key] = member.value }
        body["exitCode"] = .int(Int64(status.rawValue))
        return .object(body)
    }

    /// `error: …` and, where they help, `why: …` and `hint: …`, a line each.
    var text: String {
        var text = "error: " + TerminalText.escaped(message)
        for reason in reasons { text += "\nwhy: " + TerminalText.escaped(reason) }
        if let hint { text += "\nhint: " + TerminalText.escaped(hint) }
        return text
    }
}
