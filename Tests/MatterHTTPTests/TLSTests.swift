import Foundation
import Logging
import MatterBase
import TestSupport
import Testing

@testable import MatterLedger

@Suite(.timed) struct TLSTests {
    /// Installed along with git, among others.
    private static let gnuTLS = try? CurlLibrary(["libcurl-gnutls.so.4"])
    private static let request = HTTPRequest(
        .post, "/v1/x", headers: ["Authorization": "t0ken"], body: Array("{}".utf8))

    /// The status of a call, or the code of its error.
    private func call(
        _ url: String, trusting authority: String? = TLSFixture.authority, through proxy: ProxySettings? = nil,
        connectTimeout: Duration = .seconds(10), library: CurlLibrary? = nil
    ) async throws -> Result<Int, HTTPError> {
        var settings = HTTPSettings(proxy: proxy, connectTimeout: connectTimeout)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        if let authority {
            try Data(authority.utf8).write(to: file)
            settings.authorityFile = file.path
        }
        let service = HTTPService(
            url: try BaseURL(parsing: url), transport: CurlTransport(settings, library: library), retries: .none,
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
        _ certificate: String = TLSFixture.server, newest: String = "TLSv1_3", _ body: (TLSServer) async throws -> Void
    ) async throws {
        let server = try TLSServer(certificate: certificate, newest: newest)
        defer { server.stop() }
        try await body(server)
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

    @Test("the flavour with GnuTLS trusts the same servers", .enabled(if: gnuTLS != nil))
    func otherFlavour() async throws {
        let library = try #require(Self.gnuTLS)
        try await withServer { server in
            let answered = try await call("https://localhost:\(server.port)", library: library)
            #expect(try answered.get() == 200)
            let unknown = try await call("https://localhost:\(server.port)", trusting: nil, library: library)
            #expect(code(unknown) == .tlsFailed)
            let misnamed = try await call("https://127.0.0.1:\(server.port)", library: library)
            #expect(code(misnamed) == .tlsFailed)
        }
        try await withServer(newest: "TLSv1_1") { server in
            let result = try await call("https://localhost:\(server.port)", library: library)
            #expect(code(result) == .tlsFailed)
        }
    }

    @Test("a server whose certificate is not valid gets nothing: unknown authority, other name, expired")
    func untrusted() async throws {
        try await withServer { server in
            let unknown = try await call("https://localhost:\(server.port)", trusting: nil)
            #expect(code(unknown) == .tlsFailed)
            if case .failure(let error) = unknown {
                #expect(error.reason.contains("is not trusted"))
                #expect(error.hint == .step("http.own-authority"))
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

    @Test("the authorities of the system count beside those of the file")
    func bothAuthorities() async throws {
        let own = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        let system = own.appendingPathExtension("system")
        defer { for file in [own, system] { try? FileManager.default.removeItem(at: file) } }
        try Data(TLSFixture.expiredServer.utf8).write(to: own)
        try Data(TLSFixture.authority.utf8).write(to: system)
        let bundle = try AuthorityBundle(file: own.path, system: system.path)
        // The file in memory is one that a client can use, and both authorities are in it.
        try await withServer { server in
            let answered = try await call(
                "https://localhost:\(server.port)", trusting: String(contentsOfFile: bundle.path, encoding: .utf8))
            #expect(try answered.get() == 200)
        }
        let all = try String(contentsOfFile: bundle.path, encoding: .utf8)
        #expect(all.contains(TLSFixture.authority) && all.contains(TLSFixture.expiredServer))
        // A system without a list of authorities is no reason not to use the user's.
        let alone = try AuthorityBundle(file: own.path, system: "/nonexistent")
        #expect(try String(contentsOfFile: alone.path, encoding: .utf8) == TLSFixture.expiredServer + "\n")
        #expect(throws: HTTPError.self) { try AuthorityBundle(file: "/nonexistent", system: system.path) }
    }

    @Test("a file whose certificates are damaged is named, and nothing is sent")
    func damagedAuthorities() async throws {
        try await withServer { server in
            let damaged = TLSFixture.authority.replacingOccurrences(of: "MIIB", with: "****")
            let result = try await call("https://localhost:\(server.port)", trusting: damaged)
            #expect(code(result) == .invalidSettings)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a server that accepts connections and says nothing has not shaken hands in time")
    func silentServer() async throws {
        let silent = try ScriptedServer([.silence])
        let result = try await call("https://localhost:\(silent.port)", connectTimeout: .milliseconds(300))
        #expect(code(result) == .tlsFailed)
    }

    @Test("TLS older than 1.2 is not spoken")
    func oldVersion() async throws {
        try await withServer(newest: "TLSv1_1") { server in
            #expect(server.version == "TLSv1.1")
            let result = try await call("https://localhost:\(server.port)")
            #expect(code(result) == .tlsFailed)
            #expect(server.requests.isEmpty)
        }
        try await withServer(newest: "TLSv1_2") { server in
            #expect(server.version == "TLSv1.2")
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
            // No proxy there.
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
        let answers: [ScriptedServer.Step] = [
            .answer("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"),
            .answer("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), .answer("220 mail.example\r\n\r\n"), .hangUp,
        ]
        for answer in answers {
            let refusing = try ScriptedServer([answer])
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
