import Foundation
import Logging
import Synchronization
import TestSupport

@testable import HouseServer

/// A reception that tells what it was asked, and a listener before it.
final class TestHouse: Sendable {
    /// Sends back what it gets; some words make it do more.
    final class Desk: Reception {
        let pages = Mutex<[PageRequest]>([])
        let sent = Mutex(0)
        let failed = Mutex(0)
        let conversations = Mutex(0)
        let ended = Mutex(0)
        /// Takes uploads.
        let firmware = Mutex<HouseFirmware?>(nil)

        func upload(_ id: String, of visitor: Visitor, _ body: UploadBody) async -> PageResponse {
            guard let firmware = firmware.withLock({ $0 }) else { return .plain(404, "no uploads") }
            return await firmware.take(id, of: visitor, body)
        }

        func page(_ request: PageRequest, of visitor: Visitor) async -> PageResponse {
            pages.withLock { $0.append(request) }
            let text = "\(visitor.name) \(request.method) \(request.path) \(request.query) \(request.body.count)\n"
            let headers = request.path == "/bad" ? [(name: "X-Bad", value: "a\r\nSet-Cookie: b")] : []
            return PageResponse(status: 200, contentType: "text/plain", headers: headers, body: Array(text.utf8))
        }

        func converse(with visitor: Visitor, over socket: any MessageSocket) async {
            conversations.withLock { $0 += 1 }
            defer { ended.withLock { $0 += 1 } }
            while let message = await socket.next() {
                let words = String(decoding: message, as: UTF8.self)
                switch words {
                case "end": return
                case "deaf":
                    // Until the other side has gone, as one who waits for a device does.
                    try? await awaitEvent("the end") { (try? await socket.send([[]])) == nil }
                    return
                case "big":
                    let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
                    do {
                        try await socket.send(Array(repeating: part, count: 16))
                        sent.withLock { $0 += 1 }
                    } catch {
                        failed.withLock { $0 += 1 }
                    }
                default:
                    do {
                        try await socket.send([Array(visitor.name.utf8), Array(": ".utf8), message])
                    } catch {
                        failed.withLock { $0 += 1 }
                    }
                }
            }
        }
    }

    /// Keeps the lines of a log.
    final class Lines: Sendable {
        let all = Mutex<[String]>([])

        var logger: Logger {
            var logger = Logger(label: "serve") { _ in Handler(lines: self) }
            logger.logLevel = .trace
            return logger
        }

        private struct Handler: LogHandler {
            let lines: Lines
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.all.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
            }
        }
    }

    let folder: URL
    let desk = Desk()
    let lines = Lines()
    let tokens = ListedTokens()
    let listener: Listener

    static let good = "mctl_good"

    init(_ change: (inout ListenerSettings, URL) -> Void = { _, _ in }) throws {
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
            "mhs-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var settings = ListenerSettings(places: [.tcp(address: "127.0.0.1", port: 0)])
        settings.limits.tokenInterval = .milliseconds(20)
        change(&settings, folder)
        tokens.set([ListedTokens.token(Self.good, "panel", [.control])])
        listener = Listener(
            settings, gatekeeper: Gatekeeper(tokens, logger: lines.logger), reception: desk, logger: lines.logger)
    }

    /// A house that listens, for one test.
    static func with(
        _ change: (inout ListenerSettings, URL) -> Void = { _, _ in }, _ test: (TestHouse) async throws -> Void
    ) async throws {
        let house = try TestHouse(change)
        try await house.listener.start()
        do { try await test(house) } catch {
            await house.end()
            throw error
        }
        await house.end()
    }

    private func end() async {
        await listener.stop(within: .seconds(1))
        try? FileManager.default.removeItem(at: folder)
    }

    var address: String { listener.addresses.first ?? "" }
    var warnings: [String] { lines.all.withLock { $0.filter { $0.hasPrefix("warning") } } }

    /// The whole answer to a request.
    func ask(_ request: String, from source: String? = nil) async throws -> String {
        let client = try await RawClient.connect(address, from: source)
        await client.send(request)
        return try await client.answer()
    }

    static func get(
        _ target: String, host: String = "localhost", _ fields: String = "Authorization: Bearer \(good)\r\n"
    ) -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n"
    }

    func open(_ target: String = "/ws/\(good)", from source: String? = nil) async throws -> RawWebSocket {
        try await RawWebSocket.open(address, target, from: source)
    }
}
