import JSON
import Logging
import MatterTestKit
import Synchronization

@testable import MatterLedger

/// A ledger in this process that answers by path and query, and keeps what it was asked.
final class FakeLedger: HTTPTransport {
    private let answers: Mutex<[String: HTTPResponse]>
    private let asked = Mutex<[String]>([])
    /// After so many answers the connection is lost.
    private let patience: Mutex<Int>

    init(_ answers: [String: HTTPResponse], patience: Int = .max) {
        self.answers = Mutex(answers)
        self.patience = Mutex(patience)
    }

    convenience init(_ scene: LedgerScene, patience: Int = .max) {
        self.init(scene.answers.mapValues { HTTPResponse(status: 200, body: Array($0.utf8)) }, patience: patience)
    }

    var requests: [String] { asked.withLock { $0 } }

    func send(
        _ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant
    ) async throws -> HTTPResponse {
        asked.withLock { $0.append(request.target) }
        let isLost = patience.withLock { patience in
            patience -= 1
            return patience < 0
        }
        if isLost { throw HTTPError(.connectionLost, "the line was cut") }
        let body = Array(LedgerScene.notFound.utf8)
        return answers.withLock { $0[request.target] ?? $0[request.path] } ?? HTTPResponse(status: 404, body: body)
    }

    func close() async {}

    func client(_ net: LedgerNet = .main, limits: LedgerClient.Limits = .init()) throws -> LedgerClient {
        LedgerClient(
            net,
            service: HTTPService(
                url: try BaseURL(parsing: "https://ledger.example"), transport: self, retries: .none, logger: .silent),
            limits: limits, deadline: .now + .seconds(900))
    }
}

/// One answer to one question.
func answer<Answer>(
    _ query: LedgerQuery<Answer>, _ body: String, status: Int = 200, limits: LedgerClient.Limits = .init()
) async throws -> Answer {
    let ledger = FakeLedger([query.path: HTTPResponse(status: status, body: Array(body.utf8))])
    return try await ledger.client(limits: limits).get(query)
}
