import FlyingFox
import FlyingSocks
import FoundationEssentials
import Glibc

/// Serves an emulator over HTTP on this machine only.
package struct EmulatorServer: Sendable {
    private static let largestBody = 1 << 20
    /// Slow faults take their time.
    private static let timeout: Double = 120

    private let server: HTTPServer

    /// - Parameter port: 0 for any free one.
    package init(_ emulator: Emulator, port: UInt16, log: @escaping @Sendable (String) -> Void = { _ in }) throws {
        server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port), timeout: Self.timeout, logger: .disabled,
            handler: EmulatorHandler(emulator: emulator, largestBody: Self.largestBody, log: log))
    }

    /// Runs until cancelled.
    package func run() async throws { try await server.run() }

    /// The port, once it listens.
    package func port() async throws -> UInt16 {
        try await server.waitUntilListening(timeout: 10)
        switch await server.listeningAddress {
        case .ip4(_, let port), .ip6(_, let port): return port
        default: return 0
        }
    }

    package func stop() async { await server.stop(timeout: 0) }
}

private struct EmulatorHandler: HTTPHandler {
    let emulator: Emulator
    let largestBody: Int
    let log: @Sendable (String) -> Void

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        var body: [UInt8] = []
        for try await part in request.bodySequence {
            body += part
            guard body.count <= largestBody else { return HTTPResponse(statusCode: .payloadTooLarge) }
        }
        var query: [String: String] = [:]
        for item in request.query { query[item.name] = item.value }
        let answer = await emulator.respond(
            to: EmulatorRequest(
                request.method.rawValue, request.path, query: query, token: request.headers[.authorization],
                body: body))
        // Query and headers may contain secrets.
        log("\(request.method.rawValue) \(request.path) \(answer.status)")
        let status = HTTPStatusCode(answer.status, phrase: answer.status < 400 ? "OK" : "Error")
        var headers: HTTPHeaders = [.contentType: "application/json"]
        for (name, value) in answer.headers { headers[HTTPHeader(name)] = value }
        guard answer.isCutOff else {
            return HTTPResponse(statusCode: status, headers: headers, body: Data(answer.body))
        }
        return HTTPResponse(
            statusCode: status, headers: headers,
            body: HTTPBodySequence(from: CutOffBody(), count: answer.body.count + 1))
    }
}

/// A body that never comes, so that the connection ends in the middle of the answer.
private struct CutOffBody: AsyncBufferedSequence {
    typealias Element = UInt8

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        typealias Buffer = [UInt8]

        mutating func next() async throws -> UInt8? { throw SocketError.disconnected }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? { throw SocketError.disconnected }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
