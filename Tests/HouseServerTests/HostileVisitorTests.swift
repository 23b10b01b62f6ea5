import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HouseServer

/// The listener over real sockets, with those who mean no good.
@Suite("Hostile visitors", .timed) struct HostileVisitorTests {
    /// After whatever went before, others are heard.
    private static func isWell(_ house: TestHouse) async throws {
        #expect(try await house.ask(TestHouse.get("/after")).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("foreign hosts and origins are refused, with a line in the log that has no token in it")
    func foreign() async throws {
        try await TestHouse.with { house in
            #expect(try await house.ask(TestHouse.get("/", host: "evil.example")).hasPrefix("HTTP/1.1 403 "))
            let page = "Origin: http://evil.example\r\n"
            #expect(try await house.ask(RawWebSocket.request("/ws/\(TestHouse.good)", page)).hasPrefix("HTTP/1.1 403 "))
            #expect(
                try await house.ask(RawWebSocket.request("/ws/\(TestHouse.good)", host: "evil.example")).hasPrefix(
                    "HTTP/1.1 403 "))
            #expect(house.desk.conversations.withLock { $0 } == 0 && house.desk.pages.withLock { $0.isEmpty })
            #expect(house.warnings.count == 3 && house.warnings.allSatisfy { $0.contains("127.0.0.1") })
            try await Self.isWell(house)
        }
    }

    @Test("wrong tokens are logged, without them, and after ten the address waits")
    func wrongTokens() async throws {
        try await TestHouse.with { house in
            for number in 0..<10 {
                let request =
                    number % 2 == 0
                    ? RawWebSocket.request("/ws/mctl_bad\(number)")
                    : TestHouse.get("/", "Authorization: Bearer mctl_bad\(number)\r\n")
                #expect(try await house.ask(request).hasPrefix("HTTP/1.1 401 "), "\(number)")
            }
            let late = try await house.ask(RawWebSocket.request("/ws/mctl_bad"))
            #expect(late.hasPrefix("HTTP/1.1 429 ") && late.contains("\r\nRetry-After: "))
            #expect(try await house.ask(TestHouse.get("/")).hasPrefix("HTTP/1.1 429 "))
            #expect(try await house.ask(TestHouse.get("/"), from: "127.0.0.9").hasPrefix("HTTP/1.1 200 "))
            #expect(house.warnings.count == 10)
            let all = house.lines.all.withLock { $0.joined(separator: "\n") }
            #expect(!all.contains("mctl_"), "\(all)")
        }
    }

    @Test(
        "what is not HTTP is refused, or gets no answer",
        arguments: [
            "\r\n\r\n\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "hello\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
            "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mctl_good\r\n\r\n",
            "POST /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mctl_good\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}",
        ])
    func malformed(request: String) async throws {
        try await TestHouse.with({ settings, _ in settings.limits.requestTime = .milliseconds(300) }) { house in
            let answer = try await house.ask(request)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
            #expect(house.desk.pages.withLock { $0.isEmpty })
            try await Self.isWell(house)
        }
    }

    @Test("a request that is cut off anywhere does no harm")
    func truncated() async throws {
        try await TestHouse.with { house in
            let request = Array(RawWebSocket.request("/ws/\(TestHouse.good)").utf8)
            for end in stride(from: 0, to: request.count, by: 7) {
                let client = try await RawClient.connect(house.address)
                await client.send(Array(request[..<end]))
                await client.close()
            }
            #expect(house.desk.conversations.withLock { $0 } == 0)
            try await Self.isWell(house)
        }
    }

    @Test("a head that is too large is refused before it ends: one long field, many fields, a long target")
    func largeHead() async throws {
        try await TestHouse.with { house in
            let long = String(repeating: "x", count: 200 << 10)
            let many = (0..<1000).map { "F\($0): x\r\n" }.joined()
            for request in ["GET / HTTP/1.1\r\nA: \(long)", "GET / HTTP/1.1\r\n\(many)", "GET /\(long)"] {
                let client = try await RawClient.connect(house.address)
                client.push(Array(request.utf8))
                let answer = try await client.answer()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431 "), "\(answer.prefix(100))")
            }
            try await Self.isWell(house)
        }
    }

    @Test("a body that is too large is refused, whether it says so before or not")
    func largeBody() async throws {
        try await TestHouse.with { house in
            let field = "Host: localhost\r\nAuthorization: Bearer \(TestHouse.good)\r\n"
            let declared = try await house.ask("POST /x HTTP/1.1\r\n\(field)Content-Length: 65537\r\n\r\n")
            #expect(declared.hasPrefix("HTTP/1.1 413 "))
            let client = try await RawClient.connect(house.address)
            let chunk = "8000\r\n\(String(repeating: "x", count: 0x8000))\r\n"
            client.push(
                Array("POST /x HTTP/1.1\r\n\(field)Transfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)\(chunk)".utf8))
            #expect(try await client.status() == 413)
            #expect(house.desk.pages.withLock { $0.isEmpty })
            try await Self.isWell(house)
        }
    }

    @Test("one that writes byte by byte has a limited time, for the head and for the body")
    func slow() async throws {
        try await TestHouse.with({ settings, _ in settings.limits.requestTime = .milliseconds(150) }) { house in
            let head = try await RawClient.connect(house.address)
            let body = try await RawClient.connect(house.address)
            let field = "Host: localhost\r\nAuthorization: Bearer \(TestHouse.good)\r\n"
            await body.send("POST /x HTTP/1.1\r\n\(field)Content-Length: 10000\r\n\r\n")
            await head.send("GET / HTTP/1.1\r\nX: ")
            try await awaitEvent("both to be refused") {
                await head.send("x")
                await body.send("x")
                return head.hasEnded && body.hasEnded
            }
            #expect(head.text.hasPrefix("HTTP/1.1 408 ") && body.text.hasPrefix("HTTP/1.1 408 "))
            #expect(house.desk.pages.withLock { $0.isEmpty })
            try await Self.isWell(house)
        }
    }

    @Test("two hundred idle connections keep no visitor out for long, and none of another address")
    func idle() async throws {
        try await TestHouse.with({ settings, _ in settings.limits.requestTime = .milliseconds(1500) }) { house in
            var idle: [RawClient] = []
            for _ in 0..<200 {
                // One beyond the limit may be gone before it is noticed here.
                if let client = try? await RawClient.connect(house.address) { idle.append(client) }
            }
            try await awaitEvent("those beyond the limit to go") { idle.count { !$0.hasEnded } <= 16 }
            #expect(try await house.ask(TestHouse.get("/"), from: "127.0.0.5").hasPrefix("HTTP/1.1 200 "))
            try await awaitEvent("all to go") { idle.allSatisfy(\.hasEnded) }
            try await Self.isWell(house)
        }
    }

    @Test("connections of many addresses are bounded as well, and do not keep our own user from the socket")
    func addresses() async throws {
        try await TestHouse.with({ settings, folder in
            settings.places.append(.unix(path: folder.appendingPathComponent("s").path))
        }) { house in
            var idle: [RawClient] = []
            for number in 0..<90 {
                if let client = try? await RawClient.connect(house.address, from: "127.0.1.\(number % 9 + 1)") {
                    idle.append(client)
                }
            }
            try await awaitEvent("those beyond the limit to go") { idle.count { !$0.hasEnded } <= 64 }
            let own = try await RawWebSocket.open(try #require(house.listener.addresses.last), "/ws")
            await own.send("in")
            #expect(try await own.message() == "this user: in")
            for client in idle { await client.close() }
        }
    }

    @Test("what breaks the rules of WebSockets is told by its number")
    func violations() async throws {
        try await TestHouse.with({ settings, _ in
            settings.limits.messageBytes = 100_000
            settings.limits.fragments = 50
        }) { house in
            let half = [UInt8](repeating: 0x78, count: 60_000)
            let flood = Array((0..<60).map { _ in RawWebSocket.frame(0, isFinal: false) }.joined())
            let cases: [(name: String, bytes: [UInt8], code: UInt16)] = [
                ("unmasked", RawWebSocket.frame(1, [0x78], isMasked: false), 1002),
                ("binary", RawWebSocket.frame(2, [0x78]), 1003),
                ("not UTF-8", RawWebSocket.frame(1, [0xFF]), 1007),
                ("reserved bit", RawWebSocket.frame(1, [0x78], reserved: 0x40), 1002),
                ("unknown opcode", RawWebSocket.frame(5), 1002),
                ("long ping", RawWebSocket.frame(9, half), 1002),
                ("ping in parts", RawWebSocket.frame(9, isFinal: false), 1002),
                ("continuation of nothing", RawWebSocket.frame(0), 1002),
                ("too large", RawWebSocket.frame(1, half + half), 1009),
                ("endless", [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
                ("negative", [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
                ("too large in parts", RawWebSocket.frame(1, half, isFinal: false) + RawWebSocket.frame(0, half), 1009),
                ("too many parts", RawWebSocket.frame(1, isFinal: false) + flood, 1008),
            ]
            for (name, bytes, code) in cases {
                let socket = try await house.open()
                socket.client.push(bytes + RawWebSocket.text("late"))
                #expect(try await socket.close() == code, "\(name)")
                #expect(socket.messages.isEmpty, "\(name)")
                socket.client.push(RawWebSocket.frame(8, [3, 0xE8]))
                await socket.client.close()
            }
            try await awaitEvent("all conversations to end") { house.desk.ended.withLock { $0 } == cases.count }
            try await Self.isWell(house)
        }
    }

    @Test("one who floods is not read any more than is taken, and pings beyond need find one answer")
    func flood() async throws {
        try await TestHouse.with({ settings, _ in
            settings.limits.pingInterval = .milliseconds(100)
            settings.limits.stallTime = .milliseconds(500)
        }) { house in
            let socket = try await house.open()
            try await socket.client.read(false)
            await socket.send("big")
            let noise = Array((0..<500).map { _ in RawWebSocket.text(String(repeating: "n", count: 4000)) }.joined())
            let pings = Array((0..<5000).map { _ in RawWebSocket.frame(9, [UInt8](repeating: 1, count: 120)) }.joined())
            for _ in 0..<20 { socket.client.push(noise + pings) }
            try await awaitEvent("the one who floods to be dropped") { house.desk.ended.withLock { $0 } == 1 }
            #expect(house.desk.failed.withLock { $0 } >= 1)
            await socket.client.close()
            try await Self.isWell(house)
        }
    }

    @Test("an upgrade without its key, of another version, by another method or to another path is refused")
    func upgrades() async throws {
        try await TestHouse.with { house in
            let request = RawWebSocket.request("/ws/\(TestHouse.good)")
            let variants = [
                request.replacing("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", with: ""),
                request.replacing("Version: 13", with: "Version: 8"), request.replacing("GET", with: "POST"),
                request.replacing("Upgrade: websocket", with: "Upgrade: h2c"),
                TestHouse.get("/ws"), RawWebSocket.request("/other/\(TestHouse.good)"),
            ]
            for variant in variants {
                let answer = try await house.ask(variant)
                #expect(answer.hasPrefix("HTTP/1.1 426 ") || answer.hasPrefix("HTTP/1.1 401 "), "\(variant): \(answer)")
            }
            #expect(house.desk.conversations.withLock { $0 } == 0)
            try await Self.isWell(house)
        }
    }

    @Test("an answer whose field has a line end does not become two fields")
    func splitting() async throws {
        try await TestHouse.with { house in
            let answer = try await house.ask(TestHouse.get("/bad"))
            #expect(!answer.contains("Set-Cookie"))
            try await Self.isWell(house)
        }
    }
}
