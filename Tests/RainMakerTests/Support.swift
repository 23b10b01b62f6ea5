import Foundation
import JSON
import Logging
import MatterLedger
import RainMakerEmulator
import Synchronization
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterState
@testable import RainMaker

/// An exchange between client and emulator, for the check against the interface description.
struct Exchange: Sendable {
    var request: HTTPRequest
    var response: HTTPResponse

    var line: String {
        func json(_ octets: [UInt8]) -> JSONValue { (try? JSONValue(parsing: octets)) ?? .null }
        var query = JSONObject()
        for item in request.query { query[item.name] = .string(item.value) }
        return JSONValue.object([
            "method": .string(request.method.rawValue), "path": .string(String(request.path.dropFirst(3))),
            "query": .object(query), "request": request.body.map(json) ?? .null,
            "status": .int(Int64(response.status)), "response": json(response.body),
        ]).serialized()
    }
}

/// Calls the emulator without a network and keeps what was exchanged.
final class EmulatorTransport: HTTPTransport {
    let emulator: Emulator
    private let kept = Mutex<[Exchange]>([])

    init(_ emulator: Emulator) { self.emulator = emulator }

    var exchanges: [Exchange] { kept.withLock { $0 } }

    func send(_ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant) async throws -> HTTPResponse {
        var query: [String: String] = [:]
        for item in request.query { query[item.name] = item.value }
        let answer = await emulator.respond(
            to: EmulatorRequest(
                request.method.rawValue, request.path, query: query, token: request.headers["Authorization"],
                body: request.body ?? []))
        guard !answer.isCutOff else { throw HTTPError(.connectionLost, "the connection ended") }
        let response = HTTPResponse(
            status: answer.status,
            headers: Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.lowercased(), $1) }), body: answer.body)
        kept.withLock { $0.append(Exchange(request: request, response: response)) }
        return response
    }

    func close() async {}
}

/// Answers with what it is told, whatever the question.
final class CannedTransport: HTTPTransport {
    private let answers: Mutex<[HTTPResponse]>
    private let kept = Mutex<[HTTPRequest]>([])

    init(_ answers: [HTTPResponse]) { self.answers = Mutex(answers) }

    var requests: [HTTPRequest] { kept.withLock { $0 } }

    func send(_ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant) async throws -> HTTPResponse {
        kept.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else { throw HTTPError(.connectionLost, "no more answers") }
        return answer
    }

    func close() async {}
}

/// A clock that tests set.
final class TestClock: Sendable {
    private let seconds = Mutex<Int64>(1_790_000_000)
    var now: Int64 { seconds.withLock { $0 } }
    func advance(by seconds: Int64) { self.seconds.withLock { $0 += seconds } }
}

/// An emulator, and clients of its users, each with an own state directory.
struct Cloud {
    static let password = "Correct-Horse-1"

    let folder: URL
    let emulator: Emulator
    let clock: TestClock
    let transport: EmulatorTransport

    init(_ configure: (inout Emulator.Options) -> Void = { _ in }) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rainmaker-\(UUID().uuidString)")
        let clock = TestClock()
        var options = Emulator.Options(unixTime: { clock.now })
        configure(&options)
        emulator = try Emulator(StateDirectory(path: folder.appendingPathComponent("cloud").path), options)
        self.clock = clock
        transport = EmulatorTransport(emulator)
        for name in ["alice@example.com", "bob@example.com"] {
            try await emulator.addUser(name, password: Self.password)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func state(_ user: String) -> StateDirectory {
        StateDirectory(path: folder.appendingPathComponent(user).path)
    }

    func client(
        _ user: String, transport other: (any HTTPTransport)? = nil, budget: Duration? = nil
    ) throws -> CloudClient {
        let url = try BaseURL(parsing: "https://cloud.test")
        let clock = clock
        return CloudClient(
            account: CloudAccount(profile: "test", url: url), store: CloudStore(state(user)),
            service: HTTPService(
                url: url, transport: other ?? transport,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                pause: { _ in }),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, budget: budget, unixTime: { clock.now })
    }

    func loggedIn(_ user: String) async throws -> CloudClient {
        let client = try client(user)
        try await client.login(userName: "\(user)@example.com", password: SecretText(Self.password))
        return client
    }

    func fabrics(_ user: String, _ client: CloudClient) -> RainMakerFabric {
        let clock = clock
        return RainMakerFabric(
            client: client, state: state(user), time: { .now(MatterEpoch.seconds(unix: clock.now) ?? 0) })
    }

    func issuer(
        _ user: String, _ client: CloudClient, _ joined: RainMakerFabric.Joined,
        _ mode: RainMakerIssuer.MetadataMode = .none, challenge: @escaping RainMakerIssuer.Challenge = { _, _ in nil }
    ) -> RainMakerIssuer {
        let clock = clock
        return RainMakerIssuer(
            client: client, joined: joined, state: state(user), metadataMode: mode, deviceName: "Porch",
            unixTime: { clock.now }, challenge: challenge)
    }
}

/// Runs something with a cloud and clears up.
func withCloud(
    _ configure: (inout Emulator.Options) -> Void = { _ in }, _ body: (Cloud) async throws -> Void
) async throws {
    let cloud = try await Cloud(configure)
    defer { cloud.remove() }
    try await body(cloud)
}

/// The code of the error that something throws.
func code(_ body: () async throws -> Void) async -> RainMakerError.Code? {
    do {
        try await body()
        return nil
    } catch let error as RainMakerError {
        return error.code
    } catch {
        Issue.record("another error: \(error)")
        return nil
    }
}
