import FoundationEssentials
import MatterCrypto

/// The client's side of a WebSocket (RFC 6455) as a state machine: bytes of the server go in, actions come out.
///
/// All of the server's bytes are outside data: heads, frames and messages have limits, and the first broken rule ends the
/// connection.
struct WebSocketSession {
    enum Action: Equatable {
        case send([UInt8])
        /// The server has agreed.
        case opened
        case message(String)
        /// Nothing more may come; `nil` if both sides have taken leave.
        case end(WebSocketError?)
    }

    private enum Phase {
        case handshake, open, over
    }

    /// Opcodes (section 5.2).
    private enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// Codes of a close frame (section 7.4.1).
    private enum Farewell: UInt16 {
        case normal = 1000
        case protocolError = 1002
        case unacceptable = 1003
        case notText = 1007
        case tooLarge = 1009
    }

    private static let largestHead = 16 << 10
    private static let largestControl = 125
    /// Appended to the key before it is hashed (section 1.3).
    private static let accepting = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let url: WebSocketURL
    private let largestMessage: Int
    private let random: any RandomSource
    private let key: String
    private var phase = Phase.handshake
    private var buffer: [UInt8] = []
    /// The fragments of a message; `nil` between messages.
    private var message: [UInt8]?

    /// - Parameter largestMessage: in bytes.
    /// - Throws: `crypto.random-failed`.
    init(_ url: WebSocketURL, largestMessage: Int, random: any RandomSource) throws(CryptoError) {
        self.url = url
        self.largestMessage = largestMessage
        self.random = random
        key = Data(try random.bytes(16)).base64EncodedString()
    }

    // MARK: To the server

    /// The first bytes of the client (section 4.1).
    func request(userAgent: String) -> [UInt8] {
        let lines = [
            "GET \(url.target) HTTP/1.1", "Host: \(url.host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "User-Agent: \(userAgent)", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// - Throws: `crypto.random-failed`.
    func text(_ text: String) throws(CryptoError) -> [UInt8] { try frame(.text, Array(text.utf8)) }

    /// The client's leave; the server's is not waited for.
    mutating func close() -> [UInt8] {
        defer { phase = .over }
        return phase == .open ? leave(.normal) : []
    }

    private func leave(_ farewell: Farewell) -> [UInt8] {
        (try? frame(.close, [UInt8(farewell.rawValue >> 8), UInt8(farewell.rawValue & 0xFF)])) ?? []
    }

    /// A client's frames are masked (section 5.3).
    private func frame(_ opcode: Opcode, _ payload: [UInt8]) throws(CryptoError) -> [UInt8] {
        var frame: [UInt8] = [0x80 | opcode.rawValue]
        switch payload.count {
        case 0..<126: frame.append(0x80 | UInt8(payload.count))
        case 126...0xFFFF:
            frame.append(0x80 | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { frame += $0 }
        default:
            frame.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame += $0 }
        }
        let mask = try random.bytes(4)
        frame += mask
        frame += payload.enumerated().map { $1 ^ mask[$0 % 4] }
        return frame
    }

    // MARK: From the server

    /// Takes bytes of the server.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [Action] {
        guard phase != .over else { return [] }
        buffer += bytes
        var actions: [Action] = []
        do throws(Breach) {
            if phase == .handshake {
                guard try takeHead() else { return [] }
                phase = .open
                actions.append(.opened)
            }
            while phase == .open, let frame = try nextFrame() { actions += try take(frame) }
        } catch {
            if phase == .open { actions.append(.send(leave(error.farewell))) }
            phase = .over
            actions.append(.end(error.error))
        }
        return actions
    }

    /// The server's bytes have ended.
    mutating func receiveEnd() -> [Action] {
        guard phase != .over else { return [] }
        defer { phase = .over }
        return [
            .end(
                phase == .handshake
                    ? WebSocketError(.refused, "\(url) ended the connection instead of opening a WebSocket")
                    : WebSocketError(.closed, "\(url) ended the connection"))
        ]
    }

    /// A rule that the server has broken.
    private struct Breach: Error {
        var farewell = Farewell.protocolError
        let error: WebSocketError
    }

    private func breach(_ rule: String, _ farewell: Farewell = .protocolError) -> Breach {
        Breach(farewell: farewell, error: WebSocketError(.malformed, "\(url) breaks the WebSocket protocol: \(rule)"))
    }

    private var tooLarge: Breach {
        Breach(
            farewell: .tooLarge,
            error: WebSocketError(.tooLarge, "\(url) sends a message of more than \(largestMessage) bytes"))
    }

    // MARK: The head

    /// - Returns: whether the head is complete.
    private mutating func takeHead() throws(Breach) -> Bool {
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else {
            guard buffer.count <= Self.largestHead else { throw breach("the head of its answer is too long") }
            return false
        }
        guard end.lowerBound <= Self.largestHead else { throw breach("the head of its answer is too long") }
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<end.upperBound)
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let status = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard status.count >= 2, status[0].hasPrefix("HTTP/1."), let code = UInt16(status[1]) else {
            throw Breach(error: WebSocketError(.refused, "what \(url) answers is not HTTP"))
        }
        guard code == 101 else {
            throw Breach(
                error: WebSocketError(
                    .refused, "\(url) opens no WebSocket: it answers with status \(code)",
                    hint: "check the path; that of Matter servers is /ws"))
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw breach("a line of its head is not a field") }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingBlanks
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        let wanted = Data(SHA1.hash(Array((key + Self.accepting).utf8))).base64EncodedString()
        let upgrades = (fields["connection"] ?? "").lowercased().split(separator: ",").map { $0.trimmingBlanks }
        guard fields["upgrade"]?.lowercased() == "websocket", upgrades.contains("upgrade"),
            fields["sec-websocket-accept"] == wanted
        else { throw breach("its answer does not belong to our request") }
        guard fields["sec-websocket-extensions"] ?? "" == "", fields["sec-websocket-protocol"] == nil else {
            throw breach("it uses an extension that was not offered")
        }
        return true
    }

    // MARK: Frames

    private struct Frame {
        let isLast: Bool
        let opcode: Opcode
        let payload: [UInt8]
    }

    /// - Returns: `nil` before a frame is complete. Its length is judged before its contents are waited for.
    private mutating func nextFrame() throws(Breach) -> Frame? {
        guard buffer.count >= 2 else { return nil }
        let (first, second) = (buffer[0], buffer[1])
        guard first & 0x70 == 0 else { throw breach("a frame has reserved bits") }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw breach("a frame has an unknown opcode") }
        guard second & 0x80 == 0 else { throw breach("a frame of a server is masked") }
        let isLast = first & 0x80 != 0
        let (short, extra) = (Int(second), second == 127 ? 8 : second == 126 ? 2 : 0)
        guard buffer.count >= 2 + extra else { return nil }
        var length = UInt64(short)
        if extra > 0 {
            length = buffer[2..<2 + extra].reduce(0) { $0 << 8 | UInt64($1) }
            guard length >= (extra == 2 ? 126 : 65_536), length >> 63 == 0 else {
                throw breach("the length of a frame is not in its shortest form")
            }
        }
        if opcode.rawValue >= Opcode.close.rawValue {
            guard isLast, length <= UInt64(Self.largestControl) else {
                throw breach("a control frame is too long or in fragments")
            }
        } else {
            guard length <= UInt64(max(0, largestMessage - (message?.count ?? 0))) else { throw tooLarge }
        }
        let end = 2 + extra + Int(length)
        guard buffer.count >= end else { return nil }
        defer { buffer.removeSubrange(..<end) }
        return Frame(isLast: isLast, opcode: opcode, payload: Array(buffer[(2 + extra)..<end]))
    }

    private mutating func take(_ frame: Frame) throws(Breach) -> [Action] {
        switch frame.opcode {
        case .ping: return [.send((try? self.frame(.pong, frame.payload)) ?? [])]
        case .pong: return []
        case .close:
            phase = .over
            return try farewell(frame.payload)
        case .binary: throw breach("it sends bytes where text is expected", .unacceptable)
        case .text:
            guard message == nil else { throw breach("a message begins within another one") }
            message = frame.payload
        case .continuation:
            guard message != nil else { throw breach("a fragment belongs to no message") }
            message?.append(contentsOf: frame.payload)
        }
        guard frame.isLast, let whole = message.take() else { return [] }
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw breach("a message is not text (UTF-8)", .notText)
        }
        return [.message(text)]
    }

    /// The server takes its leave: it is answered, and that is the end.
    private func farewell(_ payload: [UInt8]) throws(Breach) -> [Action] {
        let code = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        let isNormal = code == nil || code == Farewell.normal.rawValue || code == 1001
        let error = WebSocketError(
            .closed, "\(url) ended the connection" + (isNormal ? "" : code.map { " (code \($0))" } ?? ""))
        return [.send(leave(.normal)), .end(error)]
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { String(rest[...$0]) } ?? ""
    }
}
