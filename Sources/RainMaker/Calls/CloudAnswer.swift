package import JSON
import MatterErrors
package import MatterHTTP

/// Reads the cloud's answers: documents, and the error format with its variants (docs/rainmaker.md).
package enum CloudAnswer {
    private static let limits = JSONLimits(depth: 32, values: 200_000, octets: 4 << 20)
    /// The longest quotation of the cloud's own words.
    private static let longestQuote = 200

    /// The body of a successful answer.
    ///
    /// - Throws: ``RainMakerError`` with HTTP status, error code and its meaning.
    package static func body(of response: HTTPResponse, to call: CloudCall) throws(RainMakerError) -> JSONObject {
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
        let meaning = code.flatMap(CloudErrorCode.meaning)
        var reason = "the cloud refused '\(operation)'"
        var parts = ["HTTP \(status)"]
        if let code { parts.append("code \(code)") }
        reason += " (\(parts.joined(separator: ", ")))"
        if let meaning { reason += ": \(meaning)" }
        if let quote, quote.lowercased() != meaning?.lowercased() { reason += " ('\(quote)')" }
        return RainMakerError(
            kind(status, code), reason, hint: isGateway(object) ? gatewayHint(status) : hint(status, code),
            httpStatus: status, cloudCode: code, meaning: meaning)
    }

    /// True if the gateway in front of the service refused the call: its answers have a form of their own.
    private static func isGateway(_ object: JSONObject?) -> Bool {
        object?["message"] != nil && object?["status"] == nil && object?["error_code"] == nil
    }

    /// The gateway knows nothing of groups and roles: it judges the token and the rate.
    private static func gatewayHint(_ status: Int) -> Hint? {
        status == 403 ? .step("cloud.log-in-again") : hint(status, nil)
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

    private static func kind(_ status: Int, _ code: String?) -> RainMakerError.Code {
        switch (status, code) {
        case (_, "108900"): .notAFabric
        case (_, "108902"): .forbidden
        case (_, "108905"): .conflict
        case (_, "108906"): .notFound
        case (401, _): .unauthorized
        case (403, _): .forbidden
        case (404, _): .notFound
        case (409, _): .conflict
        case (500...599, _): .serverFailed
        default: .refused
        }
    }

    private static func hint(_ status: Int, _ code: String?) -> Hint? {
        switch (status, code) {
        case (_, "101009"), (_, "101025"): "check the user name and the password"
        case (_, "101015"): "confirm the account with the code that was mailed"
        case (_, "101019"): "wait a while before the next attempt"
        case (_, "108900"): .step("cloud.convert", "GROUP")
        case (_, "108903"): "commission the device again; a request expires after some minutes"
        case (401, _): .step("cloud.log-in-again")
        case (403, _), (_, "108902"): "ask a primary user of the group"
        case (429, _): "too many requests; wait a minute before the next attempt"
        case (500...599, _): "nothing was lost; try again later"
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

/// Reads the members of an object in an answer; every fault names operation and member.
package struct CloudFields: Sendable {
    private let object: JSONObject
    private let operation: String

    package init(_ object: JSONObject, _ operation: String) {
        self.object = object
        self.operation = operation
    }

    init(_ value: JSONValue, _ operation: String, _ what: String) throws(RainMakerError) {
        guard let object = value.objectValue else { throw .malformed("\(what) is not an object", operation) }
        self.init(object, operation)
    }

    func optionalString(_ key: String) throws(RainMakerError) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue else { throw wrong(key, "a string") }
        return text
    }

    /// A string that is there and not empty.
    func string(_ key: String) throws(RainMakerError) -> String {
        guard let text = try optionalString(key), !text.isEmpty else {
            throw .malformed("it lacks '\(key)'", operation)
        }
        return text
    }

    /// True if a member is there and not null.
    func has(_ key: String) -> Bool { present(key) != nil }

    func optionalBool(_ key: String) throws(RainMakerError) -> Bool? {
        guard let value = present(key) else { return nil }
        guard let flag = value.boolValue else { throw wrong(key, "true or false") }
        return flag
    }

    func optionalInteger(_ key: String) throws(RainMakerError) -> Int? {
        guard let value = present(key) else { return nil }
        guard let number = value.integer(as: Int.self) else { throw wrong(key, "an integer") }
        return number
    }

    func optionalObject(_ key: String) throws(RainMakerError) -> JSONObject? {
        guard let value = present(key) else { return nil }
        guard let object = value.objectValue else { throw wrong(key, "an object") }
        return object
    }

    func optionalArray(_ key: String) throws(RainMakerError) -> [JSONValue]? {
        guard let value = present(key) else { return nil }
        guard let array = value.arrayValue else { throw wrong(key, "an array") }
        return array
    }

    func array(_ key: String) throws(RainMakerError) -> [JSONValue] {
        guard let array = try optionalArray(key) else { throw .malformed("it lacks '\(key)'", operation) }
        return array
    }

    func strings(_ key: String) throws(RainMakerError) -> [String] {
        var strings: [String] = []
        for value in try optionalArray(key) ?? [] {
            guard let text = value.stringValue else { throw wrong(key, "an array of strings") }
            strings.append(text)
        }
        return strings
    }

    func objects(_ key: String) throws(RainMakerError) -> [CloudFields] {
        var objects: [CloudFields] = []
        for value in try optionalArray(key) ?? [] { objects.append(try CloudFields(value, operation, "'\(key)'")) }
        return objects
    }

    /// A number as exactly `digits` hexadecimal digits of either case.
    func optionalHex(_ key: String, digits: Int) throws(RainMakerError) -> UInt64? {
        guard let text = try optionalString(key), !text.isEmpty else { return nil }
        guard text.utf8.count == digits, text.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let number = UInt64(text, radix: 16)
        else { throw wrong(key, "\(digits) hexadecimal digits") }
        return number
    }

    func hex(_ key: String, digits: Int) throws(RainMakerError) -> UInt64 {
        guard let number = try optionalHex(key, digits: digits) else {
            throw .malformed("it lacks '\(key)'", operation)
        }
        return number
    }

    private func present(_ key: String) -> JSONValue? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    func wrong(_ key: String, _ expected: String) -> RainMakerError {
        .malformed("'\(key)' is not \(expected)", operation)
    }
}
