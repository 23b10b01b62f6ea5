import MatterBase
import Testing

@testable import MatterLedger

@Suite("Ledger client") struct LedgerClientTests {
    private static let path = "/dcl/vendorinfo/vendors"
    private static let limit = "pagination.limit=500"

    private static func page(_ ids: [Int], next: String?) -> HTTPResponse {
        let vendors = ids.map { #"{"vendorID":\#($0),"vendorName":"V\#($0)"}"# }.joined(separator: ",")
        let pagination = next.map { #","pagination":{"next_key":\#($0),"total":"0"}"# } ?? ""
        return HTTPResponse(status: 200, body: Array(#"{"vendorInfo":[\#(vendors)]\#(pagination)}"#.utf8))
    }

    private static func code<Value>(_ body: () async throws -> Value) async -> LedgerError.Code? {
        do { _ = try await body() } catch let error as LedgerError { return error.code } catch { return nil }
        return nil
    }

    @Test("pages are read to the end, however the last one says so", arguments: ["null", "\"\"", nil])
    func pages(last: String?) async throws {
        let ledger = FakeLedger([
            "\(Self.path)?\(Self.limit)": Self.page([1, 2], next: "\"AA/+A==\""),
            "\(Self.path)?\(Self.limit)&pagination.key=AA%2F%2BA%3D%3D": Self.page([3], next: last),
        ])
        let vendors: [LedgerVendor] = try await ledger.client().get(.vendors)
        #expect(vendors.map(\.vendorID) == [1, 2, 3])
        #expect(ledger.requests.count == 2)
    }

    @Test("a key of a page that comes again ends the reading")
    func endlessPages() async throws {
        let ledger = FakeLedger([Self.path: Self.page([1], next: "\"AA==\"")])
        let client = try ledger.client()
        #expect(await Self.code { try await client.get(.vendors) as [LedgerVendor] } == .malformed)
        #expect(ledger.requests.count == 2)
    }

    @Test("pages, entries and bytes have limits")
    func limits() async throws {
        let ledger = FakeLedger([Self.path: Self.page(Array(1...50), next: nil)])
        for limits in [
            LedgerClient.Limits(entries: 49), LedgerClient.Limits(bytes: 100), LedgerClient.Limits(pages: 0),
        ] {
            let client = try ledger.client(limits: limits)
            #expect(await Self.code { try await client.get(.vendors) as [LedgerVendor] } == .tooLarge)
        }
        let enough = try ledger.client(limits: .init(pages: 1, entries: 50))
        #expect(try await (enough.get(.vendors) as [LedgerVendor]).count == 50)
    }

    @Test(
        "each failure has its code",
        arguments: [
            (404, LedgerError.Code.notFound, #"{"code":5,"message":"not found","details":[]}"#),
            (404, .notFound, "{}"), (404, .refused, "<html>no such site</html>"), (404, .refused, #"{"code":7}"#),
            (400, .refused, #"{"code":3,"message":"bad","details":[{"@type":"x"}]}"#), (501, .refused, #"{"code":12}"#),
            (500, .failing, "<html>oops</html>"), (503, .failing, #"{"code":14,"message":"later"}"#),
            (429, .failing, ""), (200, .malformed, "<html>hello</html>"), (200, .malformed, "[]"),
            (200, .malformed, "{}"), (200, .malformed, #"{"vendorInfo":null}"#),
            (200, .malformed, #"{"vendorInfo":7}"#),
            (200, .malformed, #"{"vendorInfo":{"vendorID":"x"}}"#), (200, .malformed, #"{"vendorInfo":{}}"#),
            (200, .malformed, #"{"vendorInfo":{"vendorID":2}}"#), (200, .malformed, #"{"vendorInfo":{"vendorID":1"#),
        ])
    func failures(status: Int, code: LedgerError.Code, body: String) async throws {
        let query: LedgerQuery<LedgerVendor> = .vendor(1)
        #expect(await Self.code { try await answer(query, body, status: status) } == code, "\(body)")
    }

    @Test("a redirection, a lost connection and too long an answer are told apart, and only the first two may pass")
    func connection() async throws {
        let redirecting = FakeLedger([
            Self.path: HTTPResponse(status: 302, headers: ["location": "https://else.example"])
        ])
        let client = try redirecting.client()
        #expect(await Self.code { try await client.get(.vendors) as [LedgerVendor] } == .unreachable)
        #expect(redirecting.requests.count == 1)
        let dead = try FakeLedger([:], patience: 0).client()
        let error = await #expect(throws: LedgerError.self) { try await dead.get(.vendors) as [LedgerVendor] }
        #expect(error?.connection?.code == .connectionLost && error?.isTransient == true)
        #expect(error?.facts.first?.name == "transport")
    }

    @Test("what the ledger does not have is nothing, and any other failure is one")
    func find() async throws {
        let ledger = FakeLedger([:])
        let missing: LedgerVendor? = try await ledger.client().find(.vendor(7))
        #expect(missing == nil)
        let failing = FakeLedger(["/dcl/vendorinfo/vendors/7": HTTPResponse(status: 500)])
        let client = try failing.client()
        #expect(await Self.code { try await client.find(.vendor(7)) as LedgerVendor? } == .failing)
    }
}
