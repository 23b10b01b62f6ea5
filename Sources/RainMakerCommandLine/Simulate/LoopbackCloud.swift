import MatterCommandLine
import MatterSimulator

/// The way of virtual controllers to a cloud on this machine.
struct LoopbackCloud: HubCloud {
    /// How long an answer may take.
    private static let patience = Duration.seconds(10)

    private let transport = CurlTransport(
        HTTPSettings(largestBody: 1 << 20, userAgent: "matterctl/\(Version.number)"))

    func call(
        _ method: String, _ url: String, _ target: String, token: String?, body: JSONValue?
    ) async -> JSONValue? {
        guard let method = HTTPMethod(rawValue: method), let url = try? BaseURL(parsing: url), url.isLoopback else {
            return nil
        }
        var headers: [String: String] = [:]
        headers["Authorization"] = token
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = HTTPRequest(method, target, headers: headers, body: body?.utf8())
        let response = try? await transport.send(request, to: url, deadline: .now + Self.patience)
        guard let response, (200...299).contains(response.status) else { return nil }
        return try? JSONValue(parsing: response.body)
    }
}
