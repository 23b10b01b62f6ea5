import Foundation
import Logging
import NIOSSL
import Testing

@testable import MatterHTTP

@Suite struct TLSTests {
    private static let request = HTTPRequest(
        .post, "/v1/x", headers: ["Authorization": "t0ken"], body: Array("{}".utf8))

    /// The status of a call, or the code of its error.
    private func call(
        _ url: String, trusting authority: String? = TLSFixture.authority, through proxy: ProxySettings? = nil
    ) async throws -> Result<Int, HTTPError> {
        var settings = HTTPSettings(proxy: proxy)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        if let authority {
            try Data(authority.utf8).write(to: file)
            settings.authorityFile = file.path
        }
        let service = HTTPService(
            url: try BaseURL(parsing: url), transport: AsyncHTTPTransport(settings), retries: .none,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let result: Result<Int, HTTPError>
        do {
            result = .success(try await service.send(Self.request, deadline: .now + .seconds(60)).status)
        } catch let error as HTTPError {
            result = .failure(error)
        }
        await service.close()
        return result
    }

    private func withServer(
        _ certificate: String = TLSFixture.server, newest: TLSVersion? = nil, _ body: (TLSServer) async throws -> Void
    ) async throws {
        let server = try await TLSServer(certificate: certificate, newest: newest)
        do {
            try await body(server)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    private func code(_ result: Result<Int, HTTPError>) -> HTTPError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("a server of an own authority is spoken to if the authority is in the file")
    func customAuthority() async throws {
        try await withServer { server in
            let answered = try await call("https://localhost:\(server.port)")
            #expect(try answered.get() == 200)
            #expect(server.requests.hasPrefix("POST /v1/x HTTP/1.1\r\n"))
            #expect(server.requests.lowercased().contains("authorization: t0ken\r\n"))
        }
    }

    @Test("a server whose certificate does not hold gets nothing: unknown authority, other name, expired")
    func untrusted() async throws {
        try await withServer { server in
            let unknown = try await call("https://localhost:\(server.port)", trusting: nil)
            #expect(code(unknown) == .tlsFailed)
            if case .failure(let error) = unknown {
                #expect(error.reason.contains("is not trusted"))
                #expect(error.hint?.contains("--ca") == true)
            }
            let misnamed = try await call("https://127.0.0.1:\(server.port)")
            #expect(code(misnamed) == .tlsFailed)
            #expect(server.requests.isEmpty)
        }
        try await withServer(TLSFixture.expiredServer) { server in
            let result = try await call("https://localhost:\(server.port)")
            #expect(code(result) == .tlsFailed)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("TLS older than 1.2 is not spoken")
    func oldVersion() async throws {
        try await withServer(newest: .tlsv11) { server in
            let result = try await call("https://localhost:\(server.port)")
            #expect(code(result) == .tlsFailed)
            #expect(server.requests.isEmpty)
        }
        try await withServer(newest: .tlsv12) { server in
            let answered = try await call("https://localhost:\(server.port)")
            #expect(try answered.get() == 200)
        }
    }

    @Test("through a proxy TLS goes from end to end: the proxy sees whom we want, and nothing else")
    func proxy() async throws {
        try await withServer { server in
            let proxy = try ConnectProxy(to: server.port)
            var settings = try #require(
                try ProxySettings.settings(
                    for: BaseURL(parsing: "https://api.example"),
                    environment: ["https_proxy": "http://me:pass%20word@127.0.0.1:\(proxy.port)"]))
            let answered = try await call("https://localhost:\(server.port)", through: settings)
            #expect(try answered.get() == 200)
            #expect(proxy.head.hasPrefix("CONNECT localhost:\(server.port) HTTP/1.1\r\n"))
            let credentials = Data("me:pass word".utf8).base64EncodedString()
            #expect(proxy.head.lowercased().contains("proxy-authorization: basic \(credentials.lowercased())\r\n"))
            #expect(!proxy.head.contains("t0ken"))
            #expect(proxy.passed.count > 100)
            #expect(proxy.passed.firstRange(of: Array("t0ken".utf8)) == nil)
            #expect(proxy.passed.firstRange(of: Array("/v1/x".utf8)) == nil)
            // Nobody there.
            settings.port = 1
            let result = try await call("https://localhost:\(server.port)", through: settings)
            #expect(code(result) == .unreachable)
        }
    }

    @Test("a proxy does not vouch for the server, and its refusals have their name")
    func proxyRefusals() async throws {
        try await withServer(TLSFixture.expiredServer) { server in
            let proxy = try ConnectProxy(to: server.port)
            let settings = ProxySettings(host: "127.0.0.1", port: proxy.port)
            let result = try await call("https://localhost:\(server.port)", through: settings)
            #expect(code(result) == .tlsFailed)
        }
        for answer in ["HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"] {
            let refusing = try ScriptedServer([.answer(answer)])
            let settings = ProxySettings(host: "127.0.0.1", port: refusing.port)
            let result = try await call("https://api.example", through: settings)
            #expect(code(result) == .proxyFailed)
            #expect(refusing.requests.first?.hasPrefix("CONNECT api.example:443 ") == true)
        }
    }

    @Test("plain HTTP is for this machine only")
    func plainHTTP() {
        for text in ["http://api.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://localhost.example"] {
            let error = #expect(throws: HTTPError.self) { try BaseURL(parsing: text) }
            #expect(error?.code == .insecureURL, "\(text)")
        }
        for text in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:1"] {
            #expect(throws: Never.self) { try BaseURL(parsing: text) }
        }
    }
}
