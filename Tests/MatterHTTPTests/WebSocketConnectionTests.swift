import Foundation
import TestSupport
import Testing

@testable import MatterLedger

/// WebSockets over TLS and to servers that are none. Tests/EndToEndTests has those that answer.
@Suite(.timed) struct WebSocketConnectionTests {
    private func code(
        _ url: String, trusting authority: String? = nil, within time: Duration = .seconds(20)
    ) async throws -> WebSocketError.Code? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        if let authority { try Data(authority.utf8).write(to: file) }
        do {
            let connection = try await WebSocketConnection.open(
                try WebSocketURL(parsing: url), HTTPSettings(authorityFile: authority == nil ? nil : file.path),
                random: SystemRandom(), deadline: .now + time)
            await connection.close()
            return nil
        } catch let error as WebSocketError {
            return error.code
        }
    }

    @Test("a server is trusted by its certificate alone")
    func certificates() async throws {
        let server = try TLSServer(certificate: TLSFixture.server, newest: "TLSv1_3")
        defer { server.stop() }
        #expect(try await code("wss://localhost:\(server.port)") == .tlsFailed)
        #expect(server.requests.isEmpty)
        // It is spoken to, and answers with 200, which opens no WebSocket.
        #expect(try await code("wss://localhost:\(server.port)", trusting: TLSFixture.authority) == .refused)
        #expect(server.requests.hasPrefix("GET /ws HTTP/1.1\r\nHost: localhost:\(server.port)\r\n"))
        #expect(try await code("wss://127.0.0.1:\(server.port)", trusting: TLSFixture.authority) == .tlsFailed)
    }

    @Test("a server that is not there, says nothing, or hangs up is told apart")
    func absence() async throws {
        let free = try LocalListener()
        free.refuse()
        #expect(try await code("ws://127.0.0.1:\(free.port)") == .unreachable)
        #expect(try await code("unix:/nowhere/at/all.sock") == .unreachable)
        let silent = try ScriptedServer([.silence])
        #expect(try await code("ws://127.0.0.1:\(silent.port)", within: .milliseconds(300)) == .timedOut)
        let short = try ScriptedServer([.hangUp])
        #expect(try await code("ws://127.0.0.1:\(short.port)") == .refused)
    }

    @Test("one that is given up while it is opened ends at once")
    func cancellation() async throws {
        let silent = try ScriptedServer([.silence])
        let url = try WebSocketURL(parsing: "ws://127.0.0.1:\(silent.port)")
        let opening = Task {
            try await WebSocketConnection.open(
                url, HTTPSettings(), random: SystemRandom(), deadline: .now + .seconds(60))
        }
        opening.cancel()
        await #expect(throws: CancellationError.self) { _ = try await opening.value }
    }
}
