import AsyncHTTPClient
import Dispatch
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Exchanges over async-http-client, with one event-loop thread of its own. Nothing is made before the first call.
package actor AsyncHTTPTransport: HTTPTransport {
    private let settings: HTTPSettings
    private var client: HTTPClient?
    private var group: MultiThreadedEventLoopGroup?

    package init(_ settings: HTTPSettings) {
        self.settings = settings
    }

    deinit {
        // Whoever forgot to close it should not pay with a crash.
        let group = group
        client?.shutdown { _ in group?.shutdownGracefully { _ in } }
    }

    package func close() async {
        let (client, group) = (client, group)
        (self.client, self.group) = (nil, nil)
        // Failures to say goodbye interest nobody.
        try? await client?.shutdown()
        try? await group?.shutdownGracefully()
    }

    package func send(
        _ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant
    ) async throws -> HTTPResponse {
        let client = try open()
        let left = deadline - .now
        guard left > .zero else { throw Self.timedOut(url) }
        var outgoing = HTTPClientRequest(url: "\(url)\(request.target)")
        outgoing.method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            outgoing.headers.add(name: name, value: value)
        }
        outgoing.headers.add(name: "User-Agent", value: settings.userAgent)
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            let limit = NIODeadline.now() + .nanoseconds(Int64(min(left / .nanoseconds(1), 1e18)))
            let response = try await client.execute(outgoing, deadline: limit)
            let body = try await Self.body(of: response, limit: settings.largestBody, deadline: deadline, url)
            var headers: [String: String] = [:]
            for header in response.headers { headers[header.name.lowercased()] = header.value }
            return HTTPResponse(status: Int(response.status.code), headers: headers, body: body)
        } catch let error as HTTPError {
            throw error
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw HTTPErrorTranslation(url: url, proxy: settings.proxy).error(error)
        }
    }

    /// The body in whole; the deadline of the call covers it too.
    private static func body(
        of response: HTTPClientResponse, limit: Int, deadline: ContinuousClock.Instant, _ url: BaseURL
    ) async throws -> [UInt8] {
        if let announced = response.headers.first(name: "content-length").flatMap({ Int($0) }), announced > limit {
            throw tooLarge(url, limit)
        }
        return try await withThrowingTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var octets: [UInt8] = []
                for try await part in response.body {
                    guard octets.count + part.readableBytes <= limit else { throw tooLarge(url, limit) }
                    octets += part.readableBytesView
                }
                return octets
            }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                throw timedOut(url)
            }
            return try await group.next() ?? []
        }
    }

    private static func timedOut(_ url: BaseURL) -> HTTPError {
        HTTPError(.timedOut, "\(url) did not answer in time")
    }

    private static func tooLarge(_ url: BaseURL, _ limit: Int) -> HTTPError {
        HTTPError(.tooLarge, "\(url) sends an answer of more than \(limit) octets")
    }

    // MARK: Setting up

    private func open() throws -> HTTPClient {
        if let client { return client }
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = settings.authorityFile { tls.additionalTrustRoots = [.certificates(try authorities(in: file))] }
        configuration.tlsConfiguration = tls
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: amount(settings.connectTimeout), read: amount(settings.readTimeout))
        // Attempts are counted here and not there.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let proxy = settings.proxy {
            configuration.proxy = .server(
                host: proxy.host, port: Int(proxy.port),
                authorization: proxy.userName.map { .basic(username: $0, password: proxy.password ?? "") })
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        (self.group, self.client) = (group, client)
        return client
    }

    private func authorities(in file: String) throws(HTTPError) -> [NIOSSLCertificate] {
        let found = try? NIOSSLCertificate.fromPEMFile(file)
        guard let found, !found.isEmpty else {
            throw HTTPError(
                .invalidSettings, "\(file) cannot be read as a file of certificates",
                hint: "it must hold certificate authorities in PEM form")
        }
        return found
    }

    private func amount(_ duration: Duration) -> TimeAmount {
        .nanoseconds(Int64(duration / .nanoseconds(1)))
    }
}
