/// Exchanges over libcurl. Nothing is opened before the first call.
package actor CurlTransport: HTTPTransport {
    /// What libcurl may take longer than the deadline to notice it; then nobody waits for it any more.
    private static let grace = Duration.milliseconds(100)
    /// How long to wait for a thread that hangs in the name service.
    private static let farewell = Duration.milliseconds(500)

    private let settings: HTTPSettings
    private var loop: CurlLoop?

    package init(_ settings: HTTPSettings) {
        self.settings = settings
    }

    deinit { loop?.close() }

    /// Opens libcurl, for who wants to know beforehand.
    ///
    /// - Throws: ``HTTPError`` with `libraryMissing`.
    package static func checkLibrary() throws(HTTPError) { _ = try CurlLibrary.open() }

    package func close() async {
        guard let loop else { return }
        self.loop = nil
        loop.close()
        // Also in a task that is cancelled: libcurl's libraries are not to be in use when the process ends.
        await Task { await loop.waitUntilClosed(atMost: Self.farewell) }.value
    }

    package func send(
        _ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant
    ) async throws -> HTTPResponse {
        let loop = try open()
        let timedOut = HTTPErrorTranslation(url: url, settings: settings).timedOut
        guard deadline > .now else { throw timedOut }
        let call = CurlCall(request, to: url, deadline: deadline)
        let watchdog = Task {
            try await Task.sleep(until: deadline + Self.grace, clock: .continuous)
            loop.end(call, with: timedOut)
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                call.wait(continuation)
                loop.begin(call)
            }
        } onCancel: {
            loop.end(call, with: CancellationError())
        }
    }

    private func open() throws(HTTPError) -> CurlLoop {
        if let loop { return loop }
        let opened = try CurlLoop.start(settings, library: CurlLibrary.open())
        loop = opened
        return opened
    }
}
