import TestSupport
import Testing

@testable import MatterLedger

/// The client's side of a WebSocket: bytes in, actions out.
@Suite(.together) struct WebSocketSessionTests {
    /// The numbers of RFC 6455, section 1.3 and 5.7: a known key, then a known mask.
    private struct Numbers: RandomSource {
        func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
            count == 16 ? Array("the sample nonce".utf8) : [0x37, 0xFA, 0x21, 0x3D]
        }
    }

    private static let answer = """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
        """

    private static func session(_ place: String = "ws://localhost:5580/ws", largest: Int = 1000) throws
        -> WebSocketSession
    {
        try WebSocketSession(WebSocketURL(parsing: place), largestMessage: largest, random: Numbers())
    }

    private static func opened(largest: Int = 1000) throws -> WebSocketSession {
        var session = try session(largest: largest)
        #expect(session.receive(answer.utf8) == [.opened])
        return session
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            payload.count < 126
            ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [first] + length + payload
    }

    private static func code(_ actions: [WebSocketSession.Action]) -> WebSocketError.Code? {
        if case .end(let error) = actions.last { error?.code } else { nil }
    }

    @Test("the request is that of the standard, and names the host and the path")
    func request() throws {
        let text = String(decoding: try Self.session("wss://hub.lan/x").request(userAgent: "matterctl"), as: UTF8.self)
        #expect(
            text == """
                GET /x HTTP/1.1\r\nHost: hub.lan\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nUser-Agent: matterctl\r\n\r\n
                """)
    }

    @Test(
        "an answer that is none opens nothing",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", WebSocketError.Code.refused), ("SSH-2.0-OpenSSH\r\n\r\n", .refused),
            ("HTTP/1.1 200 OK\r\nUpgrade: websocket\r\n\r\n", .refused),
            (answer.replacing("s3pP", with: "s3pQ"), .malformed),
            (answer.replacing("WebSocket\r\n", with: "h2c\r\n"), .malformed),
            (answer.replacing("Upgrade\r\nSec", with: "close\r\nSec"), .malformed),
            (
                answer.replacing("\r\n\r\n", with: "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
                .malformed
            ),
            (answer.replacing("\r\n\r\n", with: "\r\nno field\r\n\r\n"), .malformed),
            (String(repeating: "x", count: 20_000), .malformed),
        ])
    func refusals(answer: String, code: WebSocketError.Code) throws {
        var session = try Self.session()
        #expect(Self.code(session.receive(answer.utf8)) == code)
        #expect(session.receive(Self.answer.utf8).isEmpty)
    }

    @Test("what comes byte by byte is what comes at once: the answer, a message in fragments, and a ping between them")
    func pieces() throws {
        let bytes =
            Array(Self.answer.utf8) + Self.frame(0x01, Array("Hel".utf8)) + Self.frame(0x89, Array("Hello".utf8))
            + Self.frame(0x00, []) + Self.frame(0x80, Array("lo".utf8)) + Self.frame(0x81, Array("ü".utf8))
        var (whole, single) = (try Self.session(), try Self.session())
        let actions = whole.receive(bytes)
        #expect(bytes.flatMap { single.receive([$0]) } == actions)
        // The pong of section 5.7, but for its opcode: masked "Hello".
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(actions == [.opened, .send(pong), .message("Hello"), .message("ü")])
    }

    @Test(
        "a text of any length is masked, and has the shortest form of its length",
        arguments: [0, 125, 126, 65_535, 65_536])
    func lengths(count: Int) throws {
        let text = String(repeating: "a", count: count)
        let frame = try Self.opened().text(text)
        let head = count < 126 ? 2 : count < 65_536 ? 4 : 10
        #expect(frame[0] == 0x81 && frame[1] & 0x80 != 0 && frame.count == head + 4 + count)
        #expect(Int(frame[1] & 0x7F) == (count < 126 ? count : count < 65_536 ? 126 : 127))
        let mask = frame[head..<head + 4]
        #expect(frame.dropFirst(head + 4).enumerated().allSatisfy { $1 ^ mask[head + $0 % 4] == UInt8(ascii: "a") })
    }

    @Test(
        "a broken rule ends the connection, and the server is told which kind it was",
        arguments: [
            ([0x81, 0x80, 1, 2, 3, 4], 1002), ([0xC1, 0], 1002), ([0x83, 0], 1002), ([0x09, 0], 1002),
            ([0x89, 126, 0, 200], 1002), ([0x81, 126, 0, 125], 1002), ([0x81, 127, 0, 0, 0, 0, 0, 0, 1, 0], 1002),
            ([0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002), ([0x80, 0], 1002), ([0x01, 0, 0x81, 0], 1002),
            ([0x82, 0], 1003),
            ([0x81, 1, 0xFF], 1007),
        ] as [([UInt8], UInt16)])
    func breaches(bytes: [UInt8], farewell: UInt16) throws {
        var session = try Self.opened()
        let actions = session.receive(bytes)
        #expect(Self.code(actions) == .malformed)
        let leave = [UInt8(farewell >> 8) ^ 0x37, UInt8(farewell & 0xFF) ^ 0xFA]
        #expect(actions.first == .send([0x88, 0x82, 0x37, 0xFA, 0x21, 0x3D] + leave))
        #expect(session.receive(Self.frame(0x81, [0x61])).isEmpty)
    }

    @Test(
        "a message is as long as is allowed, in one frame or in many; the length is judged before its bytes are there")
    func limits() throws {
        var session = try Self.opened(largest: 200)
        let most = [UInt8](repeating: 0x61, count: 200)
        #expect(session.receive(Self.frame(0x81, most)).count == 1)
        #expect(session.receive(Self.frame(0x01, Array(most.dropLast(50)))).isEmpty)
        #expect(Self.code(session.receive([0x80, 51])) == .tooLarge)
        var other = try Self.opened(largest: 200)
        #expect(Self.code(other.receive([0x81, 127, 0x40, 0, 0, 0, 0, 0, 0, 0])) == .tooLarge)
    }

    @Test("a leave is answered; an end without one is told apart")
    func ends() throws {
        var session = try Self.opened()
        let actions = session.receive(Self.frame(0x88, [0x03, 0xE9]))
        #expect(actions.count == 2 && Self.code(actions) == .closed)
        var lost = try Self.opened()
        #expect(Self.code(lost.receiveEnd()) == .closed && lost.receiveEnd().isEmpty)
        var silent = try Self.session()
        #expect(Self.code(silent.receiveEnd()) == .refused)
        var ours = try Self.opened()
        #expect(ours.close().first == 0x88 && ours.close().isEmpty)
    }

    @Test(
        "an address leads to a host, with /ws where it has no path, or to a Unix socket; it is shown without a token",
        arguments: [
            ("ws://127.0.0.1:5580/ws", "ws://127.0.0.1:5580/ws"), ("WS://localhost:5580", "ws://localhost:5580/ws"),
            ("wss://hub.lan/", "wss://hub.lan/ws"), ("wss://[fd77::1]:443/a/b", "wss://[fd77::1]/a/b"),
            ("unix:/run/m.sock", "unix:/run/m.sock"), ("ws+unix:///run/m.sock", "unix:/run/m.sock"),
            ("unix:///run/m.sock", "unix:/run/m.sock"),
            ("ws://127.0.0.1:5580/ws/mctl_abc", "ws://127.0.0.1:5580/ws/…"),
        ])
    func addresses(text: String, meaning: String) throws { #expect("\(try WebSocketURL(parsing: text))" == meaning) }

    @Test("what is no address is refused, and so is an unencrypted one of another machine, unless it is wanted")
    func badAddresses() throws {
        func code(_ text: String) -> WebSocketError.Code? {
            do throws(WebSocketError) { _ = try WebSocketURL(parsing: text) } catch { return error.code }
            return nil
        }
        for text in [
            "", "ws://", "http://127.0.0.1", "wss://a b", "unix:relative", "wss://u:p@h/ws", "wss://h/ws?x=1",
            "unix:/" + String(repeating: "x", count: 107),
        ] {
            #expect(code(text) == .invalidURL, "\(text)")
        }
        for text in ["ws://hub.lan/ws", "ws://10.0.0.1:5580/ws", "ws://127.0.0.1.evil.example/ws", "ws://[fe80::1]/"] {
            #expect(code(text) == .insecureURL, "\(text)")
            #expect(throws: Never.self) { try WebSocketURL(parsing: text, allowsPlain: true) }
        }
    }
}
