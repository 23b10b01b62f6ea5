import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HouseServer

/// The listener over real sockets, with friends.
@Suite("Listener", .timed) struct ListenerTests {
    @Test("a page is given to one with a token, who is named; the token is seen no further")
    func page() async throws {
        try await TestHouse.with { house in
            let answer = try await house.ask(TestHouse.get("/metrics?a=b"))
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\npanel GET /metrics a=b 0\n"))
            for field in [
                "Content-Type: text/plain", "Connection: close", "X-Content-Type-Options: nosniff",
                "Cache-Control: no-store",
            ] {
                #expect(answer.contains("\r\n\(field)\r\n"), "\(field)")
            }
            let request = try #require(house.desk.pages.withLock { $0.first })
            #expect(request.headers == ["host": "localhost"])
            #expect(try await house.ask(TestHouse.get("/metrics", "")).hasPrefix("HTTP/1.1 401 "))
            #expect(try await house.ask(TestHouse.get("/metrics", "")).contains("\r\nWWW-Authenticate: Bearer\r\n"))
            #expect(house.desk.pages.withLock { $0.count } == 1)
        }
    }

    @Test("a body comes whole, in one piece or in chunks; HEAD gets the length and no body")
    func bodies() async throws {
        try await TestHouse.with { house in
            let field = "Host: localhost\r\nAuthorization: Bearer \(TestHouse.good)\r\n"
            let whole = try await house.ask("POST /x HTTP/1.1\r\n\(field)Content-Length: 5\r\n\r\nhello")
            #expect(whole.hasSuffix("panel POST /x  5\n"))
            let chunks = "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
            let parts = try await house.ask("POST /x HTTP/1.1\r\n\(field)Transfer-Encoding: chunked\r\n\r\n\(chunks)")
            #expect(parts.hasSuffix("panel POST /x  5\n"))
            let head = try await house.ask("HEAD /x HTTP/1.1\r\n\(field)\r\n")
            #expect(head.contains("\r\nContent-Length: 17\r\n") && head.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("a WebSocket is opened with a token in the path or in the field, and messages go both ways")
    func webSocket() async throws {
        try await TestHouse.with { house in
            let socket = try await house.open("/ws/\(TestHouse.good)?x=y")
            #expect(
                socket.client.text.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                    || socket.client.text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            await socket.send("one")
            #expect(try await socket.message() == "panel: one")
            await socket.client.send(
                RawWebSocket.frame(1, Array("t".utf8), isFinal: false) + RawWebSocket.frame(9, [1, 2])
                    + RawWebSocket.frame(0, Array("wo".utf8)))
            #expect(try await socket.message(2) == "panel: two")
            #expect(socket.frames.contains(.init(isFinal: true, opcode: 10, payload: [1, 2])))
            await socket.client.send(RawWebSocket.frame(8, [3, 0xE8]))
            #expect(try await socket.close() == 1000)
            _ = try await socket.client.answer()
            try await awaitEvent("the end of the conversation") { house.desk.ended.withLock { $0 } == 1 }
        }
    }

    @Test("a frame that comes together with the request is not lost")
    func early() async throws {
        try await TestHouse.with { house in
            let socket = try await RawWebSocket.open(
                house.address, "/ws/\(TestHouse.good)", first: RawWebSocket.text("early"))
            #expect(try await socket.message() == "panel: early")
        }
    }

    @Test("a conversation that ends closes the WebSocket in order")
    func ended() async throws {
        try await TestHouse.with { house in
            let socket = try await house.open()
            await socket.send("end")
            #expect(try await socket.close() == 1000)
            await socket.client.send(RawWebSocket.frame(8, [3, 0xE8]))
            _ = try await socket.client.answer()
        }
    }

    @Test("a big message goes in parts to one who reads slowly; meanwhile pings are answered, and nothing piles up")
    func slowReader() async throws {
        try await TestHouse.with { house in
            let socket = try await house.open()
            try await socket.client.read(false)
            await socket.send("big")
            try await awaitEvent("the conversation") { house.desk.conversations.withLock { $0 } == 1 }
            socket.client.push(RawWebSocket.frame(9, [7]))
            #expect(house.desk.sent.withLock { $0 } == 0)
            try await socket.client.read(true)
            #expect(try await socket.message().utf8.count == 16 << 20)
            let frames = socket.frames
            #expect(frames.filter { $0.opcode <= 1 }.allSatisfy { $0.payload.count <= 32 << 10 })
            let pong = try #require(frames.firstIndex { $0.opcode == 10 && $0.payload == [7] })
            let last = try #require(frames.lastIndex { $0.opcode == 0 })
            #expect(pong < last, "the pong goes between the parts")
            try await awaitEvent("the message to be out") { house.desk.sent.withLock { $0 } == 1 }
        }
    }

    @Test("pings are sent, and two without an answer close the connection; one who answers stays")
    func pings() async throws {
        try await TestHouse.with({ settings, _ in settings.limits.pingInterval = .milliseconds(100) }) { house in
            let dead = try await house.open()
            let live = try await house.open()
            var answered = 0
            try await awaitEvent("the end of the one that is silent") {
                let pings = live.frames.count { $0.opcode == 9 }
                while answered < pings {
                    answered += 1
                    live.client.push(RawWebSocket.frame(10))
                }
                return dead.client.hasEnded && answered > 4
            }
            #expect(dead.frames.count { $0.opcode == 9 } == 2)
            await live.send("there")
            #expect(try await live.message() == "panel: there")
        }
    }

    @Test("one that takes nothing for a long time is dropped, and its sender hears of it")
    func stall() async throws {
        try await TestHouse.with({ settings, _ in
            settings.limits.pingInterval = .milliseconds(50)
            settings.limits.stallTime = .milliseconds(200)
        }) { house in
            let socket = try await house.open()
            try await socket.client.read(false)
            await socket.send("big")
            try await awaitEvent("the sender to hear") { house.desk.failed.withLock { $0 } == 1 }
            try await awaitEvent("the conversation to end") { house.desk.ended.withLock { $0 } == 1 }
            await socket.client.close()
        }
    }

    @Test("a token that is taken back closes its connections, and no other")
    func revoked() async throws {
        try await TestHouse.with { house in
            let other = ListedTokens.token("mctl_other", "other", [.read])
            house.tokens.set([ListedTokens.token(TestHouse.good, "panel", [.control]), other])
            let gone = try await house.open()
            let stays = try await house.open("/ws/mctl_other")
            house.tokens.set([other])
            #expect(try await gone.close() == 1008)
            await stays.send("here")
            #expect(try await stays.message() == "other: here")
            #expect(try await house.ask(TestHouse.get("/")).hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test("the end is told to each WebSocket, and does not wait for one that is silent")
    func stop() async throws {
        let house = try TestHouse { settings, _ in settings.limits.closeTime = .seconds(600) }
        try await house.listener.start()
        let silent = try await house.open()
        let idle = try await RawClient.connect(house.address)
        try await awaitEvent("the conversation") { house.desk.conversations.withLock { $0 } == 1 }
        await house.listener.stop(within: .milliseconds(200))
        #expect(try await silent.close() == 1001)
        _ = try await silent.client.answer()
        _ = try await idle.answer()
        try await awaitEvent("the conversation to end") { house.desk.ended.withLock { $0 } == 1 }
        await #expect(throws: (any Error).self) { try await RawClient.connect("http://127.0.0.1:1") }
    }

    // MARK: Unix sockets

    private static func socket(_ folder: URL) -> String { folder.appendingPathComponent("s").path }

    @Test("our own user has all rights at the socket, which others cannot use; it goes at the end")
    func unix() async throws {
        var path = ""
        try await TestHouse.with({ settings, folder in
            path = Self.socket(folder)
            settings.places = [.unix(path: path)]
        }) { house in
            #expect(house.listener.addresses == ["unix://\(path)"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await house.ask("GET /x HTTP/1.1\r\n\r\n").hasSuffix("this user GET /x  0\n"))
            let socket = try await house.open("/ws")
            await socket.send("hello")
            #expect(try await socket.message() == "this user: hello")
            await #expect(throws: ServerError.self) {
                try await Listener(
                    ListenerSettings(places: [.unix(path: path)]),
                    gatekeeper: Gatekeeper(house.tokens, logger: house.lines.logger),
                    reception: house.desk, logger: house.lines.logger
                ).start()
            }
            #expect(FileManager.default.fileExists(atPath: path), "the other one has not taken it away")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("servers of several houses that start at the same moment share the folder of their sockets")
    func together() async throws {
        try await TestHouse.with({ settings, folder in
            settings.places = [.unix(path: Self.socket(folder))]
            let other = open(folder.path, O_RDONLY | O_DIRECTORY)
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            Thread.detachNewThread {
                // The other server has its socket after a moment; ours waits meanwhile, or comes later.
                usleep(30_000)
                close(other)
            }
        }) { house in
            let answer = try await house.ask("GET /x HTTP/1.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("the socket of a server that was killed is replaced; what is not a socket is not")
    func stale() async throws {
        try await TestHouse.with({ settings, folder in
            let path = Self.socket(folder)
            settings.places = [.unix(path: path)]
            // As a process leaves it that is killed.
            if let left = try? SocketPlace.open(.unix(path: path), isBehindProxy: false) { close(left.descriptor) }
            #expect(FileManager.default.fileExists(atPath: path))
        }) { house in
            let answer = try await house.ask("GET /x HTTP/1.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
        let house = try TestHouse { settings, folder in
            settings.places = [.unix(path: Self.socket(folder))]
            try? "mine".write(toFile: Self.socket(folder), atomically: true, encoding: .utf8)
        }
        await #expect { try await house.listener.start() } throws: { ($0 as? ServerError)?.code == .address }
        #expect(try String(contentsOfFile: Self.socket(house.folder), encoding: .utf8) == "mine")
    }

    @Test("a folder that others can use is refused", arguments: [0o755, 0o710, 0o701, 0o777])
    func folder(mode: Int) async throws {
        let house = try TestHouse { settings, folder in
            settings.places = [.unix(path: Self.socket(folder))]
            try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        }
        await #expect { try await house.listener.start() } throws: { ($0 as? ServerError)?.code == .folder }
    }

    // MARK: Places

    @Test("an address beyond loopback needs a proxy that encrypts")
    func beyond() async throws {
        for address in ["0.0.0.0", "::", "192.0.2.1"] {
            #expect { try SocketPlace.open(.tcp(address: address, port: 0), isBehindProxy: false) } throws: {
                ($0 as? ServerError)?.code == .notLoopback
            }
        }
        let place = try SocketPlace.open(.tcp(address: "0.0.0.0", port: 0), isBehindProxy: true)
        #expect { try SocketPlace.open(.descriptor(place.descriptor), isBehindProxy: false) } throws: {
            ($0 as? ServerError)?.code == .notLoopback
        }
        close(place.descriptor)
        for text in ["", "localhost", "house.example", "1.2.3"] {
            #expect { try SocketPlace.open(.tcp(address: text, port: 0), isBehindProxy: false) } throws: {
                ($0 as? ServerError)?.code == .address
            }
        }
    }

    @Test("a socket that is passed is listened on; what is no such socket is refused")
    func passed() async throws {
        let passed = try SocketPlace.open(.tcp(address: "127.0.0.1", port: 0), isBehindProxy: false)
        try await TestHouse.with({ settings, _ in settings.places = [.descriptor(passed.descriptor)] }) { house in
            let answer = try await house.ask(TestHouse.get("/"))
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
        #expect { try SocketPlace.open(.descriptor(0), isBehindProxy: false) } throws: {
            ($0 as? ServerError)?.code == .address
        }
    }

    @Test("a port that is taken is told as such")
    func taken() async throws {
        try await TestHouse.with { house in
            let port = UInt16(house.address.split(separator: ":").last ?? "") ?? 0
            #expect { try SocketPlace.open(.tcp(address: "127.0.0.1", port: port), isBehindProxy: false) } throws: {
                ($0 as? ServerError)?.code == .running
            }
        }
    }
}
