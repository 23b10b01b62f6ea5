import Foundation
import Glibc
import Synchronization

/// A web server on this machine that answers by path, each connection on a thread of its own.
package final class StandInServer: Sendable {
    package struct Answer: Sendable {
        package var status = 200
        package var body: String
        /// Sent instead of the body.
        package var octets: [UInt8]?
        package var headers: [String: String] = ["Content-Type": "application/json"]
        /// Seconds before the answer.
        package var delay = 0.0
        /// How many bytes of the body are sent before the connection ends; `nil` for all.
        package var cut: Int?

        package init(_ body: String, status: Int = 200) {
            self.body = body
            self.status = status
        }
    }

    private let listener: LocalListener
    private let answer: @Sendable (String) -> Answer
    private let asked = Mutex<[String]>([])

    /// - Parameter answer: what to say to a path with its query.
    package init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        listener = try LocalListener()
        self.answer = answer
        // It serves until the process ends.
        Thread.detachNewThread { [self] in
            while let connection = listener.next() {
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    package var port: UInt16 { listener.port }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The paths that were asked for, in order.
    package var requests: [String] { asked.withLock { $0 } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var head = ""
        var part = [UInt8](repeating: 0, count: 65_536)
        while !head.contains("\r\n\r\n") {
            let count = read(connection, &part, part.count)
            guard count > 0 else { return }
            head += String(decoding: part.prefix(count), as: UTF8.self)
        }
        let words = head.split(separator: " ")
        guard words.count > 2 else { return }
        let target = String(words[1])
        asked.withLock { $0.append(target) }
        let answer = answer(target)
        // The delay is what a test asked for.
        if answer.delay > 0 { Thread.sleep(forTimeInterval: answer.delay) }
        let body = answer.octets ?? Array(answer.body.utf8)
        let lines =
            ["HTTP/1.1 \(answer.status) X", "Content-Length: \(body.count)", "Connection: close"]
            + answer.headers.map { "\($0.key): \($0.value)" }
        let octets = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body.prefix(answer.cut ?? body.count)
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
