/// Exchanges over libcurl. Nothing is opened before the first call.
public actor CurlTransport: HTTPTransport {
    /// The time after the deadline within which libcurl should notice it; then the call ends without libcurl.
    private static let grace = Duration.milliseconds(100)
    /// The longest wait for a thread that hangs in the name service.
    private static let farewell = Duration.milliseconds(500)

    private let settings: HTTPSettings
    /// `nil` for the system's.
    private let library: CurlLibrary?
    private var loop: CurlLoop?

    /// A transport with these settings.
    public init(_ settings: HTTPSettings) { self.init(settings, library: nil) }

    /// - Parameter library: one of the flavours, for tests.
    init(_ settings: HTTPSettings, library: CurlLibrary?) {
        self.settings = settings
        self.library = library
    }

    deinit { loop?.close() }

    /// Opens libcurl, so that a command can fail early.
    ///
    /// - Throws: ``HTTPError`` with `libraryMissing`.
    package static func checkLibrary() throws(HTTPError) { _ = try CurlLibrary.open() }

    /// Ends what is under way, and the connections that are kept.
    public func close() async {
        guard let loop else { return }
        self.loop = nil
        loop.close()
        // Also in a task that is cancelled: libcurl's libraries are not to be in use when the process ends.
        await Task { await loop.waitUntilClosed(atMost: Self.farewell) }.value
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Throws: ``HTTPError``.
    public func send(
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
        let library = if let library { library } else { try CurlLibrary.open() }
        let opened = try CurlLoop.start(settings, library: library)
        loop = opened
        return opened
    }
}
