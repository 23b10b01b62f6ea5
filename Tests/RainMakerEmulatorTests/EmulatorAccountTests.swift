import Foundation
import JSON
import MatterCrypto
import TestSupport
import Testing

@testable import MatterState
@testable import RainMakerEmulator

/// The emulator with users who are logged in.
private struct Bench {
    static let password = "Correct-Horse-1"

    let emulator: Emulator
    private let folder: URL
    private let notices: LogLines
    private(set) var tokens: [String: String] = [:]

    init(_ users: String..., faults: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("emulator-\(UUID().uuidString)")
        let notices = LogLines()
        var options = Emulator.Options(unixTime: { 1_790_000_000 })
        options.notice = { notices.append($0) }
        self.notices = notices
        emulator = try Emulator(
            StateDirectory(path: folder.path), options, faults: faults.compactMap { EmulatorFault(parsing: $0) })
        for user in users {
            try await emulator.addUser(user, password: Self.password)
            tokens[user] = try await login(user, Self.password)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func login(_ user: String, _ password: String) async throws -> String? {
        try await call("POST", "/v1/login2", ["user_name": .string(user), "password": .string(password)])
            .json?["accesstoken"]?.stringValue
    }

    func call(
        _ method: String, _ path: String, _ body: JSONValue? = nil, query: [String: String] = [:],
        as user: String = ""
    ) async throws -> (status: Int, json: JSONValue?) {
        let answer = await emulator.respond(
            to: EmulatorRequest(method, path, query: query, token: tokens[user], body: body?.utf8() ?? []))
        return (answer.status, try? JSONValue(parsing: answer.body))
    }

    /// The code in the latest notice.
    var latestCode: String { notices.all.last?.split(separator: " ").last.map(String.init) ?? "" }

    func createGroup(_ name: String, as user: String, _ more: JSONObject = [:]) async throws -> String {
        var body: JSONObject = ["group_name": .string(name), "is_matter": true]
        for member in more.members { body[member.key] = member.value }
        let answer = try await call("POST", "/v1/user/node_group", .object(body), as: user)
        return try #require(answer.json?["group_id"]?.stringValue)
    }

    func group(_ id: String, as user: String, _ query: [String: String] = [:]) async throws -> JSONValue? {
        var query = query
        query["group_id"] = id
        query["fabric_details"] = "true"
        return try await call("GET", "/v1/user/node_group", query: query, as: user).json?["groups"]?.arrayValue?.first
    }

    func share(_ group: String, from user: String, to other: String, _ more: JSONObject = [:]) async throws {
        var body: JSONObject = ["groups": [.string(group)], "user_name": .string(other)]
        for member in more.members { body[member.key] = member.value }
        let offer = try await call("PUT", "/v1/user/node_group/sharing", .object(body), as: user)
        // A member has nothing to accept.
        guard let request = offer.json?["request_id"] else { return #expect(offer.status == 200) }
        let answer = try await call(
            "PUT", "/v1/user/node_group/sharing/requests", ["request_id": request, "accept": true], as: other)
        #expect(answer.status == 200)
    }

    /// Issues and confirms a node, and gives its ids in the cloud and on the fabric.
    func node(in group: String, as user: String) async throws -> (id: String, matter: String) {
        let csr = try CertificateSigningRequest(key: .generate()).pem
        let issued = try await call(
            "PUT", "/v1/user/node_group",
            [
                "operation": "add", "csr_type": "node",
                "csr_requests": [["group_id": .string(group), "csr": .string(csr)]],
            ], as: user)
        let matter = try #require(issued.json?["certificates"]?.arrayValue?.first?["matter_node_id"]?.stringValue)
        let request = try #require(issued.json?["request_id"])
        let confirmed = try await call(
            "PUT", "/v1/user/node_group", ["request_id": request, "status": "success"], query: ["group_id": group],
            as: user)
        #expect(confirmed.status == 200)
        let nodes = try await call(
            "GET", "/v1/user/node_group", query: ["group_id": group, "node_details": "true"], as: user)
        let entry = try #require(
            nodes.json?["groups"]?.arrayValue?.first?["node_details"]?.arrayValue?.first {
                $0["matter_node_id"]?.stringValue == matter
            })
        return (try #require(entry["node_id"]?.stringValue), matter)
    }
}

@Suite(.timed) struct EmulatorAccountTests {
    private static let (me, bob) = ("me@example.com", "bob@example.com")

    @Test("a password is changed with the old one, or with a code that is sent")
    func passwords() async throws {
        let bench = try await Bench(Self.me)
        defer { bench.remove() }
        func change(_ old: String, _ new: String) async throws -> Int {
            try await bench.call(
                "PUT", "/v1/password2", ["password": .string(old), "newpassword": .string(new)], as: Self.me
            ).status
        }
        #expect(try await change("wrong", "Correct-Horse-2") == 400)
        #expect(try await change(Bench.password, "short") == 400)
        #expect(try await change(Bench.password, "Correct-Horse-2") == 200)
        #expect(try await bench.login(Self.me, Bench.password) == nil)
        #expect(try await bench.login(Self.me, "Correct-Horse-2") != nil)

        let path = "/v1/forgotpassword2"
        #expect(try await bench.call("PUT", path, ["user_name": "nobody@example.com"]).status == 400)
        #expect(try await bench.call("PUT", path, ["user_name": .string(Self.me)]).status == 200)
        func reset(_ code: String) async throws -> Int {
            try await bench.call(
                "PUT", path,
                [
                    "user_name": .string(Self.me), "password": "Correct-Horse-3", "verification_code": .string(code),
                ]
            ).status
        }
        #expect(try await reset("000000") == 400)
        #expect(try await reset(bench.latestCode) == 200)
        #expect(try await bench.login(Self.me, "Correct-Horse-3") != nil)
        #expect(try await reset(bench.latestCode) == 400, "a code is good once")
    }

    @Test("an account ends in two steps, and its tags are good no longer")
    func deletion() async throws {
        let bench = try await Bench(Self.me, Self.bob)
        defer { bench.remove() }
        let group = try await bench.createGroup("home", as: Self.me)
        try await bench.share(group, from: Self.me, to: Self.bob)
        let before = try await bench.group(group, as: Self.me)?["fabric_details"]
        let asked = try await bench.call("DELETE", "/v1/user2", query: ["request": "true"], as: Self.bob)
        #expect(asked.status == 200)
        for code in ["", "000000"] {
            let query = ["verification_code": code]
            #expect(try await bench.call("DELETE", "/v1/user2", query: query, as: Self.bob).status == 400)
        }
        let query = ["verification_code": bench.latestCode]
        #expect(try await bench.call("DELETE", "/v1/user2", query: query, as: Self.bob).status == 200)
        #expect(try await bench.call("GET", "/v1/user2", as: Self.bob).status == 401)
        #expect(try await bench.login(Self.bob, Bench.password) == nil)
        let after = try await bench.group(group, as: Self.me)?["fabric_details"]
        #expect(after?["group_cat_id_operate"] != before?["group_cat_id_operate"])
        #expect(after?["group_cat_id_admin"] == before?["group_cat_id_admin"])
    }

    @Test("several groups are shared by one request; one that is not the caller's, or no id, shares none")
    func sharingSeveral() async throws {
        let bench = try await Bench(Self.me, Self.bob)
        defer { bench.remove() }
        let house = try await bench.createGroup("house", as: Self.me)
        let garden = try await bench.createGroup("garden", as: Self.me)
        let his = try await bench.createGroup("his", as: Self.bob)
        func offer(_ groups: [JSONValue]) async throws -> (status: Int, request: JSONValue?) {
            let answer = try await bench.call(
                "PUT", "/v1/user/node_group/sharing", ["groups": .array(groups), "user_name": .string(Self.bob)],
                as: Self.me)
            return (answer.status, answer.json?["request_id"])
        }
        #expect(try await offer([.string(house), 7]).status == 400)
        #expect(try await offer([.string(house), .string(his)]).status == 400)
        let request = try #require(try await offer([.string(house), .string(garden)]).request)
        #expect(try await bench.group(house, as: Self.bob) == nil, "not before he accepts")
        let answer = try await bench.call(
            "PUT", "/v1/user/node_group/sharing/requests", ["request_id": request, "accept": true], as: Self.bob)
        #expect(answer.status == 200)
        for group in [house, garden] {
            #expect(try await bench.group(group, as: Self.bob)?["primary"] == false)
        }
    }

    @Test("sharing again with a member keeps his ids, and may change his role")
    func sharingAgain() async throws {
        let bench = try await Bench(Self.me, Self.bob)
        defer { bench.remove() }
        let group = try await bench.createGroup("home", as: Self.me)
        try await bench.share(group, from: Self.me, to: Self.bob)
        let before = try await bench.group(group, as: Self.bob)
        try await bench.share(group, from: Self.me, to: Self.bob, ["primary": true])
        let after = try await bench.group(group, as: Self.bob)
        #expect(before?["primary"] == false && after?["primary"] == true)
        for key in ["matter_user_id", "user_cat_id"] {
            #expect(after?["fabric_details"]?[key] != nil)
            #expect(after?["fabric_details"]?[key] == before?["fabric_details"]?[key])
        }
    }

    @Test(
        "a transfer takes the giver's admin tag away, and leaves him the role that it says",
        arguments: [nil, "secondary"])
    func transfer(newRole: String?) async throws {
        let bench = try await Bench(Self.me, Self.bob)
        defer { bench.remove() }
        let group = try await bench.createGroup("home", as: Self.me)
        let before = try await bench.group(group, as: Self.me)
        var more: JSONObject = ["transfer": true]
        more["new_role"] = newRole.map { .string($0) }
        try await bench.share(group, from: Self.me, to: Self.bob, more)
        let after = try await bench.group(group, as: Self.bob)
        #expect(after?["primary"] == true)
        let tag = { (value: JSONValue?) in value?["fabric_details"]?["group_cat_id_admin"]?.stringValue ?? "" }
        #expect(tag(before).hasSuffix("0001") && tag(after).hasSuffix("0002"))
        let mine = try await bench.group(group, as: Self.me)
        #expect((mine == nil) == (newRole == nil))
        #expect(mine?["primary"] == (newRole == nil ? nil : false))
    }

    @Test("a controller certificate is issued for a node of the group only")
    func controllerNode() async throws {
        let bench = try await Bench(Self.me)
        defer { bench.remove() }
        let group = try await bench.createGroup("home", as: Self.me)
        let node = try await bench.node(in: group, as: Self.me)
        let csr = try CertificateSigningRequest(key: .generate()).pem
        for (id, status) in [(node.matter, 200), ("5AF0C0FFEE000001", 400)] {
            let request: JSONValue = [
                "group_id": .string(group), "csr": .string(csr), "role": "secondary",
                "matter_node_id": .string(id),
            ]
            let answer = try await bench.call(
                "PUT", "/v1/user/node_group",
                ["operation": "add", "csr_type": "controller", "csr_requests": [request]], as: Self.me)
            #expect(answer.status == status)
        }
    }

    @Test("tags, subgroups, first nodes and the configuration of a node are remembered")
    func members() async throws {
        let bench = try await Bench(Self.me)
        defer { bench.remove() }
        let house = try await bench.createGroup("house", as: Self.me)
        let node = try await bench.node(in: house, as: Self.me)
        let path = "/v1/user/nodes"
        let tagged = try await bench.call(
            "PUT", path, ["tags": ["room:attic"]], query: ["node_id": node.id], as: Self.me)
        #expect(tagged.status == 200)
        let wrong = try await bench.call("PUT", path, ["tags": [7]], query: ["node_id": node.id], as: Self.me)
        #expect(wrong.status == 400)
        let listed = try await bench.call("GET", path, query: ["node_details": "true"], as: Self.me)
        #expect(listed.json?["node_details"]?.arrayValue?.first?["tags"] == ["room:attic"])
        let config = try await bench.call("GET", path + "/config", query: ["node_id": node.id], as: Self.me)
        #expect(config.status == 200 && config.json?["node_id"]?.stringValue == node.id)
        #expect(try await bench.call("GET", path + "/config", query: ["node_id": "x"], as: Self.me).status == 400)

        let attic = try await bench.createGroup(
            "attic", as: Self.me, ["parent_group_id": .string(house), "nodes": [.string(node.id)]])
        let shown = try await bench.group(house, as: Self.me, ["sub_groups": "true"])
        #expect(shown?["total"] == 0, "the node has moved")
        #expect(shown?["sub_groups"]?.arrayValue?.first?["group_id"]?.stringValue == attic)
        let inner = try await bench.group(attic, as: Self.me)
        #expect(inner?["parent_group_id"]?.stringValue == house && inner?["total"] == 1)
        let orphan = try await bench.call(
            "POST", "/v1/user/node_group", ["group_name": "x", "parent_group_id": "nothing"], as: Self.me)
        #expect(orphan.status == 404)
    }

    @Test(
        "a status that was asked for comes without a code that means something else; waits and denials have their form")
    func faultForms() async throws {
        let faults = ["status=500,on=getUser,times=1", "denied,on=getUser,after=1,times=1"]
        let bench = try await Bench(Self.me, faults: faults)
        defer { bench.remove() }
        let failed = try await bench.call("GET", "/v1/user2", as: Self.me)
        #expect(failed.status == 500 && failed.json?["error_code"] == nil && failed.json?["status"] == "failure")
        let denied = try await bench.call("GET", "/v1/user2", as: Self.me)
        #expect(denied.status == 403 && denied.json?["status"] == nil && denied.json?["message"] != nil)
        await bench.emulator.inject(EmulatorFault(.retryAfter, value: "3", on: .apiVersions))
        let answer = await bench.emulator.respond(to: EmulatorRequest("GET", "/apiversions"))
        #expect(answer.headers["Retry-After"] == "3")
    }
}
