import TestSupport
import Testing

@testable import MatterLedger

@Suite(.timed) struct BaseURLTests {
    @Test(
        "a service's URL is normalised",
        arguments: [
            ("https://api.example.com", "https://api.example.com"),
            ("https://api.example.com///", "https://api.example.com"),
            ("HTTPS://API.Example.com:8443/base/", "https://api.example.com:8443/base"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://localhost", "http://localhost"),
            ("http://[::1]:8080/", "http://[::1]:8080"), ("https://host:443", "https://host"),
        ])
    func normalises(text: String, expected: String) throws {
        #expect(try BaseURL(parsing: text).description == expected)
    }

    @Test(
        "http to another machine is refused, since the token would travel in the clear",
        arguments: [
            "http://192.168.1.5:8080", "http://example.com", "http://127.0.0.1.example.com", "http://[fe80::1]",
        ])
    func insecure(text: String) throws {
        let error = #expect(throws: HTTPError.self) { try BaseURL(parsing: text) }
        #expect(error?.code == .insecureURL)
    }

    @Test(
        "what is no URL of a service is refused, without quoting it",
        arguments: [
            "", "api.example.com", "ftp://x", "https://", "https://user:s3cret@host", "https://host:0",
            "https://host:99999", "https://host?q=1", "https://host#f", "https://ho st", "https://host/a//b",
            "https://host/../b", "https://[::1", "https://[zz]", "https://host:8x", "https://a\nb",
            "https://" + String(repeating: "a", count: 3000),
        ])
    func invalid(text: String) throws {
        let error = #expect(throws: HTTPError.self) { try BaseURL(parsing: text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.reason.contains("s3cret") == false)
    }

    @Test("a version at the end of the path can be dropped, once")
    func version() throws {
        #expect(
            try BaseURL(parsing: "https://h/v1").dropping(lastPathComponent: "v1").description == "https://h")
        #expect(
            try BaseURL(parsing: "https://h/xv1").dropping(lastPathComponent: "v1").description == "https://h/xv1")
    }

    @Test("query items are percent-encoded")
    func encoding() {
        let request = HTTPRequest(.get, "/a", query: [.init("user name", "me+you@x.y&z=ä")])
        #expect(request.target == "/a?user%20name=me%2Byou%40x.y%26z%3D%C3%A4")
        #expect(PercentEncoding.decode("me%2Byou%40x") == "me+you@x")
        #expect(PercentEncoding.decode("%4") == nil)
        #expect(PercentEncoding.decode("%ff") == nil)
    }
}

@Suite(.timed) struct ProxySettingsTests {
    private func settings(_ url: String, _ environment: [String: String]) throws -> ProxySettings? {
        try ProxySettings.settings(for: try BaseURL(parsing: url), environment: environment)
    }

    @Test("the proxy for https comes from https_proxy, with its user name")
    func https() throws {
        let found = try settings("https://api.example.com", ["https_proxy": "http://me:p%40ss@proxy:3128/"])
        #expect(found?.host == "proxy" && found?.port == 3128)
        #expect(found?.userName == "me" && found?.password == "p@ss")
        #expect(try settings("https://api.example.com", ["ALL_PROXY": "proxy:99"])?.port == 99)
        #expect(try settings("https://api.example.com", ["http_proxy": "proxy:99"]) == nil)
        #expect(try settings("https://api.example.com", [:]) == nil)
    }

    @Test(
        "hosts of no_proxy and this machine are reached directly",
        arguments: [
            ("https://api.example.com", "example.com"), ("https://api.example.com", ".example.com,other"),
            ("https://api.example.com", "*"), ("https://127.0.0.1", ""), ("http://localhost:1", ""),
        ])
    func exempt(url: String, list: String) throws {
        #expect(try settings(url, ["https_proxy": "p:1", "http_proxy": "p:1", "no_proxy": list]) == nil)
    }

    @Test("a proxy of another name is not exempt")
    func notExempt() throws {
        #expect(try settings("https://badexample.com", ["https_proxy": "p:1", "no_proxy": "example.com"]) != nil)
    }

    @Test(
        "an unusable proxy is refused, and its password not shown",
        arguments: ["socks5://p:1", "http://me:s3cret@", "http://me:s3cret@p:0", "https://p:1", "http://me:%zz@p:1"])
    func unusable(value: String) throws {
        let error = #expect(throws: HTTPError.self) { try settings("https://x.y", ["https_proxy": value]) }
        #expect(error?.code == .invalidSettings)
        #expect(error?.reason.contains("s3cret") == false)
    }
}

@Suite(.timed) struct RetryPolicyTests {
    private let policy = RetryPolicy(attempts: 3, firstPause: .milliseconds(100), longestPause: .seconds(1))
    private let get = HTTPRequest(.get, "/")

    @Test("an idempotent call is repeated after 5xx and after a loss, with growing pauses, three times at most")
    func repeats() {
        let trouble = RetryPolicy.Outcome.answered(HTTPResponse(status: 503))
        #expect(policy.pause(after: trouble, of: get, attempt: 1, jitter: 0.5) == .milliseconds(100))
        #expect(policy.pause(after: trouble, of: get, attempt: 2, jitter: 0.5) == .milliseconds(200))
        #expect(policy.pause(after: trouble, of: get, attempt: 3, jitter: 0.5) == nil)
        let lost = RetryPolicy.Outcome.failed(HTTPError(.connectionLost, ""))
        #expect(policy.pause(after: lost, of: get, attempt: 1, jitter: 1) == .milliseconds(125))
    }

    @Test("other answers and other failures stand", arguments: [200, 302, 400, 401, 403, 404, 501])
    func stands(status: Int) {
        #expect(
            policy.pause(after: .answered(HTTPResponse(status: status)), of: get, attempt: 1, jitter: 0) == nil)
        #expect(policy.pause(after: .failed(HTTPError(.timedOut, "")), of: get, attempt: 1, jitter: 0) == nil)
        #expect(policy.pause(after: .failed(HTTPError(.tlsFailed, "")), of: get, attempt: 1, jitter: 0) == nil)
    }

    @Test("a call that is not idempotent is never repeated")
    func once() {
        let post = HTTPRequest(.post, "/")
        #expect(policy.pause(after: .answered(HTTPResponse(status: 500)), of: post, attempt: 1, jitter: 0) == nil)
        #expect(
            policy.pause(after: .failed(HTTPError(.connectionLost, "")), of: post, attempt: 1, jitter: 0) == nil)
    }

    @Test("a call that was refused for being one too many is repeated: it has done nothing")
    func tooMany() {
        func answer(_ seconds: String?) -> RetryPolicy.Outcome {
            .answered(HTTPResponse(status: 429, headers: seconds.map { ["retry-after": $0] } ?? [:]))
        }
        let post = HTTPRequest(.post, "/")
        #expect(policy.pause(after: answer("1"), of: get, attempt: 1, jitter: 0.5) == .seconds(1))
        #expect(policy.pause(after: answer(nil), of: get, attempt: 1, jitter: 0.5) == .milliseconds(100))
        #expect(policy.pause(after: answer("2"), of: post, attempt: 1, jitter: 0.5) == .seconds(2))
        #expect(policy.pause(after: answer(nil), of: post, attempt: 1, jitter: 0.5) == nil)
        #expect(policy.pause(after: answer("600"), of: get, attempt: 1, jitter: 0.5) == nil)
        #expect(policy.pause(after: answer("1"), of: get, attempt: 3, jitter: 0.5) == nil)
    }

    @Test("a server that asks for a pause gets it, unless it is longer than a user would wait")
    func retryAfter() {
        func answer(_ seconds: String) -> RetryPolicy.Outcome {
            .answered(HTTPResponse(status: 503, headers: ["retry-after": seconds]))
        }
        #expect(policy.pause(after: answer("1"), of: get, attempt: 1, jitter: 0.5) == .seconds(1))
        #expect(policy.pause(after: answer("600"), of: get, attempt: 1, jitter: 0.5) == nil)
        #expect(policy.pause(after: answer("-5"), of: get, attempt: 1, jitter: 0.5) == .milliseconds(100))
    }
}
