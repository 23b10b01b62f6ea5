import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterState
@testable import RainMakerEmulator

@Suite(.timed) struct EmulatorTests {
    private static let password = "Correct-Horse-1"

    private func withEmulator(
        _ faults: [String] = [], _ body: (Emulator, StateDirectory) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emulator-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = StateDirectory(path: folder.path)
        let emulator = try Emulator(
            directory, Emulator.Options(unixTime: { 1_790_000_000 }),
            faults: faults.compactMap { EmulatorFault(parsing: $0) })
        try await emulator.addUser("me@example.com", password: Self.password)
        try await body(emulator, directory)
    }

    private func call(
        _ emulator: Emulator, _ method: String, _ path: String, query: [String: String] = [:], token: String? = nil,
        _ body: JSONValue? = nil
    ) async -> (status: Int, json: JSONValue?) {
        let answer = await emulator.respond(
            to: EmulatorRequest(method, path, query: query, token: token, body: body?.utf8() ?? []))
        return (answer.status, try? JSONValue(parsing: answer.body))
    }

    private func token(_ emulator: Emulator) async throws -> String {
        let answer = await call(
            emulator, "POST", "/v1/login2", ["user_name": "me@example.com", "password": .string(Self.password)])
        return try #require(answer.json?["accesstoken"]?.stringValue)
    }

    @Test("the token is wanted bare, and others are refused in the gateway's form")
    func tokens() async throws {
        try await withEmulator { emulator, _ in
            let token = try await token(emulator)
            #expect(await call(emulator, "GET", "/v1/user2", token: token).status == 200)
            for wrong in [nil, "", "Bearer \(token)", token + "x", String(token.dropLast(4)), "a.b.c"] {
                let answer = await call(emulator, "GET", "/v1/user2", token: wrong)
                #expect(answer.status == 401)
                #expect(answer.json == ["message": "Unauthorized"])
            }
        }
    }

    @Test("state outlives the process, passwords only as digests, in files of the user's own")
    func state() async throws {
        try await withEmulator { emulator, directory in
            let token = try await token(emulator)
            _ = await call(
                emulator, "POST", "/v1/user/node_group", token: token, ["group_name": "a", "is_matter": true])
            let again = try Emulator(directory, Emulator.Options(unixTime: { 1_790_000_000 }))
            let groups = await call(again, "GET", "/v1/user/node_group", token: token)
            #expect(groups.json?["groups"]?.arrayValue?.count == 1)
            let record = try #require(try directory.read("emulator.json"))
            let text = String(decoding: record, as: UTF8.self)
            #expect(!text.contains(Self.password))
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path + "/emulator.json")
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("certificates follow the profile of the reference")
    func profile() async throws {
        try await withEmulator { emulator, _ in
            let token = try await token(emulator)
            let group = await call(
                emulator, "POST", "/v1/user/node_group", token: token, ["group_name": "a", "is_matter": true])
            let id = try #require(group.json?["group_id"])
            let key = try P256PrivateKey.generate()
            let body: JSONValue = [
                "operation": "add", "csr_type": "user",
                "csr_requests": [["group_id": id, "csr": .string(try CertificateSigningRequest(key: key).pem)]],
            ]
            let first = await call(emulator, "PUT", "/v1/user/node_group", token: token, body)
            let second = await call(emulator, "PUT", "/v1/user/node_group", token: token, body)
            let certificate = try #require(first.json?["certificates"]?.arrayValue?.first)
            #expect(certificate["matter_user_id"] == second.json?["certificates"]?.arrayValue?.first?["matter_user_id"])
            let noc = try MatterCertificate(pem: try #require(certificate["user_noc"]?.stringValue))
            let root = try MatterCertificate(pem: try #require(group.json?["root_ca"]?.stringValue))
            let now = try #require(MatterEpoch.seconds(unix: 1_790_000_000))
            try OperationalChain.validate(root: root, at: .now(now))
            let identity = try OperationalChain(noc: noc, icac: nil, root: root).validate(at: .now(now))
            #expect(identity.nodeID.description == certificate["matter_user_id"]?.stringValue)
            #expect(identity.cats.map(\.description) == [group.json?["group_cat_id_admin"]?.stringValue])
            #expect(noc.subject.attributes.map(\.type) == [.fabricID, .nodeID, .cat])
            #expect(noc.extendedKeyUsage == [.serverAuth, .clientAuth])
            guard case .extendedKeyUsage? = noc.extensions.last, case .keyUsage? = noc.extensions.first else {
                Issue.record("the extensions stand in another order")
                return
            }
            #expect(noc.notAfter <= root.notAfter)
        }
    }

    @Test(
        "requests that make no sense are refused with their codes",
        arguments: [
            ("PUT", ["operation": "add", "csr_type": "dog", "csr_requests": [[:]]], [:], 400, 108_908),
            ("PUT", ["operation": "add", "csr_type": "user", "csr_requests": []], [:], 400, 100_006),
            ("PUT", ["operation": "add", "csr_type": "user", "csr_requests": [["group_id": "x"]]], [:], 404, 108_906),
            ("PUT", ["request_id": "x", "status": "success"], [:], 400, 108_016),
            ("PUT", ["is_matter": true], [:], 400, 108_016),
            ("PUT", ["group_name": "x"], ["group_id": "y"], 404, 108_906),
            ("POST", [:], [:], 400, 108_907), ("POST", nil, [:], 400, 100_006),
            ("DELETE", nil, ["group_id": "y"], 404, 108_906), ("DELETE", nil, [:], 400, 108_016),
        ] as [(String, JSONValue?, [String: String], Int, Int)])
    func refusals(method: String, body: JSONValue?, query: [String: String], status: Int, code: Int) async throws {
        try await withEmulator { emulator, _ in
            let token = try await token(emulator)
            let answer = await call(emulator, method, "/v1/user/node_group", query: query, token: token, body)
            #expect(answer.status == status)
            #expect(answer.json?["error_code"]?.integer(as: Int.self) == code)
            #expect(answer.json?["status"] == "failure")
        }
    }

    @Test("what is not described is refused", arguments: ["/", "/v1", "/v1/login", "/v2/login2", "/v1//login2"])
    func unknownPaths(path: String) async throws {
        try await withEmulator { emulator, _ in
            let answer = await call(emulator, "GET", path)
            #expect(answer.status == 400)
            #expect((answer.json?["error_code"] == 100_002) == path.hasPrefix("/v2/"))
            #expect(await call(emulator, "GET", "/apiversions").status == 200)
        }
    }

    @Test("a fault acts on its operation, after some calls, as often as it was told")
    func faultSchedule() throws {
        var fault = try #require(EmulatorFault(parsing: "status=503,on=getUser,after=1,times=2"))
        #expect(fault.act(on: .login) == false)
        #expect([1, 2, 3, 4].map { _ in fault.act(on: .getUser) } == [false, true, true, false])
        for text in [
            "", "status", "status=x", "status=99", "slow", "slow=0", "missing", "expired=1", "nonsense",
            "expired,on=nothing", "expired,after=-1", "expired,times=0", "expired,bogus=1", "expired,",
            "expired,group=x", "retry-after=x", "blank",
        ] {
            #expect(EmulatorFault(parsing: text) == nil, "\(text)")
        }
        for kind in EmulatorFault.Kind.allCases {
            let value: String? =
                switch kind {
                case .status, .lateStatus: "500"
                case .slow, .pageSize, .errorCode, .retryAfter: "1"
                case .missing, .wrongType, .blank: "x"
                default: nil
                }
            #expect(EmulatorFault(parsing: kind.rawValue + (value.map { "=" + $0 } ?? ""))?.kind == kind)
        }
    }

    @Test("the server answers over HTTP, and a lost connection is one")
    func server() async throws {
        try await withEmulator(["lost,on=getUser,times=1"]) { emulator, _ in
            let log = LogLines()
            try await withServer(emulator, log) { port in
                let transport = CurlTransport(HTTPSettings())
                let url = try BaseURL(parsing: "http://127.0.0.1:\(port)")
                let body: JSONValue = ["user_name": "me@example.com", "password": .string(Self.password)]
                let login = try await transport.send(
                    HTTPRequest(.post, "/v1/login2", body: body.utf8()), to: url, deadline: .now + .seconds(10))
                #expect(login.status == 200)
                let token = try #require(try JSONValue(parsing: login.body)["accesstoken"]?.stringValue)
                let user = HTTPRequest(.get, "/v1/user2", headers: ["Authorization": token])
                let error = await #expect(throws: HTTPError.self) {
                    try await transport.send(user, to: url, deadline: .now + .seconds(10))
                }
                #expect(error?.code == .connectionLost)
                #expect(try await transport.send(user, to: url, deadline: .now + .seconds(10)).status == 200)
                await transport.close()
                let text = log.all.joined(separator: "\n")
                #expect(text.contains("POST /v1/login2 200") && !text.contains(token) && !text.contains(Self.password))
            }
        }
    }

    @Test("only a node of the caller's account becomes a controller of a group, or follows one")
    func controllers() async throws {
        try await withEmulator { emulator, _ in
            let token = try await token(emulator)
            let group = await call(
                emulator, "POST", "/v1/user/node_group", token: token, ["group_name": "a", "is_matter": true])
            let id = try #require(group.json?["group_id"]?.stringValue)
            func register(_ node: String) async -> (status: Int, json: JSONValue?) {
                await call(
                    emulator, "PUT", "/v1/user/node_group", query: ["matter_controller": "true"], token: token,
                    ["node_id": .string(node), "group_id": .string(id)])
            }
            func subscribe(_ node: String, _ operation: JSONValue = "subscribe") async -> Int {
                await call(
                    emulator, "PUT", "/v1/user/nodes/\(node)/groups/\(id)/controller", token: token,
                    ["operation": operation]
                ).status
            }
            let refused = await register("nope")
            #expect(refused.status == 400 && refused.json?["error_code"] == 103_020)
            #expect(await subscribe("nope") == 400)
            #expect(try await emulator.addController("hub1", .rainmaker, owner: "nobody@example.com") == false)
            #expect(try await emulator.addController("hub1", .rainmaker, owner: "me@example.com"))
            #expect(await subscribe("hub1", "unsubscribe") == 400)
            #expect(await subscribe("hub1") == 200)
            let first = await register("hub1")
            let second = await register("hub1")
            #expect(first.status == 200 && first.json?["matter_node_id"] == second.json?["matter_node_id"])
            // One that is in a group stays there.
            let other = await call(
                emulator, "POST", "/v1/user/node_group", token: token, ["group_name": "b", "is_matter": true])
            let moved = await call(
                emulator, "PUT", "/v1/user/node_group", query: ["matter_controller": "true"], token: token,
                ["node_id": "hub1", "group_id": try #require(other.json?["group_id"])])
            #expect(moved.status == 400 && moved.json?["error_code"] == 100_010)
        }
    }

    @Test("metadata is merged on all levels: null deletes, an array is replaced, an empty object changes nothing")
    func metadata() async throws {
        try await withEmulator { emulator, _ in
            let token = try await token(emulator)
            _ = try await emulator.addController("hub1", .setup, owner: "me@example.com")
            func put(_ metadata: JSONValue) async -> Int {
                await call(
                    emulator, "PUT", "/v1/user/nodes", query: ["node_id": "hub1"], token: token,
                    ["metadata": metadata]
                ).status
            }
            #expect(await put(["Matter": ["a": ["b": 1, "c": 2], "list": [1, 2]], "more": ["x": ["y": 1]]]) == 200)
            #expect(await put(["Matter": ["a": ["b": .null, "d": 3], "list": [3]], "more": ["x": [:]]]) == 200)
            let nodes = await call(
                emulator, "GET", "/v1/user/nodes", query: ["node_details": "true"], token: token)
            #expect(
                nodes.json?["node_details"]?.arrayValue?.first?["metadata"]
                    == ["Matter": ["a": ["c": 2, "d": 3], "list": [3]], "more": ["x": ["y": 1]]])
        }
    }

    @Test("the role of a member changes at once, without a request that waits")
    func memberRole() async throws {
        try await withEmulator { emulator, _ in
            try await emulator.addUser("you@example.com", password: Self.password)
            let token = try await token(emulator)
            let group = await call(
                emulator, "POST", "/v1/user/node_group", token: token, ["group_name": "a", "is_matter": true])
            let id = try #require(group.json?["group_id"])
            func share(_ primary: Bool) async -> JSONValue? {
                await call(
                    emulator, "PUT", "/v1/user/node_group/sharing", token: token,
                    ["groups": [id], "user_name": "you@example.com", "primary": .bool(primary)]
                ).json
            }
            let request = try #require(await share(false)?["request_id"])
            let other = await call(
                emulator, "POST", "/v1/login2",
                ["user_name": "you@example.com", "password": .string(Self.password)])
            let accepted = await call(
                emulator, "PUT", "/v1/user/node_group/sharing/requests",
                token: other.json?["accesstoken"]?.stringValue, ["request_id": request, "accept": true])
            #expect(accepted.status == 200)
            #expect(await share(true)?["request_id"] == nil)
            let users = await call(emulator, "GET", "/v1/user/node_group/sharing", token: token)
            #expect(
                users.json?["group_sharing"]?.arrayValue?.first?["users"]?["primary"]
                    == ["me@example.com", "you@example.com"])
        }
    }

    private func withServer(
        _ emulator: Emulator, _ log: LogLines, _ body: (UInt16) async throws -> Void
    ) async throws {
        let server = try EmulatorServer(emulator, port: 0) { line in log.append(line) }
        let run = Task { try await server.run() }
        do {
            try await body(try await server.port())
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
        _ = try? await run.value
    }
}

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
}
