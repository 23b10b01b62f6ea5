/// A method of HTTP (RFC 9110, 9).
public enum HTTPMethod: String, Sendable {
    /// A method of RFC 9110.
    case get = "GET"
    /// A method of RFC 9110.
    case post = "POST"
    /// A method of RFC 9110.
    case put = "PUT"
    /// A method of RFC 9110.
    case delete = "DELETE"
}

/// One call of a service (RFC 9110).
public struct HTTPRequest: Sendable, Equatable {
    /// A parameter of a URL.
    public struct QueryItem: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var method: HTTPMethod
    /// Below the base URL; begins with a slash.
    package var path: String
    package var query: [QueryItem]
    /// Values are secret until proven otherwise: they are never logged.
    package var headers: [String: String]
    package var body: [UInt8]?
    /// Whether a second execution does no harm, so that the call may be repeated after a loss.
    package var isIdempotent: Bool

    /// A request; the path is below that of the service.
    public init(
        _ method: HTTPMethod, _ path: String, query: [QueryItem] = [], headers: [String: String] = [:],
        body: [UInt8]? = nil, isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isIdempotent = isIdempotent ?? (method == .get)
    }

    /// Path and query as they stand in the request line.
    package var target: String {
        guard !query.isEmpty else { return path }
        return path + "?"
            + query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }
}

/// The answer to a call (RFC 9110).
public struct HTTPResponse: Sendable, Equatable {
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// Names in lower case.
    package var headers: [String: String]
    /// The body, without its encoding.
    public var body: [UInt8]

    // memberwise: package, headers = [:], body = []

    /// How long the server asks to wait, where it gives seconds.
    var retryAfter: Duration? {
        headers["retry-after"].flatMap { Int($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }
}

/// Percent encoding of query items (RFC 3986, 2.1): everything but unreserved characters.
package enum PercentEncoding {
    package static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    /// - Returns: `nil` for a `%` without two digits, or bytes that are not UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map { UInt8($0) }
    }
}
