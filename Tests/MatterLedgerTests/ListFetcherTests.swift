import Foundation
import MatterBase
import MatterCrypto
import MatterLedger
import MatterTestKit
import Synchronization
import TestSupport
import Testing

/// Lists over real connections to a server on this machine.
@Suite("Fetching lists", .timed) struct ListFetcherTests {
    private static func fetcher(
        _ ledger: String = "http://127.0.0.1:1", for time: Duration = .seconds(10)
    ) throws -> ListFetcher {
        ListFetcher(
            ledger: try BaseURL(parsing: ledger), environment: [:], userAgent: "test", logger: .silent,
            deadline: .now + time)
    }

    private static func fetch(
        _ path: String = "/a", for time: Duration = .seconds(10),
        _ answer: @escaping @Sendable (String) -> StandInServer.Answer
    ) async throws -> [UInt8] {
        let server = try StandInServer(answer)
        let fetcher = try fetcher(for: time)
        do {
            let list = try await fetcher.fetch(server.url + path)
            await fetcher.close()
            return list
        } catch {
            await fetcher.close()
            throw error
        }
    }

    private static func octets(_ octets: [UInt8]) -> StandInServer.Answer {
        var answer = StandInServer.Answer("")
        answer.octets = octets
        return answer
    }

    @Test("the bytes come as they are, with the query of the URL, over plain HTTP")
    func plain() async throws {
        let bytes = [UInt8](0...255)
        let asked = Mutex("")
        let list = try await Self.fetch("/crl/a%20b.crl?x=1&y#part") { target in
            asked.withLock { $0 = target }
            return Self.octets(bytes)
        }
        #expect(list == bytes && asked.withLock { $0 } == "/crl/a%20b.crl?x=1&y")
        #expect(try await Self.fetch("") { $0 == "/" ? Self.octets([1]) : .init("", status: 404) } == [1])
    }

    @Test("a redirection is followed, but not for ever")
    func redirection() async throws {
        let list = try await Self.fetch { target in
            guard target == "/a" else { return Self.octets([7]) }
            var answer = StandInServer.Answer("", status: 302)
            answer.headers["Location"] = "/b"
            return answer
        }
        #expect(list == [7])
        let error = await #expect(throws: LedgerError.self) {
            try await Self.fetch { _ in
                var answer = StandInServer.Answer("", status: 301)
                answer.headers["Location"] = "/a"
                return answer
            }
        }
        #expect(error?.reason == "the list is redirected too often")
    }

    @Test("an error, a cut answer, one that is too long and one that is too slow are told apart")
    func failures() async throws {
        func reason(
            for time: Duration = .seconds(10), _ answer: @escaping @Sendable (String) -> StandInServer.Answer
        ) async -> String {
            do {
                return "\(try await Self.fetch(for: time, answer).count) bytes"
            } catch { return (error as? any CodedError)?.message ?? "\(error)" }
        }
        #expect(await reason { _ in .init("gone", status: 404) } == "there is no list (HTTP 404)")
        #expect(await reason { _ in .init("oh", status: 503) } == "there is no list (HTTP 503)")
        let cut = await reason { _ in
            var answer = Self.octets([UInt8](repeating: 1, count: 1000))
            answer.cut = 500
            return answer
        }
        #expect(cut.contains("connection"), "\(cut)")
        let long = await reason { _ in
            Self.octets([UInt8](repeating: 1, count: CertificateRevocationList.maximumCount + 1))
        }
        #expect(long.contains("bytes"), "\(long)")
        let slow = await reason(for: .milliseconds(300)) { _ in
            var answer = Self.octets([1])
            answer.delay = 3
            return answer
        }
        #expect(slow.contains("time"), "\(slow)")
    }

    /// A connection that answers with one byte, and the settings that it was made with.
    private struct Wire: HTTPTransport {
        func send(
            _ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant
        ) async throws -> HTTPResponse { HTTPResponse(status: 200, body: [1]) }

        func close() async {}
    }

    @Test("each list goes by the proxy that the environment names for its URL, over one connection to each")
    func proxies() async throws {
        let made = Mutex<[String]>([])
        let fetcher = ListFetcher(
            ledger: try BaseURL(parsing: "https://ledger.example"),
            environment: [
                "http_proxy": "http://plain.example:1", "https_proxy": "http://secure.example:2",
                "no_proxy": "near.example",
            ], userAgent: "test", logger: .silent, deadline: .now + .seconds(10)
        ) { settings in
            made.withLock { $0.append(settings.proxy.map { "\($0.host):\($0.port)" } ?? "none") }
            return Wire()
        }
        for url in ["http://a.example/1", "https://a.example/2", "http://near.example/3", "http://b.example/4"] {
            #expect(try await fetcher.fetch(url) == [1])
        }
        #expect(made.withLock { $0 } == ["plain.example:1", "secure.example:2", "none"])
    }

    @Test("neither a point nor a redirection leads into a private network")
    func privateNetworks() async throws {
        for url in [
            "http://192.168.1.1/reboot", "http://169.254.169.254/", "http://[fd00::1]/a", "http://[::ffff:10.0.0.1]/",
        ] {
            let error = await #expect(throws: HTTPError.self) {
                try await Self.fetcher("https://ledger.example").fetch(url)
            }
            #expect(error?.code == .privateAddress, "\(url)")
            let redirected = await #expect(throws: HTTPError.self) {
                try await Self.fetch { _ in
                    var answer = StandInServer.Answer("", status: 302)
                    answer.headers["Location"] = url
                    return answer
                }
            }
            #expect(redirected?.code == .privateAddress, "\(url)")
        }
    }

    @Test("a ledger elsewhere cannot send us to this machine, and only http and https are fetched")
    func places() async throws {
        let server = try StandInServer { _ in Self.octets([1]) }
        for url in [server.url + "/a", "http://localhost:1/a", "http://[::1]/a"] {
            let error = await #expect(throws: LedgerError.self) {
                try await Self.fetcher("https://ledger.example").fetch(url)
            }
            #expect(error?.reason == "the list is said to be on this machine")
        }
        #expect(server.requests.isEmpty)
        for url in [
            "ftp://a.example/x", "file:///etc/passwd", "a.example/x", "", "https://u:p@a.example/",
            "https://a.example/ü",
        ] {
            await #expect(throws: HTTPError.self) { try await Self.fetcher().fetch(url) }
        }
    }
}
