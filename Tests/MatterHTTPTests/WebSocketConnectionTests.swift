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

    @Test("texts go both ways over TLS; a server that ends the connection ends the messages")
    func conversation() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wss-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            return folder.appendingPathComponent(name).path
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Lab/matter_server.py").standardizedFileURL
        let (server, output) = (Process(), Pipe())
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = [
            "python3", script.path, "fragments", "0", try file("certificate", TLSFixture.server),
            try file("key", TLSFixture.serverKey),
        ]
        server.standardOutput = output
        try server.run()
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let part = try output.fileHandleForReading.read(upToCount: 1) {
            line += part
        }
        let port = try #require(String(decoding: line, as: UTF8.self).firstMatch(of: /ready (\d+)/)?.1)
        let connection = try await WebSocketConnection.open(
            try WebSocketURL(parsing: "wss://localhost:\(port)"),
            HTTPSettings(authorityFile: try file("authority", TLSFixture.authority)), random: SystemRandom(),
            deadline: .now + .seconds(20))
        var messages = connection.messages.makeAsyncIterator()
        #expect(try await messages.next()?.contains("\"sdk_version\": \"stand-in\"") == true)
        try connection.send(#"{"message_id":"ü","command":"x","args":{"code":"MT:"}}"#)
        #expect(try await messages.next() == #"{"message_id": "\u00fc", "result": {"node_id": 77, "available": true}}"#)
        await connection.close()
        await #expect(throws: WebSocketError.self) { _ = try await messages.next() }
        #expect(throws: WebSocketError.self) { try connection.send("late") }
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
