import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import MatterLedger

private typealias Lines = Mutex<[String]>

private final class Log: Sendable {
    let lines = Lines([])
}

private struct Recorder: LogHandler {
    let log: Log
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}

@Suite(.timed) struct HTTPServiceTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
    private static let trouble = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    private let log = Log()

    private func withService<Result>(
        _ steps: [ScriptedServer.Step], settings: HTTPSettings = HTTPSettings(),
        _ body: (HTTPService, ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let server = try ScriptedServer(steps)
        let log = log
        let service = HTTPService(
            url: try BaseURL(parsing: "http://127.0.0.1:\(server.port)/base"), transport: CurlTransport(settings),
            logger: Logger(label: "test") { _ in Recorder(log: log) }, pause: { _ in })
        do {
            let result = try await body(service, server)
            await service.close()
            return result
        } catch {
            await service.close()
            throw error
        }
    }

    private func code(
        _ steps: [ScriptedServer.Step], _ request: HTTPRequest = HTTPRequest(.get, "/x"),
        settings: HTTPSettings = HTTPSettings(), within time: Duration = .seconds(10)
    ) async throws -> HTTPError.Code? {
        do {
            _ = try await withService(steps, settings: settings) { service, _ in
                try await service.send(request, deadline: .now + time)
            }
            return nil
        } catch let error as HTTPError {
            return error.code
        }
    }

    @Test("a URL that a stranger chose leads to no private network, also by a name and through a proxy")
    func privateAddresses() async throws {
        let server = try ScriptedServer([.answer(Self.ok), .answer(Self.ok)])
        func code(_ url: String, _ settings: HTTPSettings) async throws -> HTTPError.Code? {
            let transport = CurlTransport(settings)
            do {
                _ = try await transport.send(
                    HTTPRequest(.get, "/x"), to: try BaseURL(parsing: url, isPublic: true), deadline: .now + .seconds(5)
                )
                await transport.close()
                return nil
            } catch let error as HTTPError {
                await transport.close()
                return error.code
            }
        }
        let away = HTTPSettings(reach: .publicInternet(orHere: false))
        for host in ["127.0.0.1", "localhost", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"] {
            #expect(try await code("http://\(host):\(server.port)", away) == .privateAddress, "\(host)")
        }
        var behindProxy = away
        behindProxy.proxy = try ProxySettings.settings(
            for: try BaseURL(parsing: "http://192.168.1.1", isPublic: true),
            environment: ["http_proxy": "http://127.0.0.1:\(server.port)"])
        #expect(try await code("http://192.168.1.1", behindProxy) == .privateAddress)
        #expect(server.requests.isEmpty)
        // The proxy is the user's own, and this machine may be allowed.
        #expect(try await code("http://crl.example", behindProxy) == nil)
        let here = HTTPSettings(reach: .publicInternet(orHere: true))
        #expect(try await code("http://localhost:\(server.port)", here) == nil)
        #expect(try await code("http://192.168.1.1", here) == .privateAddress)
    }

    @Test("a call arrives with method, path, query, headers and body")
    func arrives() async throws {
        let request = HTTPRequest(
            .put, "/v1/thing", query: [.init("id", "a b")], headers: ["Authorization": "t0ken"],
            body: Array("{}".utf8))
        try await withService([.answer(Self.ok)]) { service, server in
            let response = try await service.send(request, deadline: .now + .seconds(10))
            #expect(response.status == 200)
            #expect(response.body == Array("hi".utf8))
            let sent = try #require(server.requests.first)
            #expect(sent.hasPrefix("PUT /base/v1/thing?id=a%20b HTTP/1.1\r\n"))
            #expect(sent.lowercased().contains("authorization: t0ken\r\n"))
        }
    }

    @Test("an idempotent call is repeated after 503 and after a lost connection")
    func repeats() async throws {
        try await withService([.answer(Self.trouble), .hangUp, .answer(Self.ok)]) { service, server in
            let response = try await service.send(HTTPRequest(.get, "/x"), deadline: .now + .seconds(10))
            #expect(response.status == 200)
            #expect(server.requests.count == 3)
        }
    }

    @Test("a call that is not idempotent is sent once")
    func once() async throws {
        try await withService([.answer(Self.trouble), .answer(Self.ok)]) { service, server in
            let response = try await service.send(HTTPRequest(.post, "/x", body: []), deadline: .now + .seconds(10))
            #expect(response.status == 503)
            #expect(server.requests.count == 1)
        }
        #expect(try await code([.hangUp, .answer(Self.ok)], HTTPRequest(.post, "/x", body: [])) == .connectionLost)
    }

    @Test("a connection that was kept and dies is a lost connection: the request is not sent again unasked")
    func keptConnection() async throws {
        let kept = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        try await withService([.answerThenHangUp(kept), .answer(Self.ok)]) { service, server in
            let post = HTTPRequest(.post, "/x", body: [])
            let first = try await service.send(post, deadline: .now + .seconds(10))
            #expect(first.status == 200)
            let error = await #expect(throws: HTTPError.self) {
                try await service.send(post, deadline: .now + .seconds(10))
            }
            #expect(error?.code == .connectionLost)
            // The third connection may be there, but nothing comes on it.
            #expect(server.requests.count { !$0.isEmpty } == 2)
        }
    }

    @Test("the head of an answer is that of the last one, with names in lower case and without blanks around values")
    func headers() async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
        let head = "HTTP/1.1 404 Gone\r\nX-Some:  a: b \r\nX-None:\r\nContent-Length: 0\r\n\r\n"
        try await withService([.answer(early + head)]) { service, _ in
            let response = try await service.send(HTTPRequest(.delete, "/x"), deadline: .now + .seconds(10))
            #expect(response.status == 404)
            #expect(response.headers == ["x-some": "a: b", "x-none": "", "content-length": "0"])
        }
    }

    @Test("nothing is sent that was not asked for, and a header cannot smuggle in another")
    func nothingElse() async throws {
        try await withService([.answer(Self.ok)]) { service, server in
            let request = HTTPRequest(.post, "/x", headers: ["X-Empty": ""], body: Array("{}".utf8))
            _ = try await service.send(request, deadline: .now + .seconds(10))
            let lines = server.requests.first?.components(separatedBy: "\r\n") ?? []
            #expect(
                lines.sorted() == [
                    "", "Content-Length: 2", "Host: 127.0.0.1:\(server.port)", "POST /base/x HTTP/1.1",
                    "User-Agent: matterctl", "X-Empty:", "{}",
                ], "\(lines)")
        }
        let smuggling = HTTPRequest(.get, "/x", headers: ["Authorization": "t0ken\r\nX-Evil: 1"])
        #expect(try await code([.answer(Self.ok)], smuggling) == .malformed)
    }

    @Test("a head beyond all measure is refused")
    func longHead() async throws {
        let line = "X-Long: " + String(repeating: "x", count: 1000) + "\r\n"
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 400) + "Content-Length: 0\r\n\r\n"
        #expect(try await code([.answer(head)]) == .tooLarge)
    }

    @Test("a server that falls silent within an answer has its own time")
    func silentServer() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nh"
        let settings = HTTPSettings(readTimeout: .seconds(1))
        #expect(try await code([.answerThenSilence(head)], settings: settings, within: .seconds(100_000)) == .timedOut)
    }

    @Test("the variables of the environment are the caller's business: libcurl does not look at them")
    func environment() async throws {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy"] { setenv(name, "http://127.0.0.1:1", 1) }
            let server = try ScriptedServer([.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
            let transport = CurlTransport(HTTPSettings())
            let url = try BaseURL(parsing: "http://127.0.0.1:\(server.port)")
            let response = try await transport.send(HTTPRequest(.get, "/"), to: url, deadline: .now + .seconds(10))
            #expect(response.status == 200)
            await transport.close()
        }
    }

    @Test("many calls at once have one connection each, and closing ends those under way")
    func manyCalls() async throws {
        let count = 8
        let servers = try (0..<count).map { _ in try ScriptedServer([.answer(Self.ok), .silence]) }
        let transport = CurlTransport(HTTPSettings())
        let statuses = try await withThrowingTaskGroup { group in
            for server in servers {
                let url = try BaseURL(parsing: "http://127.0.0.1:\(server.port)")
                group.addTask {
                    try await transport.send(HTTPRequest(.get, "/"), to: url, deadline: .now + .seconds(30)).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: count))
        let url = try BaseURL(parsing: "http://127.0.0.1:\(servers[0].port)")
        let pending = Task { try await transport.send(HTTPRequest(.get, "/"), to: url, deadline: .now + .seconds(30)) }
        try await awaitEvent("the second request") { servers[0].requests.count == 2 }
        await transport.close()
        let error = await #expect(throws: HTTPError.self) { try await pending.value }
        #expect(error?.code == .connectionLost)
    }

    @Test("failures have their names")
    func failures() async throws {
        #expect(try await code([.silence], within: .milliseconds(300)) == .timedOut)
        #expect(
            try await code([.answer("HTTP/1.1 302 Found\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n")])
                == .redirected)
        #expect(try await code([.answer("this is not HTTP\r\n\r\n")], HTTPRequest(.post, "/")) == .malformed)
        #expect(
            try await code(
                [.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")], HTTPRequest(.post, "/"))
                == .connectionLost)
    }

    @Test("a body beyond the limit is refused, announced or not")
    func tooLarge() async throws {
        let settings = HTTPSettings(largestBody: 16)
        let long = String(repeating: "x", count: 40)
        let announced = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n\(long)"
        #expect(try await code([.answer(announced)], settings: settings) == .tooLarge)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n\(long)\r\n0\r\n\r\n"
        #expect(try await code([.answer(chunked)], settings: settings) == .tooLarge)
    }

    @Test("a body that trickles does not outlast the deadline")
    func trickle() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nh"
        // A server may be silent for hours here.
        let settings = HTTPSettings(readTimeout: .seconds(100_000))
        #expect(try await code([.answerThenSilence(head)], settings: settings, within: .milliseconds(400)) == .timedOut)
    }

    @Test("a port without a server is an error of its own")
    func unreachable() async throws {
        // A port without a server: privileged, and not in use on any machine that runs tests.
        let port = 1
        let service = HTTPService(
            url: try BaseURL(parsing: "http://127.0.0.1:\(port)"), transport: CurlTransport(HTTPSettings()),
            retries: .none, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let error = await #expect(throws: HTTPError.self) {
            try await service.send(HTTPRequest(.get, "/"), deadline: .now + .seconds(5))
        }
        #expect(error?.code == .unreachable)
        await service.close()
    }

    @Test("a file of authorities that holds none is refused before anything is sent")
    func authorities() async throws {
        #expect(
            try await code([.answer(Self.ok)], settings: HTTPSettings(authorityFile: "/etc/hostname"))
                == .invalidSettings)
    }

    @Test("neither headers nor queries nor bodies are logged")
    func secrets() async throws {
        let request = HTTPRequest(
            .get, "/x", query: [.init("code", "s3cretQuery")], headers: ["Authorization": "s3cretToken"],
            body: Array("s3cretBody".utf8))
        try await withService([.answer(Self.trouble), .answer(Self.ok)]) { service, _ in
            _ = try await service.send(request, deadline: .now + .seconds(10))
        }
        let lines = log.lines.withLock { $0 }
        #expect(lines.contains { $0.contains("GET /x: 200") })
        #expect(!lines.contains { $0.contains("s3cret") })
    }

    @Test("a cancelled call ends at once, as cancelled")
    func cancelled() async throws {
        let server = try ScriptedServer([.silence])
        let url = try BaseURL(parsing: "http://127.0.0.1:\(server.port)")
        let transport = CurlTransport(HTTPSettings())
        let task = Task { try await transport.send(HTTPRequest(.get, "/"), to: url, deadline: .now + .seconds(30)) }
        try await awaitEvent("the request") { server.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await transport.close()
    }
}
