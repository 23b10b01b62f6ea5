import MatterTestKit
import Synchronization
import Testing

@testable import MatterController

/// The order in which devices are shared, and a server as another controller, without a network.
@Suite("Sharing a house", .virtualTime) struct ShareTests {
    @Test("a few have their turn at once, in their order; who waits when the time is over has none", arguments: 1...4)
    func turns(together: Int) {
        var queue = ShareQueue(count: 5, together: together)
        for place in 0..<together { #expect(queue.next() == place) }
        #expect(queue.next() == nil && !queue.isDone)
        queue.end()
        #expect(queue.next() == together && queue.next() == nil)
        #expect(queue.giveUp() == together + 1..<5 && queue.next() == nil)
        for _ in 0..<together { queue.end() }
        #expect(queue.isDone)
    }

    /// A server that says what a test lets it say.
    private final class Link: MatterServerLink {
        let messages: AsyncThrowingStream<String, any Error>
        let say: AsyncThrowingStream<String, any Error>.Continuation
        private let state = Mutex<(sent: [String], isClosed: Bool)>(([], false))
        private let answer: @Sendable (String) -> String?

        init(_ greeting: String? = Link.info(11, 9), answer: @escaping @Sendable (String) -> String? = { _ in nil }) {
            (messages, say) = AsyncThrowingStream.makeStream()
            self.answer = answer
            if let greeting { say.yield(greeting) }
        }

        static func info(_ schema: Int, _ oldest: Int) -> String {
            """
            {"fabric_id":1,"compressed_fabric_id":18364758544493064720,"schema_version":\(schema),
            "min_supported_schema_version":\(oldest),"sdk_version":"x","thread_credentials_set":false}
            """
        }

        var sent: [String] { state.withLock { $0.sent } }
        var isClosed: Bool { state.withLock { $0.isClosed } }

        func send(_ text: String) throws {
            state.withLock { $0.sent.append(text) }
            if let answer = answer(text) { say.yield(answer) }
        }

        func close() async { state.withLock { $0.isClosed = true } }
    }

    private static func greet(_ link: Link) async throws -> MatterServer {
        try await MatterServer.greet(link, at: "the hub", testTime, deadline: .testNow + .seconds(10))
    }

    private static func code(_ body: () async throws -> Void) async throws -> ShareError.Code? {
        do { try await body() } catch let error as ShareError { return error.code }
        return nil
    }

    @Test(
        "a server has a version that can do what is asked of it; its fabric is exact over 64 bits",
        arguments: [
            (5, 5, ShareError.Code.serverVersion), (6, 5, nil), (11, 9, nil), (14, 11, nil), (14, 12, .serverVersion),
        ] as [(Int, Int, ShareError.Code?)])
    func versions(schema: Int, oldest: Int, code: ShareError.Code?) async throws {
        let link = Link(Link.info(schema, oldest))
        var server: MatterServer?
        let refusal = try await Self.code { server = try await Self.greet(link) }
        #expect(refusal == code && (server == nil) == (code != nil))
        #expect(server.map { $0.fabric.rawValue == 0xFEDC_BA98_7654_3210 && $0.schemaVersion == schema } ?? true)
        #expect(link.isClosed == (code != nil))
    }

    @Test("a server that says something else, or nothing, is none")
    func others() async throws {
        for greeting in ["{}", "[]", #"{"event":"node_added","data":1}"#, #"{"sdk_version":"x","fabric_id":"1"}"#] {
            #expect(try await Self.code { _ = try await Self.greet(Link(greeting)) } == .serverMalformed, "\(greeting)")
        }
        let silent = Link(nil)
        let began = testTime.now
        #expect(try await Self.code { _ = try await Self.greet(silent) } == .serverSilent)
        #expect(testTime.now - began >= .seconds(10) && silent.isClosed)
    }

    @Test("a code is sent once, for the network alone; answers belong to their questions, and events to none")
    func commission() async throws {
        let link = Link { text in
            let id = text.contains("MT:ONE") ? "matterctl-1" : "matterctl-2"
            return #"{"message_id":"\#(id)","result":{"node_id":18446744073709551615}}"#
        }
        link.say.yield(#"{"event":"server_shutdown","data":{}}"#)
        link.say.yield(#"{"message_id":"another","result":null}"#)
        let server = try await Self.greet(link)
        let node = try await server.commission("MT:ONE", of: "a", deadline: .testNow + .seconds(10))
        #expect(node == .max)
        #expect(
            link.sent == [
                #"{"message_id":"matterctl-1","command":"commission_with_code","args":{"code":"MT:ONE","network_only":true}}"#
            ])
        #expect(try await server.commission("MT:TWO", of: "b", deadline: .testNow + .seconds(10)) == .max)
        await server.close()
        #expect(link.isClosed)
    }

    @Test("an error of the server has its code and its words, cut; a secret is in none of them")
    func refusal() async throws {
        let words = String(repeating: "w", count: 1000)
        let server = try await Self.greet(
            Link { _ in #"{"message_id":"matterctl-1","error_code":1,"details":"\#(words)"}"# })
        do {
            _ = try await server.commission("MT:SECRET", of: "node 1", deadline: .testNow + .seconds(10))
            Issue.record("no error")
        } catch let error as ShareError {
            #expect(error.code == .serverRefused && error.serverError == 1 && error.details?.count == 300)
            #expect(error.reason.hasPrefix("the hub did not take node 1: error 1 NodeCommissionFailed: www"))
            #expect(!"\(error)".contains("SECRET") && error.facts.count == 2)
        }
    }

    @Test("a server that is silent is waited for until the deadline, and one that goes fails what it was asked at once")
    func silence() async throws {
        let server = try await Self.greet(Link())
        let began = testTime.now
        #expect(
            try await Self.code {
                _ = try await server.commission("MT:X", of: "a", deadline: began + .seconds(300))
            } == .serverSilent)
        #expect(testTime.now - began >= .seconds(300))

        let link = Link()
        let other = try await Self.greet(link)
        let asking = inBackground { try await other.commission("MT:X", of: "a", deadline: .testNow + .seconds(300)) }
        while link.sent.isEmpty { try await testTime.sleep(for: .milliseconds(1)) }
        link.say.finish(throwing: WebSocketError(.closed, "gone"))
        #expect(try await Self.code { _ = try await asking.value } == .serverLost)
        #expect(
            try await Self.code { _ = try await other.commission("MT:X", of: "a", deadline: .testNow + .seconds(1)) }
                == .serverLost)
    }

    @Test("an answer that is none ends the conversation")
    func garbage() async throws {
        for answer in [
            "hello", "[1]", #"{"message_id":7,"result":1}"#, #"{"message_id":"matterctl-1","error_code":"1"}"#,
        ] {
            let server = try await Self.greet(Link { _ in answer })
            #expect(
                try await Self.code {
                    _ = try await server.commission("MT:X", of: "a", deadline: .testNow + .seconds(10))
                } == .serverLost, "\(answer)")
        }
        let empty = try await Self.greet(Link { _ in #"{"message_id":"matterctl-1","result":{}}"# })
        #expect(
            try await Self.code {
                _ = try await empty.commission("MT:X", of: "a", deadline: .testNow + .seconds(10))
            } == .serverMalformed)
    }
}
