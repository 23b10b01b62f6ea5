import MatterLedger

/// Reads the cloud's answers: documents, and the error format with its variants (docs/rainmaker.md).
enum CloudAnswer {
    private static let limits = JSONLimits(depth: 32, values: 200_000, octets: 4 << 20)
    /// The longest quotation of the cloud's own words.
    private static let longestQuote = 200

    /// The body of a successful answer.
    ///
    /// - Throws: ``RainMakerError`` with HTTP status, error code and its meaning.
    static func body(of response: HTTPResponse, to call: CloudCall) throws(RainMakerError) -> JSONObject {
        let object = (try? JSONValue(parsing: response.body, limits: limits))?.objectValue
        let status = object?["status"]?.stringValue?.lowercased()
        guard (200...299).contains(response.status), status != "failure" else {
            throw failure(response.status, object, call.operation)
        }
        guard let object else {
            throw .malformed(
                response.body.isEmpty ? "it is empty" : "it is not a JSON object", call.operation
            ).with(status: response.status)
        }
        if call.success == .status, status != "success" {
            throw .malformed("it does not say whether the call succeeded", call.operation).with(status: response.status)
        }
        return object
    }

    private static func failure(_ status: Int, _ object: JSONObject?, _ operation: String) -> RainMakerError {
        let code = errorCode(object?["error_code"])
        let text = (object?["description"] ?? object?["message"])?.stringValue
        let quote = text.flatMap { $0.isEmpty ? nil : String($0.prefix(longestQuote)) }
        let facts = code.flatMap { CloudErrorCode($0) }?.facts
        let meaning = facts?.meaning
        var reason = "the cloud refused '\(operation)'"
        var parts = ["HTTP \(status)"]
        if let code { parts.append("code \(code)") }
        reason += " (\(parts.joined(separator: ", ")))"
        if let meaning { reason += ": \(meaning)" }
        if let quote, quote.lowercased() != meaning?.lowercased() { reason += " ('\(quote)')" }
        return RainMakerError(
            facts?.error ?? error(status), reason,
            hint: isGateway(object) ? gatewayHint(status) : facts?.hint ?? hint(status),
            httpStatus: status, cloudCode: code, meaning: meaning)
    }

    /// True if the gateway in front of the service refused the call: its answers have a form of their own.
    private static func isGateway(_ object: JSONObject?) -> Bool {
        object?["message"] != nil && object?["status"] == nil && object?["error_code"] == nil
    }

    /// The gateway knows nothing of groups and roles: it judges the token and the rate.
    private static func gatewayHint(_ status: Int) -> Hint? {
        status == 403 ? .step("cloud.log-in-again") : hint(status)
    }

    /// A number, a string, or absent.
    private static func errorCode(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : String(text.prefix(32))
        case .int(let number): String(number)
        case .uint(let number): String(number)
        case .double(let number): Int(exactly: number).map { String($0) }
        default: nil
        }
    }

    private static func error(_ status: Int) -> RainMakerError.Code {
        switch status {
        case 401: .unauthorized
        case 403: .forbidden
        case 404: .notFound
        case 409: .conflict
        case 500...599: .serverFailed
        default: .refused
        }
    }

    private static func hint(_ status: Int) -> Hint? {
        switch status {
        case 401: .step("cloud.log-in-again")
        case 403: "ask a primary user of the group"
        case 429: "too many requests; wait a minute before the next attempt"
        case 500...599: "nothing was lost; try again later"
        default: nil
        }
    }
}

extension RainMakerError {
    func with(status: Int) -> RainMakerError {
        var error = self
        error.httpStatus = status
        return error
    }
}

/// Reads the members of an object in an answer to an operation.
package typealias CloudFields = JSONFields<RainMakerError>

extension RainMakerError: JSONFieldFailure {
    package init(_ fault: JSONFieldFault, in operation: String) {
        self =
            switch fault {
            case .notAnObject: .malformed("it is not a JSON object", operation)
            case .missing(let key): .malformed("it lacks '\(key)'", operation)
            case .wrong(let key, let expected): .malformed("'\(key)' is not \(expected)", operation)
            }
    }
}
