public import Logging
import MatterBase

/// A service behind one base URL: calls with a deadline, repeated where that is safe.
public struct HTTPService: Sendable {
    package let url: BaseURL
    private let transport: any HTTPTransport
    private let retries: RetryPolicy
    private let followsRedirections: Bool
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - followsRedirections: whether the caller follows them; otherwise they are errors.
    ///   - jitter: random numbers from 0 to 1.
    ///   - pause: waits between attempts; tests do not.
    public init(
        url: BaseURL, transport: any HTTPTransport, retries: RetryPolicy = .standard,
        followsRedirections: Bool = false, logger: Logger,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.url = url
        self.transport = transport
        self.retries = retries
        self.followsRedirections = followsRedirections
        self.logger = logger
        self.jitter = jitter
        self.pause = pause
    }

    /// Ends what is under way, and the connections that are kept.
    public func close() async { await transport.close() }

    /// The answer to a call, whatever its status.
    ///
    /// Logged are method, path and status; never query values, headers or bodies.
    ///
    /// - Throws: ``HTTPError``, or `CancellationError`.
    public func send(_ request: HTTPRequest, deadline: ContinuousClock.Instant) async throws -> HTTPResponse {
        var attempt = 1
        while true {
            let start = ContinuousClock.now
            let outcome: RetryPolicy.Outcome
            do {
                let response = try await transport.send(request, to: url, deadline: deadline)
                logger.debug(
                    "\(request.method.rawValue) \(request.path): \(response.status) after \(Self.text(.now - start))")
                outcome = .answered(response)
            } catch let error as HTTPError {
                logger.debug("\(request.method.rawValue) \(request.path): \(error.code.rawValue)")
                outcome = .failed(error)
            }
            if let wait = retries.pause(after: outcome, of: request, attempt: attempt, jitter: jitter()),
                ContinuousClock.now + wait < deadline
            {
                logger.debug("\(request.method.rawValue) \(request.path): attempt \(attempt + 1) in \(Self.text(wait))")
                try await pause(wait)
                attempt += 1
                continue
            }
            switch outcome {
            case .answered(let response):
                try refuseRedirection(response)
                return response
            case .failed(let error):
                throw error
            }
        }
    }

    private func refuseRedirection(_ response: HTTPResponse) throws(HTTPError) {
        guard !followsRedirections, (300...399).contains(response.status) else { return }
        throw HTTPError(
            .redirected, "\(url) answers with a redirection (\(response.status)), which is not followed",
            hint: "check the URL; a captive portal or proxy does this too")
    }

    private static func text(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1))) ms" }
}
